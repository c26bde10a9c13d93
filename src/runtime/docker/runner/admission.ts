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

/** @returns the specification with ids in place of the names of tasks. @throws RunnerError with the field and what exists */
export function admitted(spec: TaskSpec, known: Known): TaskSpec {
  const { after, tenant, priority } = spec;
  const { configuration } = known;
  const ids = after.map((name) => idOf(name, known));
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
  return { ...spec, after: ids };
}

/** Of a task or an array that is named by its id, or by the name that the latest of that name has. */
function idOf(name: string, { ledger, store }: Known): string {
  if (ledger.find(name) !== undefined || store.elements(name).length > 0) {
    return name;
  }
  const named = store.named(name);
  if (named === undefined) {
    throw invalid(`after: task ${JSON.stringify(name)} not found`);
  }
  return named.array?.id ?? named.id;
}

function invalid(problem: string): RunnerError {
  return new RunnerError(problem, undefined, 'invalid');
}
