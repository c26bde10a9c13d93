/**
 * The CEL rules in the schema of a CustomResourceDefinition: they compile, their messages do, and the server can afford them.
 */
import { fieldOf } from '../../../manifests/pointer';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { oneOf } from '../../../facts/words';
import { asObject, isObject } from '../../../manifests/read';
import { type SchemaSizes } from '../../../cel/estimate/schema-sizes';
import { times } from '../../../cel/estimate/sizes';
import { type SchemaTypes } from '../../../cel/typing/schema-types';
import { BOOL, STRING } from '../../../cel/typing/types';
import { type CompiledExpression, compileExpression, expressionFix } from '../expressions';
import { type Say } from '../server-rule';
import { given, type Placed, text } from '../values';
import { type RuleCosts } from './rule-costs';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** What the rules of a part of the schema are checked with. */
export interface SchemaPlace {
  readonly types: SchemaTypes;
  readonly sizes: SchemaSizes;
  readonly costs: RuleCosts;
  /** How many values of the part an object can have at most. @default - the lists and maps around it have no limit */
  readonly occurrences?: number;
}

export function checkSchemaRule({ value: rule, path }: Placed, schema: JsonObject, place: SchemaPlace, say: Say): void {
  const source = text(rule.rule).trim();
  checkTexts(rule, source, path, say);
  const dynamic = text(rule.messageExpression);
  if (dynamic !== '' && dynamic.trim() === '') {
    say(`${path}/messageExpression`, 'the expression must not be empty');
  }
  checkExpressions({ rule, source, dynamic: dynamic.trim() === '' ? '' : dynamic, path }, schema, place, say);
  if (given(rule.optionalOldSelf) && !/\boldSelf\b/.test(source)) {
    say(`${path}/optionalOldSelf`, 'optionalOldSelf requires a rule that uses oldSelf', {
      fix: `Use oldSelf in ${fieldOf(`${path}/rule`)}, or remove optionalOldSelf.`,
    });
  }
  const field = text(rule.fieldPath);
  if (field !== '' && schemaAt(schema, field) === undefined) {
    say(`${path}/fieldPath`, `"${field}" must be the path of a field in the schema`);
  }
}

function checkTexts(rule: JsonObject, source: string, path: string, say: Say): void {
  const message = text(rule.message);
  const reason = text(rule.reason);
  if (source === '') {
    say(`${path}/rule`, 'the rule must not be empty', { expected: 'a CEL expression of type bool' });
  } else if (message !== '' && message.trim() === '') {
    say(`${path}/message`, 'the message must not be empty');
  } else if (/[\n\r]/.test(message.trim())) {
    say(`${path}/message`, 'the message must not contain line breaks');
  } else if (/[\n\r]/.test(source) && message.trim() === '') {
    say(`${path}/message`, 'message must be set for a rule with several lines');
  }
  if (given(rule.reason) && !REASONS.includes(reason)) {
    say(`${path}/reason`, `unsupported reason "${reason}"`, { expected: oneOf(REASONS) });
  }
}

interface RuleExpressions {
  readonly rule: JsonObject;
  /** Empty where there is none. */
  readonly source: string;
  /** The messageExpression; empty where there is none. */
  readonly dynamic: string;
  readonly path: string;
}

/** The server estimates the cost of a messageExpression once, and that of a rule for all values that an object can have. */
function checkExpressions(
  { rule, source, dynamic, path }: RuleExpressions,
  schema: JsonObject,
  { types, sizes, costs, occurrences = sizes.mostOccurrences(schema) }: SchemaPlace,
  say: Say,
): void {
  const place = {
    environment: types.environmentOf(schema, rule.optionalOldSelf === true),
    sizeAt: sizes.sizesOf(schema),
  };
  const compiled = source === '' ? {} : compileExpression(source, { ...place, result: [BOOL] });
  sayFault(compiled, 'rule', `${path}/rule`, source, say);
  costs.add(`${path}/rule`, times(compiled.cost ?? 0, occurrences), say);
  const message = dynamic === '' ? {} : compileExpression(dynamic, { ...place, result: [STRING] });
  sayFault(message, 'expression', `${path}/messageExpression`, dynamic, say);
  // The server does not compile the message of a rule that does not compile.
  costs.add(`${path}/messageExpression`, compiled.cost === undefined ? 0 : (message.cost ?? 0), say);
}

function sayFault({ fault }: CompiledExpression, what: string, path: string, source: string, say: Say): void {
  if (fault !== undefined) {
    say(path, `the ${what} ${fault.complaint}`, expressionFix(path, fault, source));
  }
}

/** The schema of the field to which a path of `.name` and `['name']` leads. */
export function schemaAt(schema: JsonObject, path: string): JsonObject | undefined {
  let here: JsonObject | undefined = schema;
  let rest = path;
  while (rest !== '') {
    const step = /^\.([^.[\]]+)|^\['((?:[^'\\]|\\.)*)'\]/.exec(rest);
    if (step === null || here === undefined) {
      return undefined;
    }
    const name = step[1] ?? (step[2] ?? '').replace(/\\(.)/g, '$1');
    const next: JsonValue | undefined = given(here.properties)
      ? asObject(here.properties)[name]
      : here.additionalProperties;
    here = isObject(next) ? next : undefined;
    rest = rest.slice(step[0].length);
  }
  return here;
}
