/**
 * When the scheduler decides, under a fake clock: the cluster, the lease, and what carries decisions out are the test's.
 */
import { Session } from '../../../src/placement/books/session';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { type Actor } from '../../../src/runtime/kubernetes/actor';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { ServerClock, SYSTEM_CLOCK } from '../../../src/runtime/api/clock';
import { makeLog } from '../../../src/runtime/api/log';
import { Metrics } from '../../../src/runtime/kubernetes/metrics';
import { type Outcome } from '../../../src/runtime/kubernetes/outcome';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Consolidation } from '../../../src/placement/evictions/consolidate';
import { PendingReasons } from '../../../src/placement/reasons/reasons';
import { Scheduler } from '../../../src/runtime/kubernetes/scheduler';
import { type Watched } from '../../../src/runtime/api/watched';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { NODE, pod, Source } from './watched-source';

/** Asked more often than this, the loop goes round without waiting. */
const ENDLESS = 1000;
const LARGE = { spec: { containers: [{ resources: { requests: { cpu: '99' } } }] } };

describe('the loop of the scheduler', () => {
  const cycle = { debounceMilliseconds: 20, mostMilliseconds: 250, periodSeconds: 10 };
  let lease: { holds: boolean; heldSince: number };
  let isSynced: boolean;
  let asked: number;
  let refresh: jest.Mock;
  let claimsPath: string | undefined;
  let carryOut: jest.Mock<number, [Outcome]>;
  let onOutcome: jest.Mock;
  let onReasons: jest.Mock;
  let source: Source;
  let assumptions: Assumptions;
  let metrics: Metrics;
  let scheduler: Scheduler;
  let messages: string[];
  let delay: number;
  /** Milliseconds that pass whenever the time is asked for. */
  let tick: number;
  let running: Promise<void>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    lease = { holds: true, heldSince: 5 };
    isSynced = true;
    asked = 0;
    delay = tick = 0;
    messages = [];
    refresh = jest.fn(() => Promise.resolve());
    claimsPath = undefined;
    carryOut = jest.fn<number, [Outcome]>(() => Infinity);
    onOutcome = jest.fn();
    onReasons = jest.fn();
    source = new Source();
    assumptions = new Assumptions();
    metrics = new Metrics();
    const world = new World(source, DEFAULT_CONFIGURATION);
    const watched = {
      get isSynced() {
        return isSynced;
      },
      refresh,
      pathOf: () => claimsPath,
    };
    scheduler = new Scheduler({
      watched: watched as unknown as Watched,
      world,
      assumptions,
      leader: {
        get holds() {
          if (++asked > ENDLESS) {
            scheduler.stop();
          }
          return lease.holds;
        },
        get heldSince() {
          return lease.heldSince;
        },
      },
      actor: { carryOut } as unknown as Actor,
      serverClock: new ServerClock(),
      log: makeLog('info', { write: (line) => void messages.push((JSON.parse(line) as { msg: string }).msg) }),
      metrics,
      config: () => ({ ...DEFAULT_CONFIGURATION, cycle }),
      onOutcome,
      onReasons,
      clock: { monotonic: () => SYSTEM_CLOCK.monotonic() + (delay += tick), wall: () => SYSTEM_CLOCK.wall() },
    });
    world.onRelevant = (ready) => scheduler.changed(ready);
    source.put('nodes', NODE);
  });
  afterEach(async () => {
    scheduler.stop();
    await running;
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const start = (): void => {
    running = scheduler.run();
  };
  const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);
  const cycles = (): number => carryOut.mock.calls.length;
  /** The loop has begun its term and rests. */
  const startAndRest = async (): Promise<void> => {
    start();
    await pass(5000);
    carryOut.mockClear();
    onOutcome.mockClear();
  };

  it.each([
    ['without the lease', () => (lease.holds = false)],
    ['until everything was read', () => (isSynced = false)],
  ])('decides nothing %s, and waits between its turns', async (_, prevent) => {
    prevent();
    start();
    await pass(3000);
    expect({ asked, isEndless: asked > ENDLESS }).toMatchObject({ isEndless: false });
    expect(cycles()).toBe(0);
    expect(refresh).not.toHaveBeenCalled();
    expect(scheduler.outcome).toBeUndefined();
  });

  it('lists pods and nodes again before the first decision of a term, and only then', async () => {
    start();
    await pass(60_000);
    expect(refresh.mock.calls).toEqual([[5, 'pods', 'nodes']]);
    expect(cycles()).toBeGreaterThan(3);
    lease = { holds: true, heldSince: 7 };
    await pass(60_000);
    expect(refresh.mock.calls.slice(1)).toEqual([[7, 'pods', 'nodes']]);
    claimsPath = '/apis/resource.k8s.io/v1/resourceclaims';
    lease = { holds: true, heldSince: 9 };
    await pass(60_000);
    expect(refresh.mock.calls.slice(2)).toEqual([[9, 'pods', 'nodes', 'resourceClaims']]);
    expect(messages).toEqual(Array(3).fill('leading: pods and nodes listed again'));
  });

  it('decides nothing until the list is there, stays alive meanwhile, and asks for one list only', async () => {
    let listed = (): void => undefined;
    refresh.mockImplementation(() => new Promise<void>((resolve) => (listed = resolve)));
    start();
    await pass(600_000);
    expect([cycles(), refresh.mock.calls.length, scheduler.isAlive]).toEqual([0, 1, true]);
    listed();
    await pass(1000);
    expect(cycles()).toBe(1);
  });

  it.each([
    ['the lease ends', () => (lease.holds = false)],
    ['another term begins', () => (lease.heldSince = 6)],
  ])('decides nothing from a list during which %s', async (_, end) => {
    let listed = (): void => undefined;
    refresh.mockImplementationOnce(() => new Promise<void>((resolve) => (listed = resolve)));
    refresh.mockImplementation(() => new Promise<void>(() => undefined));
    start();
    await pass(1000);
    end();
    listed();
    await pass(1000);
    expect(cycles()).toBe(0);
  });

  it('forgets what it assumed when its term begins and ends', async () => {
    assumptions.place('u', { node: 'n-1', devices: [] });
    await startAndRest();
    expect(assumptions.size).toBe(0);
    assumptions.place('u', { node: 'n-1', devices: [] });
    lease.holds = false;
    await pass(1000);
    expect(assumptions.size).toBe(0);
    expect(messages).toContainEqual(expect.stringMatching(/^no longer leading/));
    lease = { holds: true, heldSince: 9 };
    await pass(2000);
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it('decides once about changes that come together, when none has come for the stated time', async () => {
    await startAndRest();
    for (let index = 0; index < 5; index++) {
      scheduler.changed();
      await pass(19);
    }
    expect(cycles()).toBe(0);
    await pass(1);
    expect(cycles()).toBe(1);
    await pass(1000);
    expect(cycles()).toBe(1);
  });

  it('decides after the stated time at most, while changes go on', async () => {
    await startAndRest();
    for (let at = 0; at < 249; at++) {
      scheduler.changed();
      await pass(1);
    }
    expect(cycles()).toBe(0);
    scheduler.changed();
    await pass(1);
    expect(cycles()).toBe(1);
  });

  it('decides at once about a gang that is complete', async () => {
    await startAndRest();
    scheduler.changed(true);
    await pass(1);
    expect(cycles()).toBe(1);
    scheduler.changed();
    await pass(5);
    expect(cycles()).toBe(1);
  });

  it('decides once in each period without a change, and when what was carried out asks for it', async () => {
    await startAndRest();
    await pass(4900);
    expect(cycles()).toBe(0);
    await pass(10_200);
    expect(cycles()).toBe(2);
    carryOut.mockReturnValueOnce(700);
    scheduler.changed();
    await pass(20);
    expect(cycles()).toBe(3);
    await pass(698);
    expect(cycles()).toBe(3);
    await pass(2);
    expect(cycles()).toBe(4);
  });

  it.each([
    ['twice as long as the cycle took', 300, 600],
    ['two seconds', 5000, 2000],
  ])('rests for %s at most', async (_, took, rest) => {
    await startAndRest();
    carryOut.mockImplementationOnce(() => {
      delay += took;
      scheduler.changed(true);
      return Infinity;
    });
    scheduler.changed(true);
    await pass(1);
    expect(cycles()).toBe(1);
    scheduler.changed(true);
    await pass(rest - 1);
    expect(cycles()).toBe(1);
    await pass(1);
    expect(cycles()).toBe(2);
  });

  it('counts cycles that fail in a row, and starts again at zero', async () => {
    const inARow = async (): Promise<number> => (await metrics.cycleFailuresInARow.get()).values[0].value;
    await startAndRest();
    carryOut.mockImplementation(() => {
      throw new Error('broken');
    });
    await pass(20_000);
    expect([scheduler.failuresInARow, await inARow()]).toEqual([2, 2]);
    expect(messages.filter((message) => message === 'the cycle failed')).toHaveLength(2);
    expect((await metrics.cycleFailures.get()).values[0].value).toBe(2);
    carryOut.mockImplementation(() => Infinity);
    await pass(10_000);
    expect([scheduler.failuresInARow, await inARow()]).toEqual([0, 0]);
  });

  it('sets nothing aside for an error that comes from the incremental state alone, which it builds again', async () => {
    await startAndRest();
    source.put('pods', pod('a', {}));
    jest.spyOn(Session.prototype, 'apply').mockImplementationOnce(() => {
      throw new Error('went astray');
    });
    await pass(2000);
    expect([cycles(), scheduler.failuresInARow]).toEqual([0, 1]);
    expect(messages.filter((message) => message === 'the cycle failed')).toHaveLength(1);
    await pass(10_000);
    expect(scheduler.failuresInARow).toBe(0);
    expect(carryOut.mock.calls[0][0].decision.bindings).toMatchObject([{ gang: 'default/a' }]);
    expect(messages).not.toContain('the decision failed for one object, which is set aside');
  });

  it('reports and counts that the incremental state differed, and goes on with a new one', async () => {
    await startAndRest();
    const { session } = scheduler.outcome!;
    session.table.deviceFree[3] = 0;
    await pass(60_000);
    expect(messages.filter((message) => message.startsWith('the incremental state differed'))).toHaveLength(1);
    expect((await metrics.sessionDivergences.get()).values[0].value).toBe(1);
    expect(scheduler.outcome!.session).not.toBe(session);
  });

  it('has carried out what it cannot report', async () => {
    await startAndRest();
    onOutcome.mockImplementation(() => {
      throw new Error('nowhere to write');
    });
    scheduler.changed();
    await pass(20);
    expect([cycles(), scheduler.failuresInARow]).toEqual([1, 0]);
    expect(messages).toContain('the outcome was not reported');
  });

  it('is alive until it has not come round for three periods and half a minute', async () => {
    await startAndRest();
    delay += 59_000;
    expect(scheduler.isAlive).toBe(true);
    delay += 1000;
    expect(scheduler.isAlive).toBe(false);
    await pass(1000);
    expect(scheduler.isAlive).toBe(true);
  });

  it('hands on what it decided, and then why gangs wait', async () => {
    await startAndRest();
    onReasons.mockClear();
    source.put('pods', pod('a', {}));
    source.put('pods', pod('large', LARGE));
    await pass(20);
    const [[outcome]] = onOutcome.mock.calls as [Outcome][];
    expect(outcome.decision.bindings).toMatchObject([{ gang: 'default/a', node: 'n-1' }]);
    expect(outcome.decision.pending).toEqual([]);
    await pass(5);
    expect(onReasons).toHaveBeenCalledTimes(1);
    expect(outcome.reasons.list.map(({ gang }) => gang)).toEqual(['default/large']);
    expect(outcome.queueOf('default/large')).toBe('default');
    expect([...scheduler.takeTouched()]).toEqual(expect.arrayContaining(['default/pod/a', 'default/pod/large']));
    // The same reason again is no news.
    scheduler.changed(true);
    await pass(5000);
    expect(onReasons).toHaveBeenCalledTimes(1);
    source.remove('pods', 'default/large');
    await pass(100);
    expect(outcome.reasons.list).toEqual([]);
  });

  it('decides about what arrives before it looks for the next reason', async () => {
    await startAndRest();
    for (let i = 0; i < 10; i++) {
      const cpu = String(20 + i);
      source.put('pods', pod(`large-${i}`, { spec: { containers: [{ resources: { requests: { cpu } } }] } }));
    }
    await pass(20);
    // Each look at the clock takes a millisecond, so that a piece ends after a few reasons.
    tick = 1;
    await pass(1);
    const { reasons } = scheduler.outcome!;
    const found = reasons.list.length;
    expect(found).toBeLessThan(10);
    const before = cycles();
    source.put('pods', pod('a', {}));
    scheduler.changed(true);
    await pass(10);
    expect(cycles()).toBe(before + 1);
    expect(reasons.list.length).toBeLessThan(10);
    tick = 0;
    await pass(2000);
    expect(reasons.list).toHaveLength(10);
  });

  it('waits for a cycle that is due without a turn in between, while there are reasons to look for', async () => {
    await startAndRest();
    for (let i = 0; i < 10; i++) {
      const cpu = String(20 + i);
      source.put('pods', pod(`large-${i}`, { spec: { containers: [{ resources: { requests: { cpu } } }] } }));
    }
    await pass(20);
    tick = 1;
    await pass(1);
    tick = 0;
    expect(scheduler.outcome!.reasons.list.length).toBeLessThan(10);
    // The pause after the last piece ends while the change still waits for more.
    await pass(10);
    scheduler.changed();
    const looks = jest.spyOn(SYSTEM_CLOCK, 'monotonic');
    let most = 0;
    for (let i = 0; i < 19; i++) {
      await pass(1);
      const before = looks.mock.calls.length;
      for (let turn = 0; turn < 30; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      most = Math.max(most, looks.mock.calls.length - before);
    }
    expect(most).toBeLessThan(10);
  });

  it('lets decisions that may move pods take a fiftieth of the time, in quiet moments', async () => {
    const asking = (cpu: string): JsonObject => ({ containers: [{ resources: { requests: { cpu } } }] });
    source.put('pods', pod('runs', { node: 'n-1', phase: 'Running', spec: asking('5') }));
    await startAndRest();
    const moves = jest.spyOn(Consolidation.prototype, 'run');
    // Each look at the clock takes this long, and so does the decision.
    tick = 10;
    source.put('pods', pod('waits', { spec: asking('6') }));
    await pass(20);
    tick = 0;
    const took = moves.mock.calls.length;
    expect(took).toBe(1);
    const before = cycles();
    for (let i = 0; i < 45; i++) {
      scheduler.changed(true);
      await pass(20);
    }
    expect([cycles() - before > 1, moves.mock.calls.length]).toEqual([true, took]);
    await pass(5000);
    expect(moves.mock.calls.length).toBeGreaterThan(took);
  });

  it('sets a gang aside for which no reason can be found, and goes on', async () => {
    await startAndRest();
    const real = Reflect.get<typeof PendingReasons.prototype, 'of'>(PendingReasons.prototype, 'of');
    jest.spyOn(PendingReasons.prototype, 'of').mockImplementation(function (this: PendingReasons, gang) {
      if (gang === 'default/bad') {
        throw new TypeError('no such thing');
      }
      return Reflect.apply(real, this, [gang]);
    });
    source.put('pods', pod('bad', LARGE));
    source.put('pods', pod('large', LARGE));
    await pass(20);
    await pass(1);
    await pass(2000);
    await pass(1);
    expect(messages).toContain('no reason was found for one object, which is set aside');
    expect(scheduler.outcome!.held).toMatchObject([{ gang: 'default/bad', kind: 'set-aside' }]);
    expect(scheduler.outcome!.reasons.list.map(({ gang }) => gang)).toEqual(['default/large']);
    expect(scheduler.failuresInARow).toBe(0);
  });
});
