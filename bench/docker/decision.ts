/**
 * One decision, while tasks end and others start: tasks of 4 tenants wait for 1 to 4 of 8 devices; none of them is preemptible, which is the default, or half
 * of them are. It begins with the tasks in the ledger and ends with the plan: which tasks could start, the core, and the next time at which something is due.
 * The first quarter is not counted. Beside some, in the same run and on the same world, a decision that keeps nothing of the one before; both must come to the
 * same plan. The tasks are in a store in the folder for temporary files.
 */
import { isDeepStrictEqual } from 'node:util';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dependencies } from '../../src/runtime/docker/runner/dependencies';
import { Ledger } from '../../src/runtime/docker/runner/ledger';
import { Waiting } from '../../src/runtime/docker/runner/waiting';
import { type Plan, Scheduling } from '../../src/runtime/docker/scheduling/scheduling';
import { TaskStore } from '../../src/runtime/docker/store/store';
import { newTask, type Task } from '../../src/runtime/docker/task/task';
import { randomNumbers } from '../machine';
import { HOST, quantile, rounded, specOf } from './world';

const WAITING = [50, 200, 10_000] as const;
/** Which part of the tasks may be stopped for others. */
const PREEMPTIBLE = [
  ['none', 0],
  ['half', 0.5],
] as const;
const ROUNDS = 500;
/** Of this many decisions, one is made a second time by a session that keeps nothing. */
const COMPARED = 10;
const TENANTS = ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 1 }));
const PRIORITIES = new Map([['normal', 0]]);

/** Times of decisions, milliseconds. */
class Times {
  private readonly processor: number[] = [];
  private readonly clock: number[] = [];

  measure<T>(decide: () => T): T {
    const [processor, clock] = [process.cpuUsage(), performance.now()];
    const result = decide();
    const { user, system } = process.cpuUsage(processor);
    this.clock.push(performance.now() - clock);
    this.processor.push((user + system) / 1000);
    return result;
  }

  text(): string {
    const of = (times: readonly number[]): string =>
      [0.5, 0.99].map((share) => rounded(quantile(times.slice(times.length / 4), share), 2)).join('/');
    return `processor ${of(this.processor)}, clock ${of(this.clock)}`;
  }
}

// eslint-disable-next-line @typescript-eslint/require-await
export async function decision(): Promise<Readonly<Record<string, string>>> {
  const results = PREEMPTIBLE.flatMap(([kind, share]) =>
    WAITING.map((count) => {
      const { kept, fresh } = timesOf(count, share);
      return {
        [`${count} waiting, ${kind} preemptible, p50/p99 ms`]: kept.text(),
        [`${count} waiting, ${kind} preemptible, nothing kept`]: fresh.text(),
      };
    }),
  );
  return Object.assign({}, ...results) as Readonly<Record<string, string>>;
}

function timesOf(count: number, preemptible: number): { readonly kept: Times; readonly fresh: Times } {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-decision-'));
  const store = TaskStore.open(folder);
  try {
    const fail = (error: unknown): never => {
      throw error;
    };
    const ledger = new Ledger(store, PRIORITIES, fail);
    const times = measured(ledger, new Waiting(ledger, new Dependencies(ledger, store)), count, preemptible);
    ledger.flush();
    return times;
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

function measured(
  ledger: Ledger,
  queue: Waiting,
  count: number,
  preemptible: number,
): { readonly kept: Times; readonly fresh: Times } {
  const random = randomNumbers(1);
  const scheduling = new Scheduling();
  const [kept, fresh] = [new Times(), new Times()];
  let submitted = 0;
  const task = (): Task =>
    newTask(String(++submitted), submitted, submitted * 1000, randomSpec(random, submitted, preemptible));
  ledger.add(Array.from({ length: count }, task));
  for (let round = 0; round < ROUNDS; round++) {
    const now = 1_000_000_000 + round * 1000;
    const decide = (by: Scheduling): Plan => {
      queue.giveUp(now);
      const plan = by.decide({
        now,
        inventory: HOST,
        reserved: { cpus: 0, memoryBytes: 0 },
        tenants: TENANTS,
        priorities: PRIORITIES,
        active: ledger.active,
        waiting: queue.ready(now),
        foreign: new Set<string>(),
        outOfService: new Set<string>(),
      });
      queue.nextDue(now);
      return plan;
    };
    const plan = kept.measure(() => decide(scheduling));
    if (
      round % COMPARED === 0 &&
      !isDeepStrictEqual(
        fresh.measure(() => decide(new Scheduling())),
        plan,
      )
    ) {
      throw new Error(`decision ${round} with ${count} tasks that wait: a session that is kept decides otherwise`);
    }
    for (const {
      task: { id },
      placements,
    } of plan.starts) {
      ledger.note(
        id,
        { kind: 'place', at: now, placements },
        { kind: 'created', member: 0, container: id },
        { kind: 'started', member: 0, at: now },
      );
    }
    ledger.add(plan.starts.map(task));
    // One of those that run has ended by the next decision.
    const { active } = ledger;
    const ended = active[Math.floor(random() * active.length)];
    if (ended !== undefined) {
      ledger.note(ended.id, { kind: 'exited', member: 0, at: now, code: 0, random: 0.5 });
    }
  }
  return { kept, fresh };
}

function randomSpec(random: () => number, index: number, preemptible: number): Task['spec'] {
  const oneOf = (choices: readonly number[]): number => choices[Math.floor(random() * choices.length)];
  const [gpus, hours] = [oneOf([1, 1, 1, 2, 4]), oneOf([1, 4, 12, 24])];
  const changes = {
    tenant: TENANTS[index % TENANTS.length].name,
    timeLimitSeconds: hours * 3600,
    preemptible: random() < preemptible,
  };
  return specOf(gpus, changes);
}
