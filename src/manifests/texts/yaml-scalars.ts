/**
 * What an unquoted YAML word means to kubectl.
 *
 * kubectl reads YAML with sigs.k8s.io/yaml, which is go-yaml 2: YAML 1.1 with choices of its own. A reader that follows YAML 1.2
 * would see a string where the cluster is sent a boolean (`yes`), and a decimal number where it is sent an octal one (`0777`).
 * The table below is that of go-yaml's `resolve.go`.
 */
import { type JsonPrimitive } from '../../facts/api/schema';

export type ScalarTag = 'null' | 'bool' | 'int' | 'float' | 'str';

export interface Scalar {
  readonly tag: ScalarTag;
  /** `NaN` and infinities are given as they are: JSON has no word for them, and the caller says so. */
  readonly value: JsonPrimitive;
  /** The text is an integer that a double cannot hold; `value` is the nearest one. */
  readonly inexact?: boolean;
  /** The integer itself, where a double cannot hold it. */
  readonly integer?: bigint;
}

const WORDS = new Map<string, Scalar>();
for (const [tag, value, words] of [
  ['bool', true, 'y Y yes Yes YES true True TRUE on On ON'],
  ['bool', false, 'n N no No NO false False FALSE off Off OFF'],
  ['null', null, '~ null Null NULL'],
  ['float', Number.NaN, '.nan .NaN .NAN'],
  ['float', Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF'],
  ['float', Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF'],
] as const) {
  for (const word of words.split(' ')) {
    WORDS.set(word, { tag, value });
  }
}
WORDS.set('', { tag: 'null', value: null });

/** The first letters that can begin anything but a string. */
const HINT = /^[-+0-9.yYnNtTfFoO~]/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const DECIMAL = /^[-+]?(0|[1-9][0-9]*)$/;
const BASED = /^[-+]?0(x[0-9a-f]+|o?[0-7]+|b[01]+)$/i;
/** Four digits and a dash begin a date, which go-yaml hands on as the string it was. */
const DATE = /^[0-9]{4}-/;

/** go-yaml cuts the prefix off and reads the rest as a number, which may then have a sign. */
const SIGN_INSIDE = /^0b([-+])([01]+)$/;

/** Resolves an unquoted scalar. */
export function resolvePlain(text: string): Scalar {
  if (text !== '' && !HINT.test(text)) {
    return { tag: 'str', value: text };
  }
  const word = WORDS.get(text);
  if (word !== undefined) {
    return word;
  }
  if (!/^[-+0-9.]/.test(text) || DATE.test(text)) {
    return { tag: 'str', value: text };
  }

  if (text.startsWith('.')) {
    return FLOAT.test(text) && Number.isFinite(Number(text)) ? { tag: 'float', value: Number(text) } : string(text);
  }

  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  if (DECIMAL.test(plain)) {
    return integer(plain, text);
  }
  const signed = SIGN_INSIDE.exec(plain);
  if (signed !== null) {
    return based(`${signed[1] ?? ''}0b${signed[2] ?? ''}`, text);
  }
  if (BASED.test(plain)) {
    return based(plain, text);
  }
  if (FLOAT.test(plain)) {
    const value = Number(plain);
    // strconv.ParseFloat refuses what overflows, and go-yaml then leaves a string.
    return Number.isFinite(value) ? { tag: 'float', value } : string(text);
  }
  return string(text);
}

function string(text: string): Scalar {
  return { tag: 'str', value: text };
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Beyond 64 bits go-yaml reads a decimal number as a floating-point one, and so it does with a sign beyond 63 bits. */
function integer(plain: string, text: string): Scalar {
  const value = Number(plain);
  if (Number.isSafeInteger(value)) {
    return { tag: 'int', value: value === 0 ? 0 : value };
  }
  const big = BigInt(plain.replace('+', ''));
  if (!fits64Bits(big, plain)) {
    return Number.isFinite(value) ? { tag: 'float', value } : string(text);
  }
  return { tag: 'int', value, inexact: losesDigits(plain.replace('+', ''), value), integer: big };
}

function fits64Bits(big: bigint, text: string): boolean {
  return big >= MIN_INT64 && big <= (/^[-+]/.test(text) ? MAX_INT64 : MAX_UINT64);
}

/** What is wrong with an integer that a double cannot hold. */
export const inexactInteger = (text: string, value: JsonPrimitive): string =>
  `the integer ${text} is read as ${String(value)} by programs that read JSON numbers as doubles, such as Gantry`;

/**
 * Whether a decimal integer is shown otherwise when it is written again. Beyond 64 bits go-yaml itself reads a floating-point number,
 * so that nothing is lost here that kubectl would keep.
 */
export function losesDigits(text: string, value: number): boolean {
  return Math.abs(value) < 2 ** 64 && String(value) !== text;
}

/** Hexadecimal, octal (`0777` and `0o777`) and binary numbers; strings beyond 64 bits. */
function based(plain: string, text: string): Scalar {
  const digits = plain.replace(/^[-+]/, '').toLowerCase();
  const amount = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const big = plain.startsWith('-') ? -amount : amount;
  if (!fits64Bits(big, plain)) {
    return FLOAT.test(plain) ? { tag: 'float', value: Number(plain) } : string(text);
  }
  const value = Number(big);
  if (Number.isSafeInteger(value)) {
    return { tag: 'int', value };
  }
  return { tag: 'int', value, inexact: losesDigits(String(big), value), integer: big };
}

/**
 * The name that a map key gets in JSON; `undefined` for a key that kubectl refuses: null, and integers that only fit 64 bits without
 * a sign.
 */
export function keyOf({ tag, value, integer: big }: Scalar): string | undefined {
  if (value === null || (big !== undefined && big > MAX_INT64)) {
    return undefined;
  }
  if (big !== undefined) {
    return String(big);
  }
  return tag === 'float' && typeof value === 'number' ? shortFloat(value) : String(value);
}

/** From this exponent on, a number has an exponent in its text. */
const SHORT_EXPONENT = 6;

/** A floating-point number as `strconv.FormatFloat(value, 'g', -1, 32)` writes it: the shortest text with that 32-bit value. */
function shortFloat(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) {
    return Number.isNaN(single) ? '.nan' : single > 0 ? '.inf' : '-.inf';
  }
  if (single === 0) {
    return Object.is(single, -0) ? '-0' : '0';
  }
  let digits = 1;
  while (Math.fround(Number(single.toExponential(digits - 1))) !== single) {
    digits++;
  }
  const [mantissa = '', power = '0'] = single.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < SHORT_EXPONENT) {
    return String(Number(single.toPrecision(digits)));
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
