/**
 * What the plan said is what happens on a live server: pod by pod, node by node, device by device.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type Decision } from '../../../src/placement';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { overCapacity } from './invariants';
import { Lab, nameOf } from './lab';
import { gang, lastingGang, node, pod, priorityClass } from './manifests';
import { planOf, wanted } from './plan';

const CONFIG = `
queues:
  - { name: research, weight: 2, deserved: { nvidia.com/gpu: 32 } }
  - { name: product, weight: 1, deserved: { nvidia.com/gpu: 32 } }
explain: { writesPerSecond: 200 }
`;
/** Pods that have just started may be moved. */
const MOVES = { moveIntervalSeconds: 0 };
const QUEUES = [
  { name: 'research', weight: 2, deserved: { 'nvidia.com/gpu': 32 } },
  { name: 'product', weight: 1, deserved: { 'nvidia.com/gpu': 32 } },
];

describeLive('the plan and what comes of it', () => {
  let lab: Lab;
  let gantry: GantryProcess | undefined;

  beforeAll(async () => {
    lab = await Lab.start();
    await lab.create(priorityClass('high', 1000), priorityClass('low', 1), {
      ...priorityClass('patient', 1000),
      preemptionPolicy: 'Never',
    });
  });
  afterEach(async () => {
    await gantry?.stop();
    gantry = undefined;
    await lab.clear();
  });
  afterAll(() => lab.stop());

  /** Pods that are there run; those that come later are what is planned for. */
  async function runFirst(...pods: readonly JsonObject[]): Promise<void> {
    await lab.create(...pods);
    gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig, config: CONFIG });
    await allRun(pods.length);
    await gantry.stop();
  }

  /** Their status counts in a plan, and a node is chosen before it is written. */
  function allRun(count: number): Promise<void> {
    return lab.until(`${count} pods run`, async () => {
      const phases = (await lab.pods()).map(({ status }) => asObject(status).phase);
      return phases.filter((phase) => phase === 'Running').length === count;
    });
  }

  /** The log of the program is read a moment after what it reports. @returns the pods, sorted */
  async function evicted(count: number): Promise<readonly unknown[]> {
    const lines = (): readonly unknown[] =>
      gantry!.log.filter(({ msg }) => msg === 'evicted').map(({ pod: one }) => one);
    await lab.until(`the log has ${count} evictions`, () => Promise.resolve(lines().length >= count));
    return [...lines()].sort();
  }

  async function start(config = CONFIG): Promise<GantryProcess> {
    return (gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig, config }));
  }

  /** Events come after what they tell, and nothing waits for them. */
  function untilEvent(what: string, suits: (event: JsonObject) => boolean): Promise<void> {
    return lab.until(what, async () =>
      (await lab.list('/apis/events.k8s.io/v1/namespaces/default/events')).some(suits),
    );
  }

  /** `node devices` by pod, of those that the plan speaks of. */
  async function outcome(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const found = (await lab.pods()).filter(
      (one) => names.includes(nameOf(one)) && asString(asObject(one.spec).nodeName) !== undefined,
    );
    return Object.fromEntries(
      found.map((one) => [
        nameOf(one),
        `${asString(asObject(one.spec).nodeName)} ${asString(asObject(asObject(one.metadata).annotations)['gantry.dev/devices']) ?? ''}`,
      ]),
    );
  }

  async function expectOutcome(plan: Decision): Promise<void> {
    const places = wanted(plan);
    const names = Object.keys(places);
    expect(names.length).toBeGreaterThan(0);
    await lab.until('all planned pods run', async () => Object.keys(await outcome(names)).length === names.length);
    expect(await outcome(names)).toEqual(places);
    expect(overCapacity(await lab.list('/api/v1/nodes'), await lab.pods())).toEqual([]);
  }

  it('gangs of queues with weights, quotas and priorities, more than there is room for', async () => {
    await lab.createMany(
      Array.from({ length: 8 }, (_, i) => node(`n-${i}`, { labels: { 'topology.kubernetes.io/rack': `r-${i % 2}` } })),
    );
    await lab.nodesReady(8);
    await lab.create(
      ...gang('bert', 4, { gpus: 8, queue: 'research' }),
      ...gang('llama', 3, {
        gpus: 8,
        queue: 'research',
        annotations: { 'gantry.dev/topology-required': 'topology.kubernetes.io/rack' },
      }),
      ...gang('ranker', 2, { gpus: 4, queue: 'product', priorityClass: 'high' }),
      ...gang('tuner', 6, { gpus: 2, queue: 'product' }),
      ...gang('sweep', 5, { gpus: 1, minimum: 2, queue: 'product', priorityClass: 'low' }),
      ...gang('big', 8, { gpus: 8, queue: 'research', priorityClass: 'low' }),
      pod('alone', { gpus: 3 }),
    );
    const plan = await planOf(lab, { queues: QUEUES });
    expect(plan.pending.map(({ gang: name }) => name)).toContain('default/big');
    await start();
    await expectOutcome(plan);
    let message = '';
    await lab.until('the gang that does not fit has a reason', async () => {
      const pending = await gantry!.json<readonly { gang: string; message: string }[]>('/gantry/v1/pending');
      message = pending.find(({ gang: name }) => name === 'default/big')?.message ?? '';
      return message !== '';
    });
    expect(message).toMatch(/\d/);
    // The same words reach the pod's owner.
    await lab.until('the condition says why', async () => {
      const waiting = (await lab.pods()).find((one) => nameOf(one) === 'big-0');
      const condition = asArray(asObject(waiting?.status).conditions)
        .map(asObject)
        .find(({ type }) => type === 'PodScheduled');
      return condition?.reason === 'Unschedulable' && (asString(condition.message) ?? '').includes(message);
    });
    await untilEvent('the gang fails to schedule', ({ reason, regarding }) => {
      return reason === 'FailedScheduling' && asString(asObject(regarding).name)?.startsWith('big-') === true;
    });
  });

  it('preemption: exactly the planned pods go, and the others start exactly where they were nominated', async () => {
    await lab.createMany([node('n-0'), node('n-1'), node('n-2')]);
    await lab.nodesReady(3);
    await runFirst(
      ...gang('old', 2, { gpus: 8, queue: 'research', priorityClass: 'low' }),
      ...gang('small', 2, { gpus: 2, queue: 'research', priorityClass: 'low' }),
    );
    await lab.create(...gang('urgent', 2, { gpus: 8, queue: 'research', priorityClass: 'high' }));
    const plan = await planOf(lab, { queues: QUEUES });
    expect(plan.evictions.length).toBeGreaterThan(0);
    await start();
    await expectOutcome({ ...plan, bindings: plan.nominations });
    const left = Object.keys(await lab.places()).sort();
    expect(left).toEqual(
      [
        ...['old-0', 'old-1', 'small-0', 'small-1'].filter(
          (name) => !plan.evictions.some((one) => one.pod === `default/${name}`),
        ),
        'urgent-0',
        'urgent-1',
      ].sort(),
    );
    expect(await evicted(plan.evictions.length)).toEqual(plan.evictions.map((one) => one.pod).sort());
  });

  it('reclaim: a queue takes back what it deserves, and no more', async () => {
    await lab.createMany(Array.from({ length: 8 }, (_, i) => node(`n-${i}`)));
    await lab.nodesReady(8);
    await runFirst(...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => gang(`wide-${i}`, 1, { gpus: 8, queue: 'product' })));
    await lab.create(...gang('mine', 3, { gpus: 8, queue: 'research' }));
    const plan = await planOf(lab, { queues: QUEUES });
    expect(plan.evictions.map(({ action }) => action)).toEqual(['reclaim', 'reclaim', 'reclaim']);
    await start();
    await expectOutcome({ ...plan, bindings: plan.nominations });
    expect(await evicted(3)).toHaveLength(3);
  });

  it('backfill: what ends in time starts beside a promise, and what does not end in time waits', async () => {
    await lab.createMany([node('n-0'), node('n-1')]);
    await lab.nodesReady(2);
    await runFirst(
      pod('running', { gpus: 8, queue: 'research', annotations: { 'gantry.dev/expected-seconds': '600' } }),
    );
    await lab.create(
      ...gang('head', 2, {
        gpus: 8,
        queue: 'research',
        priorityClass: 'patient',
        annotations: { 'gantry.dev/expected-seconds': '600' },
      }),
    );
    await lab.create(
      pod('short', { gpus: 4, queue: 'research', annotations: { 'gantry.dev/expected-seconds': '60' } }),
      pod('unknown', { gpus: 4, queue: 'research' }),
    );
    const plan = await planOf(lab, { queues: QUEUES });
    expect(plan.reservations.map((one) => one.gang)).toEqual(['default/head']);
    expect(Object.keys(wanted(plan))).toEqual(['short']);
    await start();
    await expectOutcome(plan);
    // What is bound first is bound before the reasons of that cycle are published.
    await lab.until('the one of unknown length waits for the reservation', async () => {
      const pending = await gantry!.json<readonly { gang: string; kind: string }[]>('/gantry/v1/pending');
      return pending.some(({ gang: name, kind }) => name === 'default/unknown' && kind === 'reserved');
    });
  });

  it('consolidation: work moves aside, no pod is lost, and the blocked gang starts', async () => {
    await lab.createMany([node('n-0'), node('n-1')]);
    await lab.nodesReady(2);
    await lab.create(lastingGang('left', 1, { gpus: 4 }), lastingGang('filler', 1, { gpus: 4 }));
    await start();
    await allRun(2);
    await lab.create(lastingGang('right', 1, { gpus: 4 }));
    await allRun(3);
    await gantry!.stop();
    await lab.delete('/apis/apps/v1/namespaces/default/replicasets/filler');
    await lab.until('half of each node is free', async () => (await lab.pods()).length === 2);
    await lab.create(pod('whole', { gpus: 8 }));
    const plan = await planOf(lab, { queues: QUEUES, policy: MOVES });
    expect(plan.evictions.map(({ action, movesTo }) => [action, movesTo !== undefined])).toEqual([
      ['consolidate', true],
    ]);
    await start(`${CONFIG}policy: ${JSON.stringify(MOVES)}\n`);
    await lab.until(
      'all three run',
      async () => Object.keys(await lab.places()).length === 3 && (await lab.pods()).length === 3,
    );
    const places = await lab.places();
    expect(places.whole).toBe(plan.nominations.find((one) => one.pod === 'default/whole')?.node);
    expect(
      new Set(
        Object.entries(places)
          .filter(([name]) => name !== 'whole')
          .map(([, where]) => where),
      ).size,
    ).toBe(1);
    expect(await evicted(1)).toHaveLength(1);
  });

  it('topology by HyperNodes: a gang stays within one tier', async () => {
    await lab.createMany(Array.from({ length: 6 }, (_, i) => node(`n-${i}`)));
    await lab.nodesReady(6);
    const hyperNode = (name: string, members: readonly string[]): JsonObject => ({
      apiVersion: 'topology.volcano.sh/v1alpha1',
      kind: 'HyperNode',
      metadata: { name },
      spec: {
        tier: 1,
        members: members.map((member) => ({ type: 'Node', selector: { exactMatch: { name: member } } })),
      },
    });
    await lab.create(hyperNode('left', ['n-0', 'n-3']), hyperNode('right', ['n-1', 'n-4', 'n-5']), {
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'near', namespace: 'default' },
      spec: { minMember: 3, queue: 'research', networkTopology: { mode: 'hard', highestTierAllowed: 1 } },
    });
    await lab.create(
      ...[0, 1, 2].map((i) => pod(`near-${i}`, { gpus: 8, annotations: { 'scheduling.k8s.io/group-name': 'near' } })),
    );
    const plan = await planOf(lab, { queues: QUEUES });
    await start();
    await expectOutcome(plan);
    expect(new Set(Object.values(await lab.places()))).toEqual(new Set(['n-1', 'n-4', 'n-5']));
    await lab.cluster.client.request('DELETE', '/apis/topology.volcano.sh/v1alpha1/hypernodes');
  });

  it('hand-over: kube-scheduler binds where the plan said, and what the pod asked for stays', async () => {
    await lab.createMany(
      Array.from({ length: 4 }, (_, i) => node(`n-${i}`, { labels: { disk: i % 2 === 0 ? 'fast' : 'slow' } })),
    );
    await lab.nodesReady(4);
    const fast = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] }],
          },
        },
      },
    };
    await lab.create(
      ...gang('handed', 2, { gpus: 8, handOver: true, spec: fast }),
      ...gang('direct', 2, { gpus: 4, spec: { nodeSelector: { disk: 'slow' } } }),
    );
    const plan = await planOf(lab, { queues: QUEUES });
    await start();
    await expectOutcome(plan);
    const handed = (await lab.pods()).find((one) => nameOf(one) === 'handed-0');
    expect(asObject(handed?.spec).schedulingGates).toBeUndefined();
    expect(JSON.stringify(asObject(handed?.spec).affinity)).toContain('"disk"');
    await untilEvent('kube-scheduler assigned the pod', ({ regarding, note }) => {
      return asObject(regarding).name === 'handed-0' && (asString(note) ?? '').startsWith('Successfully assigned');
    });
  });

  it('a pod whose volume only kube-scheduler can provide is refused with a reason that names the hand-over', async () => {
    await lab.create(
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'late' },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      node('n-0'),
    );
    await lab.nodesReady(1);
    await lab.create(
      pod('needs', { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } }),
    );
    await start();
    await lab.until('the reason is there', async () => {
      const [waiting] = await lab.pods();
      return JSON.stringify(waiting.status).includes('gantry.dev/placement');
    });
    await lab.until('the list of what waits has it', async () => {
      const { kind } = await gantry!.json<{ readonly kind?: string }>('/gantry/v1/pending/default%2Fneeds');
      return kind === 'needs-hand-over';
    });
    await lab.delete('/api/v1/namespaces/default/persistentvolumeclaims/data');
  });

  it('a disruption budget protects a gang from being evicted in part', async () => {
    await lab.createMany([node('n-0'), node('n-1')]);
    await lab.nodesReady(2);
    await runFirst(
      ...gang('guarded', 2, { gpus: 8, queue: 'research', priorityClass: 'low', labels: { app: 'guarded' } }),
    );
    await lab.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'guard' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    });
    await lab.create(...gang('urgent', 2, { gpus: 8, queue: 'research', priorityClass: 'high' }));
    await start();
    await gantry!.until('leading: pods and nodes listed again');
    await lab.until(
      'the reason is there',
      async () => (await gantry!.json<readonly unknown[]>('/gantry/v1/pending')).length === 1,
    );
    expect(gantry!.log.filter(({ msg }) => msg === 'evicted')).toEqual([]);
    expect(Object.keys(await lab.places()).sort()).toEqual(['guarded-0', 'guarded-1']);
  });
});
