/** How a message asks for a value: `a number`, `a kueue.ResourceFlavor, or kueue.ResourceFlavor.fromName("h100") for one in the cluster`. */
import { CLASSES } from './known-props';
import { withArticle } from '../../facts/words';

const PHRASES: readonly (readonly [string, string])[] = [
  ['s', 'a string'],
  ['n', 'a number'],
  ['b', 'true or false'],
  ['d', 'false'],
  ['a', 'a list'],
  ['f', 'a function'],
];

/** Queues are referred to by their engine, all other objects by their kind. */
const QUEUES: Readonly<Record<string, string>> = {
  GantryQueue: 'GantryQueue',
  KaiQueue: 'kai.Queue',
  KueueQueue: 'kueue.LocalQueue',
  VolcanoQueue: 'volcano.Queue',
};

/** By the last part of its name, each class whose `fromName` refers to an object of the cluster. */
const REFERRED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CLASSES)
    .filter(([, members]) => /(?:^| )fromName:/.test(members))
    .map(([name]) => [name.split('.').at(-1) ?? name, name] as const),
  ...Object.entries(QUEUES),
]);

/** By the last part of its name, each public class: its name as a program writes it, and its members. */
const PUBLIC: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries(CLASSES).map(([name, members]) => [name.split('.').at(-1) ?? name, [name, members]]),
);

/** What has a name of its own, and is not referred to by it. */
const REFERENCES: Readonly<Record<string, string>> = {
  ObjectReference: 'a construct or the value of a fromName',
  RuntimeReference: 'a trainer.TrainingRuntime, a trainer.ClusterTrainingRuntime, or the value of their fromName',
  ScalableReference: 'the construct of a workload',
};

/**
 * What a parameter or a prop takes, as the end of `must be …`.
 *
 * @param value what it was given: a string is taken for the name of the object that is meant
 */
export function expectedKinds(kinds: string, classes: readonly string[], value: unknown): string {
  const phrases = phrasesOf(kinds);
  const referred = classes.flatMap((name) => REFERRED.get(name.replace(/Reference$/, '')) ?? []);
  if (referred.length > 0 && referred.length === classes.length && !kinds.includes('s')) {
    const name = typeof value === 'string' && value !== '' ? JSON.stringify(value) : '"…"';
    const calls = referred.map((each) => `${each}.fromName(${name})`);
    return `${either([...referred.map(withArticle), ...phrases])}, or ${either(calls)} for one in the cluster`;
  }
  const objects = classes.map((name) => REFERENCES[name] ?? withFactory(name));
  return either([...objects, ...(kinds.includes('o') && objects.length === 0 ? ['an object'] : []), ...phrases]);
}

/** The kinds of values that are not objects. */
export function phrasesOf(kinds: string): readonly string[] {
  return PHRASES.flatMap(([kind, phrase]) => (kinds.includes(kind) ? [phrase] : []));
}

/** A class with an example of what makes one: `a PlatformNetwork such as PlatformNetwork.infiniband(…)`. */
function withFactory(name: string): string {
  const [title, members = ''] = PUBLIC.get(name) ?? [];
  const [first = ''] = members.split(' ').map((member) => member.split(':')[0]);
  const call = first === 'new' ? `new ${title}(…)` : `${title}.${first}(…)`;
  return title === undefined || first.startsWith('#') ? withArticle(name) : `${withArticle(name)} such as ${call}`;
}

/** `a, b or c`. */
export function either(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
