/**
 * The selectors of a query: which metrics it reads, with which labels, and through which functions.
 */
import { type Expression, partsOf, type VectorSelector, walk } from './expression';

/** A selector with the expressions around it, innermost first. */
export interface PlacedSelector {
  readonly selector: VectorSelector;
  readonly around: readonly Expression[];
}

/** Every selector with the expressions around it, innermost first, from left to right. */
export function selectorsOf(expression: Expression): readonly PlacedSelector[] {
  const found: PlacedSelector[] = [];
  const visit = (at: Expression, around: readonly Expression[]): void => {
    if (at.kind === 'selector') {
      found.push({ selector: at, around });
    } else {
      for (const part of partsOf(at)) {
        visit(part, [at, ...around]);
      }
    }
  };
  visit(expression, []);
  return found;
}

/** The name that a selector asks for by equality; `undefined` where it takes several. */
export function metricOf({ metric, matchers }: VectorSelector): string | undefined {
  return metric ?? matchers.find(({ label, operator }) => label === '__name__' && operator === '=')?.value;
}

/** The names of all metrics that a query reads by name, each once, in the order of the text. */
export function metricsOf(expression: Expression): readonly string[] {
  const names = new Set<string>();
  for (const part of walk(expression)) {
    const name = part.kind === 'selector' ? metricOf(part) : undefined;
    if (name !== undefined) {
      names.add(name);
    }
  }
  return [...names];
}
