/**
 * Runs one case of any suite.
 */
import { type Case } from './case-format';
import { runSchedulerCase } from './run-scheduler-case';
import { runTopologyCase } from './run-topology-case';

/** What is not as expected; an error of the placement core counts as such. */
export function runCase(given: Case): readonly string[] {
  try {
    return given.kind === 'topology-assign' ? runTopologyCase(given) : runSchedulerCase(given);
  } catch (error) {
    return [`${(error as Error).name}: ${(error as Error).message}`];
  }
}
