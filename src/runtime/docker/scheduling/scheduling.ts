/**
 * One decision: which tasks start where, which are stopped for others, and, on demand, why a task waits.
 *
 * The placement core decides. This file only says what the decision means for tasks.
 */
import { type Action, DEFAULT_POLICY, type Decision, type PendingGang, type Policy } from '../../../placement';
import { decideIn } from '../../../placement/engine';
import { Session } from '../../../placement/books/session';
import { NOTHING } from '../../../placement/reasons/reasons';
import { type Placement, type Task } from '../task/task';
import { Places } from './places';
import { Followed } from './followed';
import { snapshotOf, type World } from './question';

/** On one host there is nowhere to move to, and no gang is ever placed in part. */
export const POLICY: Policy = { ...DEFAULT_POLICY, actions: ['allocate', 'backfill', 'preempt', 'reclaim'] };

/** Where no task may be stopped for another, there is none to look for. */
const STARTS: readonly Action[] = ['allocate', 'backfill'];

export interface Start {
  readonly task: Task;
  readonly placements: readonly Placement[];
}

export interface Stop {
  readonly task: Task;
  /** The task that it makes room for. */
  readonly beneficiary?: string;
}

export interface Plan {
  readonly starts: readonly Start[];
  readonly stops: readonly Stop[];
}

/** Keeps the books of the core from decision to decision. */
export class Scheduling {
  private readonly followed = new Followed(POLICY);

  decide(world: World): Plan {
    return planOf(world, decideIn(this.followed.sessionOf(world), NOTHING, mayStopTasks(world) ? undefined : STARTS));
  }
}

/** Tasks that start in this decision may be taken back by it, so those that wait count too. */
function mayStopTasks({ active, waiting }: World): boolean {
  return [active, waiting].some((tasks) => tasks.some(({ spec }) => spec.preemptible));
}

export interface Outlook {
  /** Where it would start now. Absent where it waits. */
  readonly placements?: readonly Placement[];
  /** Why it waits. Absent where it would start. */
  readonly waits?: PendingGang;
  /** Tasks that would be stopped for it. */
  readonly stops: readonly string[];
  /** The earliest known start, milliseconds since the epoch. */
  readonly startAt?: number;
  /** The task for which the free devices are reserved. */
  readonly first?: string;
}

/** What would happen to one of the waiting tasks now, with the changes that would help. */
export function outlookOf(world: World, task: Task): Outlook {
  return outlooksOf(world, [task.id]).get(task.id)!;
}

/** The same of several tasks by one decision, by id. */
export function outlooksOf(world: World, ids: readonly string[]): ReadonlyMap<string, Outlook> {
  const asked = new Set(ids);
  const decision = decideIn(new Session(snapshotOf(world), POLICY), (gang) => (asked.has(gang) ? 'changes' : 'none'));
  const starts = new Map(planOf(world, decision).starts.map((start) => [start.task.id, start]));
  return new Map(ids.map((id) => [id, outlookIn(decision, id, starts.get(id))]));
}

function outlookIn(decision: Decision, id: string, start: Start | undefined): Outlook {
  const waits = decision.pending.find(({ gang }) => gang === id);
  const until = waits?.counterfactuals.flatMap((change) => (change.kind === 'wait-until' ? [change.at] : []))[0];
  const startAt = decision.reservations.find(({ gang }) => gang === id)?.startAt ?? until;
  const first = decision.reservations[0]?.gang;
  return {
    ...(start === undefined ? {} : { placements: start.placements }),
    ...(start === undefined && waits !== undefined ? { waits } : {}),
    stops: [...new Set(decision.evictions.filter(({ beneficiary }) => beneficiary === id).map(({ gang }) => gang))],
    ...(startAt === undefined ? {} : { startAt }),
    ...(first === undefined || first === id ? {} : { first }),
  };
}

function planOf(world: World, { bindings, evictions }: Decision): Plan {
  const taskIn = (list: readonly Task[], id: string): Task | undefined => list.find((task) => task.id === id);
  const places = new Places(world.inventory, world.active);
  const byTask = new Map<string, (readonly number[])[]>();
  for (const { gang, pod, devices } of bindings) {
    const list = byTask.get(gang) ?? [];
    list[Number(pod.slice(pod.lastIndexOf('/') + 1))] = devices;
    byTask.set(gang, list);
  }
  const starts: Start[] = [];
  for (const [id, devices] of byTask) {
    const task = taskIn(world.waiting, id);
    const placements = task === undefined ? [] : Array.from(devices, (held) => places.take(task.spec, held ?? []));
    if (
      task !== undefined &&
      placements.length === task.spec.replicas &&
      placements.every((place) => place !== undefined)
    ) {
      starts.push({ task, placements });
    }
  }
  const stops = new Map<string, Stop>();
  for (const { gang, beneficiary } of evictions) {
    const task = taskIn(world.active, gang);
    if (task !== undefined && task.state !== 'stopping') {
      stops.set(gang, { task, ...(beneficiary === undefined ? {} : { beneficiary }) });
    }
  }
  return { starts, stops: [...stops.values()] };
}
