/**
 * What the CEL rules of one version of a CustomResourceDefinition may cost, as the API server estimates it (apiextensions, `validation/validation.go`):
 * each rule, and all of them together.
 */
import { plus } from '../../../cel/estimate/sizes';
import { fieldOf } from '../../../manifests/pointer';
import { foundCost } from '../expressions';
import { type Say } from '../server-rule';

/** Units of one rule, or of one messageExpression. */
const MOST_OF_RULE = 10_000_000;
const MOST_OF_SCHEMA = 100_000_000;

export class RuleCosts {
  private total = 0;
  private mostExpensive = { path: '', cost: 0 };

  /** @param cost of the rule, for all values that an object can have */
  add(path: string, cost: number, say: Say): void {
    this.total = plus(this.total, cost);
    if (cost > this.mostExpensive.cost) {
      this.mostExpensive = { path, cost };
    }
    if (cost > MOST_OF_RULE) {
      say(path, `the estimated cost of the ${path.endsWith('/rule') ? 'rule' : 'expression'} exceeds ${MOST_OF_RULE}`, {
        found: foundCost(cost),
        expected: `an estimated cost of at most ${MOST_OF_RULE}`,
        fix: `Set maxItems, maxProperties, or maxLength on the lists, maps, and strings that ${fieldOf(path)} reads and that surround it, or simplify it.`,
      });
    }
  }

  /** @param path of the schema */
  checkTotal(path: string, say: Say): void {
    if (this.total > MOST_OF_SCHEMA) {
      say(path, `the estimated cost of all rules of the schema exceeds ${MOST_OF_SCHEMA}`, {
        found: foundCost(this.total),
        expected: `an estimated cost of at most ${MOST_OF_SCHEMA}`,
        fix: `Reduce the cost of the rule at ${this.mostExpensive.path} first: set maxItems, maxProperties, or maxLength on the lists, maps, and strings that it reads and that surround it.`,
      });
    }
  }
}
