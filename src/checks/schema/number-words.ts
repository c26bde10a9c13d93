/**
 * What to write in a field that has a number which it cannot hold, or which JSON readers change: within the bounds of its schema, of its
 * format, and of its meaning.
 */
import { type Schema } from '../../facts/api/schema';
import { fieldOf, tokensOf } from '../../manifests/pointer';
import { A_QUANTITY, exactWords, hasKnownRange } from './exact-words';
import { type SchemaNode } from './schema-node';
import { contentWords } from './value-words';

/** Fields that may be 0, and fields that are at least 1 or for which 0 means something of its own, by the end of their names. */
const FROM_ZERO = /(?:replicas|completions|parallelism|limit|generation|retries|available)$/i;
const FROM_ONE = /(?:seconds|counts?|size|nodes|members?|slots|attempts|mtu|weight|threshold)$/i;

/** What the server takes where the schema says no more than the format. */
const MOST: Readonly<Record<string, string>> = {
  // Of a PriorityClass.
  '/value': '1000000000',
  '/spec/priority': '1000000000',
};

const BITS: Readonly<Record<number, readonly [least: string, most: string]>> = {
  32: ['-2147483648', '2147483647'],
  64: ['-9223372036854775808', '9223372036854775807'],
};

/** Integers that every JSON reader keeps. */
const EXACT: readonly [least: string, most: string] = ['-9007199254740991', '9007199254740991'];

type Bound = string | undefined;

/** What the schema and the name of the field say about its bounds. */
function boundsOf(schema: Schema, path: string): readonly [least: Bound, most: Bound] {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const least = minimum === undefined ? undefined : String(exclusiveMinimum ? minimum + 1 : minimum);
  const most = maximum === undefined ? undefined : String(exclusiveMaximum ? maximum - 1 : maximum);
  const last = tokensOf(path).at(-1) ?? '';
  const first = FROM_ZERO.test(last) ? '0' : FROM_ONE.test(last) ? '1' : undefined;
  return [least ?? first, most ?? (Object.hasOwn(MOST, path) ? MOST[path] : undefined)];
}

function rangeWords(least: Bound, most: Bound): string {
  if (least !== undefined && most !== undefined) {
    return `an integer from ${least} to ${most}`;
  }
  return `an integer${least === undefined ? '' : ` of at least ${least}`}${most === undefined ? '' : ` of at most ${most}`}`;
}

/**
 * What a field takes that has a number beyond its format: `an integer from 0 to 4095`, `an integer of at most 2147483647`.
 *
 * @param bits of the integers that it holds
 */
export function fittingWords(value: number, bits: 32 | 64, node: SchemaNode, path: string): string {
  if (node.typeNames !== 'integer') {
    return contentWords(node, path);
  }
  const [least, most] = boundsOf(node.schema, path);
  if (hasKnownRange(path) && least === undefined && most === undefined) {
    return 'an integer';
  }
  const [smallest, largest] = BITS[bits] ?? EXACT;
  return rangeWords(least ?? (value < 0 ? smallest : undefined), most ?? (value < 0 ? undefined : largest));
}

/** `an integer from 0 to 7` for a number below or above the bounds, where the schema has both. */
export function betweenWords({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  type,
}: Schema): string | undefined {
  return minimum === undefined || maximum === undefined || exclusiveMinimum === true || exclusiveMaximum === true
    ? undefined
    : `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;
}

/**
 * What to do about an integer with more digits than JSON readers keep, or about a number beyond them.
 *
 * @param node of the field; `undefined` where its schema is not known
 */
export function numberFix(node: SchemaNode | undefined, path: string, isInteger: boolean): string | undefined {
  if (node === undefined) {
    return undefined;
  }
  const field = fieldOf(path);
  const { schema } = node;
  if (schema.type === 'string' && schema.format === undefined) {
    return isInteger ? `Put the value of ${field} in quotes.` : undefined;
  }
  if (schema.format === 'quantity' || contentWords(node, path) === A_QUANTITY) {
    return exactWords(`Set ${field} to ${A_QUANTITY}${isInteger ? ', or put the value in quotes' : ''}.`, path);
  }
  if (node.typeNames !== 'integer') {
    const words = contentWords(node, path);
    return node.typeNames === 'integer or string' && !/^an integer or a string$/.test(words)
      ? `Set ${field} to ${words}.`
      : undefined;
  }
  const [least, most] = boundsOf(schema, path);
  if (hasKnownRange(path) && least === undefined && most === undefined) {
    return exactWords(`Set ${field} to an integer.`, path);
  }
  const [smallest, largest] = schema.format === 'int32' ? (BITS[32] ?? EXACT) : EXACT;
  return `Set ${field} to ${rangeWords(least ?? smallest, most ?? largest)}.`;
}
