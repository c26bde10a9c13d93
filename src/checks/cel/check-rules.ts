/**
 * Evaluates the CEL rules of a CRD on an object that its schema accepts, as the API server does on create.
 *
 * Rules see the object with defaults and without what was dropped. A rule that compares with the object as it was has nothing to compare
 * with; it is skipped, unless it takes an optional. A rule that fails to evaluate counts as broken. Null values have no rules.
 */
import { type CelInput } from '@bufbuild/cel';
import { type CelRule, type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { containsUnknown, UNKNOWN } from '../../manifests/unknown';
import { hasRules, nodeOf, rulesOf, type SchemaNode } from '../schema/schema-node';
import { shapeRules } from '../schema/shape-rules';
import { OBJECT_LIMIT } from './cost';
import { quoted, type ViolationList } from '../schema/violation-list';
import { programOf } from './rule-program';
import { CelValues } from './values';
import { oneOf } from '../../facts/words';

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

/** Whether a rule may read an unknown value: one that uses fields of `self` alone reads those. */
function readsUnknown(rule: string, value: JsonValue): boolean {
  const fields = [...rule.matchAll(FIELD_OF_SELF)].map(([, name = '']) => name);
  if (typeof value !== 'object' || value === null || fields.length !== [...rule.matchAll(SELF)].length) {
    return true;
  }
  return fields.some((name) => name.includes('__') || containsUnknown(asObject(value)[name]));
}

const LONGEST_RULE_SHOWN = 160;
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
        this.list.add(
          { ...shapeRules.celError, severity: 'info' },
          {
            message: `the rule is not supported here and was not checked: ${program}`,
            expected: rule.rule,
            fix: 'Run kubectl apply --dry-run=server, with which the API server evaluates the rule.',
          },
        );
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
          fix: 'Shorten the lists and maps in spec, over which the rules iterate.',
        });
      } else if ('error' in outcome) {
        this.list.add(
          shapeRules.celError,
          {
            message: `the rule cannot be evaluated: ${outcome.error}`,
            found: value,
            expected: rule.rule,
            fix: fixFor(
              rule,
              (fields) => setFix(fields, outcome.error),
              'Set the fields that the rule reads, or change the `field` so that the rule can be evaluated.',
            ),
          },
          ...fieldSteps(rule),
        );
      } else if (outcome.value !== true) {
        const message = this.message(rule, self, value);
        this.list.add(
          shapeRules.cel,
          {
            message,
            found: value,
            expected: rule.rule,
            fix: fixFor(
              rule,
              (fields) => `Change ${fields} so that the rule evaluates to true.`,
              'Change the `field` so that the rule evaluates to true.',
            ),
          },
          ...fieldSteps(rule),
        );
      }
    }
  }

  private message(rule: CelRule, self: CelInput, value: JsonValue): string {
    if (rule.messageExpression !== undefined) {
      const program = programOf(rule.messageExpression);
      const outcome = typeof program === 'string' || program.usesOldSelf ? undefined : program.run(self);
      if (
        outcome !== undefined &&
        'value' in outcome &&
        typeof outcome.value === 'string' &&
        outcome.value.trim() !== ''
      ) {
        return outcome.value;
      }
    }
    const text = rule.rule.replace(/\s+/g, ' ').trim();
    const short = text.length > LONGEST_RULE_SHOWN ? `${text.slice(0, LONGEST_RULE_SHOWN)}…` : text;
    return value !== null && typeof value === 'object'
      ? `the object violates the rule ${short}`
      : `${quoted(value)} violates the rule ${short}`;
  }
}

/** Names the fields that the rule reads; for a rule without a message, that is the best hint. */
function fixFor(rule: CelRule, fix: (fields: string) => string, other: string): string {
  const fields = [
    ...new Set([...rule.rule.matchAll(/\bself\.([A-Za-z_]\w*)\b(?!\()/g)].map((match) => match[1] ?? '')),
  ];
  if (fields.length === 0 || fields.length > MOST_FIELDS_NAMED) {
    return other;
  }
  return fix(oneOf(fields));
}

/** What to set: the missing field that the error names, or the fields that the rule reads. */
function setFix(fields: string, error: string): string {
  const missing = /\bfield not found: (\w+)$/.exec(error)?.[1];
  return missing === undefined || new RegExp(`\\b${missing}\\b`).test(fields)
    ? `Set ${missing ?? fields}, which the rule reads.`
    : `Set ${missing} in ${fields}, where the rule reads it.`;
}

/** The field that a rule blames, `.spec.mode` or `.labels['a']`. */
function fieldSteps(rule: CelRule): readonly string[] {
  const steps: string[] = [];
  for (const match of (rule.fieldPath ?? '').matchAll(/\.([A-Za-z_][\w-]*)|\['((?:\\.|[^'\\])*)'\]/g)) {
    steps.push(match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1'));
  }
  return steps;
}
