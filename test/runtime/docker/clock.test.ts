/**
 * A clock that is set back: no task is lost, none is ended too early or too late, and none counts as done that was stopped.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultConfiguration } from '../../../src/runtime/docker/configuration';
import { Runner } from '../../../src/runtime/docker/runner/runner';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { type Task, type TaskSpec } from '../../../src/runtime/docker/task/task';
import { FakeEngine } from './fake-engine';
import { spec } from './tasks';

const HOUR = 3_600_000;

let folder: string;
let store: TaskStore;
let engine: FakeEngine;
let runner: Runner;
let beforeStop: () => void;
/** The clock of the host, and what only grows. */
let now: number;
let passed: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-clock-'));
  [now, passed] = [Date.parse('2026-03-01T12:00:00Z'), 0];
  store = TaskStore.open(folder);
  beforeStop = () => undefined;
  engine = new FakeEngine({ now: () => now, beforeStop: () => beforeStop() });
  runner = runnerOf();
  await runner.start();
});

afterEach(async () => {
  await runner.stop();
  store.close();
  rmSync(folder, { recursive: true });
});

function runnerOf(): Runner {
  const devices = [{ id: 'gpu-0', cdi: 'nvidia.com/gpu=0' }];
  return new Runner({
    engine,
    store,
    configuration: { ...defaultConfiguration({}, false), state: folder },
    inventory: () => ({ name: 'box', devices, cpus: [{ id: 0, numa: 0 }], memoryBytes: 2 ** 30 }),
    cdi: () => new Set(),
    processes: { of: () => [], kill: () => undefined },
    clock: { now: () => now, monotonic: () => passed },
    random: () => 0.5,
    log: () => undefined,
  });
}

function submit(changes: Partial<TaskSpec>): string {
  return runner.submit({ spec: spec({ devices: { kind: 'whole', count: 1 }, ...changes }) })[0].id;
}

async function until(id: string, isTrue: (task: Task) => boolean): Promise<Task> {
  for (let tries = 0; tries < 6000; tries++) {
    const task = runner.ledger.find(id)!;
    if (isTrue(task)) {
      return task;
    }
    await sleep(5);
    runner.changed();
  }
  throw new Error(`task ${id} stays ${runner.ledger.find(id)?.state}`);
}

const isIn =
  (...states: readonly Task['state'][]) =>
  ({ state }: Task): boolean =>
    states.includes(state);

test('a task that was stopped for another is queued again, and does not count as done', async () => {
  const low = submit({ priority: 'low', preemptible: true });
  await until(low, isIn('running'));
  // The stop is written with the time before, and the container ends with the time after.
  beforeStop = () => (now -= HOUR);
  const high = submit({ priority: 'high' });
  await until(high, isIn('running'));
  expect(runner.ledger.find(low)).toMatchObject({ state: 'queued', preemptions: 1 });
});

test('a time limit is neither shorter nor longer', async () => {
  const id = submit({ timeLimitSeconds: 60 });
  await until(id, isIn('running'));
  now -= HOUR;
  passed += 59_000;
  runner.changed();
  await sleep(20);
  expect(engine.running).toEqual(['gantry-1-1-0']);
  passed += 2000;
  runner.changed();
  expect(await until(id, isIn('failed'))).toMatchObject({ failure: { class: 'timeout' } });
});

test('a task that waits after a failure does not wait for the hour to pass again', async () => {
  const id = submit({ retries: 1 });
  await until(id, isIn('running'));
  engine.end('gantry-1-1-0', 1);
  await until(id, isIn('queued'));
  now -= HOUR;
  runner.changed();
  expect(await until(id, isIn('running'))).toMatchObject({ attempt: 2 });
});

test('a runner that starts again finds what runs, and starts nothing twice', async () => {
  const id = submit({});
  const next = submit({});
  await until(id, isIn('running'));
  await runner.stop();
  now -= HOUR;
  runner = runnerOf();
  await runner.start();
  await until(id, isIn('running'));
  expect(engine.started).toEqual(['gantry-1-1-0']);
  engine.end('gantry-1-1-0');
  await until(next, isIn('running'));
  expect(runner.ledger.find(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
});
