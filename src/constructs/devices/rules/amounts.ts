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
/** Less than a process needs for its context, in MiB: whoever writes so little thinks of GiB. */
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
        'Memory of a shared device is written in the unit of its plugin: MiB with HAMi, Volcano and Hygon, GiB with Tencent and MetaX.',
      why: 'The number is taken as it is: `10` is 10 MiB for one plugin, on which nothing runs, and 10240 is 10 TiB for another, which no node has.',
      source: `${HAMI}, values.yaml; ${cite('volcano')}, devices/nvidia/vgpu; Tencent and Aliyun, documents`,
      fix: 'Write the number in the unit named, without a suffix.',
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
            say(path, `${name} counts ${unit ?? ''}: a suffix multiplies the number`, {
              severity: 'error',
              expected: `a plain number of ${unit ?? ''}`,
            });
          }
        } else if (unit === 'MiB' && amount < LEAST_MIB) {
          say(path, `${amount} of ${name} are ${amount} MiB`, { expected: `${amount * 1024} for ${amount} GiB` });
        } else if ((unit === 'GiB' || unit === 'MiB or GiB') && amount > MOST_GIB) {
          if (unit === 'GiB') {
            say(path, `${amount} of ${name} are ${amount} GiB, more than any GPU has`, {
              severity: 'error',
              expected: `${Math.round(amount / 1024)}, if MiB were meant`,
            });
          } else {
            say(path, `${amount} of ${name} are right only where the component is set to MiB`, {
              severity: 'info',
              expected: 'GiB by default',
            });
          }
        } else if (unit === 'MiB' && amount > MOST_GIB * 1024) {
          say(path, `${amount} of ${name} are ${Math.round(amount / 1024)} GiB, more than any GPU has`, {
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
        'A percentage of a device is at most 100; cores of a qGPU come in steps of 5, or in hundreds for whole cards.',
      why: 'No node has more of one device: the pod stays pending, or the plugin refuses it.',
      source: `${HAMI}; Tencent, documents (qGPU)`,
      fix: 'Ask for more devices instead.',
    },
    (pod, say) => {
      for (const { name, amount, path } of askedByPod(pod)) {
        if (name === QGPU_CORE || name === 'tencent.com/vcuda-core') {
          const steps = name === QGPU_CORE ? 5 : 1;
          if (amount > 100 ? amount % 100 !== 0 : amount % steps !== 0) {
            say(path, `${name} is ${amount}`, {
              expected: `${steps === 5 ? 'a multiple of 5' : 'a number'} up to 100, or hundreds for whole cards`,
            });
          }
        } else if (findResource(name)?.unit === 'percent' && amount > 100) {
          say(path, `${name} is ${amount} percent of one device`, { expected: '1 to 100' });
        }
      }
    },
  ),

  deviceAdvice(
    'share-memory-stated-once',
    {
      concerns: ['nvidia.com/gpumem-percentage', 'volcano.sh/vgpu-memory-percentage'],
      severity: 'warning',
      summary: 'Memory of a vGPU is stated in MiB or in percent, not both.',
      why: 'One of the two is passed over, and which depends on the plugin.',
      source: `${HAMI}, pkg/device/nvidia; ${cite('volcano')}, devices/nvidia/vgpu`,
      fix: 'Keep one of them.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        for (const memory of ['nvidia.com/gpumem', 'volcano.sh/vgpu-memory']) {
          const percentage = find(asked, `${memory}-percentage`);
          if (percentage !== undefined && find(asked, memory) !== undefined) {
            say(percentage.path, `${memory} is stated as well`, { expected: 'one of the two' });
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
        'Percentages of Volcano vGPUs stand beside volcano.sh/vgpu-number, or beside volcano.sh/vgpu-memory, which means one vGPU.',
      why: 'They say how much each vGPU gets; alone they ask for none, and the scheduler takes the container for one without a GPU.',
      source: `${cite('volcano')}, pkg/scheduler/api/devices/util.go ExtractResourceRequest`,
      fix: 'Add volcano.sh/vgpu-number.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const amount = asked.find(({ name }) => VGPU_AMOUNTS.includes(name));
        const counted = ['volcano.sh/vgpu-number', 'volcano.sh/vgpu-memory'].some(
          (name) => find(asked, name) !== undefined,
        );
        if (amount !== undefined && !counted) {
          say(amount.path, `${amount.name} stands without a vGPU to which it could apply`, {
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
      summary: 'A container asks for shares of one plugin.',
      why: 'No node runs two of them: they would hand out the same GPUs.',
      source: `${HAMI}, README; ${cite('volcano')}, docs/user-guide/how_to_use_volcano_vgpu.md`,
      fix: 'Keep the resources of the plugin that the cluster runs.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const [first, ...others] = amountsOf(container).filter(({ name }) => shareOwner(name) !== undefined);
        const other = others.find(({ name }) => first !== undefined && shareOwner(name) !== shareOwner(first.name));
        if (first !== undefined && other !== undefined) {
          say(
            other.path,
            `${other.name} is of ${shareOwner(other.name) ?? ''}, ${first.name} of ${shareOwner(first.name) ?? ''}`,
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
      summary: `Compute of a cGPU (${ACK_CORE}) is asked for on nodes with ${ACK_LABEL}=core_mem, beside its memory.`,
      why: 'Other nodes do not offer it; without memory no share is made.',
      source: 'Aliyun ACK, documents (GPU sharing, node labels)',
      fix: `Add nodeSelector ${ACK_LABEL}: core_mem, and aliyun.com/gpu-mem.`,
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = amountsOf(container);
        const core = find(asked, ACK_CORE);
        if (core === undefined) {
          continue;
        }
        if (find(asked, 'aliyun.com/gpu-mem') === undefined) {
          say(core.path, 'compute of a GPU is asked for without memory of it', {
            expected: 'aliyun.com/gpu-mem beside it',
          });
        }
        const wanted = nodeLabelWanted(pod, ACK_LABEL);
        if (wanted?.every((value) => value === 'core_mem') !== true) {
          say(
            core.path,
            `the pod is not kept to nodes that limit compute${wanted === undefined ? '' : ` (${wanted.join(', ')})`}`,
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
      summary: 'A pod that asks for vGPUs of HAMi has no privileged container.',
      why: "A privileged container sees all devices; HAMi's webhook denies the pod.",
      source: `${HAMI}, pkg/scheduler/webhook.go`,
      fix: 'Take privileged out, or add the capabilities that are needed.',
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
            'the pod asks for vGPUs of HAMi and has a privileged container',
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
      summary: 'Annotations for HAMi have names and values that HAMi knows.',
      why: 'Others are passed over, and any GPU will do.',
      source: `${HAMI}, pkg/device/nvidia/device.go`,
      fix: 'Use nvidia.com/use-gputype, nouse-gputype, use-gpuuuid, nouse-gpuuuid, or vgpu-mode with hami-core, mig or mps.',
    },
    (pod, say) => {
      for (const [key, value] of stringEntries(pod.metadata.annotations)) {
        const at = `/metadata/annotations/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (key === 'nvidia.com/vgpu-mode' && !['hami-core', 'mig', 'mps'].includes(value)) {
          say(at, `HAMi has no mode "${value}"`, { expected: 'hami-core, mig or mps' });
        } else if (
          /^nvidia\.com\/(no-?use|use)-?gpu/.test(key) &&
          !/^nvidia\.com\/(no)?use-gpu(type|uuid)$/.test(key)
        ) {
          say(at, `HAMi reads no annotation ${key}`);
        }
      }
    },
  ),
];

function find(asked: readonly Asked[], name: string): Asked | undefined {
  return asked.find((one) => one.name === name);
}

/** Whose shares a resource is of; whole devices are nobody's. */
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
