/**
 * What the API server checks of constants once an expression has a type: durations, timestamps, patterns, and the string of `format` with its arguments.
 */
import { counted } from '../../facts/words';
import { givenPatternOf } from '../../manifests/values/patterns';
import { durationOf } from '../durations';
import { printType, type CelType } from './types';

/** What is wrong with the constant first argument of a function; `undefined` for a good one. */
export function literalComplaint(functionName: string, value: string): string | undefined {
  switch (functionName) {
    case 'duration':
      return durationOf(value) === undefined ? `has the invalid duration "${value}"` : undefined;
    case 'timestamp':
      return isTimestamp(value) ? undefined : `has the invalid timestamp "${value}"`;
    case 'matches':
      return givenPatternOf(value) === undefined ? `has the invalid pattern "${value}"` : undefined;
    default:
      return undefined;
  }
}

function isTimestamp(text: string): boolean {
  const [, day, offset] =
    /^\d{4}-\d{2}-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(Z|[+-]\d{2}:[0-5]\d)$/.exec(text) ?? [];
  if (offset === undefined) {
    return false;
  }
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day) && text.slice(0, 4) !== '0000';
}

const INTEGERS = ['int', 'uint'];
/** The types that a verb takes; `dyn` is taken by all. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  s: [
    ...['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type'],
    'null_type',
  ],
  d: INTEGERS,
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: [...INTEGERS, 'bool'],
  x: [...INTEGERS, 'string', 'bytes'],
  X: [...INTEGERS, 'string', 'bytes'],
  o: INTEGERS,
};

/** What is wrong with `"…".format([…])`. */
export function formatComplaint(format: string, types: readonly CelType[]): string | undefined {
  let used = 0;
  for (const [clause, precision, verb] of format.matchAll(/%(?:(\.\d*)?([^.%]|$)|%|.?)/gs)) {
    if (clause === '%%') {
      continue;
    }
    if (verb === undefined || !Object.hasOwn(VERBS, verb) || precision === '.') {
      return `formats with the unknown clause "${clause}"`;
    }
    const type = types[used++];
    if (type === undefined) {
      return `formats ${counted(used, 'argument')}, but has ${types.length}`;
    }
    if (type.kind !== 'dyn' && !VERBS[verb].includes(type.kind)) {
      return `formats a value of type ${printType(type)} with "${clause}"`;
    }
  }
  return used < types.length ? `formats ${counted(used, 'argument')}, but has ${types.length}` : undefined;
}
