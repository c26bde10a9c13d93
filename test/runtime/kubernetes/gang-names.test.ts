import { GangNames, type NamedGang } from '../../../src/runtime/kubernetes/world/gang-names';

test('a gang has its short name while no other has it, as a name or as a key', () => {
  const renamed: string[] = [];
  const names = new GangNames<NamedGang>(({ key, name }) => renamed.push(`${key} is ${name}`));
  const make = (key: string): NamedGang => ({ key, name: key });
  const [first, second, third] = [make('a/gang/x'), make('a/podgroup/x'), make('a/x')];
  names.put(first, 'a/x');
  expect(names.get('a/x')).toBe(first);
  names.put(second, 'a/x');
  expect([first.name, second.name, names.get('a/x')]).toEqual(['a/gang/x', 'a/podgroup/x', undefined]);
  names.remove(second);
  expect(names.get('a/x')).toBe(first);
  // The key of another gang names no gang.
  names.put(third, 'a/y');
  expect([first.name, third.name, names.get('a/x')]).toEqual(['a/gang/x', 'a/y', undefined]);
  names.remove(third);
  expect(names.get('a/x')).toBe(first);
  names.put(first, 'a/job');
  expect([names.get('a/x'), names.get('a/job')]).toEqual([undefined, first]);
  expect(renamed).toContain('a/gang/x is a/job');
  names.remove(first);
  expect(names.get('a/job')).toBeUndefined();
});

test('a gang that has another name gives its first one away', () => {
  const names = new GangNames<NamedGang>(() => undefined);
  const [first, second] = ['a/gang/x', 'a/podgroup/x'].map((key) => ({ key, name: key }));
  names.put(first, 'a/x');
  names.put(first, 'a/job');
  names.put(second, 'a/x');
  expect([first.name, second.name]).toEqual(['a/job', 'a/x']);
  expect([names.get('a/job'), names.get('a/x')]).toEqual([first, second]);
  // What is not there cannot be removed, and takes no name with it.
  names.remove({ key: 'a/none', name: 'a/x' });
  expect(names.get('a/x')).toBe(second);
});
