import { type DecisionRecord } from '../../../src/runtime/kubernetes/decisions';
import { recentActs } from '../../../src/runtime/kubernetes/recent-acts';

const record = (more: Partial<DecisionRecord>): DecisionRecord => ({
  at: 1,
  gang: 'team/a',
  what: 'placed',
  pods: 2,
  nodes: ['n-1', 'n-2'],
  nodeCount: 2,
  ...more,
});

describe('the latest decisions on the page', () => {
  it.each<[Partial<DecisionRecord>, string]>([
    [{}, '2 pods of team/a placed on 2 nodes'],
    [{ pods: 1, nodes: ['n-1'], nodeCount: 1 }, '1 pod of team/a placed on n-1'],
    [{ what: 'nominated' }, '2 pods of team/a nominated for 2 nodes, to start after the evictions'],
    [{ what: 'moved', action: 'consolidate' }, '2 pods of team/a moved away from 2 nodes'],
    [{ what: 'moved', beneficiary: 'b' }, '2 pods of team/a moved away from 2 nodes, so that b fits'],
    [{ what: 'evicted' }, '2 pods of team/a evicted from 2 nodes'],
    [{ what: 'evicted', action: 'reclaim' }, '2 pods of team/a evicted from 2 nodes (reclaim)'],
    [{ what: 'evicted', beneficiary: 'b' }, '2 pods of team/a evicted from 2 nodes for b'],
    [{ what: 'evicted', action: 'preempt', beneficiary: 'b' }, '2 pods of team/a evicted from 2 nodes (preempt) for b'],
  ])('%j is a sentence', (more, text) => {
    const isBad = more.what === 'evicted';
    expect(recentActs([record(more)])).toEqual([{ at: 1, text, ...(isBad && { kind: 'bad' }) }]);
  });

  it('are 50 at most', () => {
    const acts = recentActs(Array.from({ length: 60 }, (_, at) => record({ at })));
    expect(acts.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });
});
