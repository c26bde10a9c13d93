/**
 * Bad days. After each of them: no node over capacity at any moment, no gang below its minimum, nothing lost, and the log tells. The rest of them is in
 * `more-faults.full.e2e.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CONFIG, describeBadDays, gangs, LEASE_SECONDS } from './bad-days';
import { lastingGang } from './manifests';

/** How often the API server is killed; `GANTRY_CRASHES=20` for a thorough look. */
const CRASHES = Number(process.env.GANTRY_CRASHES ?? 1);

describeBadDays('bad days', (world) => {
  it('kill -9 of the leader in the middle of a gang: the other replica finishes it', async () => {
    const first = await world.start('first', world.lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await first.until('leading: pods and nodes listed again');
    const second = await world.start('second', world.lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await world.lab.createMany(gangs());
    // In the middle: some pods have their node, and not all.
    await world.lab.until('some pods are bound', async () => Object.keys(await world.lab.places()).length > 0);
    first.signal('SIGKILL');
    await second.until('leading: pods and nodes listed again');
    await world.expectAllRun(48);
    await second.until('lease', ({ holds }) => holds === true);
  });

  it.each(Array.from({ length: CRASHES }, (_, run) => run + 1))(
    'the API server is killed and comes back (%s)',
    async () => {
      const gantry = await world.start('only');
      await world.lab.createMany(gangs(3));
      await world.lab.until('some pods are bound', async () => Object.keys(await world.lab.places()).length > 0);
      await world.lab.cluster.kill('kube-apiserver');
      await sleep(1500);
      await world.lab.cluster.restart('kube-apiserver');
      await world.lab.createMany(gangs(6).slice(3));
      await world.expectAllRun(48);
      await gantry.until('watch', ({ kind }) => kind === 'failed');
    },
  );

  it('watches are cut again and again', async () => {
    const proxy = await world.throughProxy();
    const gantry = await world.start('only', proxy.kubeconfig);
    const cutting = setInterval(() => proxy.cutWatches(), 300);
    try {
      await world.lab.createMany(gangs());
      await world.expectAllRun(48);
      await gantry.until('watch', ({ kind, during }) => kind === 'failed' && during === 'watch');
    } finally {
      clearInterval(cutting);
    }
    // No kind was listed again for it.
    expect(
      gantry.log.filter(({ kind, collection }) => kind === 'listed' && collection === 'nodes').length,
    ).toBeLessThanOrEqual(2);
  });

  it.each([
    ['conflicts', 409],
    ['lost answers', 'lost'],
  ] as const)('%s for a third of all bindings and patches', (_, fault) => world.expectAllRunDespite(fault));

  it('a gang of which one binding never succeeds is undone in the stated time', async () => {
    const proxy = await world.throughProxy();
    let victim = '';
    proxy.trouble = (method, path) => {
      const name = /\/pods\/([^/]+)\/binding/.exec(path)?.[1];
      if (name !== undefined && method === 'POST' && victim === '') {
        victim = name;
      }
      return name !== undefined && name === victim ? 500 : undefined;
    };
    const gantry = await world.start('only', proxy.kubeconfig);
    await world.lab.createMany([lastingGang('unlucky', 8, { gpus: 1 })]);
    const undone = await gantry.until('evicted', ({ action }) => action === 'evict-stale');
    proxy.trouble = () => undefined;
    await world.expectAllRun(8);
    const placed = await gantry.until('placing');
    const took = Date.parse(String(undone.time)) - Date.parse(String(placed.time));
    // The stated time, the time of a binding, and what the machine takes. By the log: the moments at which a busy test looks are others.
    expect(took).toBeLessThan((4 + 8 + 8) * 1000);
  });

  it('two leaders at once, one of them a process that was stopped in the middle: it does nothing when it goes on', async () => {
    const proxy = await world.throughProxy();
    const changes: string[] = [];
    let isBack = false;
    proxy.answered = (method, path, status) => {
      if (isBack && status < 300 && method !== 'GET' && method !== 'WATCH' && !path.includes('/leases')) {
        changes.push(`${method} ${path}`);
      }
    };
    const first = await world.start('first', proxy.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await first.until('leading: pods and nodes listed again');
    const second = await world.start('second', world.lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await world.lab.createMany(gangs(3));
    await world.lab.until('some pods are bound', async () => Object.keys(await world.lab.places()).length > 0);
    first.signal('SIGSTOP');
    await world.lab.createMany(gangs(6).slice(3));
    await second.until('leading: pods and nodes listed again');
    const before = first.log.length;
    isBack = true;
    first.signal('SIGCONT');
    await world.expectAllRun(48);
    await first.until('lease', ({ holds }) => holds === false, { from: before });
    expect(first.log.slice(before).filter(({ msg }) => msg === 'placing')).toEqual([]);
    // A request that was being written when the process was stopped is written to its end; it has no effect on a pod that changed.
    expect(changes.length).toBeLessThanOrEqual(1);
  });

  it('a configuration with faults changes nothing, and a good one holds without a restart', async () => {
    const gantry = await world.start('only');
    gantry.configure('policy: { nodeScore: pretty }\n');
    const fault = await gantry.until('the configuration was rejected; the previous one stays in effect');
    expect(String(fault.message)).toContain(
      'policy.nodeScore must be binpack, spread, spread-devices, first-fit, fgd, or fragmentation, not "pretty"',
    );
    gantry.configure(`${CONFIG}queues: [{ name: research, capability: { nvidia.com/gpu: 4 } }]\n`);
    await gantry.until('configuration reloaded');
    await world.lab.createMany([lastingGang('capped', 8, { gpus: 1, queue: 'research' })]);
    await world.lab.until('the ceiling holds', async () => {
      const [pending] =
        await gantry.json<readonly { kind: string; changes: readonly { kind: string }[] }[]>('/gantry/v1/pending');
      return pending?.kind === 'queue-capability' && pending.changes.some(({ kind }) => kind === 'raise-capability');
    });
  });
});
