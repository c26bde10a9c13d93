/**
 * What the page shows to a caller: everything that the caller may see, at one moment, in a bounded size.
 */
import { type RunnerView, type RunnerViewTask, type RunnerViewTenant } from '../../../planning/pages/runner-view';
import { type Tenant } from '../../../planning/runner-settings/settings';
import { type UseHistory } from '../devices/use-history';
import { type Runner } from '../runner/runner';
import { type TaskStore } from '../store/store';
import { isActive, type Task } from '../task/task';
import { deviceAnswers, planAnswer, type PlanAnswer } from './answers';
import { type Caller } from './caller';
import { commandText, requestText } from './request-text';

export interface ViewSources {
  readonly runner: Runner;
  readonly store: Pick<TaskStore, 'list'>;
  readonly history: UseHistory;
  readonly tenants: readonly Tenant[];
  readonly priorities: ReadonlyMap<string, number>;
}

const MOST_WAITING = 100;
const MOST_REASONS = 20;
const MOST_ACTIVE = 500;
const MOST_ENDED = 50;
const LONGEST_COMMAND = 300;
const LONGEST_REASON = 2000;
const ENDED = ['succeeded', 'failed', 'canceled'];

export function viewOf(sources: ViewSources, { tenant }: Caller, now: number): RunnerView {
  const { runner, history, priorities } = sources;
  const status = runner.status();
  const isSeen = ({ spec }: Task): boolean => tenant === undefined || spec.tenant === tenant;
  const active = runner.ledger.active.filter(isSeen).sort((a, b) => a.sequence - b.sequence);
  const waiting = waitingOf(sources, tenant);
  const { inventory } = status;
  return {
    version: 1,
    at: now,
    host: {
      name: inventory.name,
      cpus: inventory.cpus.length,
      memoryBytes: inventory.memoryBytes,
      engine: status.engine,
      isConnected: status.isConnected,
      ...(status.problem === undefined ? {} : { problem: status.problem }),
    },
    ...(tenant === undefined ? {} : { tenant }),
    tenants: sources.tenants
      .filter(({ name }) => tenant === undefined || name === tenant)
      .map((one) => tenantOf(one, sources)),
    priorities: [...priorities].sort(([, a], [, b]) => b - a).map(([name]) => name),
    devices: deviceAnswers(status, runner.ledger.active).map((device) => {
      const use = history.latest(device.id);
      return use === undefined ? device : { ...device, use };
    }),
    tasks: [
      ...active.slice(0, MOST_ACTIVE).map((task) => taskOf(task)),
      ...explained(runner, waiting.first),
      ...ended(sources, tenant),
    ],
    counts: { active: active.length, queued: waiting.count },
  };
}

/** The first waiting tasks, by priority, then in the order of submission. */
function waitingOf(
  { runner: { ledger }, priorities }: ViewSources,
  tenant: string | undefined,
): { readonly first: readonly Task[]; readonly count: number } {
  const queues = (tenant === undefined ? ledger.queuedTenants : [tenant]).map((name) => ledger.queued(name));
  const rank = ({ spec }: Task): number => priorities.get(spec.priority) ?? 0;
  const first = queues
    .flatMap((queue) => queue.slice(0, MOST_WAITING))
    .sort((a, b) => rank(b) - rank(a) || a.sequence - b.sequence)
    .slice(0, MOST_WAITING);
  return { first, count: queues.reduce((sum, { length }) => sum + length, 0) };
}

/** The reason of the first ones; of the others the page asks when one is opened. */
function explained(runner: Runner, waiting: readonly Task[]): readonly RunnerViewTask[] {
  const asked = waiting.slice(0, MOST_REASONS);
  const plans = runner.outlooks(asked).map(planAnswer);
  return waiting.map((task, index) => taskOf(task, plans[index]));
}

function ended({ store }: ViewSources, tenant: string | undefined): readonly RunnerViewTask[] {
  const of = tenant === undefined ? {} : { tenant };
  return store
    .list({ states: ENDED, limit: MOST_ENDED, ...of })
    .toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
    .map((task) => taskOf(task));
}

function taskOf(task: Task, plan?: PlanAnswer): RunnerViewTask {
  const { id, spec, state, attempt, submittedAt, startedAt, endedAt, members } = task;
  const reason = reasonOf(task, plan)?.slice(0, LONGEST_REASON);
  const exitCode = members.find(({ exit }) => exit?.code !== undefined && exit.code !== 0)?.exit?.code;
  return {
    id,
    ...(spec.name === undefined ? {} : { name: spec.name }),
    tenant: spec.tenant,
    priority: spec.priority,
    state,
    image: spec.image,
    command: commandText(spec, LONGEST_COMMAND),
    request: requestText(spec.devices, spec.replicas),
    devices: isActive(task) ? [...new Set(members.flatMap(({ devices }) => devices))] : [],
    replicas: spec.replicas,
    attempt,
    submittedAt,
    ...(state === 'queued' || startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(reason === undefined ? {} : { reason }),
    ...(plan === undefined || plan.wouldHelp.length === 0 ? {} : { wouldHelp: plan.wouldHelp }),
    ...(plan?.startAt === undefined ? {} : { startAt: Date.parse(plan.startAt) }),
  };
}

function reasonOf({ state, failure, stop }: Task, plan: PlanAnswer | undefined): string | undefined {
  if (state === 'queued') {
    return plan?.waits;
  }
  if (state === 'stopping') {
    return stop?.message ?? stop?.reason;
  }
  return state === 'failed' && failure !== undefined ? `${failure.class}: ${failure.message}` : undefined;
}

function tenantOf({ name, quota, limit }: Tenant, { runner: { ledger } }: ViewSources): RunnerViewTenant {
  const active = ledger.active.filter(({ spec }) => spec.tenant === name);
  const held = active
    .filter(({ spec }) => spec.devices.kind === 'whole')
    .flatMap(({ members }) => members.filter(({ state }) => state !== 'exited').flatMap(({ devices }) => devices));
  return {
    name,
    active: active.length,
    queued: ledger.queued(name).length,
    devices: held.length,
    ...(quota?.gpus === undefined ? {} : { quota: quota.gpus }),
    ...(limit?.gpus === undefined ? {} : { limit: limit.gpus }),
  };
}
