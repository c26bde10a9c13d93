/**
 * More bad days, which take long and are like those of `faults.e2e.ts`: `npm run test:e2e:full` has them too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject } from '../../../src/manifests/read';
import { describeBadDays, gangs, LEASE_SECONDS } from './bad-days';
import { nameOf } from './lab';
import { lastingGang } from './manifests';

describeBadDays('more bad days', (world) => {
  it('a watch is answered with 410: everything is listed again', async () => {
    const proxy = await world.throughProxy();
    const gantry = await world.start('only', proxy.kubeconfig);
    await world.lab.createMany(gangs(3));
    await world.expectAllRun(24);
    let left = 8;
    proxy.trouble = (method, path) =>
      method === 'WATCH' && /\/(pods|nodes)\?/.test(path) && left-- > 0 ? 'gone' : undefined;
    proxy.cutWatches();
    await world.lab.createMany(gangs(6).slice(3));
    await world.expectAllRun(48);
    await gantry.until('watch', ({ kind }) => kind === 'expired');
    await gantry.until('watch', ({ kind, again }) => kind === 'listed' && again === true);
  });

  it.each([
    ['too many requests', 429],
    ['internal errors', 500],
    ['answers that take too long', 'slow'],
  ] as const)('%s for a third of all bindings and patches', (_, fault) => world.expectAllRunDespite(fault));

  it('a node is deleted under a running gang: the gang comes back to its full size elsewhere', async () => {
    const gantry = await world.start('only');
    await world.lab.createMany(gangs(3));
    await world.expectAllRun(24);
    const places = await world.lab.places();
    const lost = Object.entries(places).find(([name]) => name.startsWith('gang-0'))![1];
    await world.lab.delete(`/api/v1/nodes/${lost}`);
    // The controller manager finds orphans only after a while; here its work is done by hand.
    for (const pod of await world.lab.pods()) {
      if (asObject(pod.spec).nodeName === lost) {
        await world.lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`);
      }
    }
    await world.expectAllRun(24);
    expect(Object.values(await world.lab.places())).not.toContain(lost);
    expect(gantry.log.filter(({ msg }) => msg === 'placed').length).toBeGreaterThan(3);
  });

  it('kube-scheduler does not bind what was handed over: the gang is planned again', async () => {
    const gantry = await world.start('only');
    await world.lab.cluster.kill('kube-scheduler');
    await world.lab.createMany([lastingGang('handed', 4, { gpus: 1, handOver: true })]);
    await gantry.until('handed over but not bound in time; deleted to be planned again');
    await world.lab.cluster.restart('kube-scheduler');
    await world.expectAllRun(4);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('the clock of the machine is %s', async (_, clockSkew) => {
    const first = await world.start('first', world.lab.kubeconfig, { leaseSeconds: LEASE_SECONDS, clockSkew });
    await first.until('leading: pods and nodes listed again');
    const second = await world.start('second', world.lab.kubeconfig, { leaseSeconds: LEASE_SECONDS });
    await world.lab.createMany(gangs());
    await world.expectAllRun(48);
    await sleep(2 * LEASE_SECONDS * 1000);
    // Neither takes the lease from the other because their clocks differ.
    expect(second.log.some(({ msg, holds }) => msg === 'lease' && holds === true)).toBe(false);
    expect(first.log.filter(({ msg }) => msg === 'evicted')).toEqual([]);
    expect(Math.abs(Math.abs(await first.metric('gantry_clock_skew_seconds')) - 3600)).toBeLessThan(5);
  });

  it('a graceful stop gives the lease back, and the other goes on at once', async () => {
    const first = await world.start('first', world.lab.kubeconfig, { leaseSeconds: 60 });
    await first.until('leading: pods and nodes listed again');
    const second = await world.start('second', world.lab.kubeconfig, { leaseSeconds: 60 });
    await world.lab.createMany(gangs(3));
    first.signal('SIGTERM');
    await first.until('stopped');
    // Far less than the sixty seconds after which it would have been replaced.
    await second.until('leading: pods and nodes listed again', undefined, { limit: 30_000 });
    await world.expectAllRun(24);
  });
});
