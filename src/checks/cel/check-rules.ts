/**
 * Evaluates the CEL rules of a CRD on an object that its schema accepts, as the API server does on create.
 *
 * Rules see the object with defaults and without what was dropped. A rule that compares with the object as it was has nothing to compare
 * with; it is skipped, unless it takes an optional. A rule that fails to evaluate counts as broken. Null values have no rules.
 */
import { type CelInput } from '@bufbuild/cel';
import { type CelRule, type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { asObject, asString, isObject } from '../../manifests/read';
import { fieldOf } from '../../manifests/pointer';
import { containsUnknown, UNKNOWN } from '../../manifests/values/unknown';
import { hasRules, nodeOf, rulesOf, type SchemaNode } from '../schema/schema-node';
import { shapeRules } from '../schema/shape-rules';
import { OBJECT_LIMIT } from '../../cel/cost';
import { THE_FIELD, type ViolationList } from '../schema/violation-list';
import { programOf } from '../../cel/rule-program';
import { whyUnjudged } from '../../cel/unjudged';
import { ruleWords, type RuleWords } from './rule-words';
import { writtenWords } from './written-words';
import { CelValues } from './values';
import { allOf, oneOf } from '../../facts/words';
import { quoted } from '../../manifests/values/shown-values';

/** @returns the rules that read values which are not known yet, each once */
export function checkCelRules(object: JsonObject, schema: Schema, list: ViolationList): readonly string[] {
  const walk = new RuleWalk(list);
  walk.value(named(object), nodeOf(schema), true);
  return [...walk.notJudged];
}

/** What the server appends to `generateName`, which it first cuts so that the whole has 63 characters. */
const GENERATED = 'xxxxx';

/** The object as rules see it: one that the server names has its name by then. */
function named(object: JsonObject): JsonObject {
  const metadata = asObject(object.metadata);
  const { generateName } = metadata;
  const written = asString(metadata.name) ?? '';
  if (written !== '' || typeof generateName !== 'string' || generateName === '') {
    return object;
  }
  return { ...object, metadata: { ...metadata, name: `${generateName.slice(0, 63 - GENERATED.length)}${GENERATED}` } };
}

const SELF = /\bself\b/g;
const FIELD_OF_SELF = /\bself\.([A-Za-z_]\w*)\b(?!\()/g;
const PATH_OF_SELF = /\bself\.([A-Za-z_]\w*\b(?!\()(?:\.[A-Za-z_]\w*\b(?!\())*)/g;

/** Whether a rule may read an unknown value: one that uses fields of `self` alone reads those. */
function readsUnknown(rule: string, value: JsonValue): boolean {
  const fields = [...rule.matchAll(FIELD_OF_SELF)].map(([, name = '']) => name);
  if (typeof value !== 'object' || value === null || fields.length !== [...rule.matchAll(SELF)].length) {
    return true;
  }
  return fields.some((name) => name.includes('__') || containsUnknown(asObject(value)[name]));
}

const MOST_FIELDS_NAMED = 4;

class RuleWalk {
  readonly notJudged = new Set<string>();
  private readonly values = new CelValues();
  /** What the rules may still cost together; below 0, none is evaluated any more. */
  private budget = OBJECT_LIMIT;

  constructor(private readonly list: ViolationList) {}

  value(value: JsonValue, node: SchemaNode, isRoot = false): void {
    if (value === null || value === UNKNOWN || !hasRules(node.schema) || this.budget < 0) {
      return;
    }
    this.rules(value, node, isRoot);
    if (Array.isArray(value)) {
      const items = node.items;
      if (items === undefined || !hasRules(items.schema)) {
        return;
      }
      value.forEach((item, index) => this.below(index, item, items));
    } else if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        const child = node.child(key) ?? node.values;
        if (child !== undefined) {
          this.below(key, item, child);
        }
      }
    }
  }

  private below(step: string | number, value: JsonValue, node: SchemaNode): void {
    this.list.enter(step);
    this.value(value, node);
    this.list.leave();
  }

  private rules(value: JsonValue, node: SchemaNode, isRoot: boolean): void {
    const partly = containsUnknown(value);
    for (const rule of rulesOf(node.schema)) {
      if (this.budget < 0) {
        return;
      }
      if (partly && readsUnknown(rule.rule, value)) {
        this.notJudged.add(rule.rule);
        continue;
      }
      const program = programOf(rule.rule);
      if (typeof program === 'string') {
        this.notChecked(rule, program);
        continue;
      }
      if (program.usesOldSelf && rule.optionalOldSelf !== true) {
        continue;
      }
      const self =
        isRoot && typeof value === 'object' && value !== null && !Array.isArray(value)
          ? this.values.ofRoot(value, node)
          : this.values.of(value, node);
      const outcome = program.run(self);
      this.budget -= outcome.cost;
      if (this.budget < 0) {
        const message = `the rules of the object exceed the cost budget of ${OBJECT_LIMIT} units for one object`;
        this.list.add(shapeRules.celError, {
          message,
          expected: rule.rule,
          fix: 'Remove entries from the lists and maps in spec that the rules iterate over.',
        });
      } else if ('error' in outcome) {
        this.failed(rule, outcome.error, value);
      } else if (outcome.value !== true) {
        const { message, fix } = this.words(rule, self, value);
        this.list.add(
          shapeRules.cel,
          { message, found: readBy(rule, value), expected: rule.rule, fix },
          ...fieldSteps(rule),
        );
      }
    }
  }

  private failed(rule: CelRule, error: string, value: JsonValue): void {
    const why = whyUnjudged(error);
    if (why !== undefined) {
      this.notChecked(rule, why);
      return;
    }
    this.list.add(
      shapeRules.celError,
      {
        message: `a CEL rule in the CustomResourceDefinition cannot be evaluated: ${error.replace(NOT_FOUND, 'field "$1" not found')}`,
        found: readBy(rule, value),
        expected: rule.rule,
        fix: setFix(fieldsOf(rule), error),
      },
      ...fieldSteps(rule),
    );
  }

  private notChecked(rule: CelRule, why: string): void {
    this.list.add(
      { ...shapeRules.celError, severity: 'info' },
      {
        message: `the rule was not checked: ${why}`,
        expected: rule.rule,
        fix: 'Run kubectl apply --dry-run=server to have the API server evaluate the rule.',
      },
    );
  }

  /** What a violation says: the message of the rule, or else what it requires in words, or else the fields that it reads. */
  private words(rule: CelRule, self: CelInput, value: JsonValue): RuleWords {
    const message = this.ownMessage(rule, self);
    const place = fieldOf(this.list.path);
    const known = ruleWords(rule.rule, value, place) ?? writtenWords(rule.rule, value, place);
    if (known !== undefined) {
      return { ...known, ...(message === undefined ? {} : { message }) };
    }
    const fields = fieldsOf(rule);
    const isNamed = fields.length > 0 && fields.length <= MOST_FIELDS_NAMED;
    return {
      message: message ?? violates(value, isNamed ? fields : []),
      fix: `Set ${isNamed ? oneOf(fields) : THE_FIELD} to a value for which the expected rule evaluates to true.`,
    };
  }

  private ownMessage(rule: CelRule, self: CelInput): string | undefined {
    if (rule.messageExpression === undefined) {
      return undefined;
    }
    const program = programOf(rule.messageExpression);
    const outcome = typeof program === 'string' || program.usesOldSelf ? undefined : program.run(self);
    const text = outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
    return typeof text === 'string' && text.trim() !== '' ? text : undefined;
  }
}

/** What violates a rule, for one that only its own text describes. */
function violates(value: JsonValue, fields: readonly string[]): string {
  if (value === null || typeof value !== 'object') {
    return `${quoted(value)} violates a CEL rule`;
  }
  const subject = Array.isArray(value) ? 'list' : 'object';
  return `the ${subject} violates a CEL rule${fields.length === 0 ? '' : ` on ${allOf(fields)}`}`;
}

/** The part of an object that the rule reads; the whole value where the rule reads more than its fields. */
function readBy({ rule }: CelRule, value: JsonValue): JsonValue {
  const names = [...rule.matchAll(FIELD_OF_SELF)].map(([, name = '']) => name);
  return isObject(value) && names.length > 0
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
    : value;
}

/** The fields of `self` that the rule reads. */
function fieldsOf({ rule }: CelRule): readonly string[] {
  return [...new Set([...rule.matchAll(PATH_OF_SELF)].map(([, path = '']) => path))];
}

/** How the interpreter reports a field that an object does not have. */
const NOT_FOUND = /\bfield not found: (\w+)$/;

/** What to set: the missing field that the error names, or the fields that the rule reads. */
function setFix(fields: readonly string[], error: string): string {
  const missing = NOT_FOUND.exec(error)?.[1];
  if (fields.length === 0 && missing !== undefined) {
    return `Set the field "${missing}" in each item of ${THE_FIELD}, because the CEL rule reads it.`;
  }
  const notNumber = /\bparsing ("(?:[^"\\]|\\.)*"): invalid syntax$/.exec(error)?.[1];
  if (notNumber !== undefined) {
    return `Replace ${notNumber} in ${THE_FIELD} with a number.`;
  }
  if (fields.length === 0 || fields.length > MOST_FIELDS_NAMED) {
    return `Set the fields of ${THE_FIELD} that the expected rule reads.`;
  }
  const read = fields.find((field) => field === missing || field.endsWith(`.${missing ?? ''}`));
  return read !== undefined || missing === undefined
    ? `Set ${read ?? oneOf(fields)} in ${THE_FIELD}, because the CEL rule reads it.`
    : `Set the field "${missing}" in each item of ${oneOf(fields)}, because the CEL rule reads it.`;
}

/** The field that a rule blames, `.spec.mode` or `.labels['a']`. */
function fieldSteps(rule: CelRule): readonly string[] {
  const steps: string[] = [];
  for (const match of (rule.fieldPath ?? '').matchAll(/\.([A-Za-z_][\w-]*)|\['((?:\\.|[^'\\])*)'\]/g)) {
    steps.push(match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1'));
  }
  return steps;
}
