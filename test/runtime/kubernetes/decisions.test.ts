/**
 * What people see of the latest decisions.
 */
import { type Binding, type Decision, type Eviction } from '../../../src/placement';
import { Decisions } from '../../../src/runtime/kubernetes/decisions';
import { type Outcome } from '../../../src/runtime/kubernetes/outcome';

const place = (gang: string, node: string): Binding => ({ pod: `${gang}-${node}`, gang, role: 'r', node, devices: [] });
const evict = (gang: string, node: string, more: Partial<Eviction>): Eviction => ({
  pod: `${gang}-${node}`,
  gang,
  node,
  action: 'reclaim',
  ...more,
});

describe('the latest decisions', () => {
  let decisions: Decisions;
  let at: number;
  const add = (parts: Partial<Decision>): void =>
    decisions.add({
      at: ++at,
      decision: { bindings: [], nominations: [], evictions: [], ...parts },
    } as unknown as Outcome);

  beforeEach(() => {
    decisions = new Decisions();
    at = 0;
  });

  it('count the pods and the nodes of a gang', () => {
    add({ bindings: [place('a', 'n1'), place('a', 'n1'), place('a', 'n2'), place('b', 'n3')] });
    expect(decisions.latest).toEqual([
      { at: 1, gang: 'b', what: 'placed', pods: 1, nodes: ['n3'], nodeCount: 1 },
      { at: 1, gang: 'a', what: 'placed', pods: 3, nodes: ['n1', 'n2'], nodeCount: 2 },
    ]);
  });

  it('name the first eight nodes, and count all', () => {
    add({ bindings: Array.from({ length: 9 }, (_, index) => place('a', `n${index}`)) });
    const [{ nodes, nodeCount }] = decisions.latest;
    expect(nodes).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
    expect(nodeCount).toBe(9);
  });

  it('report a nomination when it begins, and again when it begins again', () => {
    const nominations = [place('a', 'n1')];
    add({ nominations });
    add({ nominations });
    expect(decisions.latest).toMatchObject([{ at: 1, gang: 'a', what: 'nominated', pods: 1 }]);
    add({});
    add({ nominations });
    expect(decisions.latest.map((record) => record.at)).toEqual([4, 1]);
  });

  it('say for whom and by which action pods are evicted, and which are moved', () => {
    add({
      evictions: [
        evict('a', 'n1', { beneficiary: 'b' }),
        evict('a', 'n2', { beneficiary: 'c' }),
        evict('a', 'n3', { beneficiary: 'c', action: 'preempt' }),
        evict('a', 'n4', { action: 'evict-stale' }),
        evict('a', 'n5', { beneficiary: 'b', action: 'consolidate', movesTo: 'n6' }),
      ],
    });
    expect(decisions.latest.map(({ at: _, pods: __, nodeCount: ___, ...record }) => record)).toEqual([
      { gang: 'a', what: 'moved', action: 'consolidate', beneficiary: 'b', nodes: ['n5'] },
      { gang: 'a', what: 'evicted', action: 'evict-stale', nodes: ['n4'] },
      { gang: 'a', what: 'evicted', action: 'preempt', beneficiary: 'c', nodes: ['n3'] },
      { gang: 'a', what: 'evicted', action: 'reclaim', beneficiary: 'c', nodes: ['n2'] },
      { gang: 'a', what: 'evicted', action: 'reclaim', beneficiary: 'b', nodes: ['n1'] },
    ]);
  });

  it('are the newest 200, the newest first', () => {
    for (let index = 0; index <= 200; index++) {
      add({ bindings: [place(`g${index}`, 'n')] });
    }
    expect(decisions.latest).toHaveLength(200);
    expect([decisions.latest[0].gang, decisions.latest[199].gang]).toEqual(['g200', 'g1']);
  });
});
