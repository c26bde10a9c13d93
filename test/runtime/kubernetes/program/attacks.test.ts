import { Ledger } from '../../../../src/placement/books/ledger';
import { connect } from 'node:net';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../../src/manifests/read';
import { World } from '../../../../src/runtime/kubernetes/world/world';
import { gangOf, letTimeRun, nodeObject, podObject, Rig, stopTime } from './rig';

const GROUPS = 'scheduling.volcano.sh/v1beta1';

describe('attacks', () => {
  let rig: Rig;
  beforeEach(async () => {
    stopTime();
    rig = await Rig.start();
    rig.server.serve(GROUPS, 'queues', 'podgroups');
  });
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  const isBound = (pod: string): boolean => rig.server.places()[pod] !== undefined;
  const group = (name: string, spec: object): void =>
    void rig.server.put(GROUPS, 'podgroups', { metadata: { namespace: 'default', name }, spec: { ...spec } });
  const inGroup = (name: string): Readonly<Record<string, string>> => ({ 'scheduling.k8s.io/group-name': name });

  /** Whatever was tried: a gang of somebody else starts, nothing failed, and no node is over capacity. */
  async function expectOthersRun(): Promise<void> {
    rig.addPods(...gangOf('others', 4, { namespace: 'others' }));
    await rig.until('a gang of others runs', () => isBound('others/others-3'), 20_000);
    expect(rig.said('the cycle failed')).toEqual([]);
    expect([...rig.faults]).toEqual([]);
  }

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('a role named %s', async (role) => {
    rig.addNodes(1);
    group('g', { minMember: 2, minTaskMember: { worker: 1 } });
    const labels = { 'volcano.sh/task-spec': role };
    rig.addPods(
      podObject('a', { annotations: inGroup('g'), labels }),
      podObject('b', { annotations: inGroup('g'), labels: { 'volcano.sh/task-spec': 'worker' } }),
    );
    await rig.until('the gang runs', () => isBound('default/a') && isBound('default/b'));
    await expectOthersRun();
  });

  it.each(['constructor', 'toString', '__proto__'])('a required affinity with the key %s', async (key) => {
    rig.addNodes(1);
    const term = { matchExpressions: [{ key, operator: 'Exists' }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    rig.addPods(podObject('a', { spec: { affinity } }), podObject('b', { spec: { nodeSelector: { [key]: 'x' } } }));
    await expectOthersRun();
    // No node has the label.
    expect([isBound('default/a'), isBound('default/b')]).toEqual([false, false]);
    rig.server.put('v1', 'nodes', nodeObject('labeled', 8, { constructor: 'x', toString: 'x' }));
    if (key !== '__proto__') {
      await rig.until('a node has it', () => isBound('default/a') && isBound('default/b'));
    }
  });

  it('a queue that shares out a resource named constructor', async () => {
    rig.addNodes(1);
    rig.server.put(GROUPS, 'queues', {
      metadata: { name: 'odd' },
      spec: { deserved: { constructor: '1', 'nvidia.com/gpu': '4' }, capability: { toString: '1' } },
    });
    rig.addPods(podObject('in-odd', { queue: 'odd' }));
    await rig.until('its gang runs', () => isBound('default/in-odd'));
    await expectOthersRun();
  });

  it.each([
    ['minResources', { minResources: { cpu: '1e999', 'nvidia.com/gpu': '9e18' } }, {}],
    ['gang-min-member', {}, { 'gantry.dev/gang-min-member': '999999999999999' }],
    ['gpu-memory', {}, { 'gpu-memory': '1e308' }],
    ['gpu-memory in digits', {}, { 'gpu-memory': '9'.repeat(400) }],
    ['gpu-fraction-num-devices', {}, { 'gpu-fraction': '0.5', 'gpu-fraction-num-devices': '9'.repeat(400) }],
    [
      'slice size 0',
      {},
      {
        'kueue.x-k8s.io/podset-slice-size': '0',
        'kueue.x-k8s.io/podset-slice-required-topology': 'kubernetes.io/hostname',
      },
    ],
    [
      'expected seconds',
      {},
      { 'gantry.dev/expected-seconds': '999999999999999', 'gantry.dev/minimum-runtime-seconds': '999999999999999' },
    ],
  ] as const)('absurd numbers: %s', async (_, spec, annotations) => {
    rig.addNodes(1);
    group('g', spec);
    rig.addPods(podObject('a', { annotations: { ...inGroup('g'), ...annotations } }));
    await rig.pass(3000);
    await expectOthersRun();
  });

  it('minMember of a running gang raised above its pods gives it the stale grace period', async () => {
    rig.addNodes(1);
    group('g', { minMember: 2 });
    rig.addPods(podObject('a', { annotations: inGroup('g') }), podObject('b', { annotations: inGroup('g') }));
    await rig.until('the gang runs', () => isBound('default/b'));
    await rig.pass(600_000);
    group('g', { minMember: 1000 });
    await rig.pass(55_000);
    expect(rig.server.writes(/eviction$/)).toEqual([]);
    group('g', { minMember: 2 });
    await rig.pass(120_000);
    expect(rig.server.writes(/eviction$/)).toEqual([]);
    await expectOthersRun();
  });

  const required = (nodeSelectorTerms: JsonObject[]): JsonObject => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const exists = (key: string): JsonObject => ({ matchExpressions: [{ key, operator: 'Exists' }] });
  const reasonOf = (pod: string): string =>
    asString(
      asArray(asObject(rig.server.store.get('v1', 'pods', `default/${pod}`)?.status).conditions)
        .map(asObject)
        .find(({ type }) => type === 'PodScheduled')?.message,
    ) ?? '';

  it('pods with thousands of requirements cost themselves alone, and what they use where they run stays in use', async () => {
    rig.addNodes(2);
    const many = required(Array.from({ length: 1001 }, (_, i) => exists(`label-${i}`)));
    const away = Array.from({ length: 101 }, (_, i) => ({
      topologyKey: 'kubernetes.io/hostname',
      labelSelector: { matchLabels: { [`key-${i}`]: 'x' } },
    }));
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: away } } };
    rig.addPods(
      podObject('terms', { spec: many }),
      podObject('apart', { spec: apart }),
      podObject('runs', { gpus: 8, spec: { ...many, nodeName: 'n-0' } }),
      podObject('most', {
        spec: required([
          exists('kubernetes.io/hostname'),
          ...Array.from({ length: 499 }, (_, i) => exists(`label-${i}`)),
        ]),
      }),
    );
    await expectOthersRun();
    await rig.until('one within the limits runs', () => isBound('default/most'));
    expect([isBound('default/terms'), isBound('default/apart')]).toEqual([false, false]);
    await rig.until('reasons are reported', () =>
      [reasonOf('terms'), reasonOf('apart')].every((text) => text.includes(' has ')),
    );
    expect(reasonOf('terms')).toContain('has 2002 requirements on nodes, but the scheduler reads at most 1000.');
    expect(reasonOf('apart')).toContain('has 101 terms of pod affinity');
    expect(rig.server.places()['default/most']).toBe('n-1');
  });

  it('a client that opens connections and says nothing does not lock others out', async () => {
    const sockets = Array.from({ length: 200 }, () =>
      connect({ host: '127.0.0.1', port: rig.program.port, localAddress: '127.0.0.9' }).on('error', () => undefined),
    );
    let closed = 0;
    sockets.forEach((socket) => socket.once('close', () => closed++));
    for (let turns = 0; closed < 136 && turns < 2000; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(closed).toBe(136);
    expect((await rig.ask('/healthz')).status).toBe(200);
    sockets.forEach((socket) => socket.destroy());
  });

  it('random tokens cost the API server a few questions', async () => {
    await rig.stop();
    rig = await Rig.start({ authentication: 'always' });
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      statuses.add((await rig.ask('/gantry/v1/view', `random-${i}`)).status);
    }
    expect(rig.server.reviews.asked).toEqual({ tokens: 10, access: 0 });
    expect(statuses).toEqual(new Set([401, 429]));
    rig.addNodes(1);
    await expectOthersRun();
  });

  it('an object that cannot be read costs itself, and the watch goes on', async () => {
    const readable = World.prototype as unknown as { takePod: (key: string, raw: unknown) => void };
    jest.spyOn(readable, 'takePod').mockImplementation(function (this: World, key: string, raw: unknown) {
      if (key === 'default/poison' && raw !== undefined) {
        throw new Error('unreadable');
      }
      Reflect.apply(realTakePod, this, [key, raw]);
    });
    rig.addNodes(1);
    rig.addPods(podObject('poison'));
    await expectOthersRun();
    expect(await rig.metric('gantry_set_aside', 'kind="pod"')).toBe(1);
    expect(rig.said('set aside')).toMatchObject([{ kind: 'pod', name: 'default/poison', reason: 'unreadable' }]);
    rig.server.store.delete('v1', 'pods', 'default/poison');
    await rig.pass(15_000);
    expect(await rig.metric('gantry_set_aside')).toBe(0);
  });

  it('a gang for which the decision fails is set aside, and tried again when it changes', async () => {
    let isPoison = true;
    const real = Reflect.get<typeof Ledger.prototype, 'placeOn'>(Ledger.prototype, 'placeOn');
    jest.spyOn(Ledger.prototype, 'placeOn').mockImplementation(function (this: Ledger, pod, row, devices) {
      if (isPoison && pod.name.startsWith('poison/')) {
        throw new TypeError('cannot read properties of undefined');
      }
      Reflect.apply(real, this, [pod, row, devices]);
    });
    rig.addNodes(2);
    rig.addPods(
      ...gangOf('first', 2),
      ...gangOf('bad', 2, { namespace: 'poison' }),
      ...gangOf('last', 2, { namespace: 'zz' }),
    );
    await rig.until('the others run', () => isBound('default/first-1') && isBound('zz/last-1'));
    expect(isBound('poison/bad-0')).toBe(false);
    await expectOthersRun();
    expect(await rig.metric('gantry_set_aside', 'kind="gang"')).toBe(1);
    await rig.until('the reason is reported', () => rig.server.condition('poison/bad-0') !== undefined);
    expect(rig.server.condition('poison/bad-0')).toContain('cannot read properties of undefined');
    const setAside = (): readonly string[] => rig.server.notes().filter((note) => note.startsWith('SetAside'));
    await rig.until('its first pod has the event', () => setAside().length > 0);
    // It is tried again each minute, and reported once.
    await rig.pass(180_000);
    expect(setAside()).toEqual([
      'SetAside: The scheduler ignores the gang of the pod: cannot read properties of undefined.',
    ]);
    expect(rig.said('set aside')).toHaveLength(1);
    isPoison = false;
    await rig.until('it runs once the error is gone', () => isBound('poison/bad-1'));
    expect(await rig.metric('gantry_set_aside')).toBe(0);
  });

  it('cycles that fail as a whole make the program not ready after five, until one succeeds', async () => {
    rig.addNodes(1);
    await rig.pass(2000);
    expect((await rig.ask('/readyz')).status).toBe(200);
    const failing = jest.spyOn(World.prototype, 'settle').mockImplementation(() => {
      throw new Error('broken');
    });
    rig.addPods(podObject('a'));
    await rig.until('four cycles failed', () => rig.said('the cycle failed').length === 4);
    expect((await rig.ask('/readyz')).status).toBe(200);
    await rig.until('five cycles failed', () => rig.said('the cycle failed').length === 5);
    expect(await rig.ask('/readyz')).toEqual({ status: 503, text: 'the last 5 cycles failed; see the log' });
    expect(await rig.metric('gantry_cycle_failures_in_a_row')).toBe(5);
    expect((await rig.ask('/healthz')).status).toBe(200);
    failing.mockRestore();
    await rig.until('a cycle succeeds', () => isBound('default/a'));
    expect((await rig.ask('/readyz')).status).toBe(200);
    expect(await rig.metric('gantry_cycle_failures_in_a_row')).toBe(0);
    expect(await rig.metric('gantry_cycle_failures_total')).toBeGreaterThanOrEqual(5);
    expect(asObject(rig.server.store.get('v1', 'pods', 'default/a')?.spec).nodeName).toBe('n-0');
  });
});

const realTakePod = Reflect.get(World.prototype, 'takePod') as (key: string, raw: unknown) => void;
