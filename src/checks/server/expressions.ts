/**
 * CEL expressions in admission policies, webhooks, device selectors, and definitions: they compile, and they evaluate to what the place wants.
 *
 * The CEL parser and its types are loaded when the first expression is met: most manifests have none.
 */
import { createRequire } from 'node:module';
import type * as CelTypes from '@bufbuild/cel';
import type * as SyntaxTypes from '../../cel/syntax-extensions';
import type * as EstimateTypes from '../../cel/estimate/estimate-cost';
import type { SizeAt } from '../../cel/estimate/declared-sizes';
import type * as CheckTypes from '../../cel/typing/check-types';
import type * as PlaceTypes from '../../cel/syntax-place';
import { UNLIMITED } from '../../cel/estimate/sizes';
import { isSame, printType, type CelType } from '../../cel/typing/types';
import { Remembered } from '../remembered';
import { nearestName } from '../../facts/spelling';
import { oneOf } from '../../facts/words';
import { fieldOf } from '../../manifests/pointer';

/** Expressions of one list that are compiled, which takes most of a second. The server has no limit, and no object comes near it. */
export const MOST_EXPRESSIONS = 1000;

export interface Wanted {
  /** Variables, types, and functions of the place. */
  readonly environment: CheckTypes.TypeEnvironment;
  /** The types that the expression may have. @default - any */
  readonly result?: readonly CelType[];
  /** Sizes of the variables, where the server estimates what the expression may cost. @default - it does not */
  readonly sizeAt?: SizeAt;
}

/** What an expression is: its type, or what is wrong with it. Neither where the types are too large to tell. */
export interface CompiledExpression {
  readonly type?: CelType;
  readonly fault?: CheckTypes.ExpressionFault;
  /** What the server estimates, in units of CEL. @default - the place has no estimate, or the expression does not compile */
  readonly cost?: number;
}

/** More names than this are not listed. */
const MOST_CHOICES = 12;
/** More ways to call a function than this are not listed. */
const MOST_WAYS = 4;

const load = createRequire(__filename);

/**
 * What to write in the place of an expression with a fault.
 *
 * @param source the expression, where it is known
 */
export function expressionFix(
  path: string,
  { complaint, choices = [], types = [] }: CheckTypes.ExpressionFault,
  source = '',
): { readonly fix: string } {
  const field = fieldOf(path);
  const [, name] = /^(?:references the undeclared variable|selects the undefined field) (".*")$/s.exec(complaint) ?? [];
  if (name !== undefined && choices.length > 0 && choices.length <= MOST_CHOICES) {
    return { fix: variableFix(name, field, choices, complaint) };
  }
  const [, called] = /^calls the function "(.*)" with the unsupported types /s.exec(complaint) ?? [];
  if (called !== undefined && choices.length > 0 && choices.length <= MOST_WAYS) {
    return { fix: `Use ${called} in ${field} as ${oneOf(choices)}.` };
  }
  if (complaint.startsWith('does not compile')) {
    const ofType = types.length === 0 ? '' : ` of type ${oneOf(types.map(printType))}`;
    return { fix: `Set ${field} to a valid CEL expression${ofType}.` };
  }
  const [, type] = /^must evaluate to (.+), but evaluates to /.exec(complaint) ?? [];
  if (path.endsWith('/messageExpression') && isComparison(complaint, source)) {
    return { fix: `Set ${field} to an expression that evaluates to a string.` };
  }
  const fix =
    type === undefined
      ? FIXES.find(([form]) => form.test(complaint))?.[1]
      : `Set FIELD to an expression of type ${withExample(type)}.`;
  return { fix: (fix ?? 'Set FIELD to an expression that the API server can compile.').replace('FIELD', field) };
}

/** `bool`, `Object, such as Object{…}`. */
const withExample = (type: string): string =>
  Object.hasOwn(EXAMPLES, type) ? `${type}, such as ${EXAMPLES[type]}` : type;

/** Expressions of the types that only a mutation has. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'list(JSONPatch)': '[JSONPatch{op: "add", path: "/metadata/labels/team", value: "research"}]',
  Object: 'Object{metadata: Object.metadata{labels: {"team": "research"}}}',
};
/** Whether the fault is in a comparison that is the whole expression: operands of one type make it valid, but not a string. */
const isComparison = (complaint: string, source: string): boolean =>
  complaint.startsWith('applies the operator ') && COMPARES.test(source);

const COMPARES = /^[^()[\]{}?]*(?:[=!]=|[<>]=?)[^()[\]{}?]*$/;

/** The variable of a similar name, or those that the place has. */
function variableFix(name: string, field: string, choices: readonly string[], complaint: string): string {
  if (complaint.startsWith('references') && name === '"variables"') {
    return field.startsWith('matchConditions')
      ? `Remove variables from ${field}, because match conditions cannot use variables.`
      : `Add the variables that ${field} uses to spec.variables, or remove them from ${field}.`;
  }
  const near = nearestName(name.slice(1, -1), choices);
  return `Replace ${name} in ${field} with ${near ?? oneOf(choices)}.`;
}

/** By the beginning of the complaint. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^is empty/, 'Set FIELD to an expression.'],
  [/^must not be nested/, 'Set FIELD to an expression with fewer nested operations.'],
  [/^references the undeclared variable/, 'Replace the variable in FIELD with one that the API server declares.'],
  [
    /^uses the undeclared type "Object/,
    'Remove Object{} from FIELD, because only mutations with applyConfiguration can create an Object.',
  ],
  [
    /^uses the undeclared type "JSONPatch/,
    'Remove JSONPatch{} from FIELD, because only mutations with jsonPatch can create a JSONPatch.',
  ],
  [/^uses the undeclared type/, 'Replace the type in FIELD with one of CEL, such as a map: {"key": "value"}.'],
  [
    /^selects the undefined field/,
    'Replace the field in FIELD with one that the type has, or with a function of the type.',
  ],
  [/^sets the undefined field/, 'Remove the field from FIELD, or replace it with one that the type has.'],
  [
    /^calls the undeclared function/,
    'Replace the function in FIELD with a function of the Kubernetes CEL libraries, such as matches or startsWith.',
  ],
  [/^calls has\(\) with something /, 'Pass the field of a variable to has() in FIELD, as in has(variable.field).'],
  [/^formats \d+ arguments?, but /, 'Pass one argument to format() in FIELD for each clause.'],
  [
    /^has a macro whose variable /,
    'Use an identifier as the variable of the macro in FIELD, for example list.all(x, x > 0).',
  ],
  [
    /^formats with the unknown clause /,
    'Use only the clauses %s, %d, %f, %e, %b, %x, %X, and %o of format() in FIELD.',
  ],
  [
    /^applies the operator "[!=]=" to the unsupported types .*\bnull_type\b/,
    'Use has() in FIELD to test whether the field is set, for example has(object.spec).',
  ],
  [/^applies the operator "%" /, 'Convert the operands of % in FIELD to integers with int().'],
  [
    /^applies the operator "in" /,
    'Write a value of the type of the list items or map keys before the operator "in" in FIELD.',
  ],
  [/^selects the field /, 'Select only fields of objects and keys of maps in FIELD.'],
  [
    /^formats a value /,
    'Use a clause for the type of the value in FIELD, such as %s for strings and %d for integers, or convert the value with string().',
  ],
  [/^has an optional entry /, 'Remove the ? from FIELD, or make the value optional, for example optional.of(1).'],
  [/^has the number /, 'Set the number in FIELD to an integer from -9223372036854775808 to 9223372036854775807.'],
  [/^mixes /, 'Use one type for all items of a list or map in FIELD.'],
  [/^has the invalid duration/, 'Write the duration in FIELD with a unit, for example duration("30s").'],
  [
    /^has the invalid timestamp/,
    'Write the timestamp in FIELD in RFC 3339, for example timestamp("2026-01-31T15:04:05Z").',
  ],
  [/^has the invalid pattern/, 'Replace the pattern in FIELD with a valid RE2 regular expression.'],
  [
    /^applies the operator "(?:==|!=|<=?|>=?)" to .*\b(?!google\.protobuf\.)[a-z]\w*(?:\.\w+)*\.[A-Z]/,
    'Compare a field of the object in FIELD.',
  ],
  [/ the unsupported types .*\bobject\.\d/, 'Use a field of the object in FIELD.'],
  [/ the unsupported types .*(?<!google\.protobuf)\.[A-Z]\w*/, 'Use a field of the object in FIELD.'],
  [
    /^applies the operator "\[\]" to the unsupported types \(map\(string/,
    'Select the entry of the map in FIELD with a string, for example ["example.com"].',
  ],
  [
    /^applies the operator "\[\]" to the unsupported types \(string, int\)/,
    'Replace the index of the string in FIELD with charAt(), for example "abc".charAt(0).',
  ],
  [
    /^applies the operator "\[\]" /,
    'Use an int as the index of a list in FIELD, and a key of the right type for a map.',
  ],
  [
    /^applies the operator "(?:==|!=)" to the unsupported types \(list\(/,
    'Compare the items of the list in FIELD instead of the list, for example with exists() or the operator in.',
  ],
  [
    /^applies the operator "[<>]=?" to the unsupported types \((?:list|map)\(/,
    'Compare the sizes in FIELD with size(), or single items.',
  ],
  [
    / the unsupported types .*\b(?:list|map|type|optional_type)\(/,
    'Replace the lists, maps, and optional values in FIELD with single values, for example list[0] or optional.orValue("").',
  ],
  [/^sets the field /, 'Convert the value in FIELD to the type of the field, for example with string() or int().'],
  [/^needs map\(/, 'Set the value in FIELD to a map, for example {"key": value}.'],
  [/^needs list\(/, 'Set the value in FIELD to a list, for example [value].'],
  [
    /^(?:calls the function|applies the operator|needs|loops over|selects) /,
    'Convert the operands in FIELD to the same type, for example with string() or int().',
  ],
];

type Tree = { readonly expression: SyntaxTypes.Expr } | { readonly fault: CheckTypes.ExpressionFault };

/** Characters of the longest expression whose tree is kept. */
const LONGEST_KEPT = 2000;
const trees = new Remembered<Tree>();

/** The tree of an expression, or what keeps the server from parsing it. Objects of one kind often have the same expressions. */
function treeOf(source: string): Tree {
  return source.length > LONGEST_KEPT ? parsed(source) : trees.get(source, () => parsed(source));
}

function parsed(source: string): Tree {
  const { parse } = load('@bufbuild/cel') as typeof CelTypes;
  const { nestingOf, unknownEscape, withoutOptionalSyntax, DEEPEST_TEXT, DEEPEST_TREE, isDeeperThan } = load(
    '../../cel/syntax-extensions',
  ) as typeof SyntaxTypes;
  if (nestingOf(source) > DEEPEST_TEXT) {
    return { fault: { complaint: `must not be nested deeper than ${DEEPEST_TEXT} levels` } };
  }
  const escape = unknownEscape(source);
  if (escape !== undefined) {
    return { fault: { complaint: `does not compile: unknown escape sequence "${escape}"` } };
  }
  const tooDeep = { fault: { complaint: `must not be nested deeper than ${DEEPEST_TREE - 1} operations` } };
  let tree: SyntaxTypes.Expr | undefined;
  try {
    tree = parse(withoutOptionalSyntax(source)).expr;
  } catch (error) {
    return error instanceof RangeError
      ? tooDeep
      : { fault: { complaint: `does not compile: ${syntaxError(error, source)}` } };
  }
  if (tree === undefined) {
    return { fault: { complaint: 'is empty' } };
  }
  return isDeeperThan(tree, DEEPEST_TREE) ? tooDeep : { expression: tree };
}

export function compileExpression(source: string, { environment, result, sizeAt }: Wanted): CompiledExpression {
  const { typingOf } = load('../../cel/typing/check-types') as typeof CheckTypes;
  const tree = treeOf(source);
  if ('fault' in tree) {
    return result === undefined ? tree : { fault: { ...tree.fault, types: result } };
  }
  const { type, fault, parts } = typingOf(tree.expression, environment);
  if (fault !== undefined || type === undefined || parts === undefined) {
    return fault === undefined ? {} : { fault };
  }
  if (result !== undefined && !result.some((one) => isSame(one, type))) {
    return {
      fault: { complaint: `must evaluate to ${oneOf(result.map(printType))}, but evaluates to ${printType(type)}` },
    };
  }
  if (sizeAt === undefined) {
    return { type };
  }
  const { estimateCost } = load('../../cel/estimate/estimate-cost') as typeof EstimateTypes;
  const { minor, hasBind = false } = environment;
  const cost = estimateCost(tree.expression, { parts, sizeAt, minor, hasBind });
  return cost === undefined ? { type } : { type, cost };
}

/** An estimated cost as findings show it. */
export function foundCost(cost: number): number | string {
  return cost === UNLIMITED ? 'a cost without a limit' : cost;
}

/** `unexpected ":" in line 1, column 2`. */
function syntaxError(error: unknown, source: string): string {
  const { unexpectedToken } = load('../../cel/syntax-place') as typeof PlaceTypes;
  const token = unexpectedToken(source);
  if (token === undefined) {
    const message = error instanceof Error ? error.message.replace(/^<input>:/, '') : String(error);
    const [, line, column, found = ''] = /^(\d+):(\d+): found (.*) but expecting /s.exec(message) ?? [];
    return line === undefined ? message : `unexpected ${named(found)} at line ${line}, column ${column}`;
  }
  const lines = source.slice(0, token.at).split('\n');
  return `unexpected ${named(token.text)} at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

const named = (token: string): string =>
  token === '' || token === 'end of input' ? 'end of the expression' : JSON.stringify(token);
