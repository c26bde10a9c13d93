import { type JsonObject } from '../../../src/facts/api/schema';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { type Question, question } from '../../../src/runtime/kubernetes/world/snapshot';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { NODE, NOW, pod, Source } from './watched-source';

describe('the question to the placement core', () => {
  let source: Source;
  let world: World;
  let assumptions: Assumptions;
  let relevant: number;

  beforeEach(() => {
    source = new Source();
    world = new World(source, DEFAULT_CONFIGURATION);
    assumptions = new Assumptions();
    relevant = 0;
    world.onRelevant = () => void relevant++;
    source.put('nodes', NODE);
  });

  const ask = (now = NOW): Question => question(world, assumptions, { now, settleMilliseconds: 1000 });
  const states = (now = NOW): Readonly<Record<string, string>> =>
    Object.fromEntries(
      ask(now).snapshot.pods.map(({ name, state, node }) => [name, node === undefined ? state : `${state} on ${node}`]),
    );

  it.each([
    ['what the kubelet gave, as the node reports it', true, '{"nvidia.com/gpu": {"uid-p": [7]}}', [7]],
    [
      'what the scheduler chose, without a policy that keeps others from reporting',
      false,
      '{"nvidia.com/gpu": {"uid-p": [7]}}',
      [2],
    ],
    [
      'what the scheduler chose, for a device that the node does not have',
      true,
      '{"nvidia.com/gpu": {"uid-p": [8]}}',
      [2],
    ],
    ['what the scheduler chose, for half a device', true, '{"nvidia.com/gpu": {"uid-p": [1.5]}}', [2]],
    ['what the scheduler chose, for a device twice', true, '{"nvidia.com/gpu": {"uid-p": [1, 1]}}', [2]],
    ['what the scheduler chose, for another resource', true, '{"constructor": {"uid-p": [7]}}', [2]],
    ['what the scheduler chose, for what is no report', true, '[{', [2]],
  ])('pods have %s', (_, guarded, report, devices) => {
    world.configure({ ...DEFAULT_CONFIGURATION, handOver: { timeoutSeconds: 30, guarded } });
    source.put('nodes', {
      ...NODE,
      metadata: { name: 'n-1', labels: {}, annotations: { 'gantry.dev/allocated-devices': report } },
    });
    source.put('pods', pod('p', { node: 'n-1', annotations: { 'gantry.dev/devices': '2' } }));
    expect(ask().snapshot.pods).toEqual([expect.objectContaining({ name: 'default/p', devices })]);
    // Of a pod of another scheduler nothing else is known.
    source.put('pods', pod('p', { node: 'n-1', spec: { schedulerName: 'other' } }));
    expect(ask().snapshot.pods[0].devices).toEqual(devices[0] === 7 ? [7] : undefined);
  });

  it('finds gangs, their minimum, their queue and what others take', () => {
    source.put('pods', pod('a-0', { gang: 'a', minimum: 2, labels: { 'gantry.dev/queue': 'research' } }));
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, labels: { 'gantry.dev/queue': 'research' } }));
    source.put('pods', pod('other', { node: 'n-1', spec: { schedulerName: 'default-scheduler' } }));
    source.put('pods', pod('waits-for-others', { spec: { schedulerName: 'default-scheduler' } }));
    const { gangs, queues } = ask().snapshot;
    expect(gangs).toEqual([expect.objectContaining({ name: 'default/a', minimum: 2, queue: 'research' })]);
    expect(states()).toEqual({ 'default/a-0': 'pending', 'default/a-1': 'pending', 'default/other': 'running on n-1' });
    expect(queues.map(({ name }) => name)).toEqual(['default']);
  });

  it('shows of a gang that is set aside only the pods that take up room, and tries it again after a minute', () => {
    source.put('pods', pod('runs', { gang: 'a', node: 'n-1', annotations: { 'gantry.dev/devices': '2' } }));
    source.put('pods', pod('leaves', { gang: 'a', node: 'n-1', leaving: true }));
    source.put('pods', pod('is-bound', { gang: 'a' }));
    source.put('pods', pod('waits', { gang: 'a' }));
    source.put('pods', pod('ended', { gang: 'a', node: 'n-1', phase: 'Succeeded' }));
    source.put('pods', pod('other', { gang: 'b' }));
    assumptions.place('uid-is-bound', { node: 'n-1', devices: [5] });
    world.gangNamed('default/a')!.setAside('a bad role', NOW);
    const { snapshot, held } = ask();
    expect(states()).toEqual({
      'default/runs': 'running on n-1',
      'default/leaves': 'releasing on n-1',
      'default/is-bound': 'running on n-1',
      'default/other': 'pending',
    });
    expect(snapshot.pods.find(({ name }) => name === 'default/runs')).toMatchObject({ devices: [2] });
    expect(snapshot.gangs.map(({ name }) => name)).toEqual(['default/b']);
    expect(held).toEqual([
      {
        gang: 'default/a',
        queue: '',
        kind: 'set-aside',
        message: 'The scheduler cannot decide about the gang, and skips it: a bad role.',
        again: 60_000,
      },
    ]);
    expect(world.aside.list).toEqual([
      { kind: 'gang', name: expect.stringContaining('a') as string, reason: 'a bad role' },
    ]);
    expect(states(NOW + 59_999)).not.toHaveProperty(['default/waits']);
    expect(states(NOW + 60_000)).toMatchObject({ 'default/waits': 'pending' });
    expect(world.aside.list).toEqual([]);
  });

  it('counts what is under way as done, until the watch tells', () => {
    source.put('pods', pod('p', { ageSeconds: 60 }));
    assumptions.place('uid-p', { node: 'n-1', devices: [3] });
    expect(ask().snapshot.pods[0]).toMatchObject({ state: 'running', node: 'n-1', devices: [3] });
    source.put('pods', pod('p', { node: 'n-1' }));
    assumptions.leave('uid-p');
    expect(states()).toEqual({ 'default/p': 'releasing on n-1' });
    // Another pod of the same name is not the one that was assumed to go.
    source.put('pods', pod('p', { uid: 'new', node: 'n-1' }));
    expect(states()).toEqual({ 'default/p': 'running on n-1' });
  });

  it('holds a pod for its node once it was handed over', () => {
    const gate = { schedulerName: 'default-scheduler', schedulingGates: [{ name: 'gantry.dev/placement' }] };
    source.put('pods', pod('p', { spec: gate }));
    expect(states()).toEqual({ 'default/p': 'pending' });
    source.put(
      'pods',
      pod('p', {
        spec: { schedulerName: 'default-scheduler' },
        annotations: { 'gantry.dev/node': 'n-1', 'gantry.dev/devices': '2' },
      }),
    );
    // An annotation that anybody may write is no reservation.
    expect(states()).toEqual({});
    world.willHandOver('uid-p', 'n-1');
    source.put('pods', source.all('pods').get('default/p')!);
    expect(states()).toEqual({ 'default/p': 'running on n-1' });
    expect(ask().snapshot.gangs).toHaveLength(1);
  });

  it('holds a whole gang back while one of its pods cannot be placed yet, and says why', () => {
    source.put('pods', pod('a-0', { gang: 'a', minimum: 2 }));
    source.put(
      'pods',
      pod('a-1', { gang: 'a', minimum: 2, spec: { schedulingGates: [{ name: 'example.com/quota' }] } }),
    );
    expect(ask().snapshot.gangs).toEqual([]);
    expect(ask().held).toEqual([
      expect.objectContaining({
        gang: 'default/a',
        kind: 'other-gates',
        message: expect.stringContaining('example.com/quota') as string,
      }),
    ]);
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2 }));
    expect(ask().held).toEqual([]);
  });

  it.each([
    [
      'a resource claim that does not exist',
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }] },
      'claim-not-ready',
      /ResourceClaim "c" does not exist/,
    ],
    [
      'a claim that is bound late',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'late' } }] },
      'needs-hand-over',
      /"late".*gantry.dev\/placement/,
    ],
    [
      'a claim that is not bound',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'soon' } }] },
      'volume-not-bound',
      /"soon" is not bound/,
    ],
    [
      'a claim that is not there',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'none' } }] },
      'volume-not-bound',
      /"none" does not exist/,
    ],
  ] as const)('refuses to bind a pod with %s', (_, spec, kind, message) => {
    source.put('storageClasses', { metadata: { name: 'wait' }, volumeBindingMode: 'WaitForFirstConsumer' });
    source.put('persistentVolumeClaims', {
      metadata: { namespace: 'default', name: 'late' },
      spec: { storageClassName: 'wait' },
    });
    source.put('persistentVolumeClaims', {
      metadata: { namespace: 'default', name: 'soon' },
      spec: { storageClassName: 'now' },
    });
    source.put('pods', pod('p', { spec: spec as unknown as JsonObject }));
    expect(ask().held).toEqual([expect.objectContaining({ kind, message: expect.stringMatching(message) as string })]);
  });

  it('places a pod where its bound volume is, also when the volume comes later', () => {
    source.put('pods', pod('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }));
    const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
    source.put('persistentVolumes', {
      metadata: { name: 'pv' },
      spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
    });
    source.put('persistentVolumeClaims', {
      metadata: { namespace: 'default', name: 'data' },
      spec: { volumeName: 'pv' },
    });
    expect(ask().held).toEqual([]);
    expect(ask().snapshot.gangs[0].roles[0].template.volumeNodeTerms).toEqual([
      [{ labels: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
    ]);
  });

  it('waits for the pods of a gang that says no minimum', () => {
    source.put('pods', pod('a-0', { gang: 'a', ageSeconds: 10 }));
    source.put('pods', pod('a-1', { gang: 'a', ageSeconds: 0 }));
    expect(ask().held).toEqual([expect.objectContaining({ kind: 'settling', again: 2000 })]);
    expect(ask(NOW + 2000).snapshot.gangs).toEqual([expect.objectContaining({ minimum: 2 })]);
  });

  it('does not miss what has done its work', () => {
    source.put('pods', pod('a-0', { gang: 'a', minimum: 2, node: 'n-1', phase: 'Succeeded' }));
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, node: 'n-1', phase: 'Running' }));
    expect(ask().snapshot.gangs).toEqual([expect.objectContaining({ minimum: 1 })]);
    expect(ask(NOW + 100_000).snapshot.gangs[0].staleSince).toBeUndefined();
  });

  it('tells since when a gang is below its minimum, and what is only assumed does not count', () => {
    source.put('pods', pod('a-0', { gang: 'a', minimum: 2, node: 'n-1', ageSeconds: 1 }));
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, ageSeconds: 1 }));
    expect(ask(NOW).snapshot.gangs[0].staleSince).toBe(NOW);
    assumptions.place('uid-a-1', { node: 'n-1', devices: [] });
    ask(NOW + 3000);
    assumptions.unplace('uid-a-1');
    expect(ask(NOW + 5000).snapshot.gangs[0].staleSince).toBe(NOW);
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, node: 'n-1', ageSeconds: 1 }));
    expect(ask(NOW + 6000).snapshot.gangs[0].staleSince).toBeUndefined();
  });

  it('lets a gang that must not be evicted go when it never ran as a whole, and not otherwise', () => {
    const keep = { 'gantry.dev/preemptible': 'false' };
    source.put('pods', pod('a-0', { gang: 'a', minimum: 2, node: 'n-1', ageSeconds: 1, annotations: keep }));
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, ageSeconds: 1, annotations: keep }));
    expect(ask().snapshot.gangs[0].preemptible).toBe(true);
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, node: 'n-1', ageSeconds: 1, annotations: keep }));
    expect(ask().snapshot.gangs[0].preemptible).toBe(false);
    source.put('pods', pod('a-1', { gang: 'a', minimum: 2, ageSeconds: 1, annotations: keep, uid: 'again' }));
    expect(ask().snapshot.gangs[0].preemptible).toBe(false);
  });

  it('does not offer a gang for eviction of which a budget protects a part', () => {
    ['a-0', 'a-1'].forEach((name) =>
      source.put('pods', pod(name, { gang: 'a', minimum: 2, node: 'n-1', labels: { app: 'a' } })),
    );
    const budget = (disruptionsAllowed: number): JsonObject => ({
      metadata: { namespace: 'default', name: 'b' },
      spec: { selector: { matchLabels: { app: 'a' } } },
      status: { disruptionsAllowed },
    });
    source.put('podDisruptionBudgets', budget(1));
    expect(ask().snapshot.gangs[0].minimumRuntimeSeconds).toBe(1e9);
    source.put('podDisruptionBudgets', budget(2));
    expect(ask().snapshot.gangs[0].minimumRuntimeSeconds).toBeUndefined();
  });

  it('leaves a gang out that the scheduler cannot decide about, for a minute or until its pods change', () => {
    const aside = (): readonly string[] =>
      world.aside.list.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`);
    const isHeld = (now: number): boolean => ask(now).held.some(({ kind }) => kind === 'set-aside');
    source.put('pods', pod('a-0', { gang: 'a', minimum: 1 }));
    source.put('pods', pod('a-1', { gang: 'a', minimum: 1, node: 'n-1', annotations: { 'gantry.dev/devices': '4' } }));
    const members = world.gangs.get('default/gang/a')!;
    members.setAside('it has no end', NOW);
    const { snapshot, held } = ask(NOW + 59_999);
    expect(held).toEqual([
      {
        gang: 'default/a',
        queue: '',
        kind: 'set-aside',
        message: 'The scheduler cannot decide about the gang, and skips it: it has no end.',
        again: 60_000,
      },
    ]);
    expect(aside()).toEqual(['gang default/gang/a: it has no end']);
    // What runs takes its room, as a pod of no gang.
    expect(snapshot.gangs).toEqual([]);
    expect(snapshot.pods).toMatchObject([{ name: 'default/a-1', state: 'running', node: 'n-1', devices: [4] }]);
    assumptions.place('uid-a-0', { node: 'n-1', devices: [] });
    source.put('nodes', NODE);
    expect(ask(NOW).snapshot.pods.map(({ name, gang }) => [name, gang])).toEqual([
      ['default/a-0', undefined],
      ['default/a-1', undefined],
    ]);
    expect(isHeld(NOW + 60_000)).toBe(false);
    expect(aside()).toEqual([]);
    members.setAside('it has no end', NOW);
    expect(isHeld(NOW)).toBe(true);
    source.put('pods', pod('a-0', { gang: 'a', minimum: 1, labels: { app: 'x' } }));
    expect(isHeld(NOW)).toBe(false);
  });

  it('reads what the PodGroup says, and its queue', () => {
    source.put('volcanoPodGroups', {
      metadata: { namespace: 'default', name: 'pg' },
      spec: { minMember: 2, queue: 'gpu', minTaskMember: { worker: 1 } },
    });
    source.put('volcanoQueues', {
      metadata: { name: 'gpu' },
      spec: { weight: 3, deserved: { 'nvidia.com/gpu': '4' } },
    });
    ['worker', 'ps'].forEach((role) =>
      source.put(
        'pods',
        pod(role, {
          annotations: { 'scheduling.k8s.io/group-name': 'pg' },
          labels: { 'volcano.sh/task-spec': role },
        }),
      ),
    );
    const { gangs, queues } = ask().snapshot;
    expect(gangs[0]).toMatchObject({ name: 'default/pg', queue: 'gpu', minimum: 2 });
    expect(gangs[0].roles).toEqual([
      expect.objectContaining({ name: 'ps', count: 1 }),
      expect.objectContaining({ name: 'worker', minimum: 1 }),
    ]);
    expect(queues).toContainEqual(
      expect.objectContaining({ name: 'gpu', weight: 3, deserved: { 'nvidia.com/gpu': 4 } }),
    );
  });

  it('gives pods that differ in idle labels only one template, until a selector asks for such a label', () => {
    source.put('pods', pod('a', { labels: { index: '0' } }));
    source.put('pods', pod('b', { labels: { index: '1' } }));
    const templates = (): number =>
      new Set(ask().snapshot.gangs.flatMap(({ roles }) => roles.map(({ template }) => template))).size;
    expect(templates()).toBe(1);
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { index: '1' } } },
      ],
    };
    source.put('pods', pod('c', { spec: { affinity: { podAntiAffinity } } }));
    expect(templates()).toBe(3);
  });

  it('does not wake for what is written to a pod that waits, also where no other pod is like it', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message: 'no room' }];
    const waiting = pod('alone', { spec: { nodeSelector: { like: 'no-other' } } });
    source.put('pods', waiting);
    const [{ roles }] = ask().snapshot.gangs;
    relevant = 0;
    source.put('pods', { ...waiting, status: { ...(waiting.status as JsonObject), conditions } });
    expect(relevant).toBe(0);
    expect(ask().snapshot.gangs[0].roles[0].template).toBe(roles[0].template);
    source.put('pods', pod('alone', { spec: { nodeSelector: { like: 'another' } } }));
    expect(relevant).toBe(1);
  });

  it('reads pods again that have a label for which a selector asks for the first time, and no others', () => {
    source.put('pods', pod('with', { labels: { index: '0' } }));
    source.put('pods', pod('without', { labels: { name: '0' } }));
    ask();
    const before = new Map(world.pods);
    const podAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { index: '0', unknown: '0' } } },
      ],
    };
    source.put('pods', pod('near', { spec: { affinity: { podAffinity } } }));
    ask();
    expect(world.pods.get('default/with')?.template.labels).toEqual({ index: '0' });
    expect(world.pods.get('default/without')).toBe(before.get('default/without'));
  });

  it('keeps a gang away from a node on which kube-scheduler did not bind it', () => {
    source.put('pods', pod('a-0', { gang: 'a', minimum: 1 }));
    assumptions.avoid('default/gang/a', 'n-1', 60_000);
    expect(ask().snapshot.pods[0].template?.nodeTerms).toEqual([
      { fields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n-1'] }] },
    ]);
    assumptions.avoid('default/gang/a', 'n-1', 0);
    expect(ask().snapshot.pods[0].template?.nodeTerms).toBeUndefined();
  });

  it('calls a gang by its short name unless two have it', () => {
    source.put('pods', pod('x', {}));
    expect(ask().snapshot.gangs.map(({ name }) => name)).toEqual(['default/x']);
    source.put('pods', pod('x-0', { gang: 'x' }));
    expect(
      question(world, assumptions, { now: NOW + 60_000, settleMilliseconds: 0 })
        .snapshot.gangs.map(({ name }) => name)
        .sort(),
    ).toEqual(['default/gang/x', 'default/pod/x']);
  });

  it('wakes for what matters, and not for pods that get the place that was decided for them', () => {
    relevant = 0;
    source.put('pods', pod('p'));
    expect(relevant).toBe(1);
    source.put('pods', pod('p', { node: 'n-1' }));
    source.put('pods', pod('p', { node: 'n-1', phase: 'Running' }));
    source.put('nodes', { ...NODE, status: { ...(NODE.status as JsonObject), images: [] } });
    expect(relevant).toBe(1);
    source.put('pods', pod('p', { node: 'n-1', phase: 'Succeeded' }));
    source.put('nodes', { ...NODE, spec: { unschedulable: true } });
    expect(relevant).toBe(3);
    source.remove('pods', 'default/p');
    expect(relevant).toBe(4);
    expect(world.pods.size).toBe(0);
  });
});
