/**
 * What an unquoted YAML word means to kubectl.
 *
 * kubectl reads YAML with sigs.k8s.io/yaml, which is go-yaml 2: YAML 1.1 with choices of its own. A reader that follows YAML 1.2
 * would see a string where the cluster is sent a boolean (`yes`), and a decimal number where it is sent an octal one (`0777`).
 * The table below is that of go-yaml's `resolve.go`.
 */
import { type JsonPrimitive } from '../facts/api/schema';

export type ScalarTag = 'null' | 'bool' | 'int' | 'float' | 'str';

export interface Scalar {
  readonly tag: ScalarTag;
  /** `NaN` and infinities are given as they are: JSON has no word for them, and the caller says so. */
  readonly value: JsonPrimitive;
  /** The text is an integer that a double cannot hold; `value` is the nearest one. */
  readonly inexact?: boolean;
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
    return integer(plain);
  }
  if (BASED.test(plain)) {
    return based(plain);
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

function integer(plain: string): Scalar {
  const value = Number(plain);
  if (Number.isSafeInteger(value)) {
    return { tag: 'int', value: value === 0 ? 0 : value };
  }
  return { tag: 'int', value, inexact: losesDigits(plain.replace('+', ''), value) };
}

/**
 * Whether a decimal integer is shown otherwise when it is written again. Beyond 64 bits go-yaml itself reads a floating-point number,
 * so that nothing is lost here that kubectl would keep.
 */
export function losesDigits(text: string, value: number): boolean {
  return Math.abs(value) < 2 ** 64 && String(value) !== text;
}

/** Hexadecimal, octal (`0777` and `0o777`) and binary numbers. */
function based(plain: string): Scalar {
  const negative = plain.startsWith('-');
  const digits = plain.replace(/^[-+]/, '').toLowerCase();
  const big = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = Number(negative ? -big : big);
  return { tag: 'int', value: value === 0 ? 0 : value, inexact: losesDigits(String(negative ? -big : big), value) };
}

/** The name that a map key gets in JSON; `undefined` for a key that kubectl refuses (null). */
export function keyOf(scalar: Scalar): string | undefined {
  const { value } = scalar;
  if (value === null) {
    return undefined;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  }
  return String(value);
}
