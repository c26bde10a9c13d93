import { DEFAULT_POLICY, type Snapshot } from '../../../src/placement';
import { KeptSession } from '../../../src/runtime/kubernetes/kept-session';
import { cluster, gang, node, running, template } from '../../placement/builders';

/** A feed of one world, which reports a change only on demand. */
class Source {
  deltas = jest.fn(() => []);
  reset = jest.fn();

  constructor(public known: Snapshot) {}

  snapshot(): Snapshot {
    return this.known;
  }
}

describe('the session that is kept between cycles', () => {
  const moment = { now: 0, settleMilliseconds: 1000 };
  const world = cluster([node('a', 4)], [gang('g', 1, template(1))], [running('g', 'a')]);
  let now: number;
  let told: string[];
  let feed: Source;
  let kept: KeptSession;

  beforeEach(() => {
    now = 0;
    told = [];
    feed = new Source(world);
    kept = new KeptSession({
      feed,
      scratch: () => feed.known,
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
