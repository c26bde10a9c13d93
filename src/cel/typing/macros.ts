/**
 * The macros that the parser leaves as calls, with the number of their arguments and the version that introduced them.
 */
import { type Expr } from '../syntax-extensions';
import { qualifiedName } from './tree';

/** Macros of the receiver style by their number of arguments, as the server has them. */
const MACROS: Readonly<Record<string, readonly number[]>> = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  optMap: [2],
  optFlatMap: [2],
  sortBy: [2],
};
const TWO_VARIABLES: ReadonlySet<string> = new Set([
  ...['all', 'exists', 'exists_one', 'existsOne'],
  ...['transformList', 'transformMap', 'transformMapEntry'],
]);
const FIRST_WITH_TWO_VARIABLES = 32;
const FIRST_WITH_SORT_BY = 34;

/** Whether a call of the receiver style with this number of arguments is a macro in this minor. */
export function isMacro(name: string, count: number, minor: number): boolean {
  if (!Object.hasOwn(MACROS, name) || !MACROS[name].includes(count)) {
    return false;
  }
  if (name === 'sortBy') {
    return minor >= FIRST_WITH_SORT_BY;
  }
  return !hasTwoVariables(name, count) || minor >= FIRST_WITH_TWO_VARIABLES;
}

export function hasTwoVariables(name: string, count: number): boolean {
  return count >= 3 && TWO_VARIABLES.has(name);
}

/** Whether a call is `cel.bind(name, value, expression)`. */
export function isBind(name: string, target: Expr, args: readonly Expr[], hasBind: boolean): boolean {
  return hasBind && name === 'bind' && qualifiedName(target) === 'cel' && args.length === 3;
}
