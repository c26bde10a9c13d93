/**
 * Plans: places, reasons and changes; among what runs already; on a changed cluster.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { clusterOfObjects, ClusterFileError, readCluster, sampleCluster } from '../../../src/planning/cluster';
import { readPolicyFile } from '../../../src/planning/cluster/files/policy-file';
import { changed, differenceOf, readWhatIf } from '../../../src/planning/cluster/what-if';
import { DEFAULT_POLICY } from '../../../src/placement';
import { PodBudget } from '../../../src/planning/cluster/gangs/planned-gangs';
import { clusterOf, gangNamed, gpus, nodeObject, plan } from './builders';

const pytorch = (name: string, workers: number, more = ''): string => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ${name}, namespace: ml}
spec: {${more}pytorchReplicaSpecs: {Worker: {replicas: ${workers}, template: {spec: ${gpus(8)}}}}}`;

describe('a plan', () => {
  it('says where each gang lands, down to the devices', () => {
    const { view, good } = plan(pytorch('train', 2));
    expect(good).toBe(true);
    expect(view.gangs).toMatchObject([
      {
        name: 'ml/train',
        state: 'placed',
        where: [
          [0, 1],
          [1, 1],
        ],
        domain: { level: 0, name: 'rack-1' },
        devices: 16,
      },
    ]);
    expect(view.nodes[0].pods).toEqual([
      { name: 'ml/train-Worker-0', gang: 0, role: 'Worker', devices: [0, 1, 2, 3, 4, 5, 6, 7], state: 'planned' },
    ]);
    expect(view.pools).toMatchObject([
      { name: 'h100', nodes: 4, model: 'H100-SXM-80GB', devices: 32, devicesUsed: 16 },
    ]);
    expect(view.fragmentation).toMatchObject({
      freeWhole: 16,
      onFreeNodes: 16,
      largest: [{ name: 'rack-2', devices: 16 }, { devices: 8 }],
      nodesByFree: [2, 0, 0, 0, 0, 0, 0, 0, 2],
    });
  });

  it('says why a gang waits, and the smallest change that lets it in', () => {
    const made = plan(pytorch('train', 6));
    expect(made.good).toBe(false);
    expect(gangNamed(made, 'ml/train').pending).toMatchObject({
      kind: 'no-fit',
      fits: 4,
      needed: 6,
      changes: ['Fits with 4 pods instead of 6.', 'Fits with 2 more nodes of pool "h100".'],
    });
  });

  it('says of a gang that runs in part why the rest waits', () => {
    const deployment = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 6, template: {spec: ${gpus(8)}}}`;
    expect(gangNamed(plan(deployment), 'default/web')).toMatchObject({
      state: 'partial',
      placed: 4,
      pending: { kind: 'no-fit', needed: 2 },
    });
  });

  it('does not make a thousand million pods to see that they do not fit', () => {
    const made = plan(pytorch('slip', 1_000_000_000));
    expect(gangNamed(made, 'ml/slip')).toMatchObject({ state: 'pending', pods: 441, pending: { fits: 4 } });
    expect(made.view.notes).toEqual([
      'PyTorchJob ml/slip requests 1000000000 pods of role "Worker", but all nodes together can run at most 440 pods; the others are not planned.',
    ]);
  });

  it('plans more pods than a call may have arguments', () => {
    const made = plan(pytorch('slip', 1_000_000_000), clusterOf('pools: [{name: gpu, count: 1200, cpu: 64}]'));
    expect(gangNamed(made, 'ml/slip')).toMatchObject({ state: 'pending', pods: 132_001 });
  });

  it('plans a million pods of all roles together', () => {
    const budget = new PodBudget(700_000);
    expect([1e9, 1e9, 5].map((count) => budget.take(count))).toEqual([700_001, 299_999, 1]);
    expect(budget.notes).toEqual(['The workloads request 1400007 pods; 1000001 of them are planned.']);
  });

  it('names the label that no node has', () => {
    const pod = `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: ${gpus(1, 'nodeSelector: {disk: ssd}, ')}`;
    expect(gangNamed(plan(pod), 'default/p').pending?.blocked).toEqual([
      { constraint: 'node-selector', detail: 'disk=ssd', nodes: 4 },
    ]);
  });

  it('holds queues of the manifests against what they may have', () => {
    const queue =
      'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: small}\nspec: {capability: {cpu: 100, nvidia.com/gpu: 8}}';
    const made = plan([queue, pytorch('train', 2, 'runPolicy: {schedulingPolicy: {queue: small}}, ')]);
    expect(gangNamed(made, 'ml/train').pending).toMatchObject({
      kind: 'queue-capability',
      changes: ['Fits if the capability of queue "small" is raised by 8 nvidia.com/gpu.'],
    });
    expect(made.view.queues).toMatchObject([
      { name: 'small', pending: 1, capability: { cpu: 100_000, 'nvidia.com/gpu': 8 } },
    ]);
  });

  it('takes a queue that nothing describes as open, unless the cluster describes its queues', () => {
    const asked = pytorch('train', 1, 'runPolicy: {schedulingPolicy: {queue: other}}, ');
    expect(plan(asked).view.notes).toEqual([
      'Queue "other" is not defined in the manifests or the cluster; treated as open and without limits.',
    ]);
    const strict = clusterOf('pools: [{name: gpu, count: 1, accelerator: H100-SXM-80GB}]\nqueues: [{name: known}]');
    expect(gangNamed(plan(asked, strict), 'ml/train').pending?.kind).toBe('unknown-queue');
  });

  it('follows a local queue of Kueue to its ClusterQueue', () => {
    const kueue = [
      'apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: cq}\nspec: {resourceGroups: []}',
      'apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: lq, namespace: ml}\nspec: {clusterQueue: cq}',
    ];
    const job = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}\nspec: {template: {spec: ${gpus(1)}}}`;
    expect(gangNamed(plan([...kueue, job]), 'ml/j').queue).toBe('cq');
  });

  it('puts what Kueue admits on the nodes of a flavor of its queue', () => {
    const flavors = (...labels: readonly string[]): readonly string[] =>
      labels.map(
        (label, index) =>
          `apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f${index}}\nspec: {nodeLabels: {kubernetes.io/hostname: ${label}}}`,
      );
    const quota = (name: string): string => `{name: ${name}, resources: [{name: nvidia.com/gpu, nominalQuota: 32}]}`;
    const queue = (...names: readonly string[]): string =>
      'apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: cq}\n' +
      `spec: {resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [${names.map(quota).join(', ')}]}]}`;
    const local =
      'apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: lq, namespace: ml}\nspec: {clusterQueue: cq}';
    const job = (pods: number): string =>
      'apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: lq}}\n' +
      `spec: {parallelism: ${pods}, template: {spec: ${gpus(8)}}}`;
    const where = (documents: readonly string[]): unknown => {
      const made = plan(documents);
      const { state, where: places } = gangNamed(made, 'ml/j');
      return [state, places.map(([node]) => made.view.nodes[node].name)];
    };
    expect(where([...flavors('n-3'), queue('f0'), local, job(1)])).toEqual(['placed', ['n-3']]);
    expect(where([...flavors('n-3', 'n-4'), queue('f0', 'f1'), local, job(2)])).toEqual(['placed', ['n-3', 'n-4']]);
    expect(where([...flavors('n-3'), queue('f0'), local, job(2)])).toEqual(['pending', []]);
    expect(where([...flavors('n-3'), queue('f0', 'elsewhere'), local, job(2)])).toEqual(['placed', ['n-1', 'n-2']]);
  });

  it('places the earlier manifest first, and the one of higher priority before it', () => {
    const high = 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10';
    const states = (...documents: readonly string[]): unknown =>
      plan(documents).asked.map(({ view }) => [view.name, view.state]);
    expect(states(pytorch('b', 3), pytorch('a', 3))).toEqual([
      ['ml/b', 'placed'],
      ['ml/a', 'pending'],
    ]);
    const urgent = pytorch('a', 3, 'runPolicy: {schedulingPolicy: {priorityClass: high}}, ');
    expect(states(high, pytorch('b', 3), urgent)).toEqual([
      ['ml/b', 'pending'],
      ['ml/a', 'placed'],
    ]);
  });
});

describe('a plan on a live cluster', () => {
  const nodes = ['n-1', 'n-2'].map((name) => nodeObject(name));
  const running = (name: string, node: string, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ml', creationTimestamp: '2025-12-31T00:00:00Z', ...metadata },
    spec: { nodeName: node, containers: [{ resources: { requests: { 'nvidia.com/gpu': '8' } } }] },
    status: { phase: 'Running', startTime: '2025-12-31T00:00:00Z' },
  });

  it('counts what runs, in a List as kubectl prints it', () => {
    const list = readCluster(
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...nodes, running('busy', 'n-1')] }),
      'live.json',
    );
    expect(list).toMatchObject({ name: 'live', at: Date.UTC(2026, 0, 1) });
    const made = plan(pytorch('train', 1), list);
    expect(gangNamed(made, 'ml/train').domain?.name).toBe('n-2');
    expect(gangNamed(made, 'ml/busy')).toMatchObject({ kind: 'Pod', state: 'running', domain: { name: 'n-1' } });
  });

  it('takes the pods of a job over that a manifest applies again', () => {
    const labels = {
      'training.kubeflow.org/job-name': 'train',
      'training.kubeflow.org/operator-name': 'pytorchjob-controller',
      'training.kubeflow.org/replica-type': 'worker',
    };
    const live = clusterOfObjects([...nodes, running('train-worker-0', 'n-2', { labels })], 'live');
    expect(gangNamed(plan(pytorch('train', 1), live), 'ml/train')).toMatchObject({
      state: 'running',
      pods: 1,
      where: [[1, 1]],
    });
    expect(plan(pytorch('train', 2), live).decision.bindings.map(({ node }) => node)).toEqual(['n-1']);
  });

  it('says whom it would evict for work of higher priority', () => {
    const high = 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10';
    const live = clusterOfObjects([...nodes, running('a', 'n-1'), running('b', 'n-2')], 'live');
    const made = plan([high, pytorch('train', 1, 'runPolicy: {schedulingPolicy: {priorityClass: high}}, ')], live);
    expect(gangNamed(made, 'ml/train').state).toBe('nominated');
    expect(made.view.evictions).toMatchObject([{ action: 'preempt', for: 0 }]);
  });

  it('counts the devices of pods that differ within a role', () => {
    const of = (name: string, node: string, count: string): JsonObject => ({
      ...running(name, node, { labels: { 'gantry.dev/gang': 'g' } }),
      spec: { nodeName: node, containers: [{ resources: { requests: { 'nvidia.com/gpu': count } } }] },
    });
    expect(
      gangNamed(plan([], clusterOfObjects([...nodes, of('a', 'n-1', '2'), of('b', 'n-2', '4')], 'live')), 'ml/g')
        .devices,
    ).toBe(6);
  });

  it('without manifests is about the gangs that are there', () => {
    const waiting = { ...running('w', ''), spec: { containers: [] } };
    expect(
      plan([], clusterOfObjects([...nodes, waiting], 'live')).asked.map(({ view }) => [view.name, view.state]),
    ).toEqual([['ml/w', 'placed']]);
  });

  it('leaves room for volumes that are bound to other nodes, and for devices that are claimed', () => {
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n-2'] }] }],
          },
        },
      },
    };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'ml' },
      spec: { volumeName: 'v' },
    };
    const template =
      'apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: two, namespace: ml}\nspec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}}';
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], resourceClaims: [{name: g, resourceClaimTemplateName: two}], containers: [{name: c}]}';
    expect(gangNamed(plan([template, pod], clusterOfObjects([...nodes, volume, claim], 'live')), 'ml/p')).toMatchObject(
      { domain: { name: 'n-2' }, devices: 2 },
    );
  });

  it('a claim whose selectors are not evaluated is named', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec: {resourceClaims: [{name: g, resourceClaimTemplateName: large}], containers: [{name: c}]}';
    const template = (exactly: string): string =>
      `apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: large, namespace: ml}\nspec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com${exactly}}}]}}}`;
    const notes = (exactly: string): readonly string[] => plan([template(exactly), pod]).view.notes;
    expect(notes(', selectors: [{cel: {expression: "true"}}]')).toContain(
      'The selectors of the claim ml/large are not evaluated: any device of its class counts, so its pods may wait on the real cluster. ' +
        'To evaluate them, set draDriver: true on the pool of the cluster file, or plan on a snapshot with ResourceSlices.',
    );
    expect(notes('').filter((note) => note.includes('ml/large'))).toEqual([]);
  });
});

describe('what if', () => {
  const asked = pytorch('train', 4);
  const after = (...changes: readonly string[]): ReturnType<typeof plan> => {
    const { cluster, copies } = changed(clusterOf(), changes.map(readWhatIf), ['ml/train']);
    return plan(asked, cluster, { copies });
  };

  it('a node is drained: what does not fit any more is reported', () => {
    const difference = differenceOf(plan(asked).view, after('drain=n-2').view);
    expect(difference).toMatchObject({
      gangs: [{ name: 'ml/train', before: 'placed', after: 'pending' }],
      pools: [{ name: 'h100' }],
    });
  });

  it('a pool is larger, or there is another', () => {
    expect(after('drain=n-*', 'add-pool=h100:4').good).toBe(true);
    expect(after('drain=n-*', 'add-pool={name: b200, count: 4, accelerator: B200}').view.pools).toMatchObject([
      { name: 'h100', unavailable: 4 },
      { name: 'b200', devicesUsed: 32 },
    ]);
  });

  it('there are more of a job', () => {
    expect(after('copies=train:1').asked.map(({ view }) => [view.name, view.state])).toEqual([
      ['ml/train', 'placed'],
      ['ml/train copy 1', 'pending'],
    ]);
  });

  it.each([
    ['drain=m-1', 'node not found (did you mean n-1?)'],
    ['add-pool=h10:2', 'pool not found (did you mean h100?)'],
    [
      'add-pool={name: x, accelerator: H1000}',
      'accelerator must be an accelerator of the catalog, or any name together with memoryMiB, not "H1000"',
    ],
    ['copies=trane:2', 'job not found in the manifests; jobs are ml/train'],
    ['melt=n-1', 'expected drain=NODE'],
  ])('%s is refused with what would be right', (text, message) => {
    expect(() => after(text)).toThrow(message);
  });
});

describe('files', () => {
  it('the sample has 64 nodes of eight H100 in eight racks, and 16 for inference', () => {
    const { view } = plan(pytorch('train', 1), sampleCluster());
    expect(view.pools.map(({ name, nodes, devices, model }) => [name, nodes, devices, model])).toEqual([
      ['h100', 64, 512, 'H100-SXM-80GB'],
      ['inference', 16, 64, 'L40S'],
    ]);
    expect(new Set(view.nodes.filter(({ pool }) => pool === 0).map(({ path }) => path[1])).size).toBe(8);
  });

  it('a cluster file can describe MIG, sharing, taints, places and what is broken', () => {
    const cluster = clusterOf(`pools:
  - {name: cut, names: cut-##, count: 2, accelerator: A100-SXM-80GB, perNode: 1, mig: {1g.10gb: 3, 3g.40gb: 1}, cordoned: cut-02, taints: ['gpu=yes:NoSchedule']}
  - {name: amd, accelerator: MI300X, memoryMiB: 196608, resource: amd.com/gpu, used: {cpu: 4}, domains: [{label: example.com/row, name: row-1}]}`);
    expect(cluster.nodes[1]).toMatchObject({
      name: 'cut-02',
      unschedulable: true,
      taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
      allocatable: { 'nvidia.com/mig-1g.10gb': 3 },
      devices: [{ mig: { '1g.10gb': 3, '3g.40gb': 1 } }],
    });
    expect(cluster.nodes[2]).toMatchObject({
      name: 'amd-1',
      deviceResource: 'amd.com/gpu',
      used: { cpu: 4_000 },
      labels: { 'example.com/row': 'row-1' },
    });
  });

  it.each([
    ['MI300X', 'amd.com/gpu', 8, { 'amd.com/gpu.device-id': '74a1', 'amd.com/gpu.vram': '192G' }, ['0'], [0, 1]],
    ['Gaudi3', 'habana.ai/gaudi', 8, {}, ['0'], [0, 1]],
    [
      '910A',
      'huawei.com/Ascend910',
      8,
      { accelerator: 'huawei-Ascend910', 'node.kubernetes.io/npu.chip.name': '910A' },
      ['0', '1'],
      [undefined],
    ],
    ['310P', 'huawei.com/Ascend310P', 4, { accelerator: 'huawei-Ascend310P' }, [undefined], [undefined]],
    ['trn1', 'aws.amazon.com/neuron', 16, { 'node.kubernetes.io/instance-type': 'trn1.2xlarge' }, ['0'], [undefined]],
    ['TPU-v5e', 'google.com/tpu', 8, { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' }, ['0'], [0, 1]],
    ['H100 PCIe', 'nvidia.com/gpu', 8, { 'nvidia.com/gpu.product': 'NVIDIA-H100-PCIe' }, [undefined], [undefined]],
    ['H100 SXM', 'nvidia.com/gpu', 4, { 'nvidia.com/gpu.family': 'hopper' }, ['0'], [undefined]],
  ])(
    'a pool of %s has the resource, labels, islands, and NUMA nodes of its catalog entry',
    (name, resource, count, labels, islands, numas) => {
      const [node] = clusterOf(`pools: [{name: p, accelerator: ${name}, perNode: ${count}}]`).nodes;
      expect(node?.deviceResource).toBe(resource);
      expect(node?.allocatable[resource]).toBe(count);
      expect(node?.labels).toMatchObject(labels);
      expect([...new Set(node?.devices?.map(({ island }) => island))]).toEqual(islands);
      expect([...new Set(node?.devices?.map(({ numa }) => numa))]).toEqual(numas);
    },
  );

  it.each(['', '[]', 'text'])('a cluster file that is not a map is one mistake: %j', (text) => {
    expect(() => clusterOf(text)).toThrow(/^[^\n]*the file must be a map, not [^\n]*$/);
  });

  it('a text of one long line is quoted only at its beginning', () => {
    expect(() => clusterOf('a'.repeat(100_000))).toThrow(/the file must be a map, not "a{80}…"$/);
  });

  it('an ambiguous accelerator in a cluster file is refused with the choices', () => {
    expect(() => clusterOf('pools: [{name: p, accelerator: H100}]')).toThrow(
      'use H100-SXM-80GB, H100-PCIe-80GB, or H100-NVL',
    );
    expect(() => clusterOf('pools: [{name: p, accelerator: Gaudi}]')).toThrow('use Gaudi2 or Gaudi3');
    expect(() => clusterOf('pools: [{name: p, accelerator: My-GPU, memoryMiB: 1024}]')).not.toThrow();
  });

  it.each([
    ['count: 1000000000', 'pools[0].count'],
    ['count: 1e9', 'pools[0].count'],
    ['perNode: 100000000', 'pools[0].perNode'],
    ['replicas: 100000000', 'pools[0].replicas'],
  ])('a number that is too large for any cluster is rejected: %s', (member, place) => {
    const text = `pools: [{name: a, accelerator: H100-SXM-80GB, ${member}}]`;
    expect(() => clusterOf(text)).toThrow(
      new RegExp(`${place.replace(/[[\]]/g, '.')} must be .* less than or equal to`),
    );
  });

  it('pools that are too large together are rejected', () => {
    const pool = (name: string): string => `{name: ${name}, count: 60000, cpu: 8}`;
    expect(() => clusterOf(`pools: [${pool('a')}, ${pool('b')}]`)).toThrow(
      'pools[1].count must be at most 40000, because all pools together can have 100000 nodes, not 60000',
    );
  });

  it('everything that is wrong with a cluster file is reported at once, with what would be right', () => {
    const text =
      'pools: [{name: a, count: 0, acelerator: H100, perNode: 8, racks: {size: 2, count: 3}, taints: [x]}]\nqueues: [{name: child, parent: q}]';
    expect(() => clusterOf(text)).toThrow(ClusterFileError);
    try {
      clusterOf(text);
    } catch (error) {
      expect((error as Error).message.split('\n')).toEqual([
        'cluster.yaml: pools[0].count must be a whole number greater than or equal to 1 and less than or equal to 100000, not 0',
        expect.stringContaining('pools[0].accelerator is required'),
        'cluster.yaml: pools[0].racks must not set both size and count, because each follows from the other',
        expect.stringContaining(
          'pools[0].taints must be key=value:EFFECT or key:EFFECT, where EFFECT is NoSchedule, PreferNoSchedule, or NoExecute, not "x"',
        ),
        'cluster.yaml: pools[0].acelerator is an unknown field (did you mean accelerator?)',
        'cluster.yaml: queues[0].parent must name a queue of the file; queue "q" not found',
      ]);
    }
  });

  it('a policy file changes what it names', () => {
    expect(readPolicyFile('{nodeScore: binpack, without: [preempt], staleGang: 2m}', 'p.yaml')).toMatchObject({
      ...DEFAULT_POLICY,
      nodeScore: 'binpack',
      staleGangSeconds: 120,
      actions: expect.not.arrayContaining(['preempt']) as unknown,
    });
    const filter = '{capacityFilters: [{mode: hard, utilization: 0.5, queues: research}]}';
    expect(readPolicyFile(filter, 'p.yaml').capacityFilters).toEqual([
      { mode: 'hard', utilization: 0.5, queues: ['research'] },
    ]);
    expect(() => readPolicyFile('{capacityFilters: [{mode: hrd, utilization: 50}, {pools: a}]}', 'p.yaml')).toThrow(
      [
        'p.yaml: capacityFilters[0].utilization must be a number greater than or equal to 0 and less than or equal to 1, not 50',
        'p.yaml: capacityFilters[0].mode must be hard or soft, not "hrd" (did you mean hard?)',
        'p.yaml: capacityFilters[1] must set at least one of freeMemoryMiB, utilization, and latencyMs',
        'p.yaml: capacityFilters[1].mode is required: hard or soft',
      ].join('\n'),
    );
    expect(() => readPolicyFile('{nodeScore: binpak}', 'p.yaml')).toThrow(
      'p.yaml: nodeScore must be binpack, spread, spread-devices, first-fit, fgd, or fragmentation, not "binpak" (did you mean binpack?)',
    );
  });
});
