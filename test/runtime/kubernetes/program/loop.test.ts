import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject } from '../../../../src/manifests/read';
import { InProcessApiServer } from '../../../support/api-server/api-server';
import { gangOf, kubeScheduler, letTimeRun, nodeObject, podObject, Rig, stopTime } from './rig';

describe('the scheduler program', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  it('binds gangs and hands gated ones over', async () => {
    rig = await Rig.start();
    kubeScheduler(rig.server);
    rig.addNodes(2);
    rig.addPods(...gangOf('a', 8), ...gangOf('b', 4, { gated: true }));
    await rig.until('all have a node', () => Object.keys(rig.server.places()).length === 12);
    expect([...rig.faults]).toEqual([]);
    expect(await rig.metric('gantry_pods_bound_total', 'direct')).toBe(8);
    expect(await rig.metric('gantry_pods_bound_total', 'hand-over')).toBe(4);
    expect(await rig.metric('gantry_binding_failures_total')).toBe(0);
    expect(rig.said('placed').map(({ gang, pods }) => [gang, pods])).toEqual([
      ['default/a', 8],
      ['default/b', 4],
    ]);
    // The only replica needs no lease to lead.
    expect(await rig.metric('gantry_leader')).toBe(1);
  });

  it('decides nothing until it has read every collection', async () => {
    const server = new InProcessApiServer();
    server.trouble = ({ path }) => (path.endsWith('/nodes') ? 503 : undefined);
    rig = await Rig.start({ server });
    rig.addPods(podObject('early'));
    rig.addNodes(1);
    await rig.pass(10_000);
    expect((await rig.ask('/readyz')).status).toBe(503);
    expect(rig.server.places()).toEqual({});
    server.trouble = () => undefined;
    await rig.until('it is bound', () => Object.keys(server.places()).length === 1);
    expect((await rig.ask('/readyz')).status).toBe(200);
  });

  it('decides again about the pods of a gang that was placed in part', async () => {
    rig = await Rig.start({ config: 'cycle: { periodSeconds: 3600 }' });
    const { server } = rig;
    let refusals = 1;
    server.trouble = ({ method, path }) =>
      method === 'POST' && path.endsWith('/pods/a-1/binding') && refusals-- > 0 ? 403 : undefined;
    rig.addNodes(1);
    rig.addPods(...gangOf('a', 3));
    await rig.until('two have a node', () => Object.keys(server.places()).length === 2);
    await rig.until('the third has one too', () => Object.keys(server.places()).length === 3);
    expect(rig.said('placed in part; the other pods are planned again')).toMatchObject([
      { gang: 'default/a', pods: 3, failed: 1 },
    ]);
    expect(await rig.metric('gantry_binding_failures_total')).toBe(1);
    expect(await rig.metric('gantry_binding_failures_total', 'way="direct",reason="Forbidden"')).toBe(1);
  });

  it('notices within 30 seconds that a watch is frozen', async () => {
    rig = await Rig.start();
    rig.addNodes(1);
    await rig.pass(5000);
    rig.server.silence(/./);
    rig.addPods(podObject('late'));
    await rig.until('it is seen and bound', () => Object.keys(rig.server.places()).length === 1, 30_000);
  });

  it('notices within 30 seconds that a list is frozen', async () => {
    const server = new InProcessApiServer();
    let frozen = 0;
    server.trouble = ({ method, path }) =>
      method === 'GET' && path === '/api/v1/pods' && frozen++ === 0 ? 'dropped' : undefined;
    rig = await Rig.start({ server });
    rig.addNodes(1);
    rig.addPods(podObject('early'));
    await rig.until('it is read and bound', () => Object.keys(server.places()).length === 1, 31_000);
    expect(frozen).toBeGreaterThan(1);
  });

  it('lets a new job go on at once while a thousand pods wait', async () => {
    rig = await Rig.start({ config: 'enqueueVolcanoPodGroups: true\nexplain: { writesPerSecond: 20 }' });
    const { server } = rig;
    const GROUPS = 'scheduling.volcano.sh/v1beta1';
    server.serve(GROUPS, 'queues', 'podgroups');
    rig.addNodes(1);
    rig.addPods(...Array.from({ length: 1000 }, (_, i) => podObject(`never-${i}`, { gpus: 100 })));
    await rig.pass(15_000);
    server.put(GROUPS, 'podgroups', { metadata: { namespace: 'default', name: 'job' }, spec: { minMember: 1 } });
    const phase = (): unknown => asObject(server.store.get(GROUPS, 'podgroups', 'default/job')?.status).phase;
    await rig.until('it may make its pods', () => phase() === 'Inqueue', 5000);
    // One event for each gang comes before the conditions of its pods.
    expect(server.writes(/pods\/never.*status$/).length).toBeLessThan(100);
    expect(await rig.metric('gantry_pending_gangs')).toBe(1000);
  });

  it.each([
    ['the hand-over', false],
    ['another client', true],
  ])('binds a gated pod that names Gantry as its scheduler, once %s has removed its gate', async (_, byAnother) => {
    rig = await Rig.start();
    const { server } = rig;
    rig.addNodes(2);
    await rig.pass(1000);
    const gated = podObject('both', { gated: true, spec: { schedulerName: 'gantry' } });
    server.trouble = ({ method, path }) => {
      if (byAnother && method === 'PATCH' && path.endsWith('/pods/both')) {
        server.trouble = () => undefined;
        server.put('v1', 'pods', { ...gated, spec: { ...asObject(gated.spec), schedulingGates: [] } });
        return 503;
      }
      return undefined;
    };
    rig.addPods(gated);
    await rig.until('it is bound', () => server.places()['default/both'] !== undefined);
    expect([...rig.faults]).toEqual([]);
  });

  it('rests while nothing changes', async () => {
    rig = await Rig.start({ config: 'cycle: { periodSeconds: 10 }' });
    rig.addNodes(1);
    await rig.pass(20_000);
    const cycles = (): Promise<number> => rig.metric('gantry_cycle_seconds_count');
    const before = await cycles();
    await rig.pass(100_000);
    const after = await cycles();
    expect(after - before).toBeGreaterThanOrEqual(8);
    expect(after - before).toBeLessThan(50);
    expect((await rig.ask('/healthz')).status).toBe(200);
  });

  it('reports how far a gang is in the status of its PodGroup, and in no PodGroup of the same name', async () => {
    rig = await Rig.start();
    const { server } = rig;
    const VOLCANO = 'scheduling.volcano.sh/v1beta1';
    server.serve(VOLCANO, 'queues', 'podgroups');
    const put = (name: string): void =>
      void server.put(VOLCANO, 'podgroups', { metadata: { namespace: 'default', name }, spec: { minMember: 2 } });
    const statusOf = (name: string): JsonObject =>
      asObject(server.store.get(VOLCANO, 'podgroups', `default/${name}`)?.status);
    put('job');
    put('label');
    put('large');
    rig.addNodes(1);
    const inGroup = (name: string, group: string, gpus = 1): JsonObject =>
      podObject(name, { gpus, annotations: { 'scheduling.k8s.io/group-name': group } });
    rig.addPods(inGroup('job-0', 'job'), inGroup('job-1', 'job'), ...gangOf('label', 2));
    rig.addPods(inGroup('large-0', 'large', 9), inGroup('large-1', 'large', 9));
    await rig.until('the gangs run', () => Object.keys(server.places()).length === 4);
    await rig.pass(15_000);
    expect(statusOf('job')).toMatchObject({ phase: 'Running', conditions: [{ type: 'Scheduled' }] });
    expect(statusOf('large')).toMatchObject({ phase: 'Inqueue', conditions: [{ type: 'Unschedulable' }] });
    expect(statusOf('label')).toEqual({});
  });

  it('starts a gang that states no minimum once no pod of it was added for a second', async () => {
    rig = await Rig.start();
    const { server } = rig;
    rig.addNodes(1);
    await rig.pass(5000);
    rig.addPods(podObject('a', { gang: 'g' }));
    await rig.pass(900);
    rig.addPods(podObject('b', { gang: 'g' }));
    // A time of creation is in whole seconds: the pod may have come at the end of it.
    const second = Math.floor(Date.now() / 1000) * 1000;
    while (Object.keys(server.places()).length === 0 && Date.now() - second < 5000) {
      await rig.pass(1);
    }
    // One millisecond is that of the decision.
    expect(Date.now() - second).toBe(2001);
    await rig.until('both are bound', () => Object.keys(server.places()).length === 2, 100);
  });

  it('writes the status of a PodGroup again where the API server refused it, though nothing of the gang changes', async () => {
    rig = await Rig.start({ config: 'cycle: { periodSeconds: 1 }' });
    const { server } = rig;
    const VOLCANO = 'scheduling.volcano.sh/v1beta1';
    server.serve(VOLCANO, 'queues', 'podgroups');
    server.put(VOLCANO, 'podgroups', {
      metadata: { namespace: 'default', name: 'large' },
      spec: { minMember: 1 },
      status: { phase: 'Inqueue' },
    });
    rig.addNodes(1);
    server.trouble = ({ method, path }) => (method === 'PATCH' && path.includes('/podgroups/') ? 503 : undefined);
    rig.addPods(podObject('large-0', { gpus: 9, annotations: { 'scheduling.k8s.io/group-name': 'large' } }));
    const conditions = (): unknown =>
      asObject(server.store.get(VOLCANO, 'podgroups', 'default/large')?.status).conditions;
    // By then, the pod says why it waits, and is not written any more.
    await rig.pass(20_000);
    expect(conditions()).toBeUndefined();
    server.trouble = () => undefined;
    await rig.until('the status says why it waits', () => conditions() !== undefined);
    expect(conditions()).toMatchObject([{ type: 'Unschedulable' }]);
  });

  it('shows whether devices are those that the kubelet reports', async () => {
    rig = await Rig.start({ config: 'handOver: { guarded: true }' });
    const notes = async (): Promise<unknown> =>
      (JSON.parse((await rig.ask('/gantry/v1/view')).text) as JsonObject).notes;
    rig.addNodes(2);
    rig.server.put('v1', 'nodes', nodeObject('without', 0));
    await rig.pass(15_000);
    expect(await notes()).toEqual([]);
    const { metadata, ...rest } = nodeObject('n-1');
    const annotations = { 'gantry.dev/allocated-devices': '{"nvidia.com/gpu": {"uid-of-a-pod": [0]}}' };
    rig.server.put('v1', 'nodes', { metadata: { ...asObject(metadata), annotations }, ...rest });
    await rig.pass(15_000);
    expect(await notes()).toEqual([
      '1 of 2 nodes with devices report which devices their pods have; on the others, devices are as chosen.',
    ]);
  });

  it('resumes quiet watches without reading anything again', async () => {
    rig = await Rig.start();
    rig.addNodes(1);
    await rig.pass(5000);
    const lists = (): number =>
      rig.server.log.filter(({ method, path }) => method === 'GET' && path === '/api/v1/pods').length;
    const before = lists();
    await rig.pass(600_000);
    expect(lists()).toBe(before);
    // Nothing of it is a warning.
    expect(rig.said('watch')).toEqual([]);
    rig.addPods(podObject('late'));
    await rig.until('it is bound', () => Object.keys(rig.server.places()).length === 1, 2000);
  });
});

describe('two replicas', () => {
  let first: Rig;
  let second: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await first.stop();
    await second.stop();
    letTimeRun();
  });

  it('only one decides, and the other goes on when it can no longer renew its lease', async () => {
    first = await Rig.start({ leaseSeconds: 15, identity: 'first' });
    const { server } = first;
    await first.pass(3000);
    second = await Rig.start({ leaseSeconds: 15, identity: 'second', server });
    first.addNodes(2);
    first.addPods(...gangOf('a', 8));
    await first.until('the gang runs', () => Object.keys(server.places()).length === 8);
    expect([first.said('placing').length, second.said('placing').length]).toEqual([1, 0]);
    expect([await first.metric('gantry_leader'), await second.metric('gantry_leader')]).toEqual([1, 0]);
    // The lease is not renewed: the first has to stop before the second may begin.
    server.trouble = ({ method, path }) => (path.includes('/leases') && method !== 'GET' ? 503 : undefined);
    await first.pass(30_000);
    first.addPods(...gangOf('b', 8));
    await first.pass(20_000);
    expect([first.said('placing').length, second.said('placing').length]).toEqual([1, 0]);
    expect([await first.metric('gantry_leader'), await second.metric('gantry_leader')]).toEqual([0, 0]);
    server.trouble = () => undefined;
    await first.until('one of them goes on', () => Object.keys(server.places()).length === 16);
    expect(first.said('placing').length + second.said('placing').length).toBe(2);
    expect([...first.faults]).toEqual([]);
  });
});
