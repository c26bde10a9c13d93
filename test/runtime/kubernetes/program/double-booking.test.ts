import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject } from '../../../../src/manifests/read';
import { seeded } from '../../../support/api-server/faults';
import { gangOf, kubeScheduler, letTimeRun, podObject, Rig, stopTime } from './rig';

/** Runs of the crash, each with its own moments; `.ci/full` makes 200. */
const CRASHES = Number(process.env.GANTRY_CRASHES ?? 10);
const SHORT = `
policy: { staleGangSeconds: 4 }
binding: { timeoutSeconds: 8, inFlight: 8 }
handOver: { timeoutSeconds: 5 }
cycle: { periodSeconds: 1 }
`;

describe('a write that may have happened', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  it('holds its room while bindings get no answer, reads fail and the watch is silent', async () => {
    rig = await Rig.start();
    const { server } = rig;
    // Known before the trouble, and without room until then.
    Array.from({ length: 24 }, (_, i) => rig.addPods(podObject(`p-${i}`)));
    await rig.pass(3000);
    let troubled = true;
    server.trouble = ({ method, path }) => {
      if (!troubled) {
        return undefined;
      }
      if (/\/binding$/.test(path)) {
        return 'unanswered';
      }
      if (method === 'GET' && /\/pods(\/|$)/.test(path)) {
        return 503;
      }
      return method === 'WATCH' && /\/pods$/.test(path) ? 'silent' : undefined;
    };
    server.silence(/\/pods$/);
    rig.addNodes(1);
    await rig.pass(180_000);
    troubled = false;
    await rig.pass(60_000);
    expect(Object.keys(server.places())).toHaveLength(8);
    expect([...rig.faults]).toEqual([]);
  });
});

describe('a binding that the network holds back', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  it('comes to nothing once its pod was given up for the node', async () => {
    rig = await Rig.start({ config: 'binding: { timeoutSeconds: 5 }' });
    const { server } = rig;
    rig.addNodes(1);
    await rig.pass(1000);
    // The first pod's bindings arrive after the scheduler has given them up; its reads say that it has no node.
    server.trouble = ({ path }) => (/late\/binding$/.test(path) ? { late: 60_000 } : undefined);
    rig.addPods(podObject('late', { gpus: 8 }));
    await rig.pass(500);
    rig.addPods(podObject('other', { gpus: 8 }));
    await rig.pass(20_000);
    server.trouble = ({ path }) => (/late\/binding$/.test(path) ? 403 : undefined);
    await rig.until('the other has the node', () => server.places()['default/other'] === 'n-0');
    await rig.pass(120_000);
    expect(server.places()).toEqual({ 'default/other': 'n-0' });
    expect([...rig.faults]).toEqual([]);
    expect(rig.said('the outcome of unanswered requests is known').some(({ kind }) => kind === 'undone')).toBe(true);
  });
});

describe('the API server is killed and comes back', () => {
  let rig: Rig;
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  const runs = Array.from({ length: CRASHES }, (_, seed) => seed);
  it.each(runs)('no node is over capacity at any moment (%s)', async (seed) => {
    stopTime(seed);
    const random = seeded(1000 + seed);
    const upTo = (most: number): number => Math.ceil(random() * most);
    rig = await Rig.start({ config: SHORT });
    const { server } = rig;
    server.latency = () => upTo(30);
    server.watchLatency = () => upTo(60);
    kubeScheduler(server);
    const gangs = Array.from({ length: 6 }, (_, i) => gangOf(`gang-${i}`, 8, { gated: i % 3 === 2 }));
    recreate(rig, gangs.flat());
    rig.addNodes(10);
    await rig.pass(500);
    rig.addPods(...gangs.slice(0, 3).flat());
    while (server.writes(/binding$/).length === 0) {
      await rig.pass(1);
    }
    await rig.pass(upTo(150));
    server.kill();
    await rig.pass(1500 + upTo(15_000));
    server.restart();
    rig.addPods(...gangs.slice(3).flat());
    await rig.until('all run', () => Object.keys(server.places()).length === 48, 180_000);
    expect([...rig.faults]).toEqual([]);
  });
});

/** What the owners of pods do: a pod that was deleted comes again. */
function recreate(rig: Rig, pods: readonly JsonObject[]): void {
  rig.server.store.listeners.push(({ type, plural, object }) => {
    const found = pods.find(({ metadata }) => asObject(metadata).name === asObject(object.metadata).name);
    if (type === 'DELETED' && plural === 'pods' && found !== undefined) {
      setTimeout(() => rig.addPods(found), 100);
    }
  });
}
