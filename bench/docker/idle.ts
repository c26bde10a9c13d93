/**
 * 1,000 tasks of a second through 8 devices: the share of the time, from the first start to the last end, in which no container has a device. Beside it, what people
 * write without a scheduler: a shell loop for each device that takes the next line of a list and calls `docker run`.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE, LiveEngine } from '../../test/e2e/docker/live-engine';
import { forget, remember } from '../../test/e2e/control-plane/started';
import { LiveRunner } from '../../test/e2e/docker/live-runner';
import { whyNoDockerCommand } from '../../test/e2e/docker/programs';
import { Containers } from './containers';
import { DEVICES, rounded } from './world';

const SECONDS = 1;

type Result = Readonly<Record<string, number | string>>;

/** Through the runner. */
export function idle(programs: string, tasks: number): Promise<Result> {
  return measured(programs, tasks, throughRunner);
}

/** Through the shell loop. */
export async function shellLoop(programs: string, tasks: number): Promise<Result> {
  const reason = whyNoDockerCommand();
  return reason === undefined ? measured(programs, tasks, throughShell) : { SKIPPED: reason };
}

async function measured(
  programs: string,
  tasks: number,
  work: (engine: LiveEngine, tasks: number) => Promise<void>,
): Promise<Result> {
  const engine = await LiveEngine.start(programs, DEVICES);
  try {
    const containers = await Containers.follow(engine.socket);
    await work(engine, tasks);
    containers.end();
    if (containers.ends.length !== tasks) {
      throw new Error(`${containers.ends.length} of ${tasks} containers ended`);
    }
    const milliseconds = Math.max(...containers.ends) - Math.min(...containers.starts);
    const idleShare = 1 - containers.busyMilliseconds / (DEVICES * milliseconds);
    return { tasks, idle: rounded(idleShare, 3), seconds: rounded(milliseconds / 1000) };
  } finally {
    await engine.stop();
  }
}

async function throughRunner(engine: LiveEngine, tasks: number): Promise<void> {
  const runner = new LiveRunner(engine.host);
  try {
    await runner.start();
    const task = {
      image: IMAGE,
      command: ['sleep', String(SECONDS)],
      network: 'none',
      devices: { kind: 'whole', count: 1 },
    };
    const array = Array.from({ length: tasks }, (_, index) => index);
    const [{ array: id = '' }] = await runner.client.submit({ ...task, array });
    while ((await runner.client.wait(id)).some(({ endedAt }) => endedAt === undefined)) {
      // Each answer comes when all have ended, or after half a minute.
    }
  } finally {
    await runner.stop();
    await engine.clear();
  }
}

async function throughShell(engine: LiveEngine, tasks: number): Promise<void> {
  const script = join(engine.folder, 'loop.sh');
  const run = `docker run --rm --network none --device nvidia.com/gpu=$1 ${IMAGE} sleep ${SECONDS}`;
  const lines = [
    `worker() { while flock 8 && read -r line <&7; do flock -u 8; ${run} || exit 1; done; }`,
    `seq ${tasks} > ${script}.list; exec 7< ${script}.list`,
    `for device in $(seq 0 ${DEVICES - 1}); do (exec 8> ${script}.lock; worker $device) & done; wait`,
  ];
  writeFileSync(script, `${lines.join('\n')}\n`);
  const child = spawn('bash', [script], {
    env: { ...process.env, DOCKER_HOST: engine.host },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  remember(script, () => {
    child.kill();
    return Promise.resolve();
  });
  const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  forget(script);
  if (code !== 0) {
    throw new Error(`the shell loop exited with ${String(code)}`);
  }
}
