/**
 * Compares what a program passes with the kinds of values that there are: a number where a string belongs, null, a list instead of one
 * object. What a constructor itself says about a value is better; this is for values that it would accept, or fail on without a message.
 */
import { inertIn } from '../../checks/synth/inert';
import { nearestName } from '../../facts/spelling';
import { isDeferred } from '../../manifests/values/deferred';
import { type Accepted, type Callable, isPlain, type Prop, requiredOf, shapeOf } from './prop-problems';
import { millisecondsOf } from './durations';
import { either, expectedKinds, phrasesOf } from './expected-kinds';
import { bytesText, shown } from './quantities';

/** Parameters that take props and were given something else: nothing can be said about the props themselves. */
export function missedProps(callable: Callable = [], args: readonly unknown[]): readonly string[] {
  return callable.flatMap((parameter) => {
    const { at, name, shape } = parameter;
    const value = args[at];
    const problem =
      shape === undefined || value === undefined || isPlain(value) ? undefined : problemOf(value, parameter, name);
    const members = shape === undefined ? [] : requiredOf(shape).slice(0, MOST_SHOWN);
    const example = members.length === 0 ? '' : ` such as { ${members.map((member) => `${member}: …`).join(', ')} }`;
    return problem === undefined ? [] : [problem.replace(/ must be an object,/, ` must be an object${example},`)];
  });
}

/** More required props than this are not shown in an example. */
const MOST_SHOWN = 3;

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
      // Of props, the required ones are reported instead.
      return isRequired && (shape === undefined || requiredOf(shape).length === 0) ? [`${name} is required`] : [];
    }
    const problem = problemOf(value, parameter, name);
    if (problem !== undefined) {
      // Those that take props are reported by `missedProps`.
      return shape === undefined ? [problem] : [];
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
    const problem = isClosed
      ? (mapProblem(member, prop, path) ?? problemOf(member, prop, path, prop.object))
      : undefined;
    return problem === undefined ? nested(member, prop, path) : [problem];
  });
}

function nested(
  value: unknown,
  { object, list, map, members }: Pick<Prop, 'object' | 'list' | 'map' | 'members'>,
  at: string,
): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((member, index) => memberOf(member, list, members, `${at}[${index}]`));
  }
  if (object === undefined && isPlain(value) && (map ?? members) !== undefined) {
    return Object.entries(value).flatMap(([name, member]) => memberOf(member, map, members, `${at}.${name}`));
  }
  return object === undefined ? [] : within(value, object, at, true);
}

/** A member of a list or map. */
function memberOf(
  value: unknown,
  shape: number | undefined,
  members: Accepted | undefined,
  at: string,
): readonly string[] {
  if (value === null && members?.kinds.includes('z') !== true) {
    return [`${at} must not be null`];
  }
  const problem = members === undefined ? undefined : problemOf(value, members, at);
  return problem !== undefined ? [problem] : shape === undefined ? [] : within(value, shape, at, true);
}

/** @param shape of an object that may be in the value's place, by its index */
function problemOf(
  value: unknown,
  { kinds, classes, strings }: Accepted,
  at: string,
  shape?: number,
): string | undefined {
  if (typeof value === 'string') {
    const problem =
      strings === undefined ? emptyProblem(value, at) : otherProblem(value, { kinds, strings, shape }, at);
    if (problem !== undefined && kinds.includes('s')) {
      return problem;
    }
  }
  const kind = kindOf(value);
  return kinds === '' || kind === undefined || kinds.includes(kind) || (value === false && kinds.includes('d'))
    ? undefined
    : (unitProblem(value, classes, at) ??
        `${at} must be ${expectedKinds(kinds, classes, value)}, not ${kind === 'nan' ? 'NaN' : textOf(value)}`);
}

/** A list in place of a map of names. */
function mapProblem(value: unknown, { map, list }: Prop, at: string): string | undefined {
  return Array.isArray(value) && map !== undefined && list === undefined
    ? `${at} must be an object with a name for each member, not a list`
    : undefined;
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

function otherProblem(
  value: string,
  { kinds, strings, shape }: Pick<Accepted, 'kinds'> & { readonly strings: readonly string[]; readonly shape?: number },
  at: string,
): string | undefined {
  if (strings.includes(value)) {
    return undefined;
  }
  const near = nearestName(value, strings);
  const names = strings.map((one) => `"${one}"`);
  const members = shape === undefined ? [] : requiredOf(shape);
  const object = members.length === 0 ? [] : [`an object with ${members.join(', ')}`];
  const others = phrasesOf(kinds.replace('s', ''));
  const isList = others.length === 0 && object.length === 0;
  const choices = isList ? names.join(', ') : either([...others, ...names, ...object]);
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return `${at} must be ${isList && names.length > 1 ? 'one of ' : ''}${choices}, not ${shown(value)}${meant}`;
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
  if (['symbol', 'bigint', 'function'].includes(typeof value)) {
    return `a ${typeof value}`;
  }
  return typeof value === 'object' && value !== null && !isData(value) ? 'an object' : shown(value);
}

/** Whether a value consists of plain objects and lists, so that it can be printed. */
function isData(value: unknown): boolean {
  const isLeaf = typeof value !== 'object' || value === null;
  return isLeaf || ((Array.isArray(value) || isPlain(value)) && Object.values(value).every(isData));
}
