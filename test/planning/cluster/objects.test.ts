/**
 * Single Kubernetes objects in the terms of the placement core.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { gangIdentityOf, nodeOf, podOf, podRequest, queueOf, templateOf } from '../../../src/planning/cluster/objects';
import { nodeObject } from './builders';

const labels = (more: JsonObject, allocatable: JsonObject): JsonObject =>
  nodeObject('n', {
    metadata: {
      name: 'n',
      labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.memory': '81559', ...more },
    },
    status: { allocatable: { cpu: '96', memory: '1Ti', ...allocatable } },
  });

describe('a node of any vendor', () => {
  test.each([
    ['amd.com/gpu', { 'amd.com/gpu.device-id': '74a1', 'amd.com/gpu.vram': '192G' }, 'MI300X', 192],
    ['amd.com/gpu', { 'amd.com/gpu.device-id': '75b3' }, 'MI355X', 288],
    ['huawei.com/Ascend910', { 'node.kubernetes.io/npu.chip.name': '910B3' }, 'Ascend-910B3', 64],
    ['aws.amazon.com/neuron', { 'node.kubernetes.io/instance-type': 'trn1.32xlarge' }, 'Trainium1', 32],
    ['google.com/tpu', { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice' }, 'TPU-v6e', 32],
  ])('offers %s as devices of the catalog, by the labels of its vendor', (resource, own, model, gigabytes) => {
    const object = nodeObject('n', {
      metadata: { name: 'n', labels: own },
      status: { allocatable: { cpu: '96', memory: '1Ti', [resource]: '4' } },
    });
    const { devices, deviceResource } = nodeOf(object);
    expect(deviceResource).toBe(resource);
    expect(devices).toEqual(Array.from({ length: 4 }, () => ({ model, memoryMiB: gigabytes * 1024 })));
  });

  test.each([
    ['amd.com/gpu', 'cpx_nps4', 64, 24],
    ['amd.com/cpx_nps4', 'cpx_nps4', 64, 24],
    ['amd.com/dpx_nps1', 'dpx_nps1', 16, 96],
    ['amd.com/gpu', 'spx_nps1', 8, 192],
  ])('offers %s in mode %s as devices, each with its part of the memory', (resource, mode, count, gigabytes) => {
    const object = nodeObject('n', {
      metadata: { name: 'n', labels: { 'amd.com/gpu.device-id': '74a1', 'amd.com/compute-memory-partition': mode } },
      status: { allocatable: { cpu: '96', memory: '1Ti', [resource]: String(count) } },
    });
    const { devices, deviceResource } = nodeOf(object);
    expect(deviceResource).toBe(resource);
    expect(devices).toEqual(Array.from({ length: count }, () => ({ model: 'MI300X', memoryMiB: gigabytes * 1024 })));
  });

  it('takes no model from an instance type for devices of another vendor', () => {
    const object = nodeObject('n', {
      metadata: { name: 'n', labels: { 'node.kubernetes.io/instance-type': 'trn1.32xlarge' } },
      status: { allocatable: { cpu: '96', memory: '1Ti', 'amd.com/gpu': '8' } },
    });
    expect(nodeOf(object).devices?.[0]).toEqual({});
  });
});

describe('a node', () => {
  it('has its amounts in milli-CPU, bytes and pieces, and the devices that its labels name', () => {
    expect(nodeOf(nodeObject('n'))).toMatchObject({
      name: 'n',
      allocatable: { cpu: 96_000, memory: 2 ** 40, pods: 110, 'nvidia.com/gpu': 8 },
      deviceResource: 'nvidia.com/gpu',
      devices: Array.from({ length: 8 }, () => ({ model: 'H100-SXM-80GB', memoryMiB: 81559 })),
    });
  });

  it('says whether it is ready, cordoned, tainted, and what it reports of its accelerators', () => {
    const node = nodeOf(
      nodeObject('n', {
        metadata: { name: 'n', annotations: { 'gantry.dev/accelerator-capacity': '{}' } },
        spec: {
          unschedulable: true,
          taints: [
            { key: 'a', value: 'b', effect: 'NoSchedule' },
            { key: 'c', effect: 'Never' },
          ],
        },
        status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
      }),
    );
    expect(node).toMatchObject({
      ready: false,
      unschedulable: true,
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      capacityReport: '{}',
    });
  });

  it('has divided devices beside whole ones where MIG is mixed', () => {
    const node = nodeOf(
      labels(
        { 'nvidia.com/gpu.count': '4' },
        { 'nvidia.com/gpu': '2', 'nvidia.com/mig-1g.10gb': '7', 'nvidia.com/mig-3g.40gb': '2' },
      ),
    );
    expect(node.devices?.map(({ mig }) => mig)).toEqual([
      undefined,
      undefined,
      { '1g.10gb': 4, '3g.40gb': 1 },
      { '1g.10gb': 3, '3g.40gb': 1 },
    ]);
  });

  it('counts unnamed replicas like devices, each with its part of the memory; named ones as replicas', () => {
    const shared = {
      'nvidia.com/gpu.count': '2',
      'nvidia.com/gpu.replicas': '4',
      'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3-SHARED',
    };
    expect(nodeOf(labels(shared, { 'nvidia.com/gpu': '8' })).devices).toHaveLength(8);
    expect(nodeOf(labels(shared, { 'nvidia.com/gpu': '8' })).devices?.[0].memoryMiB).toBe(20389);
    expect(nodeOf(labels(shared, { 'nvidia.com/gpu.shared': '8' }))).toMatchObject({
      deviceResource: 'nvidia.com/gpu.shared',
      devices: [{ replicas: 4 }, { replicas: 4 }],
    });
  });

  it('has the devices of other vendors under their own resource', () => {
    expect(nodeOf(labels({}, { 'amd.com/gpu': '8' }))).toMatchObject({
      deviceResource: 'amd.com/gpu',
      devices: { length: 8 },
    });
    expect(nodeOf(labels({}, {})).devices).toBeUndefined();
  });
});

const container = (requests: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: 'c',
  resources: { requests },
  ...more,
});

describe('what a pod asks for', () => {
  it('is the sum of its containers, or the hungriest start with the sidecars before it, and the overhead', () => {
    const spec = {
      containers: [container({ cpu: '1', memory: '1Gi' }), container({ cpu: '500m' })],
      initContainers: [
        container({ cpu: '1' }, { restartPolicy: 'Always' }),
        container({ cpu: '4', memory: '1Gi' }),
        container({ cpu: '2' }),
      ],
      overhead: { cpu: '250m' },
    };
    expect(podRequest(spec)).toEqual({ cpu: 5_250, memory: 2 ** 30 });
  });

  it('takes limits where no request is written, and the resources of the pod before those of its containers', () => {
    expect(
      podRequest({
        containers: [{ resources: { limits: { cpu: '2', 'nvidia.com/gpu': 1 }, requests: { cpu: '1' } } }],
      }),
    ).toEqual({ cpu: 1_000, 'nvidia.com/gpu': 1 });
    expect(podRequest({ containers: [container({ cpu: '1' })], resources: { requests: { cpu: '3' } } })).toEqual({
      cpu: 3_000,
    });
  });

  const accelerator = (requests: JsonObject, annotations: JsonObject = {}): unknown => {
    const { request, accelerator: found } = templateOf({
      metadata: { annotations },
      spec: { containers: [container(requests)] },
      namespace: 'x',
    });
    return [found, request];
  };

  it.each([
    ['whole devices', { 'nvidia.com/gpu': '4' }, undefined, { 'nvidia.com/gpu': 4 }],
    [
      'HAMi memory',
      { 'nvidia.com/gpu': '2', 'nvidia.com/gpumem': '4000', 'nvidia.com/gpucores': '30' },
      { kind: 'memory', mebibytes: 4000, count: 2, resource: 'nvidia.com/gpu' },
      {},
    ],
    [
      'HAMi percent',
      { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem-percentage': '50' },
      { kind: 'fraction', milli: 500, count: 1, resource: 'nvidia.com/gpu' },
      {},
    ],
    [
      'Volcano vGPU',
      { 'volcano.sh/vgpu-number': '1', 'volcano.sh/vgpu-memory': '3000' },
      { kind: 'memory', mebibytes: 3000, count: 1, resource: 'volcano.sh/vgpu-number' },
      {},
    ],
    [
      'qGPU',
      { 'tke.cloud.tencent.com/qgpu-core': '25' },
      { kind: 'fraction', milli: 250, resource: 'tke.cloud.tencent.com/qgpu-core' },
      {},
    ],
    [
      'MIG',
      { 'nvidia.com/mig-1g.10gb.me': '1' },
      { kind: 'mig', profile: '1g.10gb+me', count: 1, resource: 'nvidia.com/gpu' },
      { 'nvidia.com/mig-1g.10gb.me': 1 },
    ],
    [
      'replicas',
      { 'nvidia.com/gpu.shared': '2' },
      { kind: 'shared', count: 2, resource: 'nvidia.com/gpu.shared' },
      { 'nvidia.com/gpu.shared': 2 },
    ],
  ])('%s', (_, requests, found, left) => {
    expect(accelerator(requests)).toEqual([found, left]);
  });

  it("KAI's shares by annotation, HAMi's models by annotation", () => {
    expect(accelerator({}, { 'gpu-fraction': '0.25' })).toEqual([
      { kind: 'fraction', milli: 250, count: 1, resource: 'nvidia.com/gpu' },
      {},
    ]);
    expect(
      accelerator({ 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '1000' }, { 'nvidia.com/use-gputype': 'A100, V100' }),
    ).toMatchObject([{ models: ['A100', 'V100'] }, {}]);
  });
});

describe('a pod template', () => {
  it('keeps affinity, tolerations, spread and host ports', () => {
    const selector = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] };
    const spec: JsonObject = {
      containers: [{ ports: [{ hostPort: 80 }] }],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ operator: 'Exists' }, { key: 'k', value: 'v', effect: 'NoExecute' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'z', operator: 'In', values: ['1'] }] }],
          },
        },
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: selector, topologyKey: 'host', namespaceSelector: {} },
          ],
        },
      },
      topologySpreadConstraints: [
        { topologyKey: 'zone', maxSkew: 2, labelSelector: selector, matchLabelKeys: ['rev'] },
      ],
    };
    const labeled = [
      { key: 'app', operator: 'In', values: ['a'] },
      { key: 'x', operator: 'Exists', values: [] },
    ];
    expect(
      templateOf({ metadata: { labels: { rev: '7' } }, spec, namespace: 'x' }, { namespaces: () => ['x', 'y'] }),
    ).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      nodeTerms: [{ labels: [{ key: 'z', operator: 'In', values: ['1'] }] }],
      tolerations: [{ operator: 'Exists' }, { key: 'k', value: 'v', effect: 'NoExecute' }],
      hostPorts: [{ port: 80 }],
      podAntiAffinity: [{ topologyKey: 'host', selector: { labels: labeled, namespaces: ['x', 'y'] } }],
      topologySpread: [
        {
          topologyKey: 'zone',
          maxSkew: 2,
          selector: { labels: [...labeled, { key: 'rev', operator: 'In', values: ['7'] }] },
        },
      ],
    });
  });
});

describe('a pod', () => {
  it('runs where it is bound, is on its way out once deleted, and takes nothing once it has ended', () => {
    expect(podOf({ metadata: { name: 'p' } })).toMatchObject({ state: 'pending', namespace: 'default' });
    expect(
      podOf({ metadata: { name: 'p', annotations: { 'gantry.dev/devices': '0, 3' } }, spec: { nodeName: 'n' } }),
    ).toMatchObject({ state: 'running', devices: [0, 3] });
    expect(podOf({ metadata: { name: 'p', deletionTimestamp: 'x' }, spec: { nodeName: 'n' } })?.state).toBe(
      'releasing',
    );
    expect(podOf({ metadata: { name: 'p' }, spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } })).toBeUndefined();
  });

  const identity = (metadata: JsonObject, spec: JsonObject = {}): string => {
    const { key, role, together } = gangIdentityOf({ metadata: { name: 'p', namespace: 'x', ...metadata }, spec });
    return `${key} ${role}${together ? '' : ' alone'}`;
  };
  const owner = (kind: string, name: string): JsonObject => ({ ownerReferences: [{ controller: true, kind, name }] });

  it.each([
    ['the label of Gantry', { labels: { 'gantry.dev/gang': 'g' } }, 'x/gang/g pod'],
    [
      "Volcano's pod group",
      { annotations: { 'scheduling.k8s.io/group-name': 'g' }, labels: { 'volcano.sh/task-spec': 'ps' } },
      'x/podgroup/g ps',
    ],
    ['the pod group of scheduler-plugins', { labels: { 'scheduling.x-k8s.io/pod-group': 'g' } }, 'x/podgroup/g pod'],
    ['a Kueue pod group', { labels: { 'kueue.x-k8s.io/pod-group-name': 'g' } }, 'x/podgroup/g pod'],
    [
      'a training job',
      {
        labels: {
          'training.kubeflow.org/job-name': 'j',
          'training.kubeflow.org/operator-name': 'pytorchjob-controller',
          'training.kubeflow.org/replica-type': 'worker',
        },
      },
      'x/pytorchjob/j worker',
    ],
    [
      'a JobSet',
      { labels: { 'jobset.sigs.k8s.io/jobset-name': 's', 'jobset.sigs.k8s.io/replicatedjob-name': 'w' } },
      'x/jobset/s w',
    ],
    [
      'a group of a LeaderWorkerSet',
      {
        labels: {
          'leaderworkerset.sigs.k8s.io/name': 'l',
          'leaderworkerset.sigs.k8s.io/group-index': '2',
          'leaderworkerset.sigs.k8s.io/worker-index': '0',
        },
      },
      'x/leaderworkerset/l-2 leader',
    ],
    ['a Ray cluster', { labels: { 'ray.io/cluster': 'r', 'ray.io/group': 'w' } }, 'x/raycluster/r w'],
    [
      'a Deployment behind its ReplicaSet',
      { ...owner('ReplicaSet', 'web-7d9'), labels: { 'pod-template-hash': '7d9' } },
      'x/deployment/web pod alone',
    ],
    ['a StatefulSet', owner('StatefulSet', 'db'), 'x/statefulset/db pod alone'],
    ['nothing', {}, 'x/pod/p pod'],
  ])('belongs by %s', (_, metadata, expected) => {
    expect(identity(metadata)).toBe(expected);
  });

  it('belongs by its scheduling group of Kubernetes 1.36, and to its node in a DaemonSet', () => {
    expect(identity({}, { schedulingGroup: { podGroupName: 'g' } })).toBe('x/podgroup/g pod');
    expect(gangIdentityOf({ metadata: { name: 'p', ...owner('DaemonSet', 'd') } }).ofNode).toBe(true);
  });
});

describe('a queue', () => {
  const read = (apiVersion: string, kind: string, spec: JsonObject): unknown =>
    queueOf({ apiVersion, kind, metadata: { name: 'q' }, spec });

  it('of Volcano keeps its tree, weights and bounds; the root is the cluster itself', () => {
    expect(
      read('scheduling.volcano.sh/v1beta1', 'Queue', {
        parent: 'root',
        weight: 3,
        reclaimable: false,
        capability: { cpu: '10' },
        deserved: { 'nvidia.com/gpu': '8' },
        guarantee: { resource: { memory: '1Gi' } },
      }),
    ).toEqual({
      name: 'q',
      weight: 3,
      reclaimable: false,
      capability: { cpu: 10_000 },
      deserved: { 'nvidia.com/gpu': 8 },
      guarantee: { memory: 2 ** 30 },
    });
    expect(
      queueOf({ apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'root' } }),
    ).toBeUndefined();
  });

  it('of Kueue has its nominal quota, keeps what it does not lend, and ends where it may not borrow', () => {
    const flavors = (...resources: JsonObject[]): JsonObject => ({
      resourceGroups: [{ flavors: resources.map((resource) => ({ resources: [resource] })) }],
    });
    const gpu = { name: 'nvidia.com/gpu', nominalQuota: 8 };
    expect(read('kueue.x-k8s.io/v1beta2', 'ClusterQueue', flavors(gpu, gpu))).toEqual({
      name: 'q',
      deserved: { 'nvidia.com/gpu': 16 },
      capability: { 'nvidia.com/gpu': 16 },
    });
    expect(
      read('kueue.x-k8s.io/v1beta2', 'ClusterQueue', {
        cohortName: 'c',
        ...flavors({ ...gpu, borrowingLimit: 4, lendingLimit: 2 }),
        stopPolicy: 'Hold',
      }),
    ).toEqual({
      name: 'q',
      parent: 'cohort:c',
      deserved: { 'nvidia.com/gpu': 8 },
      guarantee: { 'nvidia.com/gpu': 6 },
      capability: { 'nvidia.com/gpu': 12 },
      state: 'closed',
    });
  });

  it('of KAI is without bound where it says -1', () => {
    expect(
      read('scheduling.run.ai/v2', 'Queue', {
        parentQueue: 'p',
        resources: { gpu: { quota: 4, limit: -1, overQuotaWeight: 2 }, memory: { quota: -1, limit: 100 } },
      }),
    ).toEqual({
      name: 'q',
      parent: 'p',
      deserved: { 'nvidia.com/gpu': 4, memory: 'unlimited' },
      capability: { memory: 100_000_000 },
      surplusWeight: { 'nvidia.com/gpu': 2 },
    });
  });
});
