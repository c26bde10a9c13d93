/**
 * Holds an object of a built-in kind against what the API server's decoder takes: Go types, read strictly.
 *
 * Other than in custom resources, null is everywhere the same as absent (a null list item is an item with nothing in it), numbers are
 * integers of their width, quantities and times are parsed, and no default of the schema is applied: only whether a field may be missing
 * because of one matters here. Uniqueness of list keys is not the decoder's business; the server's validation code decides list by list.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { quoted } from '../../manifests/values/shown-values';
import { parseQuantity } from '../../manifests/values/quantity';
import { UNKNOWN } from '../../manifests/values/unknown';
import { A_QUANTITY, fieldWord } from './exact-words';
import { MICRO_TIME_FIELDS, timeExample } from './field-words';
import { isGoTime } from '../../manifests/values/formats';
import { TYPE_BIT, type SchemaNode } from './schema-node';
import { shapeRules } from './shape-rules';
import { reportUnknownField } from './unknown-field';
import { checkEnum, tooWide, typeName } from './value-checks';
import { requiredFix, requiredWords, typedFix, typeFix } from './value-words';
import { THE_FIELD, type ViolationList } from './violation-list';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MICRO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[.,]\d{6}(?:Z|[+-]\d{2}:\d{2})$/;

const SCHEMAS_INSIDE: ReadonlySet<string> = new Set(['additionalItems', 'additionalProperties', 'items']);
const SCHEMA_OR_BOOLEAN: ReadonlySet<string> = new Set(['additionalItems', 'additionalProperties']);

const LARGEST_INT32 = 2147483647;
const LARGEST_INT64 = 2 ** 63;

function isByte(value: JsonValue): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

export class TypedDecoding {
  private field = '';
  /** Whether unknown fields are refused. */
  private strict = true;

  constructor(
    private readonly list: ViolationList,
    /** Whether fields that validation demands are looked for; decoding alone demands none. */
    private demands: boolean,
    /** Whether the server does without a field that OpenAPI calls required; asked with the pointer of the missing field. */
    private readonly isOptional: (path: string) => boolean = () => false,
  ) {}

  /** @param hasStatus what `status` holds is decoded and then dropped: nothing is demanded of it */
  root(object: JsonObject, node: SchemaNode, hasStatus: boolean): void {
    if (!hasStatus || !Object.hasOwn(object, 'status')) {
      return this.object(object, node);
    }
    const { status, ...rest } = object;
    this.object(rest, node);
    const child = node.child('status');
    if (child === undefined) {
      return this.object({ status: status ?? null }, node);
    }
    this.demands = false;
    this.list.enter('status');
    this.value(status ?? null, child);
    this.list.leave();
  }

  /** One member of an object that is known to be valid apart from it. */
  member(object: JsonObject, name: string, node: SchemaNode): void {
    const child = node.child(name);
    if (child !== undefined) {
      this.list.enter(name);
      this.field = name;
      this.value(object[name] ?? null, child);
      this.list.leave();
    }
  }

  value(value: JsonValue, node: SchemaNode): void {
    if (value === null || value === UNKNOWN) {
      return;
    }
    const { schema } = node;
    if (schema['x-kubernetes-int-or-string'] === true) {
      return this.intOrString(value, node);
    }
    if (node.types === 0) {
      return this.anything(value);
    }
    switch (schema.type) {
      case 'string':
        return this.text(value, node);
      case 'integer':
        return this.integer(value, node);
      case 'number':
        if (typeof value !== 'number') {
          this.wrongType(value, 'number', node);
        }
        return;
      case 'boolean':
        if (typeof value !== 'boolean') {
          this.wrongType(value, 'boolean', node);
        }
        return;
      case 'array':
        if (Array.isArray(value)) {
          this.array(value, node);
        } else {
          this.wrongType(value, 'array', node);
        }
        return;
      case 'object':
        if (typeof value === 'object' && !Array.isArray(value)) {
          this.object(value, node);
        } else if (!node.preservesUnknown) {
          this.wrongType(value, 'object', node);
        }
        return;
      case undefined:
        return;
    }
  }

  /** A definition's schema for further keys and items is either a schema or a boolean; OpenAPI describes neither. */
  private anything(value: JsonValue): void {
    if (
      !SCHEMA_OR_BOOLEAN.has(this.field) ||
      typeof value === 'boolean' ||
      (typeof value === 'object' && !Array.isArray(value))
    ) {
      return;
    }
    this.wrongType(value, 'object or boolean');
  }

  /**
   * A schema inside a definition's schema. OpenAPI breaks the cycle here and does not describe it; it is decoded like the outer schema,
   * except that the decoder is no longer strict.
   */
  private schemaInside(value: JsonValue, around: SchemaNode): void {
    const strict = this.strict;
    this.strict = false;
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        this.list.enter(index);
        if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
          this.object(item, around);
        }
        this.list.leave();
      });
    } else if (typeof value === 'object' && value !== null) {
      this.object(value, around);
    }
    this.strict = strict;
  }

  private text(value: JsonValue, node: SchemaNode): void {
    const format = node.schema.format;
    if (format === 'quantity') {
      return this.quantity(value, node);
    }
    if (format === 'int-or-string') {
      return this.intOrString(value, node);
    }
    // To Go's decoder a list of small numbers is as good a way to write bytes.
    if (format === 'byte' && Array.isArray(value) && value.every((item) => item === null || isByte(item))) {
      return;
    }
    if (typeof value !== 'string') {
      return this.wrongType(value, 'string', node);
    }
    if (format === 'date-time') {
      const micro = MICRO_TIME_FIELDS.has(this.field);
      if (micro ? MICRO_TIME.test(value) && isGoTime(value) : isGoTime(value)) {
        return;
      }
      const expected = timeExample(this.field);
      this.list.add(shapeRules.format, {
        message: `${quoted(value)} is not a valid time`,
        found: value,
        expected: `a time such as ${expected}`,
        fix: `Set the \`field\` to a time such as "${expected}".`,
      });
    } else if (format === 'byte') {
      if (BASE64.test(value.replace(/[\r\n]/g, ''))) {
        return;
      }
      this.list.add(shapeRules.format, {
        message: `${quoted(value)} must be base64-encoded`,
        found: value,
        expected: 'a base64 string with padding',
        fix: this.list.path.startsWith('/data/')
          ? 'Encode the value of the `field` with base64, or move it to stringData.'
          : 'Encode the value of the `field` with base64.',
      });
    } else if (this.demands && value !== '') {
      checkEnum(value, node, this.list);
    }
  }

  private integer(value: JsonValue, node: SchemaNode): void {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      return this.wrongType(value, 'integer', node);
    }
    const fits =
      node.schema.format === 'int32' ? Math.abs(value + 0.5) <= LARGEST_INT32 + 0.5 : Math.abs(value) < LARGEST_INT64;
    if (fits) {
      return;
    }
    this.list.add(shapeRules.format, tooWide(value, node.schema.format ?? 'int64', node, this.list.path));
  }

  private intOrString(value: JsonValue, node: SchemaNode): void {
    if (typeof value === 'string') {
      return;
    }
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      return this.wrongType(value, 'integer or string', node);
    }
    if (Math.abs(value + 0.5) > LARGEST_INT32 + 0.5) {
      this.list.add(shapeRules.format, tooWide(value, 'int32', node, this.list.path));
    }
  }

  private quantity(value: JsonValue, node: SchemaNode): void {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return this.wrongType(value, 'quantity', node);
    }
    if (parseQuantity(value) !== undefined) {
      return;
    }
    this.list.add(shapeRules.format, {
      message: `${quoted(value)} is not a valid quantity`,
      found: value,
      expected: A_QUANTITY,
      fix: `Set ${THE_FIELD} to ${A_QUANTITY}.`,
    });
  }

  private array(value: readonly JsonValue[], node: SchemaNode): void {
    const items = node.items;
    if (items === undefined) {
      return;
    }
    const empty: JsonObject | null = items.types === TYPE_BIT.object ? {} : null;
    for (let i = 0; i < value.length; i += 1) {
      this.list.enter(i);
      this.value(value[i] ?? empty, items);
      this.list.leave();
    }
  }

  private object(value: JsonObject, node: SchemaNode): void {
    for (const key of Object.keys(value)) {
      const child = node.child(key) ?? node.values;
      const item = value[key] ?? null;
      if (child === undefined) {
        const kept = !this.strict || node.preservesUnknown || node.anyKey;
        if (!kept) {
          reportUnknownField(key, value, node, this.list);
        }
        continue;
      }
      this.list.enter(key);
      this.field = key;
      this.value(item, child);
      if (child.types === 0 && SCHEMAS_INSIDE.has(key)) {
        this.schemaInside(item, node);
      }
      this.list.leave();
    }
    if (!this.demands) {
      return;
    }
    for (const name of node.required) {
      if (Object.hasOwn(value, name) && value[name] !== null) {
        continue;
      }
      const child = node.child(name);
      if (child?.schema.default !== undefined || this.isOptional(`${this.list.path}/${name}`)) {
        continue;
      }
      this.list.add(
        shapeRules.required,
        {
          message: `${fieldWord(name)} must be set`,
          expected: requiredWords(child, `${this.list.path}/${name}`),
          fix: requiredFix(child, `${this.list.path}/${name}`),
        },
        name,
      );
    }
  }

  private wrongType(value: JsonValue, expected: string, node?: SchemaNode): void {
    this.list.add(shapeRules.type, {
      message: `invalid type: ${typeName(value)} ${quoted(value)}, expected ${expected}`,
      found: value,
      expected,
      fix: node === undefined ? typedFix(expected) : typeFix(value, node, this.list.path),
    });
  }
}
