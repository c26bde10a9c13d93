/**
 * Clusters as a plan shows them, each an extreme that a page must be readable at: devices of every vendor, whole and divided; a cluster
 * that is full; many queues.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { type ClusterView, clusterOfObjects, planOf, sampleCluster } from '../../src/planning/cluster';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

interface NodeShape {
  readonly pool: string;
  readonly count: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly amounts: Readonly<Record<string, string>>;
}

const SHAPES: readonly NodeShape[] = [
  {
    pool: 'h100',
    count: 3,
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.count': '8' },
    amounts: { 'nvidia.com/gpu': '8' },
  },
  {
    pool: 'h100-mig',
    count: 2,
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.count': '4' },
    amounts: { 'nvidia.com/mig-1g.10gb': '8', 'nvidia.com/mig-3g.40gb': '4' },
  },
  {
    pool: 'l40s-shared',
    count: 2,
    labels: {
      'nvidia.com/gpu.product': 'NVIDIA-L40S',
      'nvidia.com/gpu.count': '4',
      'nvidia.com/gpu.replicas': '4',
      'nvidia.com/gpu.memory': '46068',
    },
    amounts: { 'nvidia.com/gpu.shared': '16' },
  },
  {
    pool: 'mi300x',
    count: 2,
    labels: { 'amd.com/gpu.device-id': '74a1', 'amd.com/gpu.vram': '192G' },
    amounts: { 'amd.com/gpu': '8' },
  },
  {
    pool: 'mi300x-cpx',
    count: 2,
    labels: { 'amd.com/gpu.device-id': '74a1', 'amd.com/compute-memory-partition': 'cpx_nps4' },
    amounts: { 'amd.com/gpu': '64' },
  },
  {
    pool: 'mi300x-mixed',
    count: 1,
    labels: { 'amd.com/gpu.device-id': '74a1', 'amd.com/compute-memory-partition': 'dpx_nps1' },
    amounts: { 'amd.com/dpx_nps1': '16' },
  },
  { pool: 'gaudi3', count: 2, labels: {}, amounts: { 'habana.ai/gaudi': '8' } },
  {
    pool: 'ascend',
    count: 2,
    labels: { accelerator: 'huawei-Ascend910', 'node.kubernetes.io/npu.chip.name': '910B3' },
    amounts: { 'huawei.com/Ascend910': '8' },
  },
  {
    pool: 'trn2',
    count: 1,
    labels: { 'node.kubernetes.io/instance-type': 'trn2.48xlarge' },
    amounts: { 'aws.amazon.com/neuron': '16', 'aws.amazon.com/neuroncore': '128' },
  },
  {
    pool: 'tpu-v5e',
    count: 4,
    labels: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' },
    amounts: { 'google.com/tpu': '4' },
  },
  { pool: 'general', count: 2, labels: {}, amounts: {} },
];

/** What runs on the nodes of a pool: a Deployment of pods that request so much of one resource. */
const LOADS: readonly (readonly [pool: string, replicas: number, resource: string, each: number])[] = [
  ['h100', 1, 'nvidia.com/gpu', 8],
  ['h100', 3, 'nvidia.com/gpu', 1],
  ['h100-mig', 3, 'nvidia.com/mig-3g.40gb', 1],
  ['h100-mig', 5, 'nvidia.com/mig-1g.10gb', 1],
  ['l40s-shared', 6, 'nvidia.com/gpu.shared', 1],
  ['mi300x', 1, 'amd.com/gpu', 8],
  ['mi300x', 1, 'amd.com/gpu', 3],
  ['mi300x-cpx', 20, 'amd.com/gpu', 2],
  ['mi300x-mixed', 5, 'amd.com/dpx_nps1', 1],
  ['gaudi3', 1, 'habana.ai/gaudi', 8],
  ['gaudi3', 1, 'habana.ai/gaudi', 2],
  ['ascend', 3, 'huawei.com/Ascend910', 4],
  ['trn2', 3, 'aws.amazon.com/neuron', 4],
  ['trn2', 1, 'aws.amazon.com/neuroncore', 12],
  ['tpu-v5e', 2, 'google.com/tpu', 4],
  ['general', 2, 'cpu', 20],
];

/** Nodes of every vendor, with devices that are whole, divided, and shared. */
export function everyVendor(): ClusterView {
  const nodes = SHAPES.flatMap(({ pool, count, labels, amounts }) =>
    Array.from({ length: count }, (_, index): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${pool}-${index + 1}`, labels: { 'gantry.dev/pool': pool, ...labels } },
      status: { allocatable: { cpu: '96', memory: '1Ti', pods: '110', ...amounts } },
    })),
  );
  const loads = LOADS.map(
    ([pool, replicas, resource, each], index) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${pool}-${index}, namespace: team}
spec: {replicas: ${replicas}, template: {spec: {nodeSelector: {gantry.dev/pool: ${pool}}, containers: [{name: main, image: x, resources: {limits: {${resource}: ${each}}}}]}}}`,
  );
  return planOf(setOf(loads), clusterOfObjects(nodes, 'every vendor')).view;
}

/** The sample cluster with every device in use, and two jobs that wait. */
export function fullCluster(): ClusterView {
  const trains = Array.from({ length: 10 }, (_, index) => training(`run-${index}`, index < 8 ? 8 : 4, 8, ''));
  const serving = Array.from({ length: 16 }, (_, index) => training(`serve-${index}`, 1, 4, 'l40s'));
  return planOf(setOf([...trains, ...serving]), sampleCluster()).view;
}

function training(name: string, replicas: number, devices: number, pool: string): string {
  const selector = pool === '' ? '' : 'nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}, ';
  return `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ${name}, namespace: ml}
spec: {pytorchReplicaSpecs: {Worker: {replicas: ${replicas}, template: {spec: {${selector}containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: ${devices}}}}]}}}}}`;
}

/** A tree of 4 departments with 12 teams each, and the sample cluster half full. */
export function manyQueues(): ClusterView {
  const queue = (name: string, parent: string, gpus: number): string => `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: ${name}}
spec: {${parent === '' ? '' : `parent: ${parent}, `}deserved: {nvidia.com/gpu: ${gpus}}, guarantee: {resource: {nvidia.com/gpu: ${Math.floor(gpus / 2)}}}, capability: {nvidia.com/gpu: ${gpus * 2}}}`;
  const departments = ['research', 'applied-science', 'platform', 'perception'];
  const queues = departments.flatMap((department) => [
    queue(department, '', 144),
    ...Array.from({ length: 12 }, (_, index) => queue(`${department}-team-${index + 1}`, department, 12)),
  ]);
  const jobs = departments.flatMap((department, d) =>
    Array.from(
      { length: 5 },
      (_, index) => `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: fine-tuning-${d}-${index}, namespace: ${department}}
spec:
  schedulerName: volcano
  queue: ${department}-team-${index + 1}
  minAvailable: ${index + 1}
  tasks: [{name: worker, replicas: ${index + 1}, template: {spec: {containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}]`,
    ),
  );
  return planOf(setOf([...queues, ...jobs]), sampleCluster()).view;
}

function setOf(documents: readonly string[]): ManifestSet {
  const { manifests, problems } = parseYaml(documents.join('\n---\n'), 'scene.yaml');
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => JSON.stringify(problem)).join('\n'));
  }
  return new ManifestSet(manifests);
}
