import {
  type Gang,
  type NodeScore,
  type PodOrder,
  type PodTemplate,
  type Queue,
  type QueueOrder,
  type ShareJudgment,
  type SurplusOrder,
} from '../../src/placement';
import { cluster, gang, MINUTE, node, NOW, run, running, template } from './builders';

const started = (gangs: Parameters<typeof cluster>[1], policy: Parameters<typeof run>[1]): string[] =>
  run(cluster([node('n', 8)], gangs), { actions: ['allocate'], ...policy }).bindings.map(({ gang: name }) => name);

describe('shortest-first', () => {
  const long = gang('long', 1, template(8), { arrival: NOW - 90 * MINUTE, expectedSeconds: 3600 });
  const short = gang('short', 1, template(8), { arrival: NOW, expectedSeconds: 60 });

  it('lets a short gang overtake a long one', () => {
    expect(started([long, short], { gangOrder: 'age' })).toEqual(['long']);
    expect(started([long, short], { gangOrder: 'shortest-first' })).toEqual(['short']);
  });

  it('lets no gang starve: one that has waited long enough goes first', () => {
    const older = { ...long, arrival: NOW - 130 * MINUTE };
    expect(started([older, short], { gangOrder: 'shortest-first' })).toEqual(['long']);
  });

  it('keeps to priorities', () => {
    expect(started([{ ...long, priority: 1 }, short], { gangOrder: 'shortest-first' })).toEqual(['long']);
  });
});

describe('weight', () => {
  it('shares by weight alone, whatever quota and priority are', () => {
    const queues: Queue[] = [
      { name: 'q', weight: 1, priority: 5, deserved: { 'nvidia.com/gpu': 6 } },
      { name: 'p', weight: 3, deserved: { 'nvidia.com/gpu': 2 } },
    ];
    const many = (queue: string): Gang => gang(`in-${queue}`, 16, template(1), { queue, minimum: 1 });
    const shares = (queueOrder: QueueOrder): (number | undefined)[] =>
      run(cluster([node('a', 8)], [many('q'), many('p')], [], { queues }), { queueOrder }).queues.map(
        ({ allocated }) => allocated['nvidia.com/gpu'],
      );
    expect(shares('quota-then-surplus')).toEqual([2, 6]);
    expect(shares('weight')).toEqual([6, 2]);
  });
});

describe('shareJudgment', () => {
  it('decides whether a queue above its share of CPU keeps its claim on devices', () => {
    const queues: Queue[] = ['q', 'p'].map((name) => ({ name, deserved: { cpu: 8_000 } }));
    const cpu = (name: string, queue: string): Gang => gang(name, 1, { request: { cpu: 30_000 } }, { queue });
    const bare = { request: { 'nvidia.com/gpu': 1 } };
    const first = (shareJudgment: ShareJudgment): string =>
      run(
        cluster(
          [node('a', 2)],
          [
            cpu('preparation', 'q'),
            cpu('indexing', 'p'),
            gang('there', 1, bare, { queue: 'p' }),
            gang('training', 1, bare, { queue: 'q' }),
            gang('release', 1, bare, { queue: 'p', arrival: NOW - 9 * MINUTE }),
          ],
          [running('preparation', 'a'), running('there', 'a')],
          { queues },
        ),
        { shareJudgment, actions: ['allocate'] },
      ).bindings[0].gang;
    expect(first('any-resource')).toBe('release');
    expect(first('requested-resources')).toBe('training');
  });
});

describe('surplusOrder', () => {
  it('gives the surplus to one elastic gang after the other, or to all in turn', () => {
    const elastic = (name: string): Gang => gang(name, 8, template(1), { minimum: 1 });
    const counts = (surplusOrder: SurplusOrder): number[] => {
      const { bindings } = run(cluster([node('n', 8)], [elastic('a'), elastic('b')]), { surplusOrder });
      return ['a', 'b'].map((name) => bindings.filter(({ gang: of }) => of === name).length);
    };
    expect(counts('first-gang')).toEqual([7, 1]);
    expect(counts('in-turn')).toEqual([4, 4]);
  });
});

describe('podOrder', () => {
  const elastic: Gang = {
    ...gang('g', 1, template(1), { minimum: 1 }),
    roles: [
      { name: 'evaluator', count: 3, minimum: 0, template: template(1) },
      { name: 'trainer', count: 3, minimum: 0, template: template(1), priority: 5 },
    ],
  };
  const roles = (podOrder: PodOrder): string[] =>
    run(cluster([node('n', 4)], [elastic]), { podOrder }).bindings.map(({ role }) => role);

  it('starts the pods of the first role, or those of the highest priority', () => {
    expect(roles('declared')).toEqual(['evaluator', 'evaluator', 'evaluator', 'trainer']);
    expect(roles('priority')).toEqual(['trainer', 'trainer', 'trainer', 'evaluator']);
  });

  it('evicts the pods of the lowest priority first', () => {
    const pods = ['evaluator', 'trainer'].flatMap((role) =>
      [0, 1, 2].map((i) => running('g', 'n', i, { name: `g-${role}-${i}`, role })),
    );
    const world = cluster([node('n', 6)], [elastic, gang('urgent', 1, template(2), { priority: 9 })], pods);
    const evicted = (podOrder: PodOrder): string[] =>
      run(world, { podOrder, actions: ['preempt'] })
        .evictions.map(({ pod }) => pod)
        .sort();
    expect(evicted('declared')).toEqual(['g-trainer-1', 'g-trainer-2']);
    expect(evicted('priority')).toEqual(['g-evaluator-1', 'g-evaluator-2']);
  });
});

describe('sharedDeviceWaitSeconds', () => {
  const part = { ...template(0), accelerator: { kind: 'fraction' as const, milli: 500 } };
  const queues: Queue[] = ['p', 'q'].map((name) => ({
    name,
    deserved: { 'nvidia.com/gpu': 1, cpu: 'unlimited', memory: 'unlimited' },
  }));
  const notebooks = ['a', 'b'].map((name) => gang(name, 1, part, { queue: 'p' }));
  const pods = notebooks.map(({ name }) => running(name, 'n', 0, { devices: [0] }));
  const decided = (more: Partial<Gang>, requested: PodTemplate = part): readonly string[] => {
    const server = gang('server', 1, requested, { arrival: NOW - 10 * MINUTE, priority: 1, ...more });
    const world = cluster([node('n', 1)], [...notebooks, server], pods, { queues });
    return run(world, { sharedDeviceWaitSeconds: 600 }).evictions.map(({ gang: of, action }) => `${of} ${action}`);
  };

  it('evicts work of lower priority from shared devices in other queues once the gang has waited so long', () => {
    expect(decided({ arrival: NOW - 9 * MINUTE })).toEqual([]);
    expect(decided({})).toEqual(['b preempt']);
  });

  it('leaves a gang that has not waited so long the evictions that all gangs may make', () => {
    expect(decided({ arrival: NOW - 9 * MINUTE, queue: 'p' })).toEqual(['b preempt']);
  });

  it('is for gangs with a priority that request parts of devices, and not for what has as high a priority', () => {
    expect(decided({ priority: 0 })).toEqual([]);
    expect(decided({}, template(1))).toEqual([]);
    notebooks.forEach((notebook, i) => (notebooks[i] = { ...notebook, priority: 1 }));
    expect(decided({})).toEqual([]);
  });
});

describe('spread-devices', () => {
  const half = { ...template(0), accelerator: { kind: 'fraction' as const, milli: 500 } };
  const places = (nodeScore: NodeScore, nodes: ReturnType<typeof node>[]): string[] =>
    run(cluster(nodes, [gang('a', 1, half), gang('b', 1, half)]), { nodeScore }).bindings.map(
      ({ node: on, devices }) => `${on} ${devices.join()}`,
    );

  it('puts fractions on different nodes, and on different devices of a node', () => {
    expect(places('spread', [node('n', 1), node('m', 1)])).toEqual(['m 0', 'm 0']);
    expect(places('spread-devices', [node('n', 1), node('m', 1)])).toEqual(['m 0', 'n 0']);
    expect(places('spread', [node('n', 2)])).toEqual(['n 0', 'n 0']);
    expect(places('spread-devices', [node('n', 2)])).toEqual(['n 0', 'n 1']);
  });
});

describe('first-fit', () => {
  it('takes the first node by name', () => {
    const nodes = [node('a', 8), node('b', 2)];
    const [binding] = run(cluster(nodes, [gang('g', 1, template(2))]), { nodeScore: 'first-fit' }).bindings;
    expect(binding.node).toBe('a');
  });
});
