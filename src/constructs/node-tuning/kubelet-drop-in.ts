/**
 * KubeletDropIn: what GPU nodes want of the kubelet, as a file that is laid over the node's own (KEP-3983, GA in 1.35).
 */
import { embedded } from '../../manifests/values/deferred';
import { amountsByName } from '../pods/amounts';
import { bytesText, type ByteSize, type Cores, countText, optionalBytesText } from '../resources/quantities';
import { nonEmpty } from '../../manifests/values/members';
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Taint } from '../../facts/api/types/core/v1';
import { parseQuantity, Quantity } from '../../manifests/values/quantity';
import { LARGEST_POD_PIDS } from './kubelet-fields';
import { drained, type NodeDocument } from './node-document';
import { publicClass } from '../resources/public-class';

/** Amounts of what can be reserved; `pid` counts processes. */
export interface Reservation {
  /** CPU in cores. @default - none */
  readonly cpu?: Cores;
  /** Memory, for example `2Gi`. @default - none */
  readonly memory?: ByteSize;
  /** Local storage, for example `10Gi`. @default - none */
  readonly ephemeralStorage?: ByteSize;
  /** Processes. @default - none */
  readonly pid?: number;
}

/** Props of a KubeletDropIn. */
export interface KubeletDropInProps {
  /** Ends with `.conf`; files are read in alphabetical order. @default 50-gpu.conf */
  readonly fileName?: string;
  /** Processes and threads of one pod. @default 65536 */
  readonly podPidsLimit?: number;
  /** Greatest number of pods on the node. @default - not stated; the kubelet's is 110 */
  readonly maxPods?: number;
  /** Bits of the node's pod network, against which `maxPods` is held. @default 24 */
  readonly podCidrMask?: number;
  /** CPUs for system and kubelet alone, such as `0-3,64-67`: both threads of whole cores. @default - none */
  readonly reservedSystemCpus?: string;
  /** For kubelet and container runtime. @default - not stated */
  readonly kubeReserved?: Reservation;
  /** For the daemons of the system. @default - not stated */
  readonly systemReserved?: Reservation;
  /** Whether Guaranteed pods with whole CPUs get CPUs of their own. @default static */
  readonly cpuManager?: 'none' | 'static';
  /**
   * Options of the CPU manager's policy.
   * @default - `full-pcpus-only` (whole cores) and `strict-cpu-reservation` (reserved ones kept free) with the static CPU manager
   */
  readonly cpuManagerOptions?: Readonly<Record<string, string>>;
  /**
   * `restricted`: a pod gets the fewest NUMA nodes that its size allows, or is rejected. `single-numa-node`: a pod that needs two NUMA nodes is
   * always rejected.
   * @default restricted
   */
  readonly topologyManager?: 'none' | 'best-effort' | 'restricted' | 'single-numa-node';
  /** Whether the topology manager aligns each container or the pod as a whole. @default pod */
  readonly topologyManagerScope?: 'container' | 'pod';
  /** Options of the topology manager's policy. @default - not stated */
  readonly topologyManagerOptions?: Readonly<Record<string, string>>;
  /** Whether memory comes from the NUMA nodes of the CPUs. @default - not stated; the kubelet's is None */
  readonly memoryManager?: 'None' | 'Static';
  /**
   * How what is reserved is laid over NUMA nodes. The sum must be what kubeReserved, systemReserved and the hard eviction threshold
   * come to.
   * @default - all of it on node 0, computed
   */
  readonly reservedMemory?: readonly { readonly numaNode: number; readonly memory: ByteSize }[];
  /** Below it pods are evicted at once. @default - not stated, or `memory.available: 1Gi` with the static memory manager */
  readonly evictionHard?: Readonly<Record<string, string>>;
  /** Whether the kernel kills one process of a container rather than all. @default - not stated: all, so that a trainer ends cleanly */
  readonly singleProcessOomKill?: boolean;
  /** Taints that the node is born with. @default - none */
  readonly registerWithTaints?: readonly Taint[];
  /** Kernel parameters that pods may set for themselves. @default - none */
  readonly allowedUnsafeSysctls?: readonly string[];
  /** Whatever has no property of its own. Lists replace those of the file below. @default - none */
  readonly overrides?: JsonObject;
}

/**
 * Rules: `node-tuning/kubelet-*`, `node-tuning/static-*`, `node-tuning/topology-*`. Source: KubeletConfiguration of kubernetes 1.36.
 *
 * @example
 * new nodeTuning.KubeletDropIn({ reservedSystemCpus: '0-3,64-67' }).toText();
 */
@publicClass('nodeTuning.KubeletDropIn')
export class KubeletDropIn implements NodeDocument {
  readonly path: string;
  readonly rollOut = drained(
    'systemctl stop kubelet',
    'rm -f /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state',
    'copy the file; the kubelet must run with --config-dir=/etc/kubernetes/kubelet.conf.d',
    'systemctl start kubelet',
    'kubectl get --raw /api/v1/nodes/NODE/proxy/configz',
  );

  /** @throws where the kubelet would not start, or a limit would limit nothing */
  constructor(private readonly props: KubeletDropInProps = {}) {
    const { fileName = '50-gpu.conf' } = props;
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*\.conf$/.test(fileName)) {
      throw new Error(`fileName: "${fileName}" must end with .conf, because the kubelet ignores other files.`);
    }
    this.path = `/etc/kubernetes/kubelet.conf.d/${fileName}`;
    checkNumbers(props);
    checkReservations(props);
  }

  /** Returns the content of the file as an object. */
  toConfiguration(): JsonObject {
    const { props } = this;
    const cpuManager = props.cpuManager ?? 'static';
    const fields: Record<string, JsonValue | undefined> = {
      podPidsLimit: props.podPidsLimit ?? 65_536,
      maxPods: props.maxPods,
      reservedSystemCPUs: props.reservedSystemCpus,
      cpuManagerPolicy: cpuManager,
      cpuManagerPolicyOptions: nonEmpty(
        props.cpuManagerOptions ??
          (cpuManager === 'static' ? { 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'true' } : {}),
      ),
      topologyManagerPolicy: props.topologyManager ?? 'restricted',
      topologyManagerScope: props.topologyManagerScope ?? 'pod',
      topologyManagerPolicyOptions: nonEmpty(props.topologyManagerOptions ?? {}),
      memoryManagerPolicy: props.memoryManager,
      kubeReserved: amounts('kubeReserved', props.kubeReserved),
      systemReserved: amounts('systemReserved', props.systemReserved),
      evictionHard: evictionOf(props),
      reservedMemory: props.memoryManager === 'Static' ? reservedMemory(props) : undefined,
      singleProcessOOMKill: props.singleProcessOomKill,
      registerWithTaints: props.registerWithTaints?.map((taint) => ({ ...taint })),
      allowedUnsafeSysctls: props.allowedUnsafeSysctls === undefined ? undefined : [...props.allowedUnsafeSysctls],
    };
    const stated = Object.fromEntries(
      Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
    );
    return { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...stated, ...props.overrides };
  }

  toText(): string {
    return embedded(this.toConfiguration(), (plain) =>
      stringify(plain, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false }),
    );
  }
}

function checkNumbers({ podPidsLimit, maxPods, podCidrMask = 24 }: KubeletDropInProps): void {
  if (
    podPidsLimit !== undefined &&
    (!Number.isInteger(podPidsLimit) || podPidsLimit < 1 || podPidsLimit > LARGEST_POD_PIDS)
  ) {
    throw new Error(
      `podPidsLimit must be an integer from 1 to ${LARGEST_POD_PIDS}, half of the process IDs of a node: ${podPidsLimit}. Set it to a limit such as 65536.`,
    );
  }
  const addresses = 2 ** (32 - podCidrMask) - 2;
  if (maxPods !== undefined && (!Number.isInteger(maxPods) || maxPods < 1 || maxPods > addresses)) {
    throw new Error(
      `maxPods: ${maxPods} pods do not fit into a /${podCidrMask} with ${addresses} addresses. Remove maxPods, which is 110 by default, or set podCidrMask.`,
    );
  }
}

function checkReservations(props: KubeletDropInProps): void {
  const { kubeReserved, systemReserved, reservedSystemCpus } = props;
  const cpu = sum([kubeReserved?.cpu, systemReserved?.cpu]);
  if ((props.cpuManager ?? 'static') === 'static' && reservedSystemCpus === undefined && !cpu.isPositive()) {
    throw new Error(
      'cpuManager: static requires reserved CPUs for the system. Set reservedSystemCpus (such as 0-3), or cpu in kubeReserved or systemReserved.',
    );
  }
  if (props.memoryManager !== 'Static' || props.reservedMemory === undefined) {
    return;
  }
  const wanted = toReserve(props);
  const stated = sum(props.reservedMemory.map(({ memory }) => bytesText('reservedMemory', memory)));
  if (!stated.equals(wanted)) {
    throw new Error(
      `reservedMemory must equal the sum of kubeReserved, systemReserved, and the eviction threshold (${stated.toString()} != ${wanted.toString()}). Remove it, so that it is computed.`,
    );
  }
}

/** The memory that the static memory manager must keep: the kubelet refuses any other sum. */
function toReserve(props: KubeletDropInProps): Quantity {
  const threshold = evictionOf(props)?.['memory.available'];
  if (threshold?.endsWith('%') === true) {
    throw new Error(
      `evictionHard: memory.available ${threshold} must be a quantity such as 1Gi with the static memory manager, because a percentage depends on the node.`,
    );
  }
  return sum([
    optionalBytesText('kubeReserved.memory', props.kubeReserved?.memory),
    optionalBytesText('systemReserved.memory', props.systemReserved?.memory),
    threshold,
  ]);
}

function reservedMemory(props: KubeletDropInProps): JsonValue {
  const stated = props.reservedMemory ?? [{ numaNode: 0, memory: toReserve(props).toString() }];
  return stated.map(({ numaNode, memory }) => ({ numaNode, limits: { memory: bytesText('reservedMemory', memory) } }));
}

function evictionOf({ evictionHard, memoryManager }: KubeletDropInProps): Record<string, string> | undefined {
  if (evictionHard !== undefined) {
    return { ...evictionHard };
  }
  return memoryManager === 'Static' ? { 'memory.available': '1Gi' } : undefined;
}

function amounts(prop: string, reservation: Reservation | undefined): Record<string, string> | undefined {
  if (reservation === undefined) {
    return undefined;
  }
  const { pid, ...others } = reservation;
  return { ...amountsByName(prop, others), ...(pid === undefined ? {} : { pid: countText(`${prop}.pid`, pid) }) };
}

/** @throws if one of them is not a quantity */
function sum(values: readonly (number | string | undefined)[]): Quantity {
  return values.reduce<Quantity>((total, value) => {
    if (value === undefined) {
      return total;
    }
    const amount = parseQuantity(value);
    if (amount === undefined) {
      throw new Error(`"${value}" is not a valid quantity. Write for example 4Gi or 500m.`);
    }
    return total.isZero() ? amount : total.add(amount);
  }, Quantity.ZERO);
}
