/**
 * MIG configurations of nodes that the scheduler changes for gangs, with a MIG manager that follows the label, and with ones that do not.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject, asString } from '../../../../src/manifests/read';
import { type InProcessApiServer } from '../../../support/api-server/api-server';
import { gangOf, letTimeRun, nodeObject, podObject, Rig, stopTime } from './rig';

const CONFIG = 'policy: { repartitionLimit: 1 }\ncycle: { periodSeconds: 1 }';
const LABELS = {
  'nvidia.com/gpu.count': '2',
  'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
  'nvidia.com/mig.capable': 'true',
  'nvidia.com/mig.strategy': 'mixed',
  'nvidia.com/mig.config': 'all-disabled',
  'nvidia.com/mig.config.state': 'success',
};
const OFFERS: Readonly<Record<string, JsonObject>> = {
  'all-disabled': { 'nvidia.com/gpu': '2' },
  'all-1g.10gb': { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '14' },
  'all-3g.40gb': { 'nvidia.com/gpu': '0', 'nvidia.com/mig-3g.40gb': '4' },
};

describe('a MIG configuration', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  const start = async (config = CONFIG, ...nodes: readonly string[]): Promise<void> => {
    rig = await Rig.start({ config });
    (nodes.length > 0 ? nodes : ['n-0']).forEach((name) => rig.server.put('v1', 'nodes', nodeObject(name, 2, LABELS)));
    await rig.pass(2000);
  };
  const migGang = (name: string, count = 4, profile = '1g.10gb', shape: object = {}): readonly JsonObject[] =>
    gangOf(name, count, {
      gpus: 0,
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '1', [`nvidia.com/mig-${profile}`]: '1' } } }],
      },
      ...shape,
    });
  const writes = (): readonly string[] => rig.server.writes(/^\/api\/v1\/nodes\//);
  const labelsOf = (name: string): JsonObject =>
    asObject(asObject(rig.server.store.get('v1', 'nodes', name)?.metadata).labels);
  const configOf = (name: string): string | undefined => asString(labelsOf(name)['nvidia.com/mig.config']);
  const runs = (pod: string): boolean => rig.server.places()[`default/${pod}`] !== undefined;

  it('is given to a free node for a gang that needs it, which starts when the MIG manager has applied it', async () => {
    await start();
    migManager(rig.server, { takes: 30_000 });
    rig.addPods(...migGang('a'));
    await rig.until('it is requested', () => configOf('n-0') === 'all-1g.10gb', 3000);
    expect(writes()).toEqual(['PATCH /api/v1/nodes/n-0']);
    await rig.pass(10_000);
    const { text } = await rig.ask('/gantry/v1/pending');
    expect(text).toContain('The gang starts when node \\"n-0\\" has the MIG configuration \\"all-1g.10gb\\".');
    expect(await rig.metric('gantry_repartitioning_nodes')).toBe(1);
    await rig.until('it runs', () => runs('a-3'));
    expect(writes()).toHaveLength(1);
    await rig.pass(5000);
    expect(await rig.metric('gantry_repartitioning_nodes')).toBe(0);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="requested"')).toBe(1);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="applied"')).toBe(1);
    expect(await rig.metric('gantry_repartitions_total')).toBe(2);
    expect(rig.server.notes()).toContain(
      'Repartitioning: The node gets the MIG configuration all-1g.10gb for gang default/a.',
    );
    expect(rig.server.notes()).toContain('Repartitioned: The node has the MIG configuration all-1g.10gb.');
    expect([...rig.faults]).toEqual([]);
    expect(await rig.metric('gantry_session_divergences_total')).toBe(0);
  });

  it('stays as it is without the policy', async () => {
    await start('{}');
    rig.addPods(...migGang('a'));
    await rig.pass(30_000);
    expect(writes()).toEqual([]);
  });

  it('stays as it is while any pod has devices of the node, whatever others ask for', async () => {
    await start();
    rig.addPods(...gangOf('user', 1, { gpus: 1, spec: { priority: 5 } }));
    await rig.until('it runs', () => runs('user-0'));
    rig.addPods(...migGang('a', 4, '1g.10gb'));
    await rig.pass(60_000);
    expect(writes()).toEqual([]);
    expect(rig.said('evicted')).toEqual([]);
  });

  it('stays as it is where another scheduler has just placed a pod with devices, by resource or by claim', async () => {
    await start(CONFIG, 'n-0', 'n-1');
    const shapes = { 'by-resource': {}, 'by-claim': { containers: [], resourceClaims: [{ name: 'gpu' }] } };
    const foreign = Object.entries(shapes).map(([name, spec], i): JsonObject => {
      const pod = podObject(name, { spec: { ...spec, schedulerName: 'other', nodeName: `n-${i}` } });
      return { ...pod, status: { phase: 'Running' } };
    });
    let reads = 0;
    // It is placed between the decision and the request.
    rig.server.trouble = ({ method, path }) => {
      if (method === 'GET' && path === '/api/v1/pods' && reads++ === 0) {
        rig.addPods(...foreign);
      }
      return undefined;
    };
    rig.addPods(...migGang('a'));
    await rig.until('it was tried on one node', () => rig.said('MIG configuration not requested').length > 0);
    await rig.pass(200_000);
    expect(writes()).toEqual([]);
    expect(rig.said('MIG configuration not requested').length).toBeLessThan(6);
    expect(rig.server.notes().join()).toContain(
      'The MIG configuration is not changed: Pod "default/by-claim" has devices',
    );
    // What has ended holds nothing.
    const ended = {
      ...foreign[1],
      metadata: { name: 'by-claim', namespace: 'default' },
      status: { phase: 'Succeeded' },
    };
    rig.server.put('v1', 'pods', ended);
    await rig.until('it is requested', () => configOf('n-1') === 'all-1g.10gb', 70_000);
  });

  it('is requested again after a conflict, once', async () => {
    await start();
    let conflicts = 0;
    rig.server.trouble = ({ method, path }) =>
      method === 'PATCH' && path.includes('/nodes/') && conflicts++ === 0 ? 409 : undefined;
    rig.addPods(...migGang('a'));
    await rig.until('it is requested', () => configOf('n-0') === 'all-1g.10gb');
    await rig.pass(20_000);
    expect(writes()).toHaveLength(2);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="refused"')).toBe(1);
  });

  it('without an answer is not requested again once the watch shows it', async () => {
    await start();
    rig.server.trouble = ({ method, path }) => (method === 'PATCH' && path.includes('/nodes/') ? 'lost' : undefined);
    migManager(rig.server, { takes: 5000 });
    rig.addPods(...migGang('a'));
    await rig.until('it runs', () => runs('a-3'));
    expect(writes()).toHaveLength(1);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="unknown"')).toBe(1);
  });

  it('that fails is reported, and not tried again', async () => {
    await start();
    migManager(rig.server, { takes: 5000, fails: true });
    rig.addPods(...migGang('a'));
    await rig.until('it failed', () => labelsOf('n-0')['nvidia.com/mig.config.state'] === 'failed');
    await rig.pass(5000);
    expect(rig.server.notes()).toContain(
      'RepartitioningFailed: The node did not get the MIG configuration all-1g.10gb: the MIG manager reports "failed". Its log states the cause. This configuration is not tried again until the label nvidia.com/mig.config changes, and no other one for 600 s after the request.',
    );
    expect(rig.server.notes().some((note) => note.startsWith('RepartitioningFailed: Node n-0 did not get'))).toBe(true);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="failed"')).toBe(1);
    // Another configuration of the same node is not tried before the interval is over.
    rig.addPods(...migGang('b', 2, '3g.40gb'));
    await rig.pass(580_000);
    expect(writes()).toHaveLength(1);
    await rig.until('the other one is tried', () => configOf('n-0') === 'all-3g.40gb', 40_000);
    await rig.pass(700_000);
    // The MIG manager would react to the first one again now, as the label has another value.
    expect(await rig.metric('gantry_repartitions_total', 'outcome="failed"')).toBeGreaterThanOrEqual(2);
  });

  it('that is not applied in time leaves the node as it is, and whole devices of it are used again', async () => {
    await start(`${CONFIG}\nrepartition: { timeoutSeconds: 60, intervalSeconds: 3600 }`);
    rig.addPods(...migGang('a'));
    await rig.until('it is requested', () => configOf('n-0') === 'all-1g.10gb');
    rig.addPods(...gangOf('whole', 1, { gpus: 2 }));
    await rig.pass(55_000);
    expect(runs('whole-0')).toBe(false);
    await rig.until('it runs', () => runs('whole-0'), 10_000);
    await rig.pass(5000);
    expect(await rig.metric('gantry_repartitions_total', 'outcome="timed-out"')).toBe(1);
    expect(rig.server.notes().some((note) => note.startsWith('RepartitioningTimedOut: The node did not get'))).toBe(
      true,
    );
    await rig.pass(120_000);
    expect(writes()).toHaveLength(1);
    expect(await rig.metric('gantry_session_divergences_total')).toBe(0);
  });

  it('does not change back and forth for gangs that want different ones: one node, one change in the interval', async () => {
    await start();
    migManager(rig.server, { takes: 5000 });
    rig.addPods(...migGang('a'), ...gangOf('b', 1, { gpus: 2 }), ...migGang('c', 2, '3g.40gb'));
    await rig.until('the whole devices are in use', () => runs('b-0'));
    await rig.pass(30_000);
    expect(writes()).toEqual([]);
    rig.server.carryOut('DELETE', '/api/v1/namespaces/default/pods/b-0', {});
    await rig.until('the first gang runs', () => runs('a-3'));
    [0, 1, 2, 3].forEach((i) => rig.server.carryOut('DELETE', `/api/v1/namespaces/default/pods/a-${i}`, {}));
    await rig.pass(500_000);
    expect(writes()).toHaveLength(1);
    await rig.until('the next gang runs', () => runs('c-1'));
    expect(writes()).toHaveLength(2);
    expect([...rig.faults]).toEqual([]);
  });

  it('of at most as many nodes as the policy allows changes at the same time', async () => {
    await start(CONFIG, 'n-0', 'n-1', 'n-2');
    migManager(rig.server, { takes: 60_000 });
    rig.addPods(...migGang('a'), ...migGang('b', 2, '3g.40gb'));
    await rig.pass(30_000);
    expect(writes()).toHaveLength(1);
    await rig.until('both run', () => runs('a-3') && runs('b-1'), 200_000);
    expect(writes()).toHaveLength(2);
  });

  it('that is being applied when a scheduler starts counts as that', async () => {
    await start();
    rig.addPods(...migGang('a'));
    await rig.until('it is requested', () => configOf('n-0') === 'all-1g.10gb');
    await rig.stop();
    const { server } = rig;
    rig = await Rig.start({ config: CONFIG, server });
    server.put('v1', 'nodes', nodeObject('n-1', 2, LABELS));
    await rig.pass(20_000);
    expect(writes()).toHaveLength(1);
    expect(await rig.metric('gantry_repartitioning_nodes')).toBe(1);
    migManager(server, { takes: 1000 });
    rig.server.put('v1', 'nodes', server.store.get('v1', 'nodes', 'n-0')!);
    await rig.until('it runs', () => runs('a-3'));
    expect(rig.server.places()['default/a-0']).toBe('n-0');
    expect(writes()).toHaveLength(1);
  });

  it('of a node with a configuration that is not built in stays as it is', async () => {
    await start();
    rig.server.put('v1', 'nodes', nodeObject('n-0', 2, { ...LABELS, 'nvidia.com/mig.config': 'notebooks' }));
    rig.addPods(...migGang('a'), ...migGang('b', 1, '9g.999gb'), ...migGang('c', 1, '__proto__'));
    await rig.pass(30_000);
    expect(writes()).toEqual([]);
  });
});

/** Follows the label as NVIDIA's MIG manager does, and restarts the device plugin. */
function migManager(server: InProcessApiServer, { takes, fails = false }: { takes: number; fails?: boolean }): void {
  const wanted = new Map<string, string>();
  server.store.listeners.push(({ plural, type, object }) => {
    const { name, labels } = asObject(object.metadata);
    const { 'nvidia.com/mig.config': config } = asObject(labels);
    if (plural !== 'nodes' || type === 'DELETED' || wanted.get(asString(name)!) === config) {
      return;
    }
    wanted.set(asString(name)!, asString(config)!);
    const patch = (state: string, offers?: JsonObject): void => {
      const known = server.store.get('v1', 'nodes', asString(name)!)!;
      const { metadata, status } = known;
      const { allocatable } = asObject(status);
      const bare = Object.fromEntries(
        Object.entries(asObject(allocatable)).filter(([key]) => !key.startsWith('nvidia.com/')),
      );
      server.store.update('v1', 'nodes', {
        ...known,
        metadata: {
          ...asObject(metadata),
          labels: { ...asObject(asObject(metadata).labels), 'nvidia.com/mig.config.state': state },
        },
        ...(offers && { status: { ...asObject(status), allocatable: { ...bare, ...offers } } }),
      });
    };
    const before = asObject(asObject(object.status).allocatable);
    setTimeout(() => patch('pending', { 'nvidia.com/gpu': '0' }), 10);
    setTimeout(() => (fails ? patch('failed', before) : patch('success')), takes);
    setTimeout(() => (fails ? undefined : patch('success', OFFERS[asString(config)!])), takes + 1000);
  });
}
