/**
 * KubeletConfiguration, the kubelet's file (row K16), and the flags that say the same. No server looks at it: the kubelet does when it
 * starts, and ends if it is wrong.
 */
import { oneOf } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { type JsonValue } from '../../../facts/api/schema';
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { parseQuantity, Quantity } from '../../../manifests/values/quantity';
import { KUBELET_FIELDS, LARGEST_POD_PIDS, PROCESS_IDS } from '../kubelet-fields';
import { kubeletRule } from './kubelet-rule';
import { itemsOf, quantitiesOf, text, textsOf, whole } from '../../../checks/server/values';

const RESERVABLE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['topologyManagerPolicy', ['none', 'best-effort', 'restricted', 'single-numa-node']],
  ['topologyManagerScope', ['container', 'pod']],
  ['cpuManagerPolicy', ['none', 'static']],
  ['memoryManagerPolicy', ['None', 'Static']],
  ['cgroupDriver', ['cgroupfs', 'systemd']],
  ['hairpinMode', ['none', 'hairpin-veth', 'promiscuous-bridge']],
];
const BOUNDS: readonly (readonly [string, number, number])[] = [
  ['maxPods', 0, Infinity],
  ['podsPerCore', 0, Infinity],
  ['maxOpenFiles', 0, Infinity],
  ['oomScoreAdj', -1000, 1000],
  ['imageGCHighThresholdPercent', 0, 100],
  ['imageGCLowThresholdPercent', 0, 100],
  ['nodeStatusMaxImages', -1, Infinity],
  ['port', 1, 65535],
  ['readOnlyPort', 0, 65535],
  ['healthzPort', 0, 65535],
  ['maxParallelImagePulls', 1, Infinity],
  ['podPidsLimit', -1, Infinity],
];
const ENFORCED: ReadonlyMap<string, string | undefined> = new Map([
  ['pods', undefined],
  ['none', undefined],
  ['system-reserved', 'systemReservedCgroup'],
  ['system-reserved-compressible', 'systemReservedCgroup'],
  ['kube-reserved', 'kubeReservedCgroup'],
  ['kube-reserved-compressible', 'kubeReservedCgroup'],
]);

/** Fields of every object, which no rule here reads. */
const COMMON_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** A threshold that is not set has its default, or the value of the file that a drop-in is laid over, which is not known. */
function threshold(value: JsonValue | undefined, preset: number, partial: boolean): number | undefined {
  return value !== undefined ? whole(value) : partial ? undefined : preset;
}

export const kubeletConfigurationRules: readonly Rule[] = [
  kubeletRule(
    'kubelet-field-known',
    {
      tier: 'advice',
      severity: 'warning',
      summary: "The fields of the kubelet's configuration file must be fields of a kubelet version.",
      why: 'The kubelet logs "Using lenient decoding" and starts without the setting.',
      fix: 'Rename the field to one of KubeletConfiguration, whose names are case-sensitive, or remove it.',
      source: `${cite('kubernetes')}, pkg/kubelet/kubeletconfig/util/codec (DecodeKubeletConfiguration)`,
    },
    function* (file) {
      for (const field of Object.keys(file)) {
        if (KUBELET_FIELDS.has(field) || COMMON_FIELDS.includes(field)) {
          continue;
        }
        const meant = nearestName(field, KUBELET_FIELDS);
        // What is like no field may be one of a kubelet to come; what is nearly one is misspelled.
        const misspelled = meant === undefined ? {} : { severity: 'error' as const, expected: meant };
        yield { path: pointer('', field), message: `unknown kubelet field "${field}"`, found: field, ...misspelled };
      }
    },
  ),

  fixesByField(
    kubeletRule(
      'kubelet-policy-known',
      {
        summary:
          'The policies of the topology, CPU, and memory manager, and the topology scope, must have a supported value.',
        fix: 'Set topologyManagerPolicy, cpuManagerPolicy, memoryManagerPolicy, or topologyManagerScope to one of the supported values, which are case-sensitive.',
      },
      function* (file) {
        for (const [field, values] of CHOICES) {
          const value = text(file[field]);
          if (value !== '' && !values.includes(value)) {
            yield {
              path: `/${field}`,
              message: `unsupported value "${value}" for ${field}`,
              found: value,
              expected: oneOf(values),
            };
          }
        }
      },
    ),
  ),

  fixesByField(
    kubeletRule(
      'kubelet-number-within-bounds',
      {
        summary:
          'Counts, ports, and percentages of the kubelet must be in range, and the low threshold of image garbage collection must be less than the high one.',
        fix: 'Set the field, for example imageGCLowThresholdPercent, to a number in the expected range.',
      },
      function* (file, { partial }) {
        for (const [field, least, most] of BOUNDS) {
          const value = whole(file[field]);
          if (value === undefined || (value >= least && value <= most)) {
            continue;
          }
          yield {
            path: `/${field}`,
            message:
              most === Infinity
                ? `${field} must be greater than or equal to ${least}, but is ${value}`
                : `${field} must be between ${least} and ${most}, but is ${value}`,
            found: value,
            expected: most === Infinity ? `${least} or more` : `${least}-${most}`,
          };
        }
        const high = threshold(file.imageGCHighThresholdPercent, 85, partial);
        const low = threshold(file.imageGCLowThresholdPercent, 80, partial);
        if (high !== undefined && low !== undefined && low >= high) {
          yield {
            path: '/imageGCLowThresholdPercent',
            message: `imageGCLowThresholdPercent must be less than imageGCHighThresholdPercent (${low} >= ${high})`,
            found: low,
            expected: `less than ${high}`,
          };
        }
        if (file.serializeImagePulls === true && (whole(file.maxParallelImagePulls) ?? 1) > 1) {
          yield {
            path: '/maxParallelImagePulls',
            message: 'maxParallelImagePulls must not be greater than 1 when serializeImagePulls is true',
            expected: 'serializeImagePulls: false',
          };
        }
      },
    ),
  ),

  kubeletRule(
    'kubelet-reserved-resources-known',
    {
      summary:
        'kubeReserved and systemReserved must name cpu, memory, ephemeral-storage, or pid, with amounts that are not negative; reservedMemory must name memory or huge pages.',
      fix: 'Set kubeReserved, systemReserved, and reservedMemory to supported resources with valid quantities, for example memory: 2Gi.',
    },
    function* (file) {
      for (const list of ['kubeReserved', 'systemReserved']) {
        for (const [name, value] of Object.entries(asObject(file[list]))) {
          const path = pointer(`/${list}`, name);
          const amount = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
          if (!RESERVABLE.includes(name)) {
            yield {
              path,
              message: `unsupported resource "${name}" in ${list}`,
              found: name,
              expected: oneOf(RESERVABLE),
              fix: `Rename "${name}" in ${list} to ${oneOf(RESERVABLE)}, or remove it.`,
            };
          } else if (amount === undefined) {
            yield {
              path,
              message: `${JSON.stringify(value)} is not a valid quantity`,
              found: value,
              fix: `Set ${fieldOf(path)} to a quantity, for example 2Gi.`,
            };
          } else if (amount.isNegative()) {
            yield { path, message: 'the reserved amount must be greater than or equal to 0', found: value };
          }
        }
      }
      for (const { value, path } of itemsOf(file.reservedMemory, '/reservedMemory')) {
        for (const [name, amount] of quantitiesOf(value.limits)) {
          if (name !== 'memory' && !name.startsWith('hugepages-')) {
            yield {
              path: pointer(path, 'limits', name),
              message: `unsupported resource "${name}" in reservedMemory`,
              fix: `Rename "${name}" in limits to memory or hugepages-<size>, or remove it.`,
              expected: 'memory or hugepages-<size>',
            };
          } else if (amount.isZero()) {
            yield { path: pointer(path, 'limits', name), message: 'the reserved amount must be greater than 0' };
          }
        }
      }
    },
  ),

  kubeletRule(
    'static-cpu-manager-reserves-cpu',
    {
      summary:
        'The static CPU manager must leave CPU for the system: reservedSystemCPUs, or cpu in kubeReserved or systemReserved.',
      fix: 'Set reservedSystemCPUs to a list of CPUs such as 0-3, or cpu in kubeReserved or systemReserved.',
      source: `${cite('kubernetes')}, pkg/kubelet/cm/cpumanager (policy static)`,
    },
    function* (file, { partial }) {
      if (partial || file.cpuManagerPolicy !== 'static' || text(file.reservedSystemCPUs) !== '') {
        return;
      }
      const reserved = ['kubeReserved', 'systemReserved'].reduce(
        (sum, list) => sum.add(quantitiesOf(file[list]).get('cpu') ?? Quantity.ZERO),
        Quantity.ZERO,
      );
      if (!reserved.isPositive()) {
        yield {
          path: '/cpuManagerPolicy',
          message: 'cpuManagerPolicy: static requires reserved CPUs',
          found: 'static',
          expected: 'reservedSystemCPUs, or cpu greater than zero in kubeReserved or systemReserved',
        };
      }
    },
  ),

  kubeletRule(
    'static-memory-manager-reserves-memory',
    {
      summary:
        'The static memory manager requires reservedMemory that equals the sum of kubeReserved, systemReserved, and the hard eviction threshold.',
      fix: 'Set limits in reservedMemory for each NUMA node to amounts of memory with the required total.',
      source: `${cite('kubernetes')}, pkg/kubelet/cm/memorymanager (validateReservedMemory)`,
    },
    function* (file, { partial }) {
      if (file.memoryManagerPolicy !== 'Static') {
        return;
      }
      if (
        partial &&
        ['reservedMemory', 'kubeReserved', 'systemReserved', 'evictionHard'].some((field) => file[field] === undefined)
      ) {
        return;
      }
      const stated = itemsOf(file.reservedMemory, '/reservedMemory');
      if (stated.length === 0) {
        yield {
          path: '/memoryManagerPolicy',
          message: 'memoryManagerPolicy: Static requires reservedMemory',
          found: 'Static',
          expected: 'reservedMemory for each NUMA node',
        };
        return;
      }
      const sum = stated.reduce(
        (total, { value }) => total.add(quantitiesOf(value.limits).get('memory') ?? Quantity.ZERO),
        Quantity.ZERO,
      );
      const byDefault = file.evictionHard === undefined || file.mergeDefaultEvictionSettings === true ? '100Mi' : '0';
      const threshold = text(asObject(file.evictionHard)['memory.available']) || byDefault;
      const eviction = parseQuantity(threshold);
      // A threshold in percent depends on the node.
      if (eviction === undefined) {
        return;
      }
      const wanted = ['kubeReserved', 'systemReserved'].reduce(
        (total, list) => total.add(quantitiesOf(file[list]).get('memory') ?? Quantity.ZERO),
        eviction,
      );
      if (!sum.equals(wanted)) {
        yield {
          path: '/reservedMemory',
          message: `the total of reservedMemory must equal the total memory in kubeReserved, systemReserved, and the eviction threshold (${sum.toString()} != ${wanted.toString()})`,
          expected: wanted.toString(),
          fix: `Set limits in reservedMemory to amounts of memory with the total ${wanted.toString()}.`,
        };
      }
    },
  ),

  kubeletRule(
    'kubelet-reserved-cpus-readable',
    {
      summary:
        'reservedSystemCPUs must be a list of CPUs such as 0-3,8, and must not be set together with the cgroups of reserved resources.',
      fix: 'Set reservedSystemCPUs to a list of CPUs such as 0-3, or remove systemReservedCgroup and kubeReservedCgroup.',
    },
    function* (file) {
      const list = text(file.reservedSystemCPUs);
      if (list === '') {
        return;
      }
      const ranges = list.split(',').map((part) => /^(\d+)(?:-(\d+))?$/.exec(part.trim()));
      if (ranges.some((range) => range === null || Number(range[2] ?? range[1]) < Number(range[1]))) {
        yield {
          path: '/reservedSystemCPUs',
          message: `"${list}" is not a valid list of CPUs`,
          found: list,
          expected: 'a list of CPUs such as 0-3,8',
        };
      }
      for (const field of ['systemReservedCgroup', 'kubeReservedCgroup']) {
        if (text(file[field]) !== '') {
          yield {
            path: `/${field}`,
            message: `${field} must not be set when reservedSystemCPUs is set`,
            found: text(file[field]),
          };
        }
      }
    },
  ),

  kubeletRule(
    'kubelet-enforcement-known',
    {
      summary: 'enforceNodeAllocatable must list known values once, each with its cgroup, and none only alone.',
      fix: 'Set enforceNodeAllocatable to [pods], or to supported values together with systemReservedCgroup or kubeReservedCgroup.',
    },
    function* (file) {
      const parts = textsOf(file.enforceNodeAllocatable, '/enforceNodeAllocatable');
      const seen = new Set<string>();
      for (const { value, path } of parts) {
        if (!ENFORCED.has(value)) {
          yield {
            path,
            message: `unsupported value "${value}" in enforceNodeAllocatable`,
            found: value,
            expected: oneOf([...ENFORCED.keys()]),
          };
          continue;
        }
        if (seen.has(value)) {
          yield { path, message: `duplicate value "${value}"`, found: value, fix: `Remove ${fieldOf(path)}.` };
        }
        seen.add(value);
        const cgroup = ENFORCED.get(value);
        if (cgroup !== undefined && text(file[cgroup]) === '') {
          yield {
            path,
            message: `${cgroup} must be set when enforceNodeAllocatable contains ${value}`,
            found: value,
            expected: cgroup,
            fix: `Set ${cgroup}, or remove ${value} from enforceNodeAllocatable.`,
          };
        }
        if (value === 'none' && parts.length > 1) {
          yield {
            path,
            message: '"none" must not be combined with other values',
            found: value,
            fix: 'Remove "none", or all other values, from enforceNodeAllocatable.',
          };
        }
      }
    },
  ),

  kubeletRule(
    'topology-manager-has-providers',
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'A topology policy other than none requires the static CPU manager.',
      why: 'Otherwise only devices are aligned with each other; CPUs and memory of the pod may be on another NUMA node.',
      fix: 'Set cpuManagerPolicy: static, and memoryManagerPolicy: Static to align memory as well.',
      source: 'kubernetes 1.36, topology manager (hint providers)',
    },
    function* (file, { partial }) {
      if (partial && file.cpuManagerPolicy === undefined) {
        return;
      }
      const policy = text(file.topologyManagerPolicy);
      if (['restricted', 'single-numa-node'].includes(policy) && file.cpuManagerPolicy !== 'static') {
        yield {
          path: '/topologyManagerPolicy',
          message: `topologyManagerPolicy ${policy} aligns only devices, because cpuManagerPolicy is not static`,
          found: policy,
          expected: 'cpuManagerPolicy: static',
        };
      }
    },
  ),

  kubeletRule(
    'topology-policy-keeps-its-promise',
    {
      row: 'N5',
      tier: 'advice',
      severity: 'info',
      summary:
        'A topology policy for alignment should be restricted or single-numa-node: best-effort guarantees nothing, and single-numa-node rejects pods that need two NUMA nodes.',
      why: 'With best-effort a pod that cannot be aligned starts anyway. With single-numa-node a pod with more devices than one NUMA node has is always rejected (TopologyAffinityError), and the scheduler, which does not know this, creates it again.',
      fix: 'Set topologyManagerPolicy to restricted with topologyManagerScope: pod if pods use whole nodes, or to single-numa-node if pods are smaller than a NUMA node.',
      source: 'kubernetes 1.36, topology manager policies; KEP-693, KEP-3545',
    },
    function* (file) {
      const policy = text(file.topologyManagerPolicy);
      if (policy === 'best-effort') {
        yield {
          path: '/topologyManagerPolicy',
          message: 'topologyManagerPolicy best-effort also admits pods whose resources it cannot align',
          found: policy,
          expected: 'restricted or single-numa-node',
        };
      }
      if (policy === 'single-numa-node') {
        yield {
          path: '/topologyManagerPolicy',
          message:
            'topologyManagerPolicy single-numa-node rejects every pod that requests more devices than one NUMA node has',
          found: policy,
          expected: 'restricted, unless every pod fits into one NUMA node',
        };
      }
    },
  ),

  kubeletRule(
    'pod-pids-limit-guards-node',
    {
      row: 'N2',
      tier: 'advice',
      severity: 'warning',
      summary: 'podPidsLimit should be at most half of the process IDs of the node, kernel.pid_max (4194304).',
      why: 'A limit that allows one pod to use all process IDs of the node does not stop a fork bomb. Trainers with eight GPUs use 10,000 to 60,000 processes and threads.',
      fix: 'Set podPidsLimit to 65536, and set pid in systemReserved.',
      source: 'kubernetes 1.36, process ID limits; Linux kernel.pid_max (PID_MAX_LIMIT)',
    },
    function* (file) {
      const limit = whole(file.podPidsLimit);
      if (limit !== undefined && limit > LARGEST_POD_PIDS) {
        yield {
          path: '/podPidsLimit',
          message: `podPidsLimit ${limit} is more than half of the ${PROCESS_IDS} process IDs on the node`,
          found: limit,
          expected: 'a limit such as 65536',
        };
      } else if (limit !== undefined && limit > 262_144) {
        yield {
          severity: 'info',
          path: '/podPidsLimit',
          message: `with podPidsLimit ${limit}, ${Math.ceil(PROCESS_IDS / limit)} pods can use all ${PROCESS_IDS} process IDs on the node`,
          found: limit,
          expected: 'a limit such as 65536',
        };
      }
    },
  ),

  kubeletRule(
    'max-pods-within-pod-network',
    {
      row: 'N3',
      tier: 'advice',
      severity: 'warning',
      summary: 'maxPods must not exceed the number of addresses in the pod network of the node: 254 in the usual /24.',
      why: 'Pods beyond that number are scheduled but get no address. Many network plugins (ENI, Azure CNI) have even fewer addresses.',
      fix: 'Remove maxPods, which is 110 by default, or configure a larger pod network for the nodes.',
      source: 'kube-controller-manager --node-cidr-mask-size (24 by default)',
    },
    function* (file) {
      const most = whole(file.maxPods);
      const mask = Number(/\/(\d+)$/.exec(text(file.podCIDR))?.[1] ?? 24);
      const addresses = mask >= 1 && mask <= 30 ? 2 ** (32 - mask) - 2 : 254;
      if (most !== undefined && most > addresses) {
        yield {
          path: '/maxPods',
          message: `maxPods must be less than or equal to the number of addresses in a /${mask} pod network (${most} > ${addresses})`,
          found: most,
          expected: `at most ${addresses}`,
        };
      }
    },
  ),

  kubeletRule(
    'swap-choice-takes-effect',
    {
      row: 'D5',
      tier: 'advice',
      severity: 'warning',
      summary: 'memorySwap.swapBehavior LimitedSwap requires failSwapOn: false.',
      why: 'With failSwapOn the kubelet does not start on a node that has swap. Containers have no field to select swap; Guaranteed pods get none.',
      fix: 'Set failSwapOn: false, or remove memorySwap.',
      source: 'kubernetes 1.36, swap memory management; KEP-2400',
    },
    function* (file, { partial }) {
      const behavior = text(asObject(file.memorySwap).swapBehavior);
      if (behavior === 'LimitedSwap' && file.failSwapOn !== false && !partial) {
        yield {
          path: '/memorySwap/swapBehavior',
          message: 'swapBehavior is LimitedSwap, but failSwapOn prevents the kubelet from starting on a node with swap',
          found: behavior,
          expected: 'failSwapOn: false',
        };
      }
    },
  ),
];
