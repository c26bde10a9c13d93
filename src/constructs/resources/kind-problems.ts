/**
 * Compares what a program passes with the kinds of values that there are: a number where a string belongs, null, a list instead of one
 * object. What a constructor itself says about a value is better; this is for values that it would accept, or fail on without a message.
 */
import { inertIn } from '../../checks/inert';
import { nearestName } from '../../facts/spelling';
import { isDeferred } from '../../manifests/deferred';
import { type Accepted, type Callable, isPlain, shapeOf } from './prop-problems';
import { millisecondsOf } from './durations';
import { bytesText, shown } from './quantities';

/**
 * What is wrong with the kinds of the values that a call was given, as clauses without a final full stop.
 *
 * @param isClosed whether the props themselves are known in full; otherwise only what is nested in them
 */
export function kindProblems(callable: Callable = [], args: readonly unknown[], isClosed: boolean): readonly string[] {
  return callable.flatMap((parameter) => {
    const { at, name, shape, isRequired } = parameter;
    const value = args[at];
    if (value === undefined) {
      return isRequired ? [`${name} is required`] : [];
    }
    const problem = problemOf(value, parameter, name);
    if (problem !== undefined) {
      return [problem];
    }
    if (Array.isArray(value)) {
      return nested(value, {}, name);
    }
    return shape === undefined ? [] : within(value, shape, '', isClosed);
  });
}

function within(value: unknown, shape: number, at: string, isClosed: boolean): readonly string[] {
  if (!isPlain(value)) {
    return [];
  }
  const known = shapeOf(shape);
  return Object.entries(value).flatMap(([name, member]): readonly string[] => {
    const prop = known.get(name);
    if (prop === undefined || member === undefined) {
      return [];
    }
    const path = at === '' ? name : `${at}.${name}`;
    const problem = isClosed ? problemOf(member, prop, path) : undefined;
    return problem === undefined ? nested(member, prop, path) : [problem];
  });
}

function nested(
  value: unknown,
  { object, list, map }: { readonly object?: number; readonly list?: number; readonly map?: number },
  at: string,
): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((member, index) => memberOf(member, list, `${at}[${index}]`));
  }
  if (map !== undefined && isPlain(value)) {
    return Object.entries(value).flatMap(([name, member]) => memberOf(member, map, `${at}.${name}`));
  }
  return object === undefined ? [] : within(value, object, at, true);
}

/** A member of a list or map that may be an instance too, and nothing else. */
function memberOf(value: unknown, shape: number | undefined, at: string): readonly string[] {
  if (value === null) {
    return [`${at} must not be null`];
  }
  return shape === undefined ? [] : within(value, shape, at, true);
}

function problemOf(value: unknown, { kinds, classes, strings }: Accepted, at: string): string | undefined {
  if (typeof value === 'string') {
    const problem = strings === undefined ? emptyProblem(value, at) : otherProblem(value, strings, at);
    if (problem !== undefined && kinds.includes('s')) {
      return problem;
    }
  }
  const kind = kindOf(value);
  return kinds === '' || kind === undefined || kinds.includes(kind)
    ? undefined
    : (unitProblem(value, classes, at) ??
        `${at} must be ${expected(kinds, classes)}, not ${kind === 'nan' ? 'NaN' : textOf(value)}`);
}

/** Amounts of memory and times say themselves how they are written. */
function unitProblem(value: unknown, classes: readonly string[], at: string): string | undefined {
  const read = classes.includes('Size') ? bytesText : classes.includes('Duration') ? millisecondsOf : undefined;
  try {
    read?.(at, value as never);
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, '') : undefined;
  }
  return undefined;
}

/** Strings without which nothing can be built, or found. */
const NEVER_EMPTY = /(?:^|\.)(?:name|image|schedule|path|resource|key)$/;

function emptyProblem(value: string, at: string): string | undefined {
  return value.trim() === '' && NEVER_EMPTY.test(at) ? `${at} must not be empty` : undefined;
}

function otherProblem(value: string, strings: readonly string[], at: string): string | undefined {
  if (strings.includes(value)) {
    return undefined;
  }
  const near = nearestName(value, strings);
  const choices = strings.map((one) => `"${one}"`).join(', ');
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return `${at} must be ${strings.length === 1 ? '' : 'one of '}${choices}, not ${shown(value)}${meant}`;
}

/** Values that are known later, and instances, are not compared. */
function kindOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return 's';
    case 'number':
      return Number.isNaN(value) ? 'nan' : 'n';
    case 'boolean':
      return 'b';
    case 'symbol':
    case 'bigint':
      return 'unknown';
    case 'object':
      return value === null ? 'z' : Array.isArray(value) ? 'a' : isPlain(value) ? 'o' : undefined;
    case 'function':
      return isDeferred(value) || inertIn([value]).length > 0 ? undefined : 'f';
    case 'undefined':
      return undefined;
  }
}

function textOf(value: unknown): string {
  return ['symbol', 'bigint', 'function'].includes(typeof value) ? `a ${typeof value}` : shown(value);
}

const PHRASES: readonly (readonly [string, string])[] = [
  ['s', 'a string'],
  ['n', 'a number'],
  ['b', 'true or false'],
  ['a', 'a list'],
  ['f', 'a function'],
];

function expected(kinds: string, classes: readonly string[]): string {
  const phrases = PHRASES.flatMap(([kind, phrase]) => (kinds.includes(kind) ? [phrase] : []));
  const objects = classes.map((name) => {
    const title = name.replace(/Reference$/, ' reference').replace(/([a-z])([A-Z])/g, '$1 $2');
    return `${/^[AEIOU]/.test(title) ? 'an' : 'a'} ${name.endsWith('Reference') ? title : name}`;
  });
  const all = [...objects, ...phrases, ...(kinds.includes('o') && objects.length === 0 ? ['an object'] : [])];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}
