import { type Gang, type Queue } from '../../src/placement';
import { checkEntitled } from './entitled';
import { apply } from './guarantees';
import { bound, cluster, gang, MINUTE, node, NOW, run, running, template } from './builders';
import { samples } from '../support/samples';

const queues: Queue[] = ['a', 'b'].map((name) => ({ name, deserved: { 'nvidia.com/gpu': 2 } }));
const borrower = gang('borrower', 1, template(4), { queue: 'b', arrival: NOW - 20 * MINUTE });
const big = gang('big', 2, template(4), { queue: 'a', arrival: NOW - 9 * MINUTE });
const small = gang('small', 1, template(1), { queue: 'a', arrival: NOW - MINUTE });

/** Names of the gangs with running pods after some cycles. */
function after(cycles: number, gangs: readonly Gang[], policy: Parameters<typeof run>[1] = {}): string[] {
  let pods = [running('borrower', 'n')];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const snapshot = { ...cluster([node('n', 4)], gangs, pods, { queues }), now: NOW + cycle * MINUTE };
    pods = apply(snapshot, run(snapshot, policy));
  }
  return [...new Set(pods.map((pod) => pod.gang!))].sort();
}

describe('work within the unused quota of its queue', () => {
  it('starts in the cycle after the borrower was evicted, whatever waits in front of it', () => {
    expect(after(2, [borrower, big, small])).toEqual(['small']);
  });

  it('starts behind a gang of higher priority that needs more than the quota', () => {
    expect(after(2, [borrower, { ...big, priority: 100 }, small])).toEqual(['small']);
  });

  it('waits behind the head of its queue under strict-fifo', () => {
    expect(after(3, [borrower, big, small], { queueing: 'strict-fifo' })).toEqual(['borrower']);
  });

  it('goes before the surplus claims of other queues', () => {
    const rich = gang('rich', 1, template(4), { queue: 'b', arrival: NOW - 30 * MINUTE });
    expect(bound(run(cluster([node('n', 4)], [rich, big, small], [], { queues })))).toEqual(['small-worker-0 on n']);
  });

  it('keeps the order of its own queue while no other queue has a claim on what is free', () => {
    const first = gang('first', 1, template(4), { queue: 'a', priority: 100, arrival: NOW - 9 * MINUTE });
    const hopeless = gang('hopeless', 1, template(64), { queue: 'b', arrival: NOW - 30 * MINUTE });
    expect(bound(run(cluster([node('n', 4)], [first, small, hopeless], [], { queues })))).toEqual([
      'first-worker-0 on n',
    ]);
  });
});

test('a queue within its quota keeps its work, however much it has of what has no quota', () => {
  const of = (devices: number): Pick<Queue, 'deserved'> => ({ deserved: { 'nvidia.com/gpu': devices } });
  const waiting = gang('waiting', 1, template(8), { queue: 'borrows', arrival: NOW - 2 * MINUTE });
  const gangs = [
    gang('borrower', 3, template(1), { queue: 'borrows', priority: 10 }),
    gang('entitled', 1, template(1), { queue: 'full', preemptible: false }),
    gang('kept', 1, template(2), { queue: 'full' }),
    gang('urgent', 1, template(1), { queue: 'claims', priority: 10 }),
    gang('other', 2, template(1), { queue: 'claims' }),
    waiting,
  ];
  const pods = [
    ...[0, 1, 2].map((index) => running('borrower', 'n', index)),
    running('entitled', 'n'),
    running('kept', 'n'),
  ];
  const three = [
    { name: 'borrows', ...of(1) },
    { name: 'claims', ...of(3) },
    { name: 'full', ...of(3) },
  ];
  const decision = run(cluster([node('n', 8)], gangs, pods, { queues: three }));
  expect([...new Set(decision.evictions.map(({ gang: name }) => name))]).toEqual(['borrower']);
});

test('at rest, no entitled gang waits for evictions that the policy allows', () => {
  checkEntitled(samples(300), 11);
});
