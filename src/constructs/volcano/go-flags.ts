/**
 * Reads argument lists as Go's `flag` package does: that is how Volcano's job plugins read theirs.
 *
 * A mistake ends the parsing; what came before it counts, what comes after it is lost, and a value that cannot be read is 0 or false.
 * Volcano only logs the mistake.
 */
import { parseGoBool } from '../../manifests/values/go-boolean';

export type FlagType = 'string' | 'int' | 'bool';
export type FlagTypes = Readonly<Record<string, FlagType>>;

export interface FlagProblem {
  /** Index of the argument in the list. */
  readonly index: number;
  readonly kind: 'unknown' | 'bad-value' | 'missing-value' | 'not-a-flag' | 'bad-syntax';
  /** The flag's name, where one could be read. */
  readonly flag?: string;
  readonly message: string;
}

export interface ParsedFlags {
  /** What was given and understood. Absent flags keep the plugin's default. */
  readonly values: ReadonlyMap<string, string | number | boolean>;
  /** The first mistake; none follows, since parsing ends there. */
  readonly problem?: FlagProblem;
}

/** Go's `strconv.ParseInt(text, 0, 64)`: decimal, 0x, 0o or 0, 0b, with underscores between digits. */
export function parseGoInt(text: string): number | undefined {
  const match =
    /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const digits = (match[2] ?? '').replace(/_/g, '');
  const magnitude = /^0\d/.test(digits) ? parseInt(digits, 8) : Number(digits);
  return match[1] === '-' ? -magnitude : magnitude;
}

export function parseGoFlags(args: readonly string[], types: FlagTypes): ParsedFlags {
  const values = new Map<string, string | number | boolean>();
  let index = 0;
  const stop = (kind: FlagProblem['kind'], message: string, flag?: string): ParsedFlags => ({
    values,
    problem: { index, kind, message, flag },
  });
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      break;
    }
    if (arg.length < 2 || !arg.startsWith('-')) {
      return stop('not-a-flag', `"${arg}" is not a flag`);
    }
    const bare = arg.startsWith('--') ? arg.slice(2) : arg.slice(1);
    const equals = bare.indexOf('=', 1);
    const name = equals < 0 ? bare : bare.slice(0, equals);
    if (/^[-=]/.test(bare)) {
      return stop('bad-syntax', `invalid flag "${arg}"`);
    }
    const type = Object.prototype.hasOwnProperty.call(types, name) ? types[name] : undefined;
    if (type === undefined) {
      return stop('unknown', `unknown flag --${name}`, name);
    }
    let text = equals < 0 ? undefined : bare.slice(equals + 1);
    if (text === undefined && type !== 'bool') {
      text = args[index + 1];
      if (text === undefined) {
        return stop('missing-value', `--${name} has no value`, name);
      }
      index += 1;
    }
    const value = readValue(type, text);
    // Go has assigned the empty value before it notices.
    values.set(name, value ?? (type === 'int' ? 0 : false));
    if (value === undefined) {
      return stop('bad-value', `--${name} must be ${kindOfFlag(type)}, but is "${text}"`, name);
    }
  }
  return { values };
}

function readValue(type: FlagType, text: string | undefined): string | number | boolean | undefined {
  if (type === 'bool') {
    return text === undefined ? true : parseGoBool(text);
  }
  return type === 'int' ? parseGoInt(text ?? '') : text;
}

function kindOfFlag(type: FlagType): string {
  return type === 'int' ? 'an integer' : type === 'bool' ? 'true or false' : 'a string';
}
