/**
 * What Gantry estimates for a case, in the form in which the program of `test/e2e/costs` prints it.
 */
import { SchemaSizes } from '../../../src/cel/estimate/schema-sizes';
import { deviceSizes } from '../../../src/cel/estimate/device-sizes';
import { SchemaTypes } from '../../../src/cel/typing/schema-types';
import { deviceEnvironment } from '../../../src/checks/server/cel-environments';
import { compileExpression, type CompiledExpression } from '../../../src/checks/server/expressions';
import { type CostCase } from './cases';

/** The minor of the program's modules. */
const MINOR = 36;

/** `COST OCCURRENCES`, or `error` for an expression that does not compile. */
export function estimateOf(given: CostCase): string {
  if ('selector' in given) {
    const compiled = compileExpression(given.selector, { environment: deviceEnvironment(MINOR), sizeAt: deviceSizes });
    return lineOf(compiled, 1);
  }
  const { schema, rule, isRoot = false } = given;
  const root = isRoot ? schema : { type: 'object', properties: { part: schema } };
  const sizes = new SchemaSizes(root);
  const compiled = compileExpression(rule, {
    environment: new SchemaTypes(root, MINOR).environmentOf(schema, false),
    sizeAt: sizes.sizesOf(schema),
  });
  return lineOf(compiled, sizes.mostOccurrences(schema));
}

function lineOf({ cost }: CompiledExpression, occurrences: number): string {
  return cost === undefined ? 'error' : rounded(`${cost} ${occurrences}`);
}

/** A line of the program with as many digits as both keep: costs far above every limit are not exact here. */
export function rounded(line: string): string {
  return line.replace(/^\d+/, (cost) => Number(cost).toPrecision(15));
}
