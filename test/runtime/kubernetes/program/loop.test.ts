import { gangOf, kubeScheduler, letTimeRun, Rig, stopTime } from './rig';

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
  });
});
