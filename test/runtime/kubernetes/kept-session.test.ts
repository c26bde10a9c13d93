import { DEFAULT_POLICY, type Snapshot } from '../../../src/placement';
import { type Delta } from '../../../src/placement/model/facts';
import { KeptSession } from '../../../src/runtime/kubernetes/kept-session';
import { cluster, gang, node, running, template } from '../../placement/builders';

/** A feed of one world, which reports a change only on demand. */
class Source {
  deltas = jest.fn((): Delta[] => []);
  reset = jest.fn();

  constructor(public known: Snapshot) {}

  snapshot(): Snapshot {
    return this.known;
  }
}

describe('the session that is kept between cycles', () => {
  const moment = { now: 0, settleMilliseconds: 1000 };
  const world = cluster([node('a', 4)], [gang('g', 1, template(1))], [running('g', 'a')]);
  const scratch = jest.fn((): Snapshot => feed.known);
  let now: number;
  let told: string[];
  let feed: Source;
  let kept: KeptSession;

  beforeEach(() => {
    now = 0;
    told = [];
    scratch.mockClear();
    feed = new Source(world);
    kept = new KeptSession({
      feed,
      scratch,
      onDivergence: (difference) => told.push(difference),
      clock: { monotonic: () => now, wall: () => now },
    });
  });

  it('is the same from cycle to cycle', () => {
    const first = kept.of(moment, DEFAULT_POLICY, false);
    expect(kept.of(moment, DEFAULT_POLICY, false)).toBe(first);
    expect([...first.table.wholeFree]).toEqual([3]);
  });

  it.each([
    ['in a quiet moment after half a minute', true, 30_000],
    ['after five minutes without one', false, 300_000],
  ])('is compared %s, and built again when it has gone astray', (_, isQuiet, after) => {
    const first = kept.of(moment, DEFAULT_POLICY, isQuiet);
    first.table.deviceFree[3] = 0;
    now = after - 1;
    expect(kept.of(moment, DEFAULT_POLICY, isQuiet)).toBe(first);
    now = after;
    const mended = kept.of(moment, DEFAULT_POLICY, isQuiet);
    expect(mended).not.toBe(first);
    expect(mended.table.deviceFree[3]).toBe(1000);
    expect(told).toEqual([expect.stringContaining('device 3 of node "a"')]);
    expect(feed.reset).toHaveBeenCalled();
    expect(kept.of(moment, DEFAULT_POLICY, isQuiet)).toBe(mended);
  });

  it('is not compared when it has just been built, however late that is', () => {
    now = 1_000_000;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).not.toHaveBeenCalled();
    now += 29_999;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).not.toHaveBeenCalled();
    now += 1;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).toHaveBeenCalledTimes(1);
  });

  it('spends at most a hundredth of the time on comparisons', () => {
    scratch.mockImplementation(() => {
      now += 400;
      return feed.known;
    });
    kept.of(moment, DEFAULT_POLICY, true);
    now = 30_000;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).toHaveBeenCalledTimes(1);
    now = 30_400 + 39_999;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).toHaveBeenCalledTimes(1);
    now++;
    kept.of(moment, DEFAULT_POLICY, true);
    expect(scratch).toHaveBeenCalledTimes(2);
    scratch.mockImplementation(() => feed.known);
  });

  it('is built again after more than 20,000 changes at once, which puts no comparison off', () => {
    const changes = (count: number): Delta[] =>
      Array.from({ length: count }, (): Delta => ({ kind: 'policy', policy: DEFAULT_POLICY }));
    const first = kept.of(moment, DEFAULT_POLICY, true);
    now = 20_000;
    feed.deltas.mockReturnValueOnce(changes(20_000));
    expect(kept.of(moment, DEFAULT_POLICY, true)).toBe(first);
    feed.deltas.mockReturnValueOnce(changes(20_001));
    const second = kept.of(moment, DEFAULT_POLICY, true);
    expect(second).not.toBe(first);
    expect(scratch).not.toHaveBeenCalled();
    now = 30_000;
    expect(kept.of(moment, DEFAULT_POLICY, true)).toBe(second);
    expect(scratch).toHaveBeenCalledTimes(1);
  });

  it('follows the policy', () => {
    const first = kept.of(moment, DEFAULT_POLICY, false);
    const policy = { ...DEFAULT_POLICY, staleGangSeconds: 7 };
    expect(kept.of(moment, policy, false)).toBe(first);
    expect(first.policy.staleGangSeconds).toBe(7);
  });

  it('is built again after a world that contradicts itself', () => {
    feed.known = { ...world, gangs: [] };
    expect(() => kept.of(moment, DEFAULT_POLICY, false)).toThrow('which is not in the snapshot');
    kept.forget();
    feed.known = world;
    expect([...kept.of(moment, DEFAULT_POLICY, false).table.wholeFree]).toEqual([3]);
  });
});
