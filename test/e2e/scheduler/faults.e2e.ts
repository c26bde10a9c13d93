/**
 * Bad days. After each of them: no node over capacity at any moment, no gang below its minimum, nothing lost, and the log tells.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import { FaultyProxy } from './faulty-proxy';
import { type GantryOptions, GantryProcess } from './gantry-process';
import { brokenGangs, overCapacity, Watchman } from './invariants';
import { Lab, nameOf } from './lab';
import { lastingGang, node } from './manifests';

/** Short times, so that the suite is short. */
const CONFIG = `
policy: { staleGangSeconds: 4 }
binding: { timeoutSeconds: 8, inFlight: 8 }
handOver: { timeoutSeconds: 5 }
cycle: { periodSeconds: 1 }
log: { level: debug }
`;
const LEASE_SECONDS = 5;
/** How often the API server is killed; `GANTRY_CRASHES=20` for a thorough look. */
const CRASHES = Number(process.env.GANTRY_CRASHES ?? 1);

describeLive('bad days', () => {
  let lab: Lab;
  let watchman: Watchman;
  const running: GantryProcess[] = [];
  let proxy: FaultyProxy | undefined;

  beforeAll(async () => {
    lab = await Lab.start({ customResources: false });
  });
  beforeEach(async () => {
    await lab.createMany(Array.from({ length: 10 }, (_, i) => node(`n-${i}`)));
    await lab.nodesReady(10);
    watchman = new Watchman(lab);
  });
  afterEach(async () => {
    for (const gantry of running.splice(0)) {
      await gantry.stop('SIGKILL');
    }
    await watchman.stop();
    await proxy?.stop();
    proxy = undefined;
    await lab.clear();
  });
  afterAll(() => lab.stop());

  type More = Pick<GantryOptions, 'leaseSeconds' | 'clockSkew'>;

  async function start(identity: string, kubeconfig = lab.kubeconfig, more: More = {}): Promise<GantryProcess> {
    const gantry = await GantryProcess.start({ kubeconfig, config: CONFIG, identity, ...more });
    running.push(gantry);
    return gantry;
  }

  /** Six gangs of eight pods that fill six nodes, beside what else there is. */
  function gangs(count = 6): ReturnType<typeof lastingGang>[] {
    return Array.from({ length: count }, (_, i) => lastingGang(`gang-${i}`, 8, { gpus: 1, handOver: i % 3 === 2 }));
  }

  async function expectAllRun(count: number, limit = 60_000): Promise<void> {
    await lab.until(
      `${count} pods run`,
      async () => {
        const pods = await lab.pods();
        const live = pods.filter(({ metadata }) => asObject(metadata).deletionTimestamp === undefined);
        return (
          live.length === count &&
          live.every(({ spec }) => asObject(spec).nodeName !== undefined) &&
          brokenGangs(pods).length === 0
        );
      },
      limit,
    );
    expect(overCapacity(await lab.list('/api/v1/nodes'), await lab.pods())).toEqual([]);
    expect([...watchman.faults]).toEqual([]);
  }

  it('kill -9 of the leader in the middle of a gang: the other replica finishes it', async () => {
    const first = await start('first', lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await first.until('leading: pods and nodes listed again');
    const second = await start('second', lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await lab.createMany(gangs());
    // In the middle: some pods have their node, and not all.
    await lab.until('some pods are bound', async () => Object.keys(await lab.places()).length > 0);
    first.signal('SIGKILL');
    await second.until('leading: pods and nodes listed again');
    await expectAllRun(48);
    expect(second.log.some(({ msg, holds }) => msg === 'lease' && holds === true)).toBe(true);
  });

  it.each(Array.from({ length: CRASHES }, (_, run) => run + 1))(
    'the API server is killed and comes back (%s)',
    async () => {
      const gantry = await start('only');
      await lab.createMany(gangs(3));
      await lab.until('some pods are bound', async () => Object.keys(await lab.places()).length > 0);
      await lab.cluster.kill('kube-apiserver');
      await sleep(1500);
      await lab.cluster.restart('kube-apiserver');
      await lab.createMany(gangs(6).slice(3));
      await expectAllRun(48);
      expect(gantry.log.some(({ msg, kind }) => msg === 'watch' && kind === 'failed')).toBe(true);
    },
  );

  it('watches are cut again and again', async () => {
    proxy = await FaultyProxy.start(lab.kubeconfig);
    const gantry = await start('only', proxy.kubeconfig);
    const cutting = setInterval(() => proxy?.cutWatches(), 300);
    await lab.createMany(gangs());
    await expectAllRun(48);
    clearInterval(cutting);
    expect(gantry.log.some(({ msg, kind, during }) => msg === 'watch' && kind === 'failed' && during === 'watch')).toBe(
      true,
    );
    // Nobody was listed anew for it.
    expect(
      gantry.log.filter(({ kind, collection }) => kind === 'listed' && collection === 'nodes').length,
    ).toBeLessThanOrEqual(2);
  });

  it('a watch is answered with 410: everything is listed anew', async () => {
    proxy = await FaultyProxy.start(lab.kubeconfig);
    const gantry = await start('only', proxy.kubeconfig);
    await lab.createMany(gangs(3));
    await expectAllRun(24);
    let left = 8;
    proxy.trouble = (method, path) =>
      method === 'WATCH' && /\/(pods|nodes)\?/.test(path) && left-- > 0 ? 'gone' : undefined;
    proxy.cutWatches();
    await lab.createMany(gangs(6).slice(3));
    await expectAllRun(48);
    await gantry.until('watch', ({ kind }) => kind === 'expired');
    await gantry.until('watch', ({ kind, again }) => kind === 'listed' && again === true);
  });

  it.each([
    ['conflicts', 409],
    ['too many requests', 429],
    ['internal errors', 500],
    ['lost answers', 'lost'],
    ['answers that take too long', 'slow'],
  ] as const)('%s for a third of all bindings and patches', async (_, fault) => {
    proxy = await FaultyProxy.start(lab.kubeconfig);
    let asked = 0;
    proxy.trouble = (method, path) =>
      /\/binding|\/pods\/[^/]+$/.test(path) && method !== 'GET' && asked++ % 3 === 1 ? fault : undefined;
    await start('only', proxy.kubeconfig);
    await lab.createMany(gangs());
    await expectAllRun(48, 90_000);
    expect(proxy.counts.get(fault)).toBeGreaterThan(3);
  });

  it('a gang of which one binding never succeeds is undone in the stated time', async () => {
    proxy = await FaultyProxy.start(lab.kubeconfig);
    let victim = '';
    proxy.trouble = (method, path) => {
      const name = /\/pods\/([^/]+)\/binding/.exec(path)?.[1];
      if (name !== undefined && method === 'POST' && victim === '') {
        victim = name;
      }
      return name !== undefined && name === victim ? 500 : undefined;
    };
    const gantry = await start('only', proxy.kubeconfig);
    await lab.createMany([lastingGang('unlucky', 8, { gpus: 1 })]);
    await gantry.until('evicted', ({ action }) => action === 'evict-stale');
    proxy.trouble = () => undefined;
    await expectAllRun(8);
    // The stated time, the time of a binding, and what the machine takes.
    expect(watchman.longestBroken).toBeLessThan((4 + 8 + 8) * 1000);
  });

  it('a node is deleted under a running gang: the gang comes back to its full size elsewhere', async () => {
    const gantry = await start('only');
    await lab.createMany(gangs(3));
    await expectAllRun(24);
    const places = await lab.places();
    const lost = Object.entries(places).find(([name]) => name.startsWith('gang-0'))![1];
    await lab.delete(`/api/v1/nodes/${lost}`);
    // The controller manager finds orphans only after a while; whoever runs a cluster does what it would do.
    for (const pod of await lab.pods()) {
      if (asObject(pod.spec).nodeName === lost) {
        await lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`);
      }
    }
    await expectAllRun(24);
    expect(Object.values(await lab.places())).not.toContain(lost);
    expect(gantry.log.filter(({ msg }) => msg === 'placed').length).toBeGreaterThan(3);
  });

  it('kube-scheduler does not bind what was handed over: the gang is planned anew', async () => {
    const gantry = await start('only');
    await lab.cluster.kill('kube-scheduler');
    await lab.createMany([lastingGang('handed', 4, { gpus: 1, handOver: true })]);
    await gantry.until('handed over and not bound in time: deleted, to be planned again');
    await lab.cluster.restart('kube-scheduler');
    await expectAllRun(4);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('the clock of the machine is %s', async (_, clockSkew) => {
    const first = await start('first', lab.kubeconfig, { leaseSeconds: LEASE_SECONDS, clockSkew });
    await first.until('leading: pods and nodes listed again');
    const second = await start('second', lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await lab.createMany(gangs());
    await expectAllRun(48);
    await sleep(2 * LEASE_SECONDS * 1000);
    // Neither takes the lease from the other because their clocks differ.
    expect(second.log.some(({ msg, holds }) => msg === 'lease' && holds === true)).toBe(false);
    expect(first.log.filter(({ msg }) => msg === 'evicted')).toEqual([]);
    expect(Math.abs(Math.abs(await first.metric('gantry_clock_skew_seconds')) - 3600)).toBeLessThan(5);
  });

  it('two leaders at once, one of them a process that was stopped in the middle: it does nothing when it goes on', async () => {
    proxy = await FaultyProxy.start(lab.kubeconfig);
    const changes: string[] = [];
    let isBack = false;
    proxy.trouble = (method, path) => {
      if (isBack && method !== 'GET' && method !== 'WATCH' && !path.includes('/leases')) {
        changes.push(`${method} ${path}`);
      }
      return undefined;
    };
    const first = await start('first', proxy.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await first.until('leading: pods and nodes listed again');
    const second = await start('second', lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await lab.createMany(gangs(3));
    await lab.until('some pods are bound', async () => Object.keys(await lab.places()).length > 0);
    first.signal('SIGSTOP');
    await lab.createMany(gangs(6).slice(3));
    await second.until('leading: pods and nodes listed again');
    const before = first.log.length;
    isBack = true;
    first.signal('SIGCONT');
    await expectAllRun(48);
    await first.until('lease', ({ holds }) => holds === false, { from: before });
    expect(first.log.slice(before).filter(({ msg }) => msg === 'placing')).toEqual([]);
    expect(changes).toEqual([]);
  });

  it('a graceful stop gives the lease back, and the other goes on at once', async () => {
    const first = await start('first', lab.kubeconfig, { leaseSeconds: 60 });
    await first.until('leading: pods and nodes listed again');
    const second = await start('second', lab.kubeconfig, { leaseSeconds: 60 });
    await lab.createMany(gangs(3));
    first.signal('SIGTERM');
    await first.until('stopped');
    // Far less than the sixty seconds after which it would have been replaced.
    await second.until('leading: pods and nodes listed again', undefined, { limit: 30_000 });
    await expectAllRun(24);
  });

  it('a configuration with faults changes nothing, and a good one holds without a restart', async () => {
    const gantry = await start('only');
    gantry.configure('policy: { nodeScore: pretty }\n');
    const fault = await gantry.until('the configuration was not taken; what held before still holds');
    expect(String(fault.message)).toContain(
      'policy.nodeScore must be one of binpack, spread, fgd, fragmentation, not "pretty"',
    );
    gantry.configure(`${CONFIG}queues: [{ name: research, capability: { nvidia.com/gpu: 4 } }]\n`);
    await gantry.until('configuration reloaded');
    await lab.createMany([lastingGang('capped', 8, { gpus: 1, queue: 'research' })]);
    await lab.until('the ceiling holds', async () => {
      const [pending] =
        await gantry.json<readonly { kind: string; changes: readonly { kind: string }[] }[]>('/gantry/v1/pending');
      return pending?.kind === 'queue-capability' && pending.changes.some(({ kind }) => kind === 'raise-capability');
    });
  });
});
