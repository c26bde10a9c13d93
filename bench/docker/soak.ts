/**
 * Tasks through one runner in this process, on an engine in memory whose containers end at once.
 * The store is in the folder for temporary files: with `TMPDIR=/dev/shm` no disk slows it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UseHistory } from '../../src/runtime/docker/devices/use-history';
import { defaultConfiguration } from '../../src/runtime/docker/configuration';
import { Runner } from '../../src/runtime/docker/runner/runner';
import { SYSTEM_CLOCK } from '../../src/runtime/docker/runner/clock';
import { Metrics } from '../../src/runtime/docker/service/metrics';
import { TaskStore } from '../../src/runtime/docker/store/store';
import { isEnded } from '../../src/runtime/docker/task/task';
import { FakeEngine } from '../../test/runtime/docker/fake-engine';
import { median } from '../machine';
import { HOST, rounded, specOf } from './world';

/** Tasks that wait at a time. */
const WAITING = 16;
const SAMPLES = 300;
const TENANTS = ['a', 'b', 'c', 'd'];

export async function soak(tasks: number): Promise<Readonly<Record<string, number | string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-soak-'));
  const store = TaskStore.open(folder);
  const configuration = {
    ...defaultConfiguration({}, false),
    state: folder,
    tenants: TENANTS.map((name) => ({ name, weight: 1 })),
  };
  const runner = new Runner({
    engine: new FakeEngine({ now: Date.now, runs: 0 }),
    store,
    configuration,
    inventory: () => HOST,
    cdi: () => new Set(HOST.devices.flatMap(({ cdi }) => cdi ?? [])),
    processes: { of: () => [], kill: () => undefined },
    clock: SYSTEM_CLOCK,
    random: Math.random,
    log: (line) => console.error(line),
  });
  // As the service has it.
  const metrics = new Metrics(runner.ledger, new UseHistory());
  const memory: number[] = [];
  const began = performance.now();
  await runner.start();
  await new Promise<void>((resolve) => {
    let [submitted, ended] = [0, 0];
    const submit = (): void => {
      const tenant = TENANTS[submitted % TENANTS.length];
      runner.submit({ spec: specOf(1, { tenant, name: `task-of-${submitted}` }) });
      submitted++;
    };
    runner.ledger.watch((task) => {
      if (isEnded(task)) {
        ended++;
        if (ended % Math.ceil(tasks / SAMPLES) === 0) {
          memory.push(process.memoryUsage.rss() / 2 ** 20);
          metrics.text(runner.status());
        }
        if (submitted < tasks) {
          setImmediate(submit);
        } else if (ended === tasks) {
          resolve();
        }
      }
    });
    for (let index = 0; index < WAITING; index++) {
      submit();
    }
  });
  const seconds = (performance.now() - began) / 1000;
  await runner.stop();
  store.close();
  rmSync(folder, { recursive: true });
  const third = Math.floor(memory.length / 3);
  const [first, last] = [median(memory.slice(0, third)), median(memory.slice(-third))];
  return {
    tasks,
    seconds: rounded(seconds, 0),
    'first third MiB': rounded(first),
    'last third MiB': rounded(last),
    ratio: rounded(last / first, 3),
    'most MiB': rounded(Math.max(...memory)),
  };
}
