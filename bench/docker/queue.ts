/**
 * 10,000 tasks that wait, because the device is drained: how fast they are taken, what the runner needs for them, and how soon it answers after a crash.
 */
import { readFileSync } from 'node:fs';
import { IMAGE, LiveEngine } from '../../test/e2e/docker/live-engine';
import { LiveRunner } from '../../test/e2e/docker/live-runner';
import { rounded } from './world';

const TASKS = 10_000;
/** Clients that submit at a time. */
const CLIENTS = 16;

export async function queue(programs: string): Promise<Readonly<Record<string, number>>> {
  const engine = await LiveEngine.start(programs, 1);
  const runner = new LiveRunner(engine.host);
  try {
    await runner.start();
    await runner.client.drain('0', true);
    const empty = memoryOf(runner.pid);
    const began = performance.now();
    let left = TASKS;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) {
          await runner.client.submit({ image: IMAGE, command: ['true'], devices: { kind: 'whole', count: 1 } });
        }
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    const full = memoryOf(runner.pid);
    await runner.kill();
    const again = performance.now();
    await runner.start();
    const start = performance.now() - again;
    const { open } = await runner.client.status();
    return {
      tasks: open,
      'submissions a second': rounded(TASKS / seconds, 0),
      'MiB empty': rounded(empty),
      'MiB with tasks': rounded(full),
      'MiB after restart': rounded(memoryOf(runner.pid)),
      'restart to first answer, ms': rounded(start, 0),
    };
  } finally {
    await runner.stop();
    await engine.stop();
  }
}

/** Resident memory, MiB. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
}
