/**
 * Amounts of shared devices: memory in the unit of each plugin, percentages that are such, and parts that belong together.
 */
import { cite } from '../../../facts/upstream';
import { findResource, type ResourceUnit } from '../../../facts/catalog';
import { type Rule } from '../../../checks/rules/rule';
import { fieldOf } from '../../../manifests/pointer';
import { stringEntries } from '../../../manifests/read';
import { oneOf } from '../../../facts/words';
import { type Asked } from '../../pods/rules/advice';
import { amountsOf, askedByPod, deviceAdvice, nodeLabelWanted } from './device-advice';

/** More memory than any GPU has, in GiB. */
const MOST_GIB = 1024;
/** Less than a process needs for its context, in MiB. A smaller number was probably meant in GiB. */
const LEAST_MIB = 256;
/** From here on a number can only have come from a suffix such as Mi or Gi. */
const SUFFIXED = 2 ** 24;
const MEMORY_UNITS: readonly (ResourceUnit | undefined)[] = ['MiB', 'GiB', 'MiB or GiB', '256 MiB', '512 MiB'];
const HAMI_AMOUNTS = ['nvidia.com/gpumem', 'nvidia.com/gpumem-percentage', 'nvidia.com/gpucores'];
const HAMI_ANNOTATIONS: readonly string[] = ['use', 'nouse'].flatMap((use) => [
  `nvidia.com/${use}-gputype`,
  `nvidia.com/${use}-gpuuuid`,
]);
const VGPU_AMOUNTS = ['volcano.sh/vgpu-memory-percentage', 'volcano.sh/vgpu-cores'];
const QGPU_CORE = 'tke.cloud.tencent.com/qgpu-core';
const ACK_CORE = 'aliyun.com/gpu-core.percentage';
const ACK_LABEL = 'ack.node.gpu.schedule';
const HAMI = cite('hami');

export const amountRules: readonly Rule[] = [
  deviceAdvice(
    'memory-in-unit-of-plugin',
    {
      concerns: ['limits', 'requests'],
      severity: 'warning',
      summary:
        'Memory of a shared device should be written in the unit of its plugin: MiB with HAMi, Volcano, and Hygon, GiB with Tencent and MetaX.',
      why: 'The plugin uses the plain number: `10` is 10 MiB for one plugin, too little to run anything, and 10240 is 10 TiB for another, which no node has.',
      source: `${HAMI}, values.yaml; ${cite('volcano')}, devices/nvidia/vgpu; Tencent and Aliyun, documents`,
      fix: 'Set resources.limits to a number in the expected unit, without a suffix.',
    },
    (pod, say) => {
      for (const { name, amount, path } of askedByPod(pod)) {
        const unit = findResource(name)?.unit;
        if (!MEMORY_UNITS.includes(unit) || amount === 0) {
          continue;
        }
        if (amount >= SUFFIXED) {
          // MetaX takes 2048Mi as well.
          if (name !== 'metax-tech.com/vmemory') {
            say(
              path,
              `the unit of ${name} is ${unit ?? ''}, but a suffix such as Gi makes the amount a number of bytes`,
              {
                severity: 'error',
                expected: `a number of ${unit ?? ''} without a suffix`,
                fix: `Set ${fieldOf(path)} to a number of ${unit ?? ''}, without a suffix.`,
              },
            );
          }
        } else if (unit === 'MiB' && amount < LEAST_MIB) {
          say(path, `the unit of ${name} is MiB, and ${amount} MiB is too little for a process on a GPU`, {
            expected: `${amount * 1024} for ${amount} GiB`,
            fix: `Set ${fieldOf(path)} to a number of MiB, such as ${amount * 1024} for ${amount} GiB.`,
          });
        } else if ((unit === 'GiB' || unit === 'MiB or GiB') && amount > MOST_GIB) {
          if (unit === 'GiB') {
            const inGib = `${Math.round(amount / 1024)} for ${amount} MiB`;
            say(path, `the unit of ${name} is GiB, and no GPU has ${amount} GiB`, {
              severity: 'error',
              expected: inGib,
              fix: `Set ${fieldOf(path)} to a number of GiB, such as ${inGib}.`,
            });
          } else {
            say(path, `the unit of ${name} is GiB by default, and no GPU has ${amount} GiB`, {
              severity: 'info',
              expected: 'a number of GiB, or a device plugin that is configured for MiB',
              fix: `Set ${fieldOf(path)} to a number of GiB, or configure MiB as the unit of the device plugin.`,
            });
          }
        } else if (unit === 'MiB' && amount > MOST_GIB * 1024) {
          say(path, `the unit of ${name} is MiB, and no GPU has ${amount} MiB`, {
            severity: 'error',
            fix: `Set ${fieldOf(path)} to a number of MiB that a GPU has, such as 10240 for 10 GiB.`,
          });
        }
      }
    },
  ),

  deviceAdvice(
    'percentage-within-bounds',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary:
        'A percentage of a device must be at most 100; cores of a qGPU must be a multiple of 5, or a multiple of 100 for whole GPUs.',
      why: 'No node has more of one device: the pod stays pending, or the plugin rejects it.',
      source: `${HAMI}; Tencent, documents (qGPU)`,
      fix: 'Set the percentage in resources.limits to at most 100, and request more devices if one is not enough.',
    },
    (pod, say) => {
      for (const { name, amount, path } of askedByPod(pod)) {
        if (name === QGPU_CORE || name === 'tencent.com/vcuda-core') {
          const steps = name === QGPU_CORE ? 5 : 1;
          if (amount > 100 ? amount % 100 !== 0 : amount % steps !== 0) {
            const expected = `${steps === 5 ? 'a multiple of 5' : 'an integer'} up to 100, or a multiple of 100 for whole GPUs`;
            say(path, `${name} must be ${expected}, but is ${amount}`, { expected });
          }
        } else if (findResource(name)?.unit === 'percent' && amount > 100) {
          say(path, `${name} must be between 1 and 100 percent, but is ${amount}`, { expected: '1 to 100' });
        }
      }
    },
  ),

  deviceAdvice(
    'share-memory-stated-once',
    {
      concerns: ['nvidia.com/gpumem-percentage', 'volcano.sh/vgpu-memory-percentage'],
      severity: 'warning',
      summary: 'The memory of a vGPU must be set either in MiB or in percent.',
      why: 'One of the two is ignored, and which one depends on the plugin.',
      source: `${HAMI}, pkg/device/nvidia; ${cite('volcano')}, devices/nvidia/vgpu`,
      fix: 'Remove one of the two entries from resources.limits.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        for (const memory of ['nvidia.com/gpumem', 'volcano.sh/vgpu-memory']) {
          const percentage = find(asked, `${memory}-percentage`);
          if (percentage !== undefined && find(asked, memory) !== undefined) {
            say(
              percentage.path,
              `${memory} and ${percentage.name} are both set, but the device plugin ignores one of them`,
              {
                expected: 'the memory either in MiB or in percent',
                fix: `Remove ${percentage.name} or ${memory} from resources.limits.`,
              },
            );
          }
        }
      }
    },
  ),

  deviceAdvice(
    'vgpu-amounts-with-number',
    {
      concerns: VGPU_AMOUNTS,
      severity: 'error',
      summary:
        'Percentages of Volcano vGPUs require volcano.sh/vgpu-number, or volcano.sh/vgpu-memory, which implies one vGPU.',
      why: 'They set the share of each vGPU; alone they request none, and the scheduler treats the container as one without a GPU.',
      source: `${cite('volcano')}, pkg/scheduler/api/devices/util.go ExtractResourceRequest`,
      fix: 'Add volcano.sh/vgpu-number: 1 to resources.limits.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const amount = asked.find(({ name }) => VGPU_AMOUNTS.includes(name));
        const counted = ['volcano.sh/vgpu-number', 'volcano.sh/vgpu-memory'].some(
          (name) => find(asked, name) !== undefined,
        );
        if (amount !== undefined && !counted) {
          say(amount.path, `${amount.name} has no effect, because the container requests no vGPU`, {
            expected: 'volcano.sh/vgpu-number: 1',
          });
        }
      }
    },
  ),

  deviceAdvice(
    'share-plugins-apart',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary: 'A container must request shares from only one plugin.',
      why: 'No node runs two of them, because both would allocate the same GPUs.',
      source: `${HAMI}, README; ${cite('volcano')}, docs/user-guide/how_to_use_volcano_vgpu.md`,
      fix: 'Keep in resources.limits only the resources of the device plugin that the cluster runs.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const [first, ...others] = amountsOf(container).filter(({ name }) => shareOwner(name) !== undefined);
        const other = others.find(({ name }) => first !== undefined && shareOwner(name) !== shareOwner(first.name));
        if (first !== undefined && other !== undefined) {
          say(
            other.path,
            `no node serves both ${other.name} (${shareOwner(other.name) ?? ''}) and ${first.name} (${shareOwner(first.name) ?? ''})`,
          );
        }
      }
    },
  ),

  deviceAdvice(
    'cgpu-compute-on-nodes-that-limit-it',
    {
      concerns: [ACK_CORE],
      severity: 'warning',
      summary: `A pod that requests cGPU compute (${ACK_CORE}) must also request GPU memory and select nodes with ${ACK_LABEL}=core_mem.`,
      why: 'Other nodes do not offer it; without memory no share is created.',
      source: 'Aliyun ACK, documents (GPU sharing, node labels)',
      fix: `Add ${ACK_LABEL}: core_mem to nodeSelector, and aliyun.com/gpu-mem to resources.limits.`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const core = find(asked, ACK_CORE);
        if (core === undefined) {
          continue;
        }
        if (find(asked, 'aliyun.com/gpu-mem') === undefined) {
          say(core.path, `${ACK_CORE} requires aliyun.com/gpu-mem, without which no share is created`, {
            expected: `aliyun.com/gpu-mem and ${ACK_CORE}`,
            fix: 'Add aliyun.com/gpu-mem to resources.limits.',
          });
        }
        const wanted = nodeLabelWanted(pod, ACK_LABEL);
        if (wanted?.every((value) => value === 'core_mem') !== true) {
          say(
            core.path,
            `the pod must select nodes with ${ACK_LABEL}=core_mem, because other nodes do not offer ${ACK_CORE}`,
            {
              expected: `nodeSelector ${ACK_LABEL}: core_mem`,
              fix: `${wanted === undefined ? `Add ${ACK_LABEL}: core_mem to` : `Set ${ACK_LABEL}: core_mem in`} nodeSelector.`,
            },
          );
        }
      }
    },
  ),

  deviceAdvice(
    'hami-pod-not-privileged',
    {
      concerns: HAMI_AMOUNTS,
      tier: 'webhook',
      severity: 'error',
      summary: 'A pod that requests HAMi vGPUs must not have a privileged container.',
      why: "A privileged container can access all devices; HAMi's webhook rejects the pod.",
      source: `${HAMI}, pkg/scheduler/webhook.go`,
      fix: 'Remove securityContext.privileged, and list the capabilities that the container requires in securityContext.capabilities.add.',
    },
    (pod, say) => {
      if (!askedByPod(pod).some(({ name }) => HAMI_AMOUNTS.includes(name))) {
        return;
      }
      for (const container of pod.containers) {
        const security = container.value.securityContext;
        if (
          typeof security === 'object' &&
          security !== null &&
          !Array.isArray(security) &&
          security.privileged === true
        ) {
          say(
            `${container.path}/securityContext/privileged`,
            `the container "${container.name}" must not be privileged, because the pod requests HAMi vGPUs`,
            { expected: 'false or unset' },
          );
        }
      }
    },
  ),

  deviceAdvice(
    'hami-annotation-known',
    {
      concerns: ['annotations'],
      severity: 'warning',
      summary: 'Annotations for HAMi must have supported names and values.',
      why: 'HAMi ignores other annotations and uses any GPU.',
      source: `${HAMI}, pkg/device/nvidia/device.go`,
      fix: `Rename the annotation to ${oneOf(HAMI_ANNOTATIONS)}.`,
    },
    (pod, say) => {
      for (const [key, value] of stringEntries(pod.metadata.annotations)) {
        const at = `/metadata/annotations/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (key === 'nvidia.com/vgpu-mode' && !['hami-core', 'mig', 'mps'].includes(value)) {
          say(at, `unsupported HAMi mode "${value}"`, {
            expected: 'hami-core, mig, or mps',
            fix: `Set ${fieldOf(at)} to hami-core, mig, or mps.`,
          });
        } else if (/^nvidia\.com\/(no-?use|use)-?gpu/.test(key) && !HAMI_ANNOTATIONS.includes(key)) {
          say(at, `unknown HAMi annotation "${key}", which HAMi ignores`, { expected: oneOf(HAMI_ANNOTATIONS) });
        }
      }
    },
  ),
];

function find(asked: readonly Asked[], name: string): Asked | undefined {
  return asked.find((one) => one.name === name);
}

/** The device plugin whose shares a resource counts; unset for whole devices. */
function shareOwner(name: string): string | undefined {
  if (HAMI_AMOUNTS.includes(name)) {
    return 'HAMi';
  }
  if (name.startsWith('volcano.sh/vgpu-')) {
    return 'Volcano';
  }
  if (name.startsWith('aliyun.com/gpu-')) {
    return 'Aliyun';
  }
  return name.startsWith('tke.cloud.tencent.com/qgpu-') ? 'Tencent' : undefined;
}
