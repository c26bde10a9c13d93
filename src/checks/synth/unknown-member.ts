/**
 * What a program without types wrote where it used a member that the package does not have. The language says only that something is not a
 * function.
 */
import { readFileSync } from 'node:fs';
import { oneOf } from '../../facts/words';
import { publicNames } from '../../facts/calls/public-names';
import { nearestName } from '../../facts/spelling';
import { type Place, placeOfError, placeText } from './program-place';

/**
 * The error as one line with the place in the program and, if there is one, the name that was probably meant. `undefined` for any other
 * error, which keeps its trace: one that the package or another one made, and one about a name that is not like any of the package.
 */
export function unknownMember(error: unknown): string | undefined {
  const place = error instanceof TypeError ? placeOfError(error) : undefined;
  if (!(error instanceof TypeError) || place === undefined) {
    return undefined;
  }
  const use = useIn(error.message, place);
  if (use === undefined) {
    return undefined;
  }
  const meant = meantBy(use);
  if (meant === undefined) {
    return undefined;
  }
  const suggestion = meant.length === 0 ? '' : ` (did you mean ${oneOf(meant.map((name) => `"${name}"`))}?)`;
  return `${use.text}${suggestion} (${placeText(place)})`;
}

/** An expression of the program that has no value, or not the one that it is used as. */
interface Use {
  /** What is wrong, as a clause. */
  readonly text: string;
  /** The names in the expression: `keda`, `Trigger`, `cpu`. The first is empty if they belong to the result of a call. */
  readonly path: readonly string[];
  readonly as: 'function' | 'constructor' | 'object';
}

function useIn(message: string, place: Place): Use | undefined {
  const [, called, as] = /([\w$.?]+)\)? is not a (function|constructor)$/.exec(message) ?? [];
  if (called !== undefined) {
    return { text: message, path: called.split(/\??\./), as: as === 'function' ? 'function' : 'constructor' };
  }
  if (!message.startsWith('Cannot read properties of undefined ')) {
    return undefined;
  }
  // The message names the member that was read, and not the expression that has no value, which is before it in the file.
  const [, read] = /([\w$]+(?:\.[\w$]+)*)\.$/.exec(textBefore(place)) ?? [];
  return read === undefined ? undefined : { text: `${read} is undefined`, path: read.split('.'), as: 'object' };
}

/** Expressions are looked for in the characters before the place, since lines of generated files have any length. */
const LONGEST = 200;

function textBefore({ file, line, column }: Place): string {
  try {
    return (readFileSync(file, 'utf8').split('\n')[line - 1] ?? '').slice(Math.max(0, column - LONGEST), column - 1);
  } catch {
    return '';
  }
}

/** The names that may have been meant; none if only the owner of the name is known, `undefined` if not even that. */
function meantBy({ path, as }: Use): readonly string[] | undefined {
  const member = path.at(-1) ?? '';
  const owned = membersOf(path.slice(0, -1));
  if (owned !== undefined) {
    const near = nearest(member, owned);
    return near.length > 0 ? near : [...publicNames()].flatMap(staticsOf).filter((name) => lastOf(name) === member);
  }
  // A method that there is is called on an object that does not have it: that object is not one that the package made.
  const near = nearest(member, LIKE[as]()).filter((name) => name !== member);
  return near.length === 0 ? undefined : near;
}

/** What the member of an object that is not known may be meant to be. */
const LIKE: Readonly<Record<Use['as'], () => readonly string[]>> = {
  function: () => [...publicNames()].flatMap(([name, value]) => ('prototype' in value ? methodsOf(value) : [name])),
  constructor: () => [...publicNames().keys()],
  object: () => [],
};

/** The members of the namespace or class that a path ends with; `undefined` if it is none of the package. */
function membersOf(path: readonly string[]): readonly string[] | undefined {
  const names = [...publicNames()];
  const owner = path.at(-1) ?? '';
  if (owner === '') {
    return undefined;
  }
  const inNamespace = names.map(([name]) => name).filter((name) => namespaceOf(name) === owner);
  if (inNamespace.length > 0) {
    return inNamespace;
  }
  const classes = names.filter(([name]) => lastOf(name) === owner);
  const stated = classes.filter(([name]) => name === path.slice(-2).join('.'));
  return classes.length === 0 ? undefined : (stated.length > 0 ? stated : classes).flatMap(staticsOf);
}

/** The names whose last part is that of the name, or nearly so. */
function nearest(member: string, names: readonly string[]): readonly string[] {
  const last = names.some((name) => lastOf(name) === member) ? member : nearestName(member, names.map(lastOf));
  return [...new Set(names.filter((name) => lastOf(name) === last))];
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

const OF_EVERY_FUNCTION = new Set(Object.getOwnPropertyNames(class {}));

function staticsOf([name, value]: readonly [string, object]): readonly string[] {
  const own = Object.getOwnPropertyNames(value).filter((key) => !OF_EVERY_FUNCTION.has(key));
  return own.map((key) => `${name}.${key}`);
}

/** The names of what instances of a class have, without those that every object has. */
function methodsOf(value: object): readonly string[] {
  const names: string[] = [];
  let holder: unknown = 'prototype' in value ? value.prototype : undefined;
  while (typeof holder === 'object' && holder !== null && holder !== Object.prototype) {
    names.push(...Object.getOwnPropertyNames(holder).filter((key) => key !== 'constructor'));
    holder = Object.getPrototypeOf(holder);
  }
  return names;
}
