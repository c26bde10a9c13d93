/**
 * CEL expressions that select devices, as the API server and schedulers compile them.
 */
import { BUILT_IN_MINORS } from '../../facts/api/kind-table';
import { deviceSizes } from '../../cel/estimate/device-sizes';
import { readSignatures } from '../../cel/typing/signatures';
import { BOOL, readType } from '../../cel/typing/types';
import { deviceEnvironment } from './cel-environments';
import { Remembered } from '../remembered';
import { compileExpression, type CompiledExpression } from './expressions';

/** An attribute's value may be the outcome too. */
const OUTCOMES = [BOOL, readType('any')];

/** Characters of the longest expression that is remembered. */
const LONGEST_KEPT = 2000;
const newSelectors = new Remembered<CompiledExpression>();

/** As the server of a Kubernetes minor compiles a new expression: 36 for 1.36. Claims of one kind of device have the same expressions. */
export function compileNewSelector(expression: string, minor: number): CompiledExpression {
  const compile = (): CompiledExpression =>
    compileExpression(expression, { environment: deviceEnvironment(minor), result: OUTCOMES, sizeAt: deviceSizes });
  return expression.length > LONGEST_KEPT ? compile() : newSelectors.get(`${minor}\n${expression}`, compile);
}

/** A server takes new expressions with the functions of the minor before its own, and evaluates stored ones with all that it has. */
const OF_STORED = Number(BUILT_IN_MINORS.at(-1)?.slice(2)) + 1;

/** With the feature gate DRAListTypeAttributes. */
const OF_LISTS = readSignatures(['dyn.includes(dyn): bool']);

/** What keeps a stored expression from being evaluated: `does not compile: unexpected "." in line 1, column 7`. */
export function storedSelectorFault(expression: string): string | undefined {
  const environment = { ...deviceEnvironment(OF_STORED), functions: OF_LISTS };
  return compileExpression(expression, { environment, result: OUTCOMES }).fault?.complaint;
}
