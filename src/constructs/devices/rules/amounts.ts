/**
 * Amounts of shared devices: memory in the unit of each plugin, percentages that are such, and parts that belong together.
 */
import { cite } from '../../../facts/upstream';
import { findResource, type ResourceUnit } from '../../../facts/catalog';
import { type Rule } from '../../../checks/rule';
import { stringEntries } from '../../../manifests/read';
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
        'Memory of a shared device must be written in the unit of its plugin: MiB with HAMi, Volcano, and Hygon, GiB with Tencent and MetaX.',
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
            say(path, `${name} is a number of ${unit ?? ''}, which a suffix multiplies`, {
              severity: 'error',
              expected: `a plain number of ${unit ?? ''}`,
            });
          }
        } else if (unit === 'MiB' && amount < LEAST_MIB) {
          say(path, `${amount} of ${name} is only ${amount} MiB`, { expected: `${amount * 1024} for ${amount} GiB` });
        } else if ((unit === 'GiB' || unit === 'MiB or GiB') && amount > MOST_GIB) {
          if (unit === 'GiB') {
            say(path, `${amount} of ${name} is ${amount} GiB, more than any GPU has`, {
              severity: 'error',
              expected: `${Math.round(amount / 1024)}, if MiB was intended`,
            });
          } else {
            say(path, `${amount} of ${name} is correct only if the component is configured for MiB`, {
              severity: 'info',
              expected: 'GiB by default',
            });
          }
        } else if (unit === 'MiB' && amount > MOST_GIB * 1024) {
          say(path, `${amount} of ${name} is ${Math.round(amount / 1024)} GiB, more than any GPU has`, {
            severity: 'error',
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
        'A percentage of a device must be at most 100; cores of a qGPU must be a multiple of 5, or hundreds for whole cards.',
      why: 'No node has more of one device: the pod stays pending, or the plugin rejects it.',
      source: `${HAMI}; Tencent, documents (qGPU)`,
      fix: 'Set the percentage in resources.limits to at most 100, and request more devices instead.',
    },
    (pod, say) => {
      for (const { name, amount, path } of askedByPod(pod)) {
        if (name === QGPU_CORE || name === 'tencent.com/vcuda-core') {
          const steps = name === QGPU_CORE ? 5 : 1;
          if (amount > 100 ? amount % 100 !== 0 : amount % steps !== 0) {
            say(path, `${name} has an invalid amount: ${amount}`, {
              expected: `${steps === 5 ? 'a multiple of 5' : 'a number'} up to 100, or hundreds for whole cards`,
            });
          }
        } else if (findResource(name)?.unit === 'percent' && amount > 100) {
          say(path, `${name} must be between 1 and 100 percent: ${amount}`, { expected: '1 to 100' });
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
      fix: 'Keep one of the two entries in resources.limits.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        for (const memory of ['nvidia.com/gpumem', 'volcano.sh/vgpu-memory']) {
          const percentage = find(asked, `${memory}-percentage`);
          if (percentage !== undefined && find(asked, memory) !== undefined) {
            say(percentage.path, `the amount must not be set when ${memory} is set`, { expected: 'one of the two' });
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
      fix: 'Add volcano.sh/vgpu-number to resources.limits.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const amount = asked.find(({ name }) => VGPU_AMOUNTS.includes(name));
        const counted = ['volcano.sh/vgpu-number', 'volcano.sh/vgpu-memory'].some(
          (name) => find(asked, name) !== undefined,
        );
        if (amount !== undefined && !counted) {
          say(amount.path, `${amount.name} has no effect without a vGPU`, {
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
      fix: 'Keep the entries in resources.limits of the plugin that the cluster runs.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const [first, ...others] = amountsOf(container).filter(({ name }) => shareOwner(name) !== undefined);
        const other = others.find(({ name }) => first !== undefined && shareOwner(name) !== shareOwner(first.name));
        if (first !== undefined && other !== undefined) {
          say(
            other.path,
            `${other.name} belongs to ${shareOwner(other.name) ?? ''}, but ${first.name} belongs to ${shareOwner(first.name) ?? ''}`,
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
      fix: `Add the nodeSelector ${ACK_LABEL}: core_mem, and aliyun.com/gpu-mem.`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const core = find(asked, ACK_CORE);
        if (core === undefined) {
          continue;
        }
        if (find(asked, 'aliyun.com/gpu-mem') === undefined) {
          say(core.path, 'GPU compute is requested without GPU memory', {
            expected: 'aliyun.com/gpu-mem in addition',
          });
        }
        const wanted = nodeLabelWanted(pod, ACK_LABEL);
        if (wanted?.every((value) => value === 'core_mem') !== true) {
          say(
            core.path,
            `the pod does not select nodes that limit compute${wanted === undefined ? '' : ` (${wanted.join(', ')})`}`,
            { expected: `nodeSelector ${ACK_LABEL}: core_mem` },
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
      why: "A privileged container sees all devices; HAMi's webhook rejects the pod.",
      source: `${HAMI}, pkg/scheduler/webhook.go`,
      fix: 'Remove securityContext.privileged, or add the required capabilities instead.',
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
            'a pod with HAMi vGPUs must not have a privileged container',
            { expected: 'not privileged' },
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
      fix: 'Use nvidia.com/use-gputype, nouse-gputype, use-gpuuuid, nouse-gpuuuid, or vgpu-mode with hami-core, mig, or mps.',
    },
    (pod, say) => {
      for (const [key, value] of stringEntries(pod.metadata.annotations)) {
        const at = `/metadata/annotations/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (key === 'nvidia.com/vgpu-mode' && !['hami-core', 'mig', 'mps'].includes(value)) {
          say(at, `unsupported HAMi mode "${value}"`, { expected: 'hami-core, mig, or mps' });
        } else if (
          /^nvidia\.com\/(no-?use|use)-?gpu/.test(key) &&
          !/^nvidia\.com\/(no)?use-gpu(type|uuid)$/.test(key)
        ) {
          say(at, `unknown HAMi annotation "${key}"`);
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
