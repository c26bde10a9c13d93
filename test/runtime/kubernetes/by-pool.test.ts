import { ByPool, type Pool, poolKey } from '../../../src/runtime/kubernetes/world/by-pool';

const pool = (name: string): Pool => ({ driver: 'gpu.example.com', pool: name });

test('an object is found by the pools that it names now', () => {
  const objects = new Map<string, readonly Pool[]>([
    ['a', [pool('n-1')]],
    ['b', [pool('n-1'), pool('n-2'), pool('n-2')]],
  ]);
  const known = new ByPool(
    () => objects.keys(),
    (name) => objects.get(name) ?? [],
  );
  const found = (...names: readonly string[]): readonly string[] =>
    [...known.in(names.map((name) => poolKey(pool(name))))].sort();
  expect([found('n-1'), found('n-2'), found('n-3'), found('n-2', 'n-1')]).toEqual([['a', 'b'], ['b'], [], ['a', 'b']]);

  objects.set('a', [pool('n-3')]);
  objects.delete('b');
  // Not before it is said.
  expect(found('n-1')).toEqual(['a', 'b']);
  known.touch('a');
  known.touch('b');
  expect([found('n-1'), found('n-2'), found('n-3')]).toEqual([[], [], ['a']]);

  objects.set('c', [pool('n-1')]);
  objects.set('a', [pool('n-2')]);
  known.touchAll();
  expect([found('n-1'), found('n-2'), found('n-3')]).toEqual([['c'], ['a'], []]);
});
