import { type JsonObject } from '../../../../src/facts/api/schema';
import { asArray, asObject } from '../../../../src/manifests/read';
import { InProcessApiServer } from '../../../support/api-server/api-server';
import {
  claimFaults,
  claimingGang,
  claimingPod,
  claimOf,
  claims,
  claimSpec,
  deviceClass,
  devicesOf,
  GROUP,
  putClaim,
  putTemplate,
  reservedFor,
  serveClaims,
  slice,
} from './claims-rig';
import { letTimeRun, Rig, stopTime } from './rig';

const SHORT = 'binding: { timeoutSeconds: 5 }\ncycle: { periodSeconds: 1 }\n';

describe('devices by claim', () => {
  let rig: Rig;
  let faults: Set<string>;

  async function start(config = SHORT, leaseSeconds?: number): Promise<InProcessApiServer> {
    const server = new InProcessApiServer();
    serveClaims(server);
    faults = new Set();
    server.store.lookAtStates(() => claimFaults(server).forEach((fault) => faults.add(fault)));
    rig = await Rig.start({ config, server, ...(leaseSeconds !== undefined && { leaseSeconds }) });
    return server;
  }

  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
    expect([...faults]).toEqual([]);
  });

  const nodes = (count: number, devices: number): void => {
    rig.addNodes(count, 0);
    Array.from({ length: count }, (_, i) => slice(rig.server, `n-${i}`, names(devices)));
  };
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `gpu-${i}`);
  const bound = (): number => Object.keys(rig.server.places()).length;
  const allocated = (): readonly string[] => claims(rig.server).flatMap(devicesOf).sort();

  it('are allocated, reserved, and protected before any pod of the gang is bound', async () => {
    const server = await start();
    nodes(2, 2);
    putTemplate(server, 'one');
    rig.addPods(...claimingGang('g', 4, { template: 'one' }));
    await rig.until('all are bound', () => bound() === 4);
    expect(allocated()).toEqual(['n-0/gpu-0', 'n-0/gpu-1', 'n-1/gpu-0', 'n-1/gpu-1']);
    const written = server.writes(/resourceclaims|binding/);
    const lastClaim = written.findLastIndex((line) => line.includes('resourceclaims'));
    expect(written.findIndex((line) => line.endsWith('/binding'))).toBeGreaterThan(lastClaim);
    const claim = claimOf(server, 'g-0-gpu');
    expect(reservedFor(claim)).toEqual(['g-0']);
    expect(asObject(claim.metadata).finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
    const node = server.places()['default/g-0'];
    expect(asObject(asObject(claim.status).allocation)).toEqual({
      allocationTimestamp: expect.stringMatching(/^2026-01-01T00:00:\d\dZ$/) as string,
      devices: {
        results: [{ request: 'gpu', driver: 'gpu.example.com', pool: node, device: devicesOf(claim)[0].split('/')[1] }],
      },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    });
  });

  it('of a gang that does not fit are not touched, and it starts when a driver publishes more', async () => {
    const server = await start();
    nodes(1, 3);
    putTemplate(server, 'one');
    rig.addPods(...claimingGang('g', 4, { template: 'one' }));
    await rig.pass(20_000);
    expect(allocated()).toEqual([]);
    expect(server.condition('default/g-0')).toMatch(/3 of 4 pods fit.*no node that fits the next pod has free devices/);
    slice(server, 'n-0', names(4), { generation: 2 });
    await rig.until('all are bound', () => bound() === 4);
  });

  it('wait for claims that the controller has not created yet, and for templates', async () => {
    const server = await start();
    nodes(1, 2);
    rig.addPods(...claimingGang('g', 2, { template: 'late' }));
    await rig.pass(10_000);
    expect(server.condition('default/g-0')).toMatch(
      /The ResourceClaim for "gpu" has not been created yet from ResourceClaimTemplate "late"/,
    );
    putTemplate(server, 'late');
    rig.addPods(...claimingGang('g', 2, { template: 'late' }, { labels: { again: 'true' } }));
    await rig.until('both are bound', () => bound() === 2);
  });

  it('stay with a claim that pods share until its last pod ends', async () => {
    const server = await start();
    nodes(2, 1);
    putClaim(server, 'shared');
    rig.addPods(...claimingGang('g', 3, { claim: 'shared' }));
    await rig.until('all are bound', () => bound() === 3);
    expect([...reservedFor(claimOf(server, 'shared'))].sort()).toEqual(['g-0', 'g-1', 'g-2']);
    expect(new Set(Object.values(server.places())).size).toBe(1);
    putTemplate(server, 'two', claimSpec(1));
    rig.addPods(...claimingGang('h', 2, { template: 'two' }));
    await rig.pass(10_000);
    expect(bound()).toBe(3);
    ['g-0', 'g-1'].forEach((name) => server.store.delete('v1', 'pods', `default/${name}`));
    await rig.pass(10_000);
    expect(bound()).toBe(1);
    server.store.delete('v1', 'pods', 'default/g-2');
    await rig.until('the others are bound', () => bound() === 2);
    expect(devicesOf(claimOf(server, 'shared'))).toEqual([]);
  });

  it('of all claims are given back if one of the gang is refused its own', async () => {
    const server = await start();
    nodes(2, 2);
    putTemplate(server, 'one');
    server.trouble = ({ path, method }) => (method === 'PATCH' && /g-2-gpu\/status$/.test(path) ? 403 : undefined);
    rig.addPods(...claimingGang('g', 4, { template: 'one' }));
    await rig.until('they were given back', () => rig.said('the devices of the gang were released').length > 0);
    expect(allocated()).toEqual([]);
    expect(bound()).toBe(0);
    expect(claims(server).flatMap((claim) => asArray(asObject(claim.metadata).finalizers))).toEqual([]);
    expect(server.notes().join('\n')).toMatch(
      /FailedBinding.*ResourceClaim "default\/g-2-gpu" was not allocated: Forbidden/,
    );
    server.trouble = () => undefined;
    await rig.until('all are bound', () => bound() === 4);
  });

  it('that another scheduler takes at the same moment are left to it', async () => {
    const server = await start();
    nodes(1, 3);
    putTemplate(server, 'one');
    await rig.pass(2000);
    let isTaken = false;
    // Between the decision and the write, another one writes the same device into a claim of its own.
    server.trouble = ({ path, method }) => {
      if (!isTaken && method === 'PATCH' && /g-0-gpu$/.test(path)) {
        isTaken = true;
        putClaim(server, 'theirs', claimSpec(), { status: held('n-0', 'gpu-0', 'theirs') });
      }
      return undefined;
    };
    faults.clear();
    rig.addPods(...claimingGang('g', 2, { template: 'one' }));
    await rig.until('both are bound', () => bound() === 2);
    expect(isTaken).toBe(true);
    // Both had it for a moment, in which no pod was bound.
    expect([...faults].filter((fault) => fault.includes('runs'))).toEqual([]);
    faults.clear();
    expect(claimFaults(server)).toEqual([]);
    expect(allocated()).toEqual(['n-0/gpu-0', 'n-0/gpu-1', 'n-0/gpu-2']);
    expect(rig.said('the devices of the gang were released')[0]?.message).toMatch(
      /Device "gpu-0" of pool "n-0" was allocated to ResourceClaim "default\/theirs" at the same time/,
    );
  });

  it('are not taken twice where writes get no answer, or a late one', async () => {
    const server = await start();
    nodes(2, 2);
    putTemplate(server, 'one');
    let troubled = 0;
    server.trouble = ({ path, method }) => {
      if (method !== 'PATCH' || !/resourceclaims/.test(path) || troubled > 20) {
        return undefined;
      }
      troubled++;
      return troubled % 3 === 0 ? 'unanswered' : troubled % 3 === 1 ? { late: 12_000 } : 'lost';
    };
    rig.addPods(...claimingGang('g', 2, { template: 'one' }), ...claimingGang('h', 2, { template: 'one' }));
    await rig.until('all are bound', () => bound() === 4, 300_000);
    await rig.pass(60_000);
    expect(allocated()).toHaveLength(4);
  });

  it('are waited for where they have to be prepared, and given back where that fails', async () => {
    const server = await start();
    rig.addNodes(2, 0);
    const fabric = { bindingConditions: ['attached'], bindingFailureConditions: ['broken'], bindsToNode: true };
    slice(server, 'n-0', [{ name: 'gpu-0', ...fabric }]);
    putTemplate(server, 'one');
    rig.addPods(...claimingGang('g', 1, { template: 'one' }));
    await rig.until('it has its device', () => devicesOf(claimOf(server, 'g-0-gpu')).length === 1);
    await rig.pass(20_000);
    expect(bound()).toBe(0);
    expect(asObject(claimOf(server, 'g-0-gpu').status).allocation).toMatchObject({
      allocationTimestamp: expect.any(String) as string,
      devices: { results: [{ bindingConditions: ['attached'], bindingFailureConditions: ['broken'] }] },
    });
    report(server, 'g-0-gpu', { type: 'broken', status: 'True', reason: 'Cable' });
    await rig.until('it was given back', () => devicesOf(claimOf(server, 'g-0-gpu')).length === 0);
    expect(rig.said('the devices of the gang were released')[0]?.message).toMatch(
      /could not be prepared \(broken, Cable\)/,
    );
    // The gang avoids the node from now on.
    slice(server, 'n-1', [{ name: 'gpu-0', ...fabric }]);
    await rig.until('it has the other', () => devicesOf(claimOf(server, 'g-0-gpu'))[0] === 'n-1/gpu-0');
    report(server, 'g-0-gpu', { type: 'attached', status: 'True' });
    await rig.until('it is bound', () => bound() === 1);
  });

  it('choose the node of a pod that is handed over, and count as taken until kube-scheduler allocates them', async () => {
    const server = await start();
    nodes(2, 1);
    putTemplate(server, 'one');
    putClaim(server, 'theirs', claimSpec(), { status: held('n-0', 'gpu-0', 'theirs') });
    rig.addPods(...claimingGang('g', 1, { template: 'one' }, { gated: true }));
    await rig.until('it is handed over', () => nodeOf(server, 'g-0') !== undefined);
    expect(nodeOf(server, 'g-0')).toBe('n-1');
    rig.addPods(...claimingGang('h', 1, { template: 'one' }, { gated: true }));
    await rig.pass(5000);
    expect(nodeOf(server, 'h-0')).toBeUndefined();
    expect(server.writes(/resourceclaims/)).toEqual([]);
  });

  it('are charged to the queue, whatever a tenant lists first', async () => {
    const server = await start(
      `${SHORT}queues: [{ name: q, deserved: { nvidia.com/gpu: 2 }, capability: { nvidia.com/gpu: 2 } }]\n`,
    );
    deviceClass(server, 'mine', { selectors: [{ cel: { expression: 'device.driver == "gpu.nvidia.com"' } }] });
    rig.addNodes(1, 0);
    slice(server, 'n-0', names(8), { driver: 'gpu.nvidia.com' });
    const cheap = {
      devices: {
        requests: [
          {
            name: 'gpu',
            firstAvailable: [
              { name: 'none', deviceClassName: 'gpu.example.com', count: 1 },
              { name: 'all', deviceClassName: 'mine', count: 4 },
            ],
          },
        ],
      },
    };
    putTemplate(server, 'cheap', cheap);
    putTemplate(server, 'all', claimSpec(1, { deviceClassName: 'mine', allocationMode: 'All' }));
    putTemplate(server, 'one', claimSpec(1, { deviceClassName: 'mine' }));
    rig.addPods(claimingPod('cheap', { template: 'cheap' }, { queue: 'q' }));
    rig.addPods(claimingPod('all', { template: 'all' }, { queue: 'q', gated: true }));
    rig.addPods(...claimingGang('fair', 2, { template: 'one' }, { queue: 'q' }));
    await rig.until('the fair gang is bound', () => bound() === 2);
    await rig.pass(20_000);
    expect(Object.keys(server.places()).sort()).toEqual(['default/fair-0', 'default/fair-1']);
    expect(nodeOf(server, 'all')).toBeUndefined();
  });

  it('of pods that are evicted go to the gang that they are evicted for', async () => {
    const server = await start();
    nodes(1, 2);
    server.put('scheduling.k8s.io/v1', 'priorityclasses', { metadata: { name: 'high' }, value: 1000 });
    putTemplate(server, 'two', claimSpec(2));
    rig.addPods(...claimingGang('low', 1, { template: 'two' }));
    await rig.until('the first is bound', () => bound() === 1);
    rig.addPods(...claimingGang('high', 1, { template: 'two' }, { spec: high('two') }));
    await rig.until('the other has the devices', () => server.places()['default/high-0'] === 'n-0');
    expect(server.writes(/eviction/)).toEqual(['POST /api/v1/namespaces/default/pods/low-0/eviction']);
  });

  it('cannot be had by a claim that belongs to another pod, or is being deleted', async () => {
    const server = await start();
    nodes(1, 4);
    putClaim(server, 'leaving', claimSpec(), {
      metadata: { namespace: 'default', name: 'leaving', deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    putClaim(server, 'victim');
    rig.addPods(claimingPod('a', { claim: 'leaving' }));
    rig.addPods({
      ...claimingPod('b', { template: 'none' }),
      status: { phase: 'Pending', resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'victim' }] },
    });
    await rig.pass(10_000);
    expect(server.condition('default/a')).toMatch(/ResourceClaim "leaving" is being deleted/);
    expect(server.condition('default/b')).toMatch(/ResourceClaim "victim" was not created for this pod/);
    expect(bound()).toBe(0);
  });

  it('are not asked for where the API server does not serve them', async () => {
    const server = new InProcessApiServer();
    faults = new Set();
    rig = await Rig.start({ config: SHORT, server });
    rig.addNodes(1, 8);
    rig.addPods(claimingPod('a', { claim: 'c' }));
    await rig.pass(10_000);
    expect(bound()).toBe(0);
    expect(server.condition('default/a')).toMatch(/ResourceClaim "c" does not exist/);
  });
});

/** Programs that end without a word: nothing that they wrote is taken back, and their lease runs out. */
describe('a leader that is killed between allocation and binding', () => {
  let rigs: Rig[];
  let server: InProcessApiServer;
  let faults: Set<string>;

  beforeEach(() => {
    stopTime();
    rigs = [];
    faults = new Set();
    server = new InProcessApiServer();
    serveClaims(server);
    server.store.lookAtStates(() => claimFaults(server).forEach((fault) => faults.add(fault)));
  });
  afterEach(async () => {
    server.trouble = () => undefined;
    await Promise.all(rigs.map((rig) => rig.stop()));
    letTimeRun();
    expect([...faults]).toEqual([]);
  });

  /** What it has written to claims when it is cut off from the API server for good. */
  async function cutOff(after: (path: string) => boolean): Promise<Rig> {
    const first = await Rig.start({ config: SHORT, server, leaseSeconds: 15, identity: 'first' });
    rigs.push(first);
    let isCut = false;
    server.trouble = ({ path, method }) => {
      isCut ||= method !== 'GET' && method !== 'WATCH' && after(path);
      return isCut ? 'dropped' : undefined;
    };
    return first;
  }

  async function successor(): Promise<Rig> {
    server.trouble = () => undefined;
    const second = await Rig.start({ config: SHORT, server, leaseSeconds: 15, identity: 'second' });
    rigs.push(second);
    return second;
  }

  function prepare(rig: Rig, count: number): void {
    rig.addNodes(2, 0);
    ['n-0', 'n-1'].forEach((node) => slice(server, node, ['gpu-0', 'gpu-1']));
    putTemplate(server, 'one');
    rig.addPods(...claimingGang('g', count, { template: 'one' }));
  }

  it('is succeeded by one that binds the gang to the devices that it has', async () => {
    const first = await cutOff((path) => path.endsWith('/binding'));
    prepare(first, 4);
    await first.until('all have devices', () => claims(server).flatMap(devicesOf).length === 4);
    await first.pass(3000);
    const before = claims(server);
    expect(Object.keys(server.places())).toEqual([]);
    const second = await successor();
    await second.until('all are bound', () => Object.keys(server.places()).length === 4);
    const devices = (list: readonly JsonObject[]): object =>
      new Map(list.map((claim) => [asObject(claim.metadata).name, devicesOf(claim)]));
    expect(claims(server)).toHaveLength(before.length);
    expect(devices(claims(server))).toEqual(devices(before));
  });

  it('is succeeded by one that completes a gang of which some have devices', async () => {
    let written = 0;
    const first = await cutOff((path) => path.endsWith('-gpu/status') && ++written > 2);
    prepare(first, 4);
    await first.pass(5000);
    expect(claims(server).flatMap(devicesOf).length).toBe(2);
    const second = await successor();
    await second.until('all are bound', () => Object.keys(server.places()).length === 4);
  });

  it('is succeeded by one that gives back the devices of a gang that does not fit any more', async () => {
    let written = 0;
    const first = await cutOff((path) => path.endsWith('-gpu/status') && ++written > 2);
    prepare(first, 4);
    await first.pass(5000);
    expect(claims(server).flatMap(devicesOf).length).toBe(2);
    // A device that the gang needs is not there any more.
    slice(server, 'n-1', ['gpu-0'], { generation: 2 });
    slice(server, 'n-0', ['gpu-0', 'gpu-1'], { generation: 2 });
    const second = await successor();
    await second.until('the devices were given back', () => claims(server).flatMap(devicesOf).length === 0);
    rigs[1].addPods(claimingPod('other', { template: 'one' }));
    await second.until('another pod has one', () => server.places()['default/other'] !== undefined);
    expect(Object.keys(server.places())).toEqual(['default/other']);
  });
});

function high(template: string): JsonObject {
  return { priorityClassName: 'high', resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: template }] };
}

/** Status of a claim that another scheduler allocated. */
function held(pool: string, device: string, consumer: string): JsonObject {
  return {
    allocation: { devices: { results: [{ request: 'gpu', driver: 'gpu.example.com', pool, device }] } },
    reservedFor: [{ resource: 'pods', name: consumer, uid: `uid-of-${consumer}` }],
  };
}

/** What a driver says about the only device of a claim. */
function report(server: InProcessApiServer, name: string, condition: JsonObject): void {
  const claim = claimOf(server, name);
  const [pool, device] = devicesOf(claim)[0].split('/');
  const devices = [{ driver: 'gpu.example.com', pool, device, conditions: [condition] }];
  server.put(GROUP, 'resourceclaims', { ...claim, status: { ...asObject(claim.status), devices } });
}

/** Where a pod was handed over to. */
function nodeOf(server: InProcessApiServer, name: string): unknown {
  return asObject(asObject(server.store.get('v1', 'pods', `default/${name}`)?.metadata).annotations)['gantry.dev/node'];
}
