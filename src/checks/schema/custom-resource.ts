/**
 * Holds a custom resource against the structural schema of its CRD, in the steps of the API server (apiextensions), all in one walk:
 * unknown fields are refused, nulls that may not be are dropped, defaults are set, and then the values are validated.
 *
 * The walk answers the object as the server would store it, since CEL rules see that one. It shares what did not change with the object
 * that was given, so a manifest that needs no defaults is not copied.
 *
 * Cost: one visit per value; a schema node is prepared once per process.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { allOf, oneOf } from '../../facts/words';
import { quoted, shortened } from '../../manifests/values/shown-values';
import { repeatedItems } from './canonical';
import { fieldWord } from './exact-words';
import { containsUnknown, UNKNOWN } from '../../manifests/values/unknown';
import { decodeObjectMeta } from './object-meta';
import { nodeOf, type SchemaNode } from './schema-node';
import { shapeRules } from './shape-rules';
import { reportUnknownField } from './unknown-field';
import { checkCount, checkEnum, checkNull, checkNumber, checkString, checkType, type Target } from './value-checks';
import { requiredFix, requiredWords, valueWords } from './value-words';
import { THE_FIELD, ViolationList } from './violation-list';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * @param hasStatus the kind has a status subresource: `status` is decoded strictly, and then dropped before validation
 * @returns the object with defaults, as rules see it
 */
export function checkCustomResource(
  object: JsonObject,
  schema: Schema,
  hasStatus: boolean,
  list: ViolationList,
  target: Target,
): JsonObject {
  return new CustomResourceWalk(list, target, true).root(object, nodeOf(schema), hasStatus);
}

/** The metadata alone, of an object that is known to be valid apart from it. */
export function checkMetadataOfCustomResource(
  { metadata = null }: JsonObject,
  schema: Schema,
  list: ViolationList,
  target: Target,
): void {
  new CustomResourceWalk(list, target, true).metadata(metadata, nodeOf(schema));
}

class CustomResourceWalk {
  constructor(
    private readonly list: ViolationList,
    private readonly target: Target,
    /** False inside allOf, anyOf, oneOf and not, which only look at values. */
    private readonly structural: boolean,
  ) {}

  root(object: JsonObject, node: SchemaNode, hasStatus: boolean): JsonObject {
    let status: JsonValue | undefined;
    let body = object;
    if (hasStatus && Object.hasOwn(object, 'status')) {
      body = { ...object };
      status = body.status;
      delete body.status;
    }
    const result = this.object(body, node, true);
    if (status !== undefined) {
      this.strictOnly(object, node);
    }
    return result;
  }

  metadata(metadata: JsonValue, node: SchemaNode): void {
    this.metaField('metadata', metadata, node, true);
  }

  /** Status on create: unknown fields are refused, everything else about it is dropped unread. */
  private strictOnly(object: JsonObject, parent: SchemaNode): void {
    const name = 'status';
    const unknown = new ViolationList();
    const walk = new CustomResourceWalk(unknown, this.target, true);
    const child = parent.child(name);
    if (child === undefined) {
      if (!parent.preservesUnknown) {
        reportUnknownField(name, object, parent, this.list);
      }
      return;
    }
    unknown.enter(name);
    walk.value(object[name] ?? null, child);
    for (const violation of unknown.violations) {
      if (violation.rule === shapeRules.unknownField.id) {
        this.list.violations.push(violation);
      }
    }
  }

  private value(value: JsonValue, node: SchemaNode): JsonValue {
    if (value === UNKNOWN) {
      return value;
    }
    if (value === null) {
      checkNull(node, this.list);
      return value;
    }
    if (!checkType(value, node, this.list, this.target)) {
      return value;
    }
    let result = value;
    if (typeof value === 'string') {
      checkString(value, node, this.list, this.target);
    } else if (typeof value === 'number') {
      checkNumber(value, node, this.list, this.target);
    } else if (Array.isArray(value)) {
      result = this.array(value, node);
    } else if (typeof value === 'object') {
      return this.object(value, node, false);
    }
    checkEnum(result, node, this.list);
    if (node.combines) {
      this.combinations(result, node);
    }
    return result;
  }

  private array(value: JsonValue[], node: SchemaNode): JsonValue[] {
    const items = node.items;
    let result = value;
    if (items !== undefined) {
      for (let i = 0; i < value.length; i += 1) {
        let item = value[i] ?? null;
        if (item === null && !items.nullable && this.structural) {
          if (items.schema.default !== undefined) {
            item = items.schema.default;
          } else if (items.types !== 0) {
            this.list.add(
              shapeRules.nullItem,
              {
                message: 'list items must not be null',
                found: null,
                expected: items.typeNames,
                fix: `Remove the \`field\`, or set it to ${valueWords(items)}.`,
              },
              i,
            );
            continue;
          }
        }
        this.list.enter(i);
        const next = this.value(item, items);
        this.list.leave();
        if (next !== value[i]) {
          if (result === value) {
            result = [...value];
          }
          result[i] = next;
        }
      }
    }
    checkCount(result.length, 'items', node, this.list);
    if (node.schema.uniqueItems === true) {
      this.repeated(result, shapeRules.setItem);
    }
    if (this.structural) {
      if (node.listType === 'set') {
        this.repeated(result, shapeRules.setItem);
      } else if (node.listType === 'map') {
        this.repeatedKeys(result, node.schema['x-kubernetes-list-map-keys'] ?? []);
      }
    }
    return result;
  }

  private repeated(items: readonly JsonValue[], rule: typeof shapeRules.setItem): void {
    if (items.some(containsUnknown)) {
      return;
    }
    for (const index of repeatedItems(items)) {
      const item = items[index] ?? null;
      this.list.add(
        rule,
        {
          message: `duplicate value ${quoted(item)}`,
          found: item,
          expected: 'unique items',
          fix: 'Remove the `field`: an earlier item in the list is the same.',
        },
        index,
      );
    }
  }

  private repeatedKeys(items: readonly JsonValue[], names: readonly string[]): void {
    if (items.length < 2) {
      return;
    }
    const keys: JsonValue[] = [];
    for (const item of items) {
      if (item !== null && (typeof item !== 'object' || Array.isArray(item))) {
        return;
      }
      const key: JsonObject = {};
      for (const name of names) {
        if (item !== null && Object.hasOwn(item, name)) {
          key[name] = item[name] ?? null;
        }
      }
      const single = names.length === 1 ? key[names[0] ?? ''] : undefined;
      if (containsUnknown(key)) {
        return;
      }
      keys.push(single === undefined || (single !== null && typeof single === 'object') ? key : single);
    }
    for (const index of repeatedItems(keys)) {
      const item = items[index];
      const shown = names.map((name) =>
        item !== null && typeof item === 'object' && !Array.isArray(item) && Object.hasOwn(item, name)
          ? JSON.stringify(shortened(item[name] ?? null))
          : '(unset)',
      );
      this.list.add(
        shapeRules.listKey,
        {
          message: `duplicate key: an earlier item also has ${allOf(names.map((name, key) => `${name} ${shown[key] ?? ''}`))}`,
          found: keys[index] ?? null,
          expected: `a unique ${allOf(names)}`,
          fix: `Set ${THE_FIELD}.${oneOf(names)} to a unique value, or remove ${THE_FIELD}.`,
        },
        index,
      );
    }
  }

  private object(value: JsonObject, node: SchemaNode, isRoot: boolean): JsonObject {
    const embedded = isRoot || (node.embedded && this.structural);
    let result = value;
    const change = (): JsonObject => (result === value ? (result = { ...value }) : result);
    for (const key of Object.keys(value)) {
      const item = value[key] ?? null;
      if (embedded && META_FIELDS.has(key)) {
        this.metaField(key, item, node, isRoot);
        continue;
      }
      const child = node.child(key) ?? node.values;
      if (child === undefined) {
        if (this.isDropped(key, item, value, node)) {
          delete change()[key];
        }
        continue;
      }
      // The server drops null where the schema does not allow it, and then sets the default.
      const isNull = item === null && !child.nullable && this.structural;
      const used = isNull ? child.schema.default : item;
      if (used === undefined) {
        delete change()[key];
        continue;
      }
      this.list.enter(key);
      const next = this.value(used, child);
      this.list.leave();
      if (next !== item) {
        change()[key] = next;
      }
    }
    if (this.structural) {
      for (const name of node.defaulted) {
        this.setDefault(name, value, node, change);
      }
    }
    this.requireMembers(result, node);
    if (embedded && !isRoot) {
      this.requireTypeMeta(result, node);
    }
    checkCount(Object.keys(result).length, 'properties', node, this.list);
    checkEnum(result, node, this.list);
    if (node.combines) {
      this.combinations(result, node);
    }
    return result;
  }

  /** A member that no schema knows: whether the server drops it. */
  private isDropped(key: string, item: JsonValue, around: JsonObject, node: SchemaNode): boolean {
    if (!this.structural || node.preservesUnknown) {
      return false;
    }
    if (node.anyKey) {
      this.nothingKnownBelow(key, item);
      return false;
    }
    reportUnknownField(key, around, node, this.list);
    return true;
  }

  private requireMembers(result: JsonObject, node: SchemaNode): void {
    for (const name of node.required) {
      if (Object.hasOwn(result, name)) {
        continue;
      }
      this.list.add(
        shapeRules.required,
        {
          message: `${fieldWord(name)} must be set`,
          expected: requiredWords(node.child(name), `${this.list.path}/${name}`),
          fix: requiredFix(node.child(name), `${this.list.path}/${name}`),
        },
        name,
      );
    }
  }

  private setDefault(name: string, value: JsonObject, node: SchemaNode, change: () => JsonObject): void {
    if (Object.hasOwn(value, name)) {
      return;
    }
    const child = node.child(name);
    const preset = child?.schema.default;
    if (child === undefined || preset === undefined) {
      return;
    }
    this.list.enter(name);
    change()[name] = this.value(preset, child);
    this.list.leave();
  }

  private metaField(key: string, item: JsonValue, node: SchemaNode, isRoot: boolean): void {
    this.list.enter(key);
    if (key === 'metadata') {
      decodeObjectMeta(item, this.list);
      // A CRD may narrow metadata, to a pattern of the name for example.
      const child = node.child(key);
      if (child?.schema.properties !== undefined && item !== null && typeof item === 'object' && !Array.isArray(item)) {
        for (const name of Object.keys(child.schema.properties)) {
          const part = child.child(name);
          if (part === undefined || !Object.hasOwn(item, name)) {
            continue;
          }
          this.list.enter(name);
          new CustomResourceWalk(this.list, this.target, false).value(item[name] ?? null, part);
          this.list.leave();
        }
      }
    } else if (!isRoot && (typeof item !== 'string' || item === '')) {
      this.list.add(shapeRules.type, {
        message: `${key} of an embedded object must be a non-empty string`,
        found: item,
        expected: 'string',
        fix: `Set the \`field\` to the ${key} of the embedded object.`,
      });
    }
    this.list.leave();
  }

  private requireTypeMeta(value: JsonObject, node: SchemaNode): void {
    for (const name of ['apiVersion', 'kind']) {
      if (Object.hasOwn(value, name) || node.required.includes(name)) {
        continue;
      }
      this.list.add(
        shapeRules.required,
        {
          message: `${name} must be set in an embedded object`,
          expected: `the ${name} of the embedded object`,
          fix: `Set the \`field\` to the ${name} of the embedded object.`,
        },
        name,
      );
    }
  }

  /** Under `additionalProperties: true` the server knows no field of the values, and prunes objects to empty ones. */
  private nothingKnownBelow(key: string, value: JsonValue): void {
    if (value === null || typeof value !== 'object') {
      return;
    }
    this.list.enter(key);
    for (const [name, item] of Object.entries(value)) {
      if (Array.isArray(value)) {
        this.nothingKnownBelow(name, item);
      } else {
        this.list.add(
          shapeRules.unknownField,
          {
            message: `unknown field "${name}"`,
            found: item,
            expected: 'no fields',
            fix: `Remove the field "${name}".`,
          },
          name,
        );
      }
    }
    this.list.leave();
  }

  private conforms(value: JsonValue, schema: Schema): boolean {
    const probe = new ViolationList();
    new CustomResourceWalk(probe, this.target, false).value(value, nodeOf(schema));
    return probe.violations.length === 0;
  }

  private combinations(value: JsonValue, node: SchemaNode): void {
    const { allOf, anyOf, oneOf, not } = node.schema;
    allOf?.forEach((branch) => new CustomResourceWalk(this.list, this.target, false).value(value, nodeOf(branch)));
    // Which alternative matches depends on the values inside.
    if ((anyOf ?? oneOf ?? not) !== undefined && containsUnknown(value)) {
      return;
    }
    if (anyOf !== undefined && anyOf.length > 0 && !anyOf.some((branch) => this.conforms(value, branch))) {
      this.list.add(shapeRules.combination, {
        message: 'at least one of the alternatives must match, but none does',
        found: value,
        expected: `at least one of: ${alternatives(anyOf)}`,
        fix: `Set the \`field\` to a value that matches at least one of: ${alternatives(anyOf)}.`,
      });
    }
    if (oneOf !== undefined && oneOf.length > 0) {
      const met = oneOf.filter((branch) => this.conforms(value, branch)).length;
      if (met !== 1) {
        this.list.add(shapeRules.combination, {
          message:
            met === 0
              ? 'exactly one of the alternatives must match, but none does'
              : `exactly one of the alternatives must match, but ${met} do`,
          found: value,
          expected: `exactly one of: ${alternatives(oneOf)}`,
          fix: `Set the \`field\` to a value that matches exactly one of: ${alternatives(oneOf)}.`,
        });
      }
    }
    if (not !== undefined && this.conforms(value, not)) {
      this.list.add(shapeRules.combination, {
        message: `must not match: ${alternatives([not])}`,
        found: value,
        expected: `not: ${alternatives([not])}`,
        fix: `Set the \`field\` to a value that does not match: ${alternatives([not])}.`,
      });
    }
  }
}

/** The branches of a combination in few words: the fields that each asks for. */
function alternatives(branches: readonly Schema[]): string {
  return branches
    .map((branch) => {
      if (branch.required !== undefined) {
        return branch.required.join(' and ');
      }
      const nested = Object.entries(branch.properties ?? {}).flatMap(([name, schema]) =>
        schema.enum ? [`${name} ${schema.enum.map((item) => JSON.stringify(item)).join('/')}`] : [name],
      );
      if (nested.length > 0) {
        return nested.join(' and ');
      }
      return branch.type ?? JSON.stringify(branch);
    })
    .join('; ');
}
