/**
 * Containers whose end is settled before the engine answers another request about them: nothing is kept of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultConfiguration } from '../../../src/runtime/docker/configuration';
import { SYSTEM_CLOCK } from '../../../src/runtime/docker/runner/clock';
import { EngineLink } from '../../../src/runtime/docker/runner/engine-link';
import { Runner } from '../../../src/runtime/docker/runner/runner';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { type Task } from '../../../src/runtime/docker/task/task';
import { FakeEngine, type FakeEngineOptions } from './fake-engine';
import { spec } from './tasks';

const CONTAINER = 'gantry-1-1-0';

let folder: string;
let store: TaskStore;
let runner: Runner;
/** Containers that the link to the engine knows. */
let kept: Set<string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-short-'));
  store = TaskStore.open(folder);
  kept = new Set();
  jest.spyOn(EngineLink.prototype, 'witness').mockImplementation((container) => void kept.add(container));
  jest.spyOn(EngineLink.prototype, 'stops').mockImplementation((container) => void kept.add(container));
  jest.spyOn(EngineLink.prototype, 'forget').mockImplementation((container) => void kept.delete(container));
});

afterEach(async () => {
  await runner.stop();
  jest.restoreAllMocks();
  store.close();
  rmSync(folder, { recursive: true });
});

async function start(options: Partial<FakeEngineOptions>): Promise<FakeEngine> {
  const engine = new FakeEngine({ now: Date.now, ...options });
  runner = new Runner({
    engine,
    store,
    configuration: { ...defaultConfiguration({}, false), state: folder },
    inventory: () => ({ name: 'box', devices: [], cpus: [{ id: 0, numa: 0 }], memoryBytes: 2 ** 30 }),
    cdi: () => new Set(),
    processes: { of: () => [], kill: () => undefined },
    clock: SYSTEM_CLOCK,
    random: () => 0.5,
    log: () => undefined,
  });
  await runner.start();
  runner.submit({ spec: spec() });
  return engine;
}

async function until(...states: readonly Task['state'][]): Promise<void> {
  for (let tries = 0; tries < 6000 && !states.includes(runner.ledger.find('1')!.state); tries++) {
    await sleep(5);
  }
  expect(states).toContain(runner.ledger.find('1')!.state);
}

test('a start that is answered after the end', async () => {
  const engine: FakeEngine = await start({
    afterStart: async () => {
      engine.end(CONTAINER);
      await until('succeeded');
    },
  });
  await until('succeeded');
  await runner.stop();
  expect([...kept]).toEqual([]);
});

test('a question before a stop that is answered after the end', async () => {
  let isAsked = false;
  const engine: FakeEngine = await start({
    afterInspect: async () => {
      if (!isAsked && runner.ledger.find('1')?.state === 'stopping') {
        isAsked = true;
        engine.end(CONTAINER);
        await until('canceled');
      }
    },
  });
  await until('running');
  expect(kept.size).toBe(1);
  runner.cancel(['1']);
  await until('canceled');
  await runner.stop();
  expect(isAsked).toBe(true);
  expect([...kept]).toEqual([]);
});
