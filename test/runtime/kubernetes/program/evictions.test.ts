/**
 * Pods that have to go: for a gang of a higher priority, or because kube-scheduler did not bind what was handed over.
 */
import { gangOf, letTimeRun, podObject, Rig, stopTime } from './rig';

describe('an eviction', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  /** One node, full of a gang of low priority, and a gang of high priority that needs half of it. */
  async function startFull(lowMinimum = 4): Promise<Rig> {
    rig = await Rig.start();
    rig.addNodes(1);
    rig.addPods(...gangOf('low', 8, { minimum: lowMinimum, spec: { priority: 1 } }));
    await rig.until('the gang of low priority runs', () => Object.keys(rig.server.places()).length === 8);
    return rig;
  }
  const addHigh = (): void => rig.addPods(...gangOf('high', 4, { spec: { priority: 100 } }));
  const highRuns = (): boolean => rig.server.places()['default/high-3'] !== undefined;
  const tries = (): number => rig.server.writes(/eviction$/).length;

  it('frees what a gang of a higher priority needs, says why, and is counted', async () => {
    await startFull();
    addHigh();
    await rig.until('it runs', highRuns);
    expect(tries()).toBe(4);
    expect(Object.keys(rig.server.places()).filter((pod) => pod.startsWith('default/low'))).toHaveLength(4);
    expect(await rig.metric('gantry_evictions_total', 'action="preempt",outcome="evicted"')).toBe(4);
    expect(await rig.metric('gantry_evictions_total')).toBe(4);
    expect(rig.said('evicted')).toHaveLength(4);
    expect(rig.said('evicted')[0]).toMatchObject({
      gang: 'default/low',
      node: 'n-0',
      action: 'preempt',
      beneficiary: 'default/high',
    });
    await rig.pass(5000);
    expect(rig.server.notes()).toContain(
      'Evicted: Evicted for gang default/high, which has a higher priority in the same queue.',
    );
    expect([...rig.faults]).toEqual([]);
  });

  it('that a disruption budget refuses is tried once, and again after the stated time', async () => {
    await startFull();
    rig.server.budget = () => "Cannot evict pod as it would violate the pod's disruption budget.";
    addHigh();
    await rig.until('it is tried', () => tries() === 1);
    // The other pods of the gang are not tried.
    await rig.pass(14_500);
    expect(tries()).toBe(1);
    expect(rig.said('not evicted')).toMatchObject([{ gang: 'default/low', kind: 'protected' }]);
    expect(await rig.metric('gantry_evictions_total', 'outcome="protected"')).toBe(1);
    await rig.until('it is tried again', () => tries() === 2, 2000);
    rig.server.budget = () => undefined;
    await rig.until('the gang of high priority runs', highRuns);
    expect([...rig.faults]).toEqual([]);
  });

  it('without an answer is looked into while the server fails, and counts as carried out if it was', async () => {
    await startFull();
    let reads = 0;
    rig.server.trouble = ({ method, path }) => {
      if (path.endsWith('/eviction')) {
        return 'lost';
      }
      return method === 'GET' && /\/pods\/low-\d$/.test(path) && reads++ < 3 ? 503 : undefined;
    };
    addHigh();
    await rig.until('it runs', highRuns);
    await rig.pass(10_000);
    expect(reads).toBeGreaterThan(3);
    // The first pod is gone by the time that it can be read.
    expect(await rig.metric('gantry_evictions_total', 'outcome="gone"')).toBe(1);
    expect(await rig.metric('gantry_evictions_total', 'outcome="evicted"')).toBe(3);
    expect([tries(), rig.said('evicted').length]).toEqual([4, 4]);
  });

  it('takes back a pod that kube-scheduler does not bind in time, and its gang avoids that node', async () => {
    rig = await Rig.start({ config: 'handOver: { timeoutSeconds: 20 }' });
    rig.addNodes(2);
    rig.addPods(...gangOf('handed', 1, { gpus: 8, gated: true }));
    const handedTo = (): string | undefined => {
      const said = rig.said('handed over but not bound in time; deleted to be planned again');
      return said.at(-1)?.node as string | undefined;
    };
    await rig.until('it is handed over', () => rig.server.writes(/pods\/handed-0$/).length === 1);
    await rig.pass(19_000);
    expect(tries()).toBe(0);
    // The time begins with the hand-over, and ends without another reason for a cycle.
    await rig.until('it is taken back', () => tries() === 1, 2000);
    await rig.pass(1000);
    expect(await rig.metric('gantry_binding_failures_total', 'reason="not-bound-in-time"')).toBe(1);
    const first = handedTo();
    expect(rig.server.notes()).toContain(
      `HandOverTimedOut: kube-scheduler did not bind the pod to ${first} within 20 s.`,
    );
    rig.addPods(podObject('handed-0', { gang: 'handed', minimum: 1, gpus: 8, gated: true }));
    await rig.until('it is taken back again', () => tries() === 2, 25_000);
    expect([first, handedTo()].sort()).toEqual(['n-0', 'n-1']);
  });

  it('tries to take back a pod whose eviction is refused once per time, however often it decides', async () => {
    rig = await Rig.start({ config: 'handOver: { timeoutSeconds: 20 }' });
    rig.addNodes(2);
    rig.server.trouble = ({ path }) => (path.endsWith('/eviction') ? 429 : undefined);
    rig.addPods(...gangOf('handed', 1, { gpus: 8, gated: true }));
    await rig.until('it is handed over', () => rig.server.writes(/pods\/handed-0$/).length === 1);
    for (let second = 0; second < 50; second++) {
      rig.addPods(podObject(`other-${second}`, { gpus: 0, cpu: '10m' }));
      await rig.pass(1000);
    }
    expect(tries()).toBe(2);
  });
});
