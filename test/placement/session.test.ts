import { DEFAULT_POLICY } from '../../src/placement';
import { firstDifference } from '../../src/placement/cycle/compare-books';
import { decideIn } from '../../src/placement/engine';
import { Session } from '../../src/placement/books/session';
import { cluster, gang, MINUTE, node, NOW, running, template } from './builders';
import { checkHistories } from './histories';
import { samples } from '../support/samples';

describe('a session that follows the world', () => {
  it('has the books of a session built from scratch, and decides the same, after every step of a random history', () => {
    checkHistories(samples(200), 20_261_122);
  }, 600_000);

  const snapshot = cluster([node('a', 4), node('b', 4)], [gang('g', 2, template(2))], [running('g', 'a')]);
  const free = (session: Session): number[] => [...session.table.wholeFree];

  it('undoes what a decision did before it follows a change', () => {
    const session = new Session(snapshot, DEFAULT_POLICY);
    expect(decideIn(session).bindings).toHaveLength(1);
    expect(free(session)).toEqual([0, 4]);
    session.apply({ kind: 'time', now: NOW + MINUTE });
    expect(free(session)).toEqual([2, 4]);
  });

  it('counts an assumed pod until it is undone, whatever is said of it meanwhile', () => {
    const session = new Session(snapshot, DEFAULT_POLICY);
    session.assume(running('g', 'b', 1));
    expect(free(session)).toEqual([2, 2]);
    session.apply({ kind: 'pod', pod: { ...running('g', 'b', 1), state: 'pending', node: undefined } });
    expect(free(session)).toEqual([2, 2]);
    session.undo('g-worker-1');
    expect(free(session)).toEqual([2, 4]);
  });

  it('believes what is said of a pod again once it is confirmed', () => {
    const session = new Session(snapshot, DEFAULT_POLICY);
    session.assume(running('g', 'b', 1));
    session.confirm('g-worker-1');
    session.apply({ kind: 'pod-gone', name: 'g-worker-1' });
    expect(free(session)).toEqual([2, 4]);
  });

  it('is whole again after the change that ends a contradiction', () => {
    const session = new Session(snapshot, DEFAULT_POLICY);
    const lost = { ...running('nobody', 'b'), role: undefined };
    expect(() => session.apply({ kind: 'pod', pod: lost })).toThrow('names gang "nobody"');
    session.apply({ kind: 'gang', gang: gang('nobody', 1, template(1)) });
    expect(free(session)).toEqual([2, 3]);
  });

  it('catches up with a snapshot', () => {
    const session = new Session(snapshot, DEFAULT_POLICY);
    const later = cluster([node('a', 4)], [gang('g', 2, template(1))], [running('g', 'a', 0), running('g', 'a', 1)]);
    session.catchUp(later, { ...DEFAULT_POLICY, nodeScore: 'binpack' });
    expect(free(session)).toEqual([2]);
    expect(firstDifference(session, new Session(later, session.policy))).toBeUndefined();
  });

  it('is found to differ in devices, gangs and queues', () => {
    const differs = (spoil: (session: Session) => void): string | undefined => {
      const session = new Session(snapshot, DEFAULT_POLICY);
      spoil(session);
      return firstDifference(session, new Session(snapshot, DEFAULT_POLICY));
    };
    expect(differs(() => undefined)).toBeUndefined();
    expect(differs(({ table }) => (table.free[0][1] -= 1))).toContain('node "b" has');
    expect(differs(({ table }) => (table.deviceFree[5] = 0))).toContain('device 1 of node "b"');
    expect(differs(({ gangs }) => gangs[0].placed++)).toContain('gang "g" has 2 of 2');
    expect(differs(({ queues, accounts }) => (queues[0].requested[accounts.indexOf('cpu')] += 1))).toContain(
      'queue "q"',
    );
  });
});
