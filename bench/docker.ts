/**
 * `npm run bench:docker -- [--only PART] [--tasks N]`: the Docker runner. `--tasks` is for `idle`, `shell-loop`, and `soak`. Parts with a real engine are skipped where it cannot be built.
 *
 * - *decision*: decisions about a host of 8 devices with 50, 200, and 10,000 tasks waiting, beside decisions that keep nothing: time of the processor and by the clock
 * - *queue*: 10,000 tasks that wait: submissions in a second, memory of the runner, and the time until it answers after `kill -9`
 * - *latency*: from a device that becomes free to the next container that runs, less what a loop without scheduling takes on the same engine
 * - *idle*: 1,000 tasks of a second through 8 devices: the idle share of the devices
 * - *shell-loop*: the same through a shell loop of `docker run` for each device, which decides nothing
 * - *soak*: 100,000 tasks in one run, on an engine in memory: the resident memory of its last third and of its first
 */
import { parseArgs } from 'node:util';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { buildEngine, whyNoEngine } from '../test/e2e/docker/programs';
import { decision } from './docker/decision';
import { idle, shellLoop } from './docker/idle';
import { latency } from './docker/latency';
import { queue } from './docker/queue';
import { soak } from './docker/soak';
import { machine } from './machine';

/** Tasks of the parts that take a number. */
const TASKS: Readonly<Record<string, number>> = { idle: 1000, 'shell-loop': 1000, soak: 100_000 };

type Result = Readonly<Record<string, number | string>>;

const WITHOUT_ENGINE: Readonly<Record<string, (tasks: number) => Promise<Result>>> = { decision, soak };
const WITH_ENGINE: Readonly<Record<string, (programs: string, tasks: number) => Promise<Result>>> = {
  queue,
  latency,
  idle,
  'shell-loop': shellLoop,
};

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, tasks: { type: 'string' } },
  });
  const names = [...Object.keys(WITHOUT_ENGINE), ...Object.keys(WITH_ENGINE)];
  const asked = values.only ?? names;
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only ${unknown}: must be one of ${names.join(', ')}`);
  }
  const tasksOf = (name: string): number => Number(values.tasks ?? TASKS[name]);
  const reason = whyNoEngine();
  const programs = reason === undefined ? buildEngine((line) => console.log(line)) : '';
  console.log(JSON.stringify(machine()));
  for (const name of asked) {
    if (Object.hasOwn(WITHOUT_ENGINE, name)) {
      console.log(JSON.stringify({ part: name, ...(await WITHOUT_ENGINE[name](tasksOf(name))) }));
    } else if (reason === undefined) {
      console.log(JSON.stringify({ part: name, ...(await WITH_ENGINE[name](programs, tasksOf(name))) }));
    }
  }
  if (reason !== undefined && asked.some((name) => Object.hasOwn(WITH_ENGINE, name))) {
    console.log(`SKIPPED bench:docker: ${Object.keys(WITH_ENGINE).join(', ')} (${reason})`);
  }
}

void main();
