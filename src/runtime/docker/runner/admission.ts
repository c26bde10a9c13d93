/**
 * Whether what a submission names exists: tasks, the tenant, the priority.
 */
import { type RunnerConfiguration } from '../../../planning/runner-settings/settings';
import { RunnerError } from '../runner-error';
import { type TaskStore } from '../store/store';
import { type TaskSpec } from '../task/task';
import { type Ledger } from './ledger';

export interface Known {
  readonly ledger: Ledger;
  readonly store: TaskStore;
  readonly configuration: RunnerConfiguration;
}

/** @throws RunnerError with the field and what exists */
export function checkNames({ after, tenant, priority }: TaskSpec, { ledger, store, configuration }: Known): void {
  const unknown = after.find((id) => ledger.find(id) === undefined && store.elements(id).length === 0);
  if (unknown !== undefined) {
    throw invalid(`after: task ${JSON.stringify(unknown)} not found`);
  }
  if (!configuration.tenants.some(({ name }) => name === tenant)) {
    const names = configuration.tenants.map(({ name }) => name).join(', ');
    throw invalid(
      `tenant ${JSON.stringify(tenant)}: not found; tenants are ${names}. Name one of them with --tenant, or add it to runner.yaml`,
    );
  }
  if (!configuration.priorities.has(priority)) {
    const names = [...configuration.priorities.keys()].join(', ');
    throw invalid(`priority ${JSON.stringify(priority)}: not found; priorities are ${names}`);
  }
}

function invalid(problem: string): RunnerError {
  return new RunnerError(problem, undefined, 'invalid');
}
