/**
 * CEL expressions in admission policies, webhooks and device selectors, as far as they can be judged without types: they parse, they
 * name only variables that are there, and what they plainly evaluate to is what is wanted.
 *
 * The CEL parser is loaded when the first expression is met: most manifests have none.
 */
import { createRequire } from 'node:module';
import type * as CelTypes from '@bufbuild/cel';
import type * as SyntaxTypes from '../cel/syntax-extensions';

type Expression = NonNullable<ReturnType<typeof CelTypes.parse>['expr']>;
type Kind = 'bool' | 'string' | 'number' | 'null' | 'list' | 'object' | 'other';

export interface Wanted {
  /** Variables of the place. */
  readonly variables: readonly string[];
  /** What the expression has to evaluate to. @default - anything */
  readonly result?: readonly Kind[];
}

const load = createRequire(__filename);
/** Types, and name spaces of functions. */
const NAMES: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
  'dyn',
  'google',
  'cel',
  'optional',
  'optional_type',
  'math',
  'strings',
  'sets',
  'base64',
  'lists',
  'ip',
  'cidr',
  'url',
  'quantity',
  'semver',
  'format',
  'kubernetes',
  'jsonpatch',
  'Object',
  'JSONPatch',
  'net',
]);
/** Macros whose first arguments name variables. */
const BINDING: ReadonlySet<string> = new Set([
  'bind',
  'optMap',
  'optFlatMap',
  'all',
  'exists',
  'exists_one',
  'existsOne',
  'map',
  'filter',
  'transformList',
  'transformMap',
  'transformMapEntry',
  'sortBy',
]);
const COMPARING: ReadonlySet<string> = new Set([
  '_==_',
  '_!=_',
  '_<_',
  '_<=_',
  '_>_',
  '_>=_',
  '_&&_',
  '_||_',
  '!_',
  '@in',
  '_in_',
]);

/** What is wrong with an expression; `undefined` where nothing is seen to be. */
export function expressionComplaint(source: string, wanted: Wanted): string | undefined {
  const { parse } = load('@bufbuild/cel') as typeof CelTypes;
  const { withoutOptionalSyntax } = load('../cel/syntax-extensions') as typeof SyntaxTypes;
  let root: Expression | undefined;
  try {
    root = parse(withoutOptionalSyntax(source)).expr;
  } catch (error) {
    return `cannot be compiled: ${error instanceof Error ? error.message.replace(/^<input>:/, '') : String(error)}`;
  }
  if (root === undefined) {
    return 'is empty';
  }
  const { used, bound } = identifiersOf(root);
  const unknown = [...used].find(
    (name) => !wanted.variables.includes(name) && !bound.has(name) && !NAMES.has(name) && !name.startsWith('@'),
  );
  if (unknown !== undefined) {
    return `uses the undeclared variable "${unknown}"`;
  }
  const kind = kindOf(root);
  if (kind !== undefined && wanted.result !== undefined && !wanted.result.includes(kind)) {
    return `must evaluate to ${wanted.result.join(' or ')}, but evaluates to ${kind === 'other' ? 'a type' : kind}`;
  }
  return undefined;
}

function identifiersOf(root: Expression): { readonly used: ReadonlySet<string>; readonly bound: ReadonlySet<string> } {
  const used = new Set<string>();
  const bound = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
      return;
    }
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const node = value as Record<string, unknown>;
    if (node.$typeName === 'cel.expr.Expr.Ident' && typeof node.name === 'string') {
      used.add(node.name);
    }
    if (node.$typeName === 'cel.expr.Expr.Comprehension') {
      for (const field of ['iterVar', 'iterVar2', 'accuVar']) {
        if (typeof node[field] === 'string') {
          bound.add(node[field]);
        }
      }
    }
    if (node.$typeName === 'cel.expr.Expr.Call' && BINDING.has(String(node.function)) && Array.isArray(node.args)) {
      for (const argument of node.args as Expression[]) {
        if (argument.exprKind.case === 'identExpr') {
          bound.add(argument.exprKind.value.name);
        }
      }
    }
    Object.values(node).forEach(visit);
  };
  visit(root);
  return { used, bound };
}

const CONSTANTS: Readonly<Record<string, Kind>> = {
  boolValue: 'bool',
  stringValue: 'string',
  nullValue: 'null',
  int64Value: 'number',
  uint64Value: 'number',
  doubleValue: 'number',
};

/** What a node plainly evaluates to. */
function kindOf({ exprKind }: Expression): Kind | undefined {
  if (exprKind.case === 'constExpr') {
    return CONSTANTS[exprKind.value.constantKind.case ?? ''] ?? 'other';
  }
  if (exprKind.case === 'listExpr') {
    return 'list';
  }
  if (exprKind.case === 'structExpr') {
    return 'object';
  }
  if (exprKind.case === 'identExpr') {
    return NAMES.has(exprKind.value.name) ? 'other' : undefined;
  }
  if (exprKind.case !== 'callExpr') {
    return undefined;
  }
  const { function: name, args } = exprKind.value;
  if (COMPARING.has(name)) {
    return 'bool';
  }
  return name === '-_' && args[0] !== undefined ? kindOf(args[0]) : undefined;
}
