import { pod, type RuleCases } from '../world';

const required = (...matchExpressions: object[]) =>
  ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  }) as never;
/** Selectors of a slice of TPU v5e. */
const tpuSlice = (topology: string) => ({
  'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice',
  'cloud.google.com/gke-tpu-topology': topology,
});
const product = (value: string) => ({ nodeSelector: { 'nvidia.com/gpu.product': value } });

export const podCases: readonly RuleCases[] = [
  {
    rule: 'devices/label-is-no-resource',
    fires: {
      'nvidia.com/mig': [pod({ 'nvidia.com/mig': 1 })],
      'a product': [pod({ 'nvidia.com/gpu.product': 1 })],
      memory: [pod({ 'nvidia.com/gpu.memory': 40 })],
    },
    silent: {
      GPUs: [pod({ 'nvidia.com/gpu': 1 })],
      shares: [pod({ 'nvidia.com/gpu.shared': 1 })],
      'a network card': [pod({ 'nvidia.com/mlx5_rdma': 1 })],
    },
  },
  {
    rule: 'devices/mig-profile-exists',
    fires: { 'no profile': [pod({ 'nvidia.com/mig-small': 1 })], 'of no GPU': [pod({ 'nvidia.com/mig-1g.11gb': 1 })] },
    silent: {
      'a profile': [pod({ 'nvidia.com/mig-1g.10gb': 1 })],
      'media engines': [pod({ 'nvidia.com/mig-1g.10gb.me': 1 })],
      'a share of one': [pod({ 'nvidia.com/mig-1g.10gb.shared': 1 })],
    },
  },
  {
    rule: 'devices/mig-profile-of-product',
    fires: {
      'another GPU': [pod({ 'nvidia.com/mig-1g.10gb': 1 }, product('NVIDIA-H200'))],
      'one that cannot be cut': [pod({ 'nvidia.com/mig-1g.10gb': 1 }, product('NVIDIA-L40S'))],
    },
    silent: {
      'its own': [pod({ 'nvidia.com/mig-1g.18gb': 1 }, product('NVIDIA-H200'))],
      'one of two': [
        pod(
          { 'nvidia.com/mig-1g.10gb': 1 },
          required({ key: 'nvidia.com/gpu.product', operator: 'In', values: ['NVIDIA-H200', 'NVIDIA-H100-80GB-HBM3'] }),
        ),
      ],
      'an unknown GPU': [pod({ 'nvidia.com/mig-1g.10gb': 1 }, product('NVIDIA-X900'))],
    },
  },
  {
    rule: 'devices/memory-label-in-mib',
    fires: {
      selector: [pod({}, { nodeSelector: { 'nvidia.com/gpu.memory': '80' } })],
      affinity: [pod({}, required({ key: 'nvidia.com/gpu.memory', operator: 'Gt', values: ['40'] }))],
    },
    silent: {
      MiB: [pod({}, required({ key: 'nvidia.com/gpu.memory', operator: 'Gt', values: ['40000'] }))],
      'another label': [pod({}, { nodeSelector: { 'nvidia.com/gpu.count': '8' } })],
    },
  },
  {
    rule: 'devices/gaudi-has-huge-pages',
    fires: { without: [pod({ 'habana.ai/gaudi': 8 })] },
    silent: { with: [pod({ 'habana.ai/gaudi': 8, 'hugepages-2Mi': '95000Mi', memory: '400Gi' })] },
  },
  {
    rule: 'devices/tpu-request-fits-node',
    fires: {
      'the chips of the slice': [pod({ 'google.com/tpu': 16 }, { nodeSelector: tpuSlice('4x4') })],
      'more than the slice': [pod({ 'google.com/tpu': 8 }, { nodeSelector: tpuSlice('2x2') })],
    },
    silent: {
      'the chips of a node': [pod({ 'google.com/tpu': 4 }, { nodeSelector: tpuSlice('4x4') })],
      'a slice of one node': [pod({ 'google.com/tpu': 8 }, { nodeSelector: tpuSlice('2x4') })],
      'an unknown topology': [pod({ 'google.com/tpu': 8 }, { nodeSelector: tpuSlice('any') })],
      'no topology': [pod({ 'google.com/tpu': 99 })],
      'amounts of other resources': [pod({ 'nvidia.com/gpu': 99 }, { nodeSelector: tpuSlice('4x4') })],
    },
  },
  {
    rule: 'devices/tpu-names-its-slice',
    fires: {
      nothing: [pod({ 'google.com/tpu': 4 })],
      'no topology': [
        pod(
          { 'google.com/tpu': 4 },
          { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' } },
        ),
      ],
    },
    silent: {
      both: [
        pod(
          { 'google.com/tpu': 4 },
          {
            nodeSelector: {
              'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice',
              'cloud.google.com/gke-tpu-topology': '2x4',
            },
          },
        ),
      ],
    },
  },
  {
    rule: 'devices/memory-in-unit-of-plugin',
    fires: {
      'GiB where MiB are counted': [pod({ 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': 10 })],
      'MiB where GiB are counted': [pod({ 'tke.cloud.tencent.com/qgpu-memory': 10240 })],
      Volcano: [pod({ 'volcano.sh/vgpu-number': 1, 'volcano.sh/vgpu-memory': '16' })],
      'a suffix': [pod({ 'nvidia.com/gpumem': '10Gi' })],
      'by the setting of the cluster': [pod({ 'aliyun.com/gpu-mem': 10240 })],
    },
    silent: {
      MiB: [pod({ 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': 10240 })],
      thousands: [pod({ 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': '3k' })],
      'MetaX takes a suffix': [pod({ 'metax-tech.com/sgpu': 1, 'metax-tech.com/vmemory': '2048Mi' })],
      GiB: [pod({ 'tke.cloud.tencent.com/qgpu-memory': 10, 'aliyun.com/gpu-mem': 10 })],
      percent: [pod({ 'nvidia.com/gpumem-percentage': 10 })],
    },
  },
  {
    rule: 'devices/percentage-within-bounds',
    fires: {
      'more than all': [pod({ 'nvidia.com/gpucores': 150 })],
      'between the steps': [pod({ 'tke.cloud.tencent.com/qgpu-core': 33 })],
      'one and a half cards': [pod({ 'tke.cloud.tencent.com/qgpu-core': 150 })],
    },
    silent: {
      all: [pod({ 'nvidia.com/gpucores': 100 })],
      'a step': [pod({ 'tke.cloud.tencent.com/qgpu-core': 35 })],
      'two cards': [pod({ 'tke.cloud.tencent.com/qgpu-core': 200 })],
    },
  },
  {
    rule: 'devices/share-memory-stated-once',
    fires: { HAMi: [pod({ 'nvidia.com/gpumem': 4096, 'nvidia.com/gpumem-percentage': 50 })] },
    silent: { one: [pod({ 'nvidia.com/gpumem-percentage': 50 })] },
  },
  {
    rule: 'devices/vgpu-amounts-with-number',
    fires: { 'percentages alone': [pod({ 'volcano.sh/vgpu-memory-percentage': 50, 'volcano.sh/vgpu-cores': 50 })] },
    silent: {
      'with a number': [pod({ 'volcano.sh/vgpu-cores': 50, 'volcano.sh/vgpu-number': 1 })],
      'memory means one': [pod({ 'volcano.sh/vgpu-memory': 4096, 'volcano.sh/vgpu-cores': 50 })],
      'HAMi counts one by itself': [pod({ 'nvidia.com/gpumem': 4096 })],
    },
  },
  {
    rule: 'devices/share-plugins-apart',
    fires: {
      'HAMi and Volcano': [pod({ 'nvidia.com/gpumem': 4096, 'volcano.sh/vgpu-number': 1 })],
      'Aliyun and Tencent': [pod({ 'aliyun.com/gpu-mem': 10, 'tke.cloud.tencent.com/qgpu-core': 30 })],
      'HAMi and Aliyun': [pod({ 'nvidia.com/gpumem': 4096, 'aliyun.com/gpu-mem': 10 })],
    },
    silent: {
      one: [pod({ 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': 4096, 'nvidia.com/gpucores': 30 })],
      'two resources of Aliyun': [pod({ 'aliyun.com/gpu-mem': 10, 'aliyun.com/gpu-core.percentage': 30 })],
    },
  },
  {
    rule: 'devices/cgpu-compute-on-nodes-that-limit-it',
    fires: {
      'any node': [pod({ 'aliyun.com/gpu-mem': 10, 'aliyun.com/gpu-core.percentage': 30 })],
      'no memory': [
        pod({ 'aliyun.com/gpu-core.percentage': 30 }, { nodeSelector: { 'ack.node.gpu.schedule': 'core_mem' } }),
      ],
    },
    silent: {
      'such nodes': [
        pod(
          { 'aliyun.com/gpu-mem': 10, 'aliyun.com/gpu-core.percentage': 30 },
          { nodeSelector: { 'ack.node.gpu.schedule': 'core_mem' } },
        ),
      ],
      'memory alone': [pod({ 'aliyun.com/gpu-mem': 10 })],
    },
  },
  {
    rule: 'devices/hami-pod-not-privileged',
    fires: { privileged: [pod({ 'nvidia.com/gpumem': 4096 }, {}, {}, { securityContext: { privileged: true } })] },
    silent: {
      not: [pod({ 'nvidia.com/gpumem': 4096 })],
      'whole GPUs': [pod({ 'nvidia.com/gpu': 1 }, {}, {}, { securityContext: { privileged: true } })],
    },
  },
  {
    rule: 'devices/hami-annotation-known',
    fires: {
      'a mode': [pod({}, {}, { 'nvidia.com/vgpu-mode': 'shared' })],
      'a name': [pod({}, {}, { 'nvidia.com/use-gpu-type': 'A100' })],
    },
    silent: {
      known: [
        pod(
          {},
          {},
          { 'nvidia.com/vgpu-mode': 'mig', 'nvidia.com/nouse-gputype': 'T4', 'nvidia.com/use-gpuuuid': 'GPU-1' },
        ),
      ],
    },
  },
];
