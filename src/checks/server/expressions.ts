/**
 * CEL expressions in admission policies, webhooks, device selectors, and definitions: they compile, and they evaluate to what the place wants.
 *
 * The CEL parser and its types are loaded when the first expression is met: most manifests have none.
 */
import { createRequire } from 'node:module';
import type * as CelTypes from '@bufbuild/cel';
import type * as SyntaxTypes from '../cel/syntax-extensions';
import type * as CheckTypes from '../cel/typing/check-types';
import { TypeMistake } from '../cel/typing/tree';
import { isSame, printType, TooLarge, type CelType } from '../cel/typing/types';
import { Remembered } from '../remembered';
import { oneOf } from '../../facts/words';
import { fieldOf } from '../../manifests/pointer';

/** Expressions of one list that are compiled, which takes most of a second. The server has no limit, and no object comes near it. */
export const MOST_EXPRESSIONS = 1000;

export interface Wanted {
  /** Variables, types, and functions of the place. */
  readonly environment: CheckTypes.TypeEnvironment;
  /** The types that the expression may have. @default - any */
  readonly result?: readonly CelType[];
}

/** What an expression is: its type, or what is wrong with it. Neither where the types are too large to tell. */
export interface Compiled {
  readonly type?: CelType;
  /** Continues "the expression". */
  readonly complaint?: string;
}

const load = createRequire(__filename);

/** What is wrong with an expression; `undefined` where nothing is. */
export function expressionComplaint(source: string, wanted: Wanted): string | undefined {
  return compileExpression(source, wanted).complaint;
}

/** What to write in the place of an expression that has a complaint. */
export function expressionFix(path: string): { readonly fix: string } {
  return {
    fix: `Change ${fieldOf(path)} to an expression that the API server can compile and that has the required type.`,
  };
}

type Tree = { readonly expression: SyntaxTypes.Expr } | { readonly complaint: string };

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
    '../cel/syntax-extensions',
  ) as typeof SyntaxTypes;
  if (nestingOf(source) > DEEPEST_TEXT) {
    return { complaint: `must not be nested deeper than ${DEEPEST_TEXT} levels` };
  }
  const escape = unknownEscape(source);
  if (escape !== undefined) {
    return { complaint: `cannot be compiled: unknown escape sequence "${escape}"` };
  }
  let tree: SyntaxTypes.Expr | undefined;
  try {
    tree = parse(withoutOptionalSyntax(source)).expr;
  } catch (error) {
    if (error instanceof RangeError) {
      return { complaint: `must not be nested deeper than ${DEEPEST_TREE - 1} operations` };
    }
    return {
      complaint: `cannot be compiled: ${error instanceof Error ? error.message.replace(/^<input>:/, '') : String(error)}`,
    };
  }
  if (tree === undefined) {
    return { complaint: 'is empty' };
  }
  return isDeeperThan(tree, DEEPEST_TREE)
    ? { complaint: `must not be nested deeper than ${DEEPEST_TREE - 1} operations` }
    : { expression: tree };
}

export function compileExpression(source: string, { environment, result }: Wanted): Compiled {
  const { typeOfExpression } = load('../cel/typing/check-types') as typeof CheckTypes;
  const tree = treeOf(source);
  if ('complaint' in tree) {
    return tree;
  }
  try {
    const type = typeOfExpression(tree.expression, environment);
    return result === undefined || result.some((one) => isSame(one, type))
      ? { type }
      : { complaint: `must evaluate to ${oneOf(result.map(printType))}, but evaluates to ${printType(type)}` };
  } catch (error) {
    if (error instanceof TypeMistake) {
      return { complaint: error.message };
    }
    if (error instanceof TooLarge) {
      return {};
    }
    throw error;
  }
}
