/**
 * The constraints of a schema on one value, without its parts: type, enum, bounds, length, pattern, format.
 *
 * Follows kube-openapi's validators, with what is peculiar to them: a format switches the type check off for texts and lists, a number
 * counts as an integer when it is one to within a billionth, and lengths are in code points.
 */
import { nearestName } from '../../facts/spelling';
import { type JsonValue } from '../../facts/api/schema';
import { sameJson } from './canonical';
import { stringFormat } from '../../manifests/values/formats';
import { TYPE_BIT, type SchemaNode } from './schema-node';
import { written } from './exact-words';
import { patternWords } from './pattern-words';
import { shapeRules } from './shape-rules';
import { betweenWords, fittingWords } from './number-words';
import { contentWords, MOST_CHOICES, namedContent, tellingFields, typeFix } from './value-words';
import { THE_FIELD, type Found, type ViolationList } from './violation-list';
import { allOf, counted, oneOf, withArticle } from '../../facts/words';
import { quoted } from '../../manifests/values/shown-values';

const LARGEST_FLOAT_INTEGER = 2 ** 53 - 1;
const LARGEST_INT64 = 2 ** 63;
/** Where a number rounds to a 32-bit float that is infinite. */
const LARGEST_FLOAT32 = 3.4028235677973366e38;

/** What the checks need to know beside the schema. */
export interface Target {
  /** The minor version number, 35 for Kubernetes 1.35. */
  readonly minor: number;
}

export function typeName(value: JsonValue): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

/** The format that counts at this node; others are dropped by the server. */
function formatOf(node: SchemaNode, target: Target): string | undefined {
  const format = node.schema.format;
  if (format === undefined) {
    return undefined;
  }
  const type = node.schema['x-kubernetes-int-or-string'] === true ? undefined : node.schema.type;
  if (type === undefined || type === 'string') {
    return stringFormat(format, target.minor) === undefined ? undefined : format;
  }
  if (type === 'integer') {
    return format === 'int32' || format === 'int64' ? format : undefined;
  }
  return type === 'number' && (format === 'float' || format === 'double') ? format : undefined;
}

/** Whether kube-openapi takes the number for an integer. */
function isJsonInteger(value: number): boolean {
  // After JSON is read, the largest 64-bit integer equals the number after it. Manifests contain neither on purpose.
  if (Number.isInteger(value)) {
    return Math.abs(value) < LARGEST_INT64;
  }
  if (Math.abs(value) > LARGEST_FLOAT_INTEGER) {
    return false;
  }
  const whole = Math.trunc(value);
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}

/** Null where only nullable values may be null. */
export function checkNull(node: SchemaNode, list: ViolationList): void {
  if (node.types !== 0 && !node.nullable) {
    list.add(shapeRules.type, {
      message: `invalid type: null, expected ${node.typeNames}`,
      found: null,
      expected: node.typeNames,
      fix: `Set the \`field\` to ${contentWords(node, list.path)}, or remove it.`,
    });
  } else if (node.schema.enum !== undefined && node.schema.enum.length > 0) {
    list.add(shapeRules.enum, enumMessage(null, node.schema.enum));
  }
}

/** Reports a wrong type; false where the value is not worth a closer look. */
export function checkType(value: JsonValue, node: SchemaNode, list: ViolationList, target: Target): boolean {
  if (node.types === 0) {
    return true;
  }
  let bit: number;
  if (typeof value === 'string') {
    bit = TYPE_BIT.string;
  } else if (typeof value === 'number') {
    bit = TYPE_BIT.number | (isJsonInteger(value) ? TYPE_BIT.integer : 0);
  } else if (typeof value === 'boolean') {
    bit = TYPE_BIT.boolean;
  } else {
    bit = Array.isArray(value) ? TYPE_BIT.array : TYPE_BIT.object;
  }
  if ((node.types & bit) !== 0) {
    return true;
  }
  const isNumeric = (node.types & (TYPE_BIT.integer | TYPE_BIT.number)) !== 0;
  if (!isNumeric && (bit === TYPE_BIT.string || bit === TYPE_BIT.array) && formatOf(node, target) !== undefined) {
    return true;
  }
  if (isNumeric && typeof value === 'number' && Number.isInteger(value)) {
    list.add(shapeRules.type, tooWide(value, 'int64', node, list.path));
    return false;
  }
  list.add(shapeRules.type, {
    message: `invalid type: ${typeName(value)} ${quoted(value)}, expected ${node.typeNames}`,
    found: value,
    expected: node.typeNames,
    fix: typeFix(value, node, list.path),
  });
  return false;
}

/** A number that the field cannot hold. */
export function tooWide(value: number, format: string, node: SchemaNode, path: string): Found {
  const bits = format === 'int64' ? 64 : 32;
  const fitting = format === 'float' ? 'a number that fits in 32 bits' : fittingWords(value, bits, node, path);
  return {
    message: `${value} does not fit in ${bits} bits`,
    found: value,
    expected: fitting,
    fix: `Set ${THE_FIELD} to ${fitting}.`,
  };
}

export function checkString(value: string, node: SchemaNode, list: ViolationList, target: Target): void {
  const { schema } = node;
  if (schema.maxLength !== undefined && value.length > schema.maxLength && codePoints(value) > schema.maxLength) {
    list.add(shapeRules.size, {
      message: `${quoted(value)} must be no more than ${counted(schema.maxLength, 'character')}, but has ${codePoints(value)}`,
      found: value,
      expected: `at most ${counted(schema.maxLength, 'character')}`,
      fix: `Shorten the \`field\` to at most ${counted(schema.maxLength, 'character')}.`,
    });
  } else if (
    schema.minLength !== undefined &&
    (value.length < schema.minLength || codePoints(value) < schema.minLength)
  ) {
    list.add(shapeRules.size, {
      message:
        value === ''
          ? 'must not be empty'
          : `${quoted(value)} must have at least ${counted(schema.minLength, 'character')}, but has ${codePoints(value)}`,
      found: value,
      expected: `at least ${counted(schema.minLength, 'character')}`,
      fix: `Set the \`field\` to ${namedContent(node, list.path) ?? (schema.minLength === 1 ? 'a non-empty string' : `a string of at least ${counted(schema.minLength, 'character')}`)}.`,
    });
  } else if (schema.pattern !== undefined && node.pattern?.test(value) !== true) {
    const { complaint, expected } = patternWords(schema.pattern, list.path);
    list.add(shapeRules.pattern, {
      message: `${quoted(value)} ${complaint}`,
      found: value,
      expected,
      fix: `Set the \`field\` to ${expected}.`,
    });
  }
  const format = schema.format === undefined ? undefined : formatOf(node, target);
  const takesText = node.types === 0 || (node.types & TYPE_BIT.string) !== 0;
  if (format !== undefined && takesText && stringFormat(format, target.minor)?.(value) === false) {
    list.add(shapeRules.format, {
      message: `${quoted(value)} is not a valid ${wordsOf(format)}`,
      found: value,
      expected: `${withArticle(wordsOf(format))}${exampleOf(format)}`,
      fix: `Set the \`field\` to ${withArticle(wordsOf(format))}${exampleOf(format)}.`,
    });
  }
}

/** ` such as "30s"`, for the formats that CRDs use. */
function exampleOf(format: string): string {
  const example = Object.hasOwn(EXAMPLES, format) ? EXAMPLES[format] : undefined;
  return example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
}

const WORDS: Readonly<Record<string, string>> = {
  byte: 'base64 string',
  cidr: 'CIDR',
  'date-time': 'time',
  email: 'email address',
  hostname: 'host name',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  mac: 'MAC address',
  uri: 'URI',
  uuid: 'UUID',
};

const wordsOf = (format: string): string => (Object.hasOwn(WORDS, format) ? (WORDS[format] ?? format) : format);

const EXAMPLES: Readonly<Record<string, string>> = {
  byte: 'Z2FudHJ5',
  cidr: '10.0.0.0/16',
  date: '2026-01-31',
  'date-time': '2026-01-31T15:04:05Z',
  duration: '30s',
  email: 'team@example.com',
  hostname: 'node-1.example.com',
  ipv4: '10.0.0.1',
  ipv6: 'fd00::1',
  mac: '0c:42:a1:00:00:01',
  uri: 'https://example.com',
  uuid: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
};

export function checkNumber(value: number, node: SchemaNode, list: ViolationList, target: Target): void {
  const { schema } = node;
  const format = schema.format === undefined ? undefined : formatOf(node, target);
  if (format !== undefined && !fitsIn(format, value)) {
    list.add(shapeRules.format, tooWide(value, format, node, list.path));
  }
  const { minimum, maximum, multipleOf } = schema;
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    const bound = schema.exclusiveMaximum === true ? `less than ${maximum}` : `less than or equal to ${maximum}`;
    list.add(shapeRules.bound, {
      message: `must be ${bound}, but is ${value}`,
      found: value,
      expected: bound,
      fix: `Set the \`field\` to ${betweenWords(schema) ?? `a number ${bound}`}.`,
    });
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    const bound = schema.exclusiveMinimum === true ? `greater than ${minimum}` : `greater than or equal to ${minimum}`;
    list.add(shapeRules.bound, {
      message: `must be ${bound}, but is ${value}`,
      found: value,
      expected: bound,
      fix: `Set the \`field\` to ${betweenWords(schema) ?? `a number ${bound}`}.`,
    });
  }
  if (multipleOf !== undefined && !isJsonInteger(multipleOf < 1 ? (1 / multipleOf) * value : value / multipleOf)) {
    list.add(shapeRules.bound, {
      message: `must be a multiple of ${multipleOf}, but is ${value}`,
      found: value,
      expected: `a multiple of ${multipleOf}`,
      fix: `Set the \`field\` to a multiple of ${multipleOf}.`,
    });
  }
}

function fitsIn(format: string, value: number): boolean {
  if (format === 'int32') {
    return value >= -2147483648 && value <= 2147483647;
  }
  return Math.abs(value) <= (format === 'int64' ? LARGEST_INT64 : format === 'float' ? LARGEST_FLOAT32 : Infinity);
}

export function checkEnum(value: JsonValue, node: SchemaNode, list: ViolationList): void {
  const allowed = node.schema.enum;
  if (allowed === undefined || allowed.length === 0) {
    return;
  }
  for (const item of allowed) {
    if (sameJson(item, value)) {
      return;
    }
  }
  list.add(shapeRules.enum, enumMessage(value, allowed));
}

function enumMessage(value: JsonValue, allowed: readonly JsonValue[]): Found {
  const shown = allowed.map(written);
  const meant =
    typeof value === 'string'
      ? allowed.find((item) => typeof item === 'string' && item.toLowerCase() === value.toLowerCase())
      : undefined;
  return {
    message: `unsupported value ${quoted(value)}`,
    found: value,
    expected: oneOf(shown),
    fix:
      typeof meant === 'string'
        ? `Set the \`field\` to ${written(meant)}: values are case-sensitive.`
        : `Set the \`field\` to ${choice(shown, value)}.`,
  };
}

/** `a, b, or c`; of a long list the nearest, or what begins it, since `expected` has all of it. */
function choice(values: readonly string[], found: JsonValue): string {
  if (values.length > MOST_CHOICES) {
    const near = typeof found === 'string' ? nearestName(found, values) : undefined;
    const example = values.find((value) => /\w/.test(value)) ?? values[0] ?? '';
    return near ?? `one of the ${values.length} supported values, for example ${example}`;
  }
  return oneOf(values);
}

export function checkCount(count: number, kind: 'items' | 'properties', node: SchemaNode, list: ViolationList): void {
  const minimum = kind === 'items' ? node.schema.minItems : node.schema.minProperties;
  const maximum = kind === 'items' ? node.schema.maxItems : node.schema.maxProperties;
  const isMap = node.schema.properties === undefined;
  const [one, many] = kind === 'items' ? ['item', 'items'] : isMap ? ['entry', 'entries'] : ['field', 'fields'];
  if (minimum !== undefined && count < minimum) {
    list.add(shapeRules.size, {
      message: `must have at least ${counted(minimum, one)}, but has ${count}`,
      found: count,
      expected: `at least ${counted(minimum, one)}`,
      fix:
        count === 0
          ? `Add ${minimum === 1 ? withArticle(one) : `at least ${counted(minimum, one)}`} to the \`field\`${partWords(node)}.`
          : `Add ${many} to the \`field\` until it has at least ${minimum}.`,
    });
  }
  if (maximum !== undefined && count > maximum) {
    list.add(shapeRules.size, {
      message: `must have no more than ${counted(maximum, one)}, but has ${count}`,
      found: count,
      expected: `at most ${counted(maximum, one)}`,
      fix: `Remove ${many} from the \`field\` until it has at most ${maximum}.`,
    });
  }
}

/** What to add to an empty list or object: `, such as metadata or spec`, ` with the fields name and rules`. */
function partWords({ schema, items }: SchemaNode): string {
  const required = items?.required ?? [];
  if (required.length > 0 && required.length <= MOST_CHOICES) {
    return ` with the ${required.length === 1 ? `field "${required[0]}"` : `fields ${allOf(required)}`}`;
  }
  const names = tellingFields(schema);
  return names.length === 0 ? '' : `, such as ${oneOf(names)}`;
}

function codePoints(text: string): number {
  return [...text].length;
}
