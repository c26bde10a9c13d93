/**
 * What an editor offers while a name is typed: a class at the top of the package must not have a namesake in one of its namespaces.
 */
import * as gantry from '../../../src';

// A public class is a proxy, whose text is not that of a class.
const isClass = (value: unknown): boolean =>
  typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
const ROOT = Object.entries(gantry).flatMap(([name, value]) => (isClass(value) ? [name] : []));
const NAMESPACES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(gantry).flatMap(([name, value]) =>
    typeof value === 'object' && /^[a-z]/.test(name)
      ? [[name, Object.entries(value).flatMap(([member, inner]) => (isClass(inner) ? [member] : []))]]
      : [],
  ),
);

test('no class of the root has a namesake in a namespace: `PodTemplate` is one thing', () => {
  const namesakes = Object.entries(NAMESPACES).flatMap(([namespace, names]) =>
    names.filter((name) => ROOT.includes(name)).map((name) => `${namespace}.${name}`),
  );
  expect(ROOT).toContain('PodTemplate');
  expect(namesakes).toEqual([]);
});

test('a name that several namespaces have is reached through them alone, and each says which project it is of', () => {
  const found = new Map<string, string[]>();
  for (const [namespace, names] of Object.entries(NAMESPACES)) {
    for (const name of names) {
      found.set(name, [...(found.get(name) ?? []), namespace]);
    }
  }
  const shared = Object.fromEntries([...found].filter(([, namespaces]) => namespaces.length > 1));
  expect(shared).toEqual({ CronJob: ['batch', 'volcano'], Job: ['batch', 'volcano'], Queue: ['kai', 'volcano'] });
});
