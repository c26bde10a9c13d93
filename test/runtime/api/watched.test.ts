/**
 * The collections that the scheduler keeps copies of, against an API server in this process under fake timers.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { type CollectionName } from '../../../src/planning/scheduler-settings/collections';
import { type Change, Watched } from '../../../src/runtime/api/watched';
import { InProcessApiServer } from '../../support/api-server/api-server';
import { letTimeRun, nodeObject, podObject, stopTime } from '../kubernetes/program/rig';

const VOLCANO = 'scheduling.volcano.sh/v1beta1';

describe('the watched collections', () => {
  let server: InProcessApiServer;
  let watched: Watched;
  let running: Promise<void>;
  let changes: string[];

  beforeEach(() => {
    stopTime();
    server = new InProcessApiServer();
    changes = [];
    watched = new Watched({ client: server.client, onNote: () => undefined });
    watched.onChange(({ collection, key, before, after }: Change) => {
      const version = (object?: JsonObject): string => (object === undefined ? '-' : 'x');
      changes.push(`${collection} ${key} ${version(before)}>${version(after)}`);
    });
  });
  afterEach(async () => {
    watched.stop();
    await pass(1000);
    await running;
    letTimeRun();
  });

  const start = (): void => {
    running = watched.run();
  };
  const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);
  const keys = (name: CollectionName): readonly string[] => [...watched.all(name).keys()];

  it('are synchronized once each of them was read, and from then on', async () => {
    let fails = true;
    server.trouble = ({ path }) => (fails && path.endsWith('/namespaces') ? 503 : undefined);
    server.put('v1', 'nodes', nodeObject('n-0'));
    start();
    await pass(10_000);
    expect([watched.isSynced, keys('nodes')]).toEqual([false, ['n-0']]);
    fails = false;
    await pass(30_000);
    expect(watched.isSynced).toBe(true);
    server.kill();
    await pass(60_000);
    expect(watched.isSynced).toBe(true);
  });

  it('are known by namespace and name, and report each change once', async () => {
    server.put('v1', 'nodes', nodeObject('n-0'));
    server.put('v1', 'pods', podObject('a'));
    start();
    await pass(1000);
    server.put('v1', 'pods', podObject('a', { labels: { new: 'x' } }));
    await pass(1000);
    server.store.delete('v1', 'pods', 'default/a');
    await pass(1000);
    expect(changes).toEqual(['nodes n-0 ->x', 'pods default/a ->x', 'pods default/a x>x', 'pods default/a x>-']);
    // A list brings the same versions again, which are no changes.
    void watched.refresh(performance.now(), 'nodes');
    await pass(1000);
    expect([changes.length, keys('nodes'), keys('pods')]).toEqual([4, ['n-0'], []]);
  });

  it('lose what was deleted while they were not watched', async () => {
    server.put('v1', 'nodes', nodeObject('n-0'));
    server.put('v1', 'nodes', nodeObject('n-1'));
    start();
    await pass(1000);
    server.silence(/\/nodes/);
    server.store.delete('v1', 'nodes', 'n-0');
    await pass(1000);
    expect(keys('nodes')).toEqual(['n-0', 'n-1']);
    void watched.refresh(performance.now(), 'nodes');
    await pass(1000);
    expect(keys('nodes')).toEqual(['n-1']);
    expect(changes.at(-1)).toBe('nodes n-0 x>-');
  });

  it('are refreshed when each of the named ones was listed again, and not earlier', async () => {
    start();
    await pass(1000);
    let slow = true;
    server.trouble = ({ method, path }) => (slow && method === 'GET' && path === '/api/v1/pods' ? 503 : undefined);
    const listed = (plural: string): number =>
      server.log.filter(({ method, path }) => method === 'GET' && path === `/api/v1/${plural}`).length;
    const before = [listed('nodes'), listed('pods'), listed('namespaces')];
    let isDone = false;
    void watched.refresh(performance.now(), 'pods', 'nodes').then(() => (isDone = true));
    await pass(5000);
    expect(isDone).toBe(false);
    slow = false;
    await pass(20_000);
    expect(isDone).toBe(true);
    expect(listed('nodes')).toBe(before[0] + 1);
    expect(listed('pods')).toBeGreaterThan(before[1]);
    expect(listed('namespaces')).toBe(before[2]);
  });

  it('that the server does not serve are looked for every 30 seconds, and read once it does', async () => {
    const asked: number[] = [];
    server.trouble = ({ path }) => {
      if (path === `/apis/${VOLCANO}`) {
        asked.push(Date.now());
      }
      return undefined;
    };
    start();
    await pass(65_000);
    expect(watched.pathOf('volcanoQueues')).toBeUndefined();
    // Two kinds are in the group. A request takes one millisecond each way.
    const times = [...new Set(asked)];
    expect(times.slice(1).map((time, index) => time - times[index])).toEqual([30_001, 30_001]);
    server.serve(VOLCANO, 'queues');
    server.put(VOLCANO, 'queues', { metadata: { name: 'research' }, spec: {} });
    await pass(30_000);
    expect(watched.pathOf('volcanoQueues')).toBe(`/apis/${VOLCANO}/queues`);
    expect([keys('volcanoQueues'), watched.pathOf('volcanoPodGroups')]).toEqual([['research'], undefined]);
  });
});
