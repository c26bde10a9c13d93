import { DEFAULT_POLICY, type Snapshot } from '../../../src/placement';
import { culpritIn } from '../../../src/runtime/kubernetes/isolate';

describe('what makes a decision fail', () => {
  const names = (prefix: string, count: number): readonly { readonly name: string }[] =>
    Array.from({ length: count }, (_, i) => ({ name: `${prefix}-${i}` }));
  const snapshot = {
    now: 0,
    nodes: names('n', 50),
    queues: names('q', 20),
    gangs: names('g', 1000),
    pods: [
      { name: 'p', gang: 'g-7', state: 'pending' },
      { name: 'alone', state: 'running' },
    ],
  } as unknown as Snapshot;
  const has = (list: readonly { readonly name: string }[], name: string): boolean =>
    list.some((one) => one.name === name);

  it('is found among the gangs in a few tries', () => {
    let tries = 0;
    const fails = (tried: Snapshot): boolean => {
      tries++;
      // Pods go with their gang, and those without one stay.
      expect(has(tried.pods, 'p')).toBe(has(tried.gangs, 'g-7'));
      expect(has(tried.pods, 'alone')).toBe(true);
      return has(tried.gangs, 'g-613');
    };
    expect(culpritIn(snapshot, DEFAULT_POLICY, fails)).toEqual({ kind: 'gang', name: 'g-613' });
    expect(tries).toBeLessThan(15);
  });

  it('is found among the nodes, and among the queues', () => {
    expect(culpritIn(snapshot, DEFAULT_POLICY, ({ nodes }) => has(nodes, 'n-0'))).toEqual({
      kind: 'node',
      name: 'n-0',
    });
    expect(culpritIn(snapshot, DEFAULT_POLICY, ({ queues }) => has(queues, 'q-19'))).toEqual({
      kind: 'queue',
      name: 'q-19',
    });
  });

  it('is none of them where it fails without any', () => {
    expect(culpritIn(snapshot, DEFAULT_POLICY, () => true)).toBeUndefined();
  });

  it('is none of them where it does not fail again', () => {
    expect(culpritIn(snapshot, DEFAULT_POLICY, () => false)).toBeUndefined();
  });
});
