import { cluster, gang, MINUTE, node, NOW, run, template } from './builders';

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

describe('first-fit', () => {
  it('takes the first node by name', () => {
    const nodes = [node('a', 8), node('b', 2)];
    const [binding] = run(cluster(nodes, [gang('g', 1, template(2))]), { nodeScore: 'first-fit' }).bindings;
    expect(binding.node).toBe('a');
  });
});
