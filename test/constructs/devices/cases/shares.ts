import { type JsonObject } from '../../../../src/facts/api/schema';
import { quota, type RuleCases } from '../world';

function node(resources: JsonObject, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, status: { allocatable: resources } };
}

function queue(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name: 'q', annotations },
    spec,
  };
}

function clusterQueue(resource: string, nominalQuota: number): JsonObject {
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name: 'q' },
    spec: {
      resourceGroups: [
        { coveredResources: [resource], flavors: [{ name: 'f', resources: [{ name: resource, nominalQuota }] }] },
      ],
    },
  };
}

function scheduler(queues: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'gantry', labels: { 'app.kubernetes.io/name': 'gantry-scheduler' } },
    data: { 'scheduler.yaml': queues },
  };
}

const h100 = node({ 'nvidia.com/gpu': '8', cpu: '96' }, { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' });
const forProduct = (product: string): JsonObject =>
  queue({ deserved: { 'nvidia.com/gpu': 8 } }, { 'gantry.dev/products': product });

export const shareCases: readonly RuleCases[] = [
  {
    rule: 'devices/share-offered',
    fires: {
      'a quota of AMD GPUs on NVIDIA nodes': [h100, quota({ 'requests.amd.com/gpu': 8 })],
      'a capability in MIG instances': [h100, queue({ capability: { 'nvidia.com/mig-1g.10gb': '7' } })],
      'a deserved share': [h100, queue({ deserved: { 'google.com/tpu': 4 } })],
      'a guarantee': [h100, queue({ guarantee: { resource: { 'habana.ai/gaudi': 8 } } })],
      'a nominal quota of Kueue': [h100, clusterQueue('amd.com/gpu', 8)],
      "a queue of Gantry's scheduler": [h100, scheduler('queues:\n- name: a\n  deserved: {amd.com/gpu: "8"}\n')],
      'all devices of a kind that there is not': [
        h100,
        scheduler('queues:\n- name: a\n  deserved: {amd.com/gpu: unlimited}\n'),
      ],
      'a product that no node has': [h100, forProduct('A100-SXM4-80GB, H100-SXM-80GB')],
      'a product that no node has, beside a node without accelerators': [
        h100,
        node({ cpu: '4' }),
        forProduct('A100-SXM4-80GB'),
      ],
      'one of two nodes has no product label, and none has the resource': [
        h100,
        node({ 'amd.com/gpu': 8 }),
        queue({ deserved: { 'google.com/tpu': 4 } }),
      ],
    },
    silent: {
      'the nodes offer it': [h100, quota({ 'requests.nvidia.com/gpu': 8 }), clusterQueue('nvidia.com/gpu', 8)],
      'no nodes in the set': [quota({ 'requests.amd.com/gpu': 8 })],
      'nodes without any accelerator': [node({ cpu: '4' }), quota({ 'requests.amd.com/gpu': 8 })],
      'a share of 0, which forbids the resource': [
        h100,
        quota({ 'requests.amd.com/gpu': 0 }),
        clusterQueue('amd.com/gpu', 0),
      ],
      'what is not an accelerator': [h100, quota({ 'requests.rdma/hca': 8, 'requests.cpu': '8' })],
      'a key that Kubernetes does not count': [h100, quota({ 'amd.com/gpu': 8 })],
      'a product that a node has': [h100, forProduct('H100-SXM-80GB')],
      'a product, and a node whose product is not known': [
        h100,
        node({ 'nvidia.com/gpu': 8 }),
        forProduct('A100-SXM4-80GB'),
      ],
      'a product that the catalog does not know': [h100, forProduct('B900')],
      'the configuration of another program': [
        h100,
        { ...scheduler('queues:\n- name: a\n  deserved: {amd.com/gpu: "8"}\n'), metadata: { name: 'x' } },
      ],
    },
  },
];
