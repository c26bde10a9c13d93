/**
 * One decision, while tasks end and others start: tasks of 4 tenants wait for 1 to 4 of 8 devices. Times are those of the processor.
 */
import { Scheduling } from '../../src/runtime/docker/scheduling/scheduling';
import { next } from '../../src/runtime/docker/task/life';
import { newTask, type Task } from '../../src/runtime/docker/task/task';
import { randomNumbers } from '../machine';
import { HOST, quantile, rounded, specOf } from './world';

const WAITING = [10, 50, 200] as const;
const ROUNDS = 1000;
const WARM_UP = 200;
const TENANTS = ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 1 }));
const PRIORITIES = new Map([['normal', 0]]);

// eslint-disable-next-line @typescript-eslint/require-await
export async function decision(): Promise<Readonly<Record<string, number>>> {
  const results = WAITING.map((count) => {
    const times = timesOf(count);
    return {
      [`${count} waiting p50 ms`]: rounded(quantile(times, 0.5), 3),
      [`${count} waiting p99 ms`]: rounded(quantile(times, 0.99), 3),
    };
  });
  return Object.assign({}, ...results) as Readonly<Record<string, number>>;
}

function timesOf(tasks: number): readonly number[] {
  const random = randomNumbers(1);
  const scheduling = new Scheduling();
  let count = 0;
  const task = (): Task => {
    const [gpus, hours] = [
      [1, 1, 1, 2, 4],
      [1, 4, 12, 24],
    ].map((choices) => choices[Math.floor(random() * choices.length)]);
    const changes = {
      tenant: TENANTS[count % TENANTS.length].name,
      timeLimitSeconds: hours * 3600,
      preemptible: random() < 0.5,
    };
    return newTask(String(++count), count, count * 1000, specOf(gpus, changes));
  };
  let waiting = Array.from({ length: tasks }, task);
  let active: Task[] = [];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const now = 1_000_000_000 + round * 1000;
    const world = {
      now,
      inventory: HOST,
      reserved: { cpus: 0, memoryBytes: 0 },
      tenants: TENANTS,
      priorities: PRIORITIES,
      active,
      waiting,
      foreign: new Set<string>(),
      outOfService: new Set<string>(),
    };
    const before = process.cpuUsage();
    const { starts } = scheduling.decide(world);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    const placed = starts.map((start) =>
      [
        { kind: 'place', at: now, placements: start.placements } as const,
        { kind: 'created', member: 0, container: start.task.id } as const,
        { kind: 'started', member: 0, at: now } as const,
      ].reduce<Task>(next, start.task),
    );
    const started = new Set(placed.map(({ id }) => id));
    waiting = [...waiting.filter(({ id }) => !started.has(id)), ...placed.map(task)];
    // One of those that run has ended by the next decision.
    active = [...active, ...placed];
    active.splice(Math.floor(random() * active.length), 1);
  }
  return times.slice(WARM_UP);
}
