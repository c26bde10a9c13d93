/**
 * The CEL expressions of admission webhooks and policies: conditions, variables, validations, annotations, and mutations.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { RESERVED } from '../../../cel/escaped-names';
import { BOOL, DYN, readType, STRING, type CelType } from '../../../cel/typing/types';
import { admissionEnvironment, PATCH_RESULTS, type AdmissionPlace } from '../cel-environments';
import { fieldOf } from '../../../manifests/pointer';
import { compileExpression, expressionFix, MOST_EXPRESSIONS } from '../expressions';
import { type Say } from '../server-rule';
import { qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text } from '../values';
import { oneOf, oneOfStrings } from '../../../facts/words';
import { printType } from '../../../cel/typing/types';

const MOST_CONDITIONS = 64;
const MOST_ANNOTATIONS = 20;

/** The types of the policy's variables. Each may use those before it. */
export function checkVariables(
  list: JsonValue | undefined,
  place: AdmissionPlace,
  say: Say,
): Readonly<Record<string, CelType>> {
  const types: Record<string, CelType> = {};
  for (const { value, path } of itemsOf(list, '/spec/variables').slice(0, MOST_EXPRESSIONS)) {
    const name = text(value.name);
    if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || RESERVED.has(name)) {
      say(`${path}/name`, 'the name of the variable must be a CEL identifier');
    }
    const wanted = { place: { ...place, variables: types } };
    const type = checkExpression(value.expression, `${path}/expression`, 'variable', wanted, say);
    Object.defineProperty(types, name, { value: declared(type), enumerable: true, configurable: true });
  }
  return types;
}

/** The server keeps plain types of variables, and lists and maps of them. */
function declared(type: CelType | undefined): CelType {
  if (type === undefined || ['named', 'optional', 'type'].includes(type.kind)) {
    return DYN;
  }
  if (type.kind === 'list') {
    return { kind: 'list', of: [declared(type.of[0])] };
  }
  return type.kind === 'map' ? { kind: 'map', of: [declared(type.of[0]), declared(type.of[1])] } : type;
}

interface WantedHere {
  readonly place: AdmissionPlace;
  /** @default - any type */
  readonly result?: readonly CelType[];
}

/** The expression's type, where it has one. */
function checkExpression(
  value: JsonValue | undefined,
  path: string,
  what: string,
  { place, result }: WantedHere,
  say: Say,
): CelType | undefined {
  const source = text(value);
  if (source.trim() === '') {
    say(path, `the ${what} must have an expression`, {
      fix: `Set ${fieldOf(path)} to a CEL expression${result === undefined ? '' : ` of type ${oneOf(result.map(printType))}`}.`,
    });
    return undefined;
  }
  const { type, fault } = compileExpression(source, {
    environment: admissionEnvironment(place),
    ...(result === undefined ? {} : { result }),
  });
  if (fault !== undefined) {
    const field = fieldOf(path);
    const isVariables = what !== 'condition' && fault.complaint === 'references the undeclared variable "variables"';
    const isParams = place.hasParams === false && fault.complaint === 'references the undeclared variable "params"';
    say(
      path,
      `${field} ${fault.complaint}${isParams ? ', because paramKind is unset' : isVariables ? ', because spec.variables is empty' : ''}`,
      isParams
        ? { fix: `Set spec.paramKind to the kind of the parameters, or remove params from ${field}.` }
        : what === 'condition'
          ? expressionFix(path, fault)
          : (undeclaredFix(source, field, fault.complaint) ??
            orDeclared(expressionFix(path, fault, source), fault.complaint)),
    );
  }
  return type;
}

/** What a policy does not declare, it can declare as a variable; conditions are evaluated before variables. */
/** A field of `variables` that is undefined is a variable that the policy does not have. */
function undeclaredFix(source: string, field: string, complaint: string): { readonly fix: string } | undefined {
  const [, name = ''] = /^selects the undefined field "(\w+)"$/.exec(complaint) ?? [];
  const isVariable = name !== '' && new RegExp(`\\bvariables\\.${name}\\b`).test(source);
  return isVariable
    ? { fix: `Add the variable "${name}" to spec.variables before ${field} uses it, or remove variables.${name}.` }
    : undefined;
}

function orDeclared({ fix }: { readonly fix: string }, complaint: string): { readonly fix: string } {
  const [, name] = /^references the undeclared variable "([A-Za-z_]\w*)"$/.exec(complaint) ?? [];
  return name === undefined || name === 'variables' || !/ with .+,/.test(fix)
    ? { fix }
    : { fix: `${fix.slice(0, -1)}, or declare it in spec.variables and write variables.${name}.` };
}

/** `undefined` and null are defaulted; an empty string is not. */
export function checkChoice(
  holder: JsonObject,
  path: string,
  field: string,
  values: readonly string[],
  say: Say,
): void {
  const value = holder[field];
  if (typeof value === 'string' && !values.includes(value)) {
    say(`${path}/${field}`, `unsupported value "${value}" for ${field}`, { expected: oneOfStrings(values) });
  }
}

export function checkConditions(list: JsonValue | undefined, path: string, say: Say, place: AdmissionPlace): void {
  const conditions = itemsOf(list, path);
  if (conditions.length > MOST_CONDITIONS) {
    say(path, 'matchConditions must not have more than 64 conditions', { found: conditions.length });
  }
  const seen = new Set<string>();
  for (const { value, path: at } of conditions.slice(0, MOST_CONDITIONS)) {
    const name = text(value.name);
    const bad = name === '' ? 'be set' : qualifiedName(name);
    if (bad !== undefined) {
      say(`${at}/name`, `the condition name must ${bad}`);
    }
    if (name !== '' && seen.has(name)) {
      say(`${at}/name`, `duplicate condition "${name}"`);
    }
    seen.add(name);
    checkExpression(value.expression, `${at}/expression`, 'condition', { place, result: [BOOL] }, say);
  }
}

export function checkValidations(spec: JsonObject, name: string, place: AdmissionPlace, say: Say): void {
  if (size(spec.validations) + size(spec.auditAnnotations) === 0) {
    say('/spec/validations', 'validations or auditAnnotations must be set', {
      fix: 'Set validations or auditAnnotations in spec.',
    });
  }
  for (const { value, path } of itemsOf(spec.validations, '/spec/validations').slice(0, MOST_EXPRESSIONS)) {
    checkExpression(value.expression, `${path}/expression`, 'validation', { place, result: [BOOL] }, say);
    for (const field of ['message', 'messageExpression']) {
      const said = text(value[field]);
      if (said !== '' && said.trim() === '') {
        say(`${path}/${field}`, `${field} must not be blank`);
      } else if (said !== '' && field === 'messageExpression') {
        checkExpression(
          said,
          `${path}/${field}`,
          'message',
          { place: { ...place, hasAuthorizer: false }, result: [STRING] },
          say,
        );
      }
    }
    if (/[\n\r]/.test(text(value.message).trim())) {
      say(`${path}/message`, 'the message must not contain line breaks');
    }
    checkChoice(value, path, 'reason', ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'], say);
  }
  const annotations = itemsOf(spec.auditAnnotations, '/spec/auditAnnotations');
  if (annotations.length > MOST_ANNOTATIONS) {
    say('/spec/auditAnnotations', 'the policy must not have more than 20 audit annotations', {
      found: annotations.length,
    });
  }
  const keys = new Set<string>();
  for (const { value, path } of annotations.slice(0, MOST_ANNOTATIONS)) {
    const key = text(value.key);
    const bad = name === '' ? undefined : qualifiedName(`${name}/${key}`);
    if (bad !== undefined) {
      const isOfKey = key.includes('/') || qualifiedName(key) !== undefined;
      say(
        `${path}/key`,
        isOfKey ? `the key must ${bad}` : `"${name}/${key}" (the policy name and the key) must ${bad}`,
      );
    }
    if (keys.has(key)) {
      say(`${path}/key`, 'duplicate key');
    }
    keys.add(key);
    if (text(value.valueExpression).length > 5 * 1024) {
      say(`${path}/valueExpression`, 'the expression must be no longer than 5 KiB', { found: null });
    } else {
      checkExpression(
        value.valueExpression,
        `${path}/valueExpression`,
        'annotation',
        { place, result: [STRING, readType('null_type')] },
        say,
      );
    }
  }
}

export function checkMutations(spec: JsonObject, place: AdmissionPlace, say: Say): void {
  const mutations = itemsOf(spec.mutations, '/spec/mutations');
  if (mutations.length === 0) {
    say('/spec/mutations', 'the policy must have mutations');
  }
  for (const { value, path } of mutations.slice(0, MOST_EXPRESSIONS)) {
    const type = text(value.patchType);
    const field = type === 'ApplyConfiguration' ? 'applyConfiguration' : type === 'JSONPatch' ? 'jsonPatch' : undefined;
    if (field === undefined) {
      say(`${path}/patchType`, `unsupported patch type "${type}"`, {
        expected: 'ApplyConfiguration or JSONPatch',
      });
      continue;
    }
    const other = field === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
    if (given(value[other])) {
      say(`${path}/${other}`, `a mutation of type ${type} must not set ${other}`);
    }
    const result = PATCH_RESULTS[field === 'jsonPatch' ? 'JSONPatch' : 'ApplyConfiguration'];
    checkExpression(
      asObject(value[field]).expression,
      `${path}/${field}/expression`,
      'mutation',
      { place, result: [result] },
      say,
    );
  }
}
