/**
 * When reasons are looked for, and of which gangs, under a clock of the test.
 */
import { type PendingGang } from '../../../src/placement';
import { type PendingReasons } from '../../../src/placement/reasons/reasons';
import { Reasons } from '../../../src/runtime/kubernetes/reasons';

describe('reasons', () => {
  let now: number;
  /** Milliseconds that it takes to find one. */
  let takes: number;
  let message: string;
  let waits: Set<string>;
  let asked: string[];
  let errors: string[];
  let reasons: Reasons;

  beforeEach(() => {
    [now, takes, message, waits, asked, errors] = [0, 0, 'no room', new Set(), [], []];
    reasons = new Reasons({
      tenantOf: (gang) => gang.split('/')[0],
      clock: { monotonic: () => now, wall: () => now },
      onError: (gang, error) => errors.push(`${gang}: ${(error as Error).message}`),
    });
  });

  const source = {
    waits: (gang: string) => waits.has(gang),
    of: (gang: string) => {
      asked.push(gang);
      now += takes;
      if (message === 'broken') {
        throw new Error(message);
      }
      return waits.has(gang) ? ({ gang, kind: 'no-fit', message } as PendingGang) : undefined;
    },
  } as unknown as PendingReasons;
  const decide = (changed: readonly string[] = [], placed: readonly string[] = []): void => {
    changed.forEach((gang) => waits.add(gang));
    placed.forEach((gang) => waits.delete(gang));
    reasons.suspend();
    reasons.decided(source, touched(changed), placed);
  };
  const touched = (gangs: readonly string[], isDifferent = true): ReadonlyMap<string, boolean> =>
    new Map(gangs.map((gang) => [gang, isDifferent]));
  const known = (): readonly string[] => reasons.list.map(({ gang }) => gang);

  it('are looked for in pieces, after each of which four times as long is left to other work', () => {
    takes = 2;
    decide(['a', 'b', 'c', 'd']);
    expect(reasons.dueIn()).toBe(0);
    expect(reasons.look()).toBe(true);
    expect(known()).toEqual(['a', 'b', 'c']);
    expect(reasons.dueIn()).toBe(24);
    now += 24;
    expect(reasons.look()).toBe(true);
    expect(known()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are looked for again once they are a second old, the oldest first, and the less the longer it takes', () => {
    decide(['a', 'b']);
    reasons.look();
    expect(reasons.dueIn()).toBe(Infinity);
    now = 500;
    decide(['c']);
    reasons.look();
    expect(reasons.dueIn()).toBe(500);
    now = 1000;
    takes = 6;
    asked = [];
    message = 'less room';
    expect(reasons.look()).toBe(true);
    expect(asked).toEqual(['a']);
    expect(reasons.of('a')?.message).toBe('less room');
    expect(reasons.dueIn()).toBe(6 * 400);
  });

  it('are no news where they are what they were', () => {
    decide(['a']);
    expect(reasons.look()).toBe(true);
    now = 1000;
    decide();
    expect(reasons.look()).toBe(false);
  });

  it('of gangs that are new or have changed come before those that are old', () => {
    decide(['old']);
    reasons.look();
    now = 5000;
    asked = [];
    takes = 10;
    decide(['new']);
    reasons.look();
    expect(asked).toEqual(['new']);
    decide(['old']);
    now += 40;
    reasons.look();
    expect(asked).toEqual(['new', 'old']);
  });

  it('are forgotten with the gangs that start, that end, or that wait no more', () => {
    decide(['starts', 'ends', 'waits']);
    reasons.look();
    waits.delete('ends');
    reasons.suspend();
    reasons.decided(source, touched(['ends']), ['starts']);
    expect(known()).toEqual(['waits']);
    waits.delete('waits');
    now = 2000;
    reasons.look();
    expect(known()).toEqual([]);
    expect(reasons.dueIn()).toBe(Infinity);
  });

  it('are not looked for while the books change, and all are forgotten with the term', () => {
    decide(['a']);
    reasons.suspend();
    expect(reasons.dueIn()).toBe(Infinity);
    decide();
    reasons.look();
    reasons.clear();
    expect([known(), reasons.of('a'), reasons.dueIn()]).toEqual([[], undefined, Infinity]);
  });

  it('are not looked for again where nothing of the gang is different, unless there is none', () => {
    decide(['known']);
    reasons.look();
    asked = [];
    waits.add('unknown');
    reasons.suspend();
    reasons.decided(source, touched(['known', 'unknown'], false), []);
    reasons.look();
    expect(asked).toEqual(['unknown']);
  });

  it('of each namespace are looked for in turn, new ones and old ones', () => {
    decide(['crowd/1', 'crowd/2', 'crowd/3', 'other/1', 'third/1', 'other/2']);
    reasons.look();
    const inTurn = ['crowd/1', 'other/1', 'third/1', 'crowd/2', 'other/2', 'crowd/3'];
    expect(asked).toEqual(inTurn);
    now = 2000;
    asked = [];
    decide();
    reasons.look();
    expect([...asked].sort()).toEqual([...inTurn].sort());
    expect(asked.indexOf('other/1')).toBeLessThan(asked.lastIndexOf('crowd/3'));
    expect(new Set(asked.slice(0, 3).map((gang) => gang.split('/')[0])).size).toBe(3);
  });

  it('that are new or different are news once', () => {
    decide(['a', 'b']);
    reasons.look();
    expect([...reasons.takeNews()]).toEqual(['a', 'b']);
    now = 1000;
    decide();
    reasons.look();
    expect([...reasons.takeNews()]).toEqual([]);
    message = 'less room';
    now = 9000;
    decide();
    reasons.look();
    expect([...reasons.takeNews()].sort()).toEqual(['a', 'b']);
  });

  it('of another term are no news', () => {
    decide(['a']);
    reasons.look();
    reasons.clear();
    expect([...reasons.takeNews()]).toEqual([]);
    expect(known()).toEqual([]);
  });

  it('that cannot be found are reported, and asked for again only after a change of the gang', () => {
    message = 'broken';
    decide(['a']);
    reasons.look();
    expect(errors).toEqual(['a: broken']);
    now = 5000;
    decide();
    expect(reasons.dueIn()).toBe(Infinity);
  });
});
