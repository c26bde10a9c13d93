/**
 * One device and tasks that end at once: the time from the end of a container to the start of the next one, by the engine's clock, for the runner and for a
 * loop in this process that makes the same requests and decides nothing. The two take turns, so that both meet the same load of the machine.
 */
import { engineAddress } from '../../src/runtime/docker/engine/address';
import { Engine } from '../../src/runtime/docker/engine/engine';
import { IMAGE, LiveEngine } from '../../test/e2e/docker/live-engine';
import { LiveRunner } from '../../test/e2e/docker/live-runner';
import { Containers } from './containers';
import { quantile, rounded } from './world';

const TURNS = 6;
const TASKS = 30;

export async function latency(programs: string): Promise<Readonly<Record<string, number>>> {
  const live = await LiveEngine.start(programs, 1);
  const runner = new LiveRunner(live.host);
  const engine = new Engine(engineAddress(live.host, {}));
  const gaps: { readonly runner: number[]; readonly loop: number[] } = { runner: [], loop: [] };
  try {
    await runner.start();
    for (let turn = 0; turn < TURNS; turn++) {
      gaps.runner.push(...(await gapsOf(live, () => throughRunner(runner))));
      gaps.loop.push(...(await gapsOf(live, (containers) => throughLoop(engine, containers))));
    }
  } finally {
    engine.close();
    await runner.stop();
    await live.stop();
  }
  const [ours, bare] = [quantile(gaps.runner, 0.5), quantile(gaps.loop, 0.5)];
  return {
    tasks: TURNS * TASKS,
    'runner p50 ms': rounded(ours),
    'runner p90 ms': rounded(quantile(gaps.runner, 0.9)),
    'loop p50 ms': rounded(bare),
    'loop p90 ms': rounded(quantile(gaps.loop, 0.9)),
    'beyond the engine p50 ms': rounded(ours - bare),
  };
}

async function gapsOf(live: LiveEngine, work: (containers: Containers) => Promise<void>): Promise<readonly number[]> {
  const containers = await Containers.follow(live.socket);
  await work(containers);
  containers.end();
  return containers.starts.slice(1).map((at, index) => at - containers.ends[index]);
}

async function throughRunner(runner: LiveRunner): Promise<void> {
  const devices = { kind: 'whole', count: 1 };
  const array = Array.from({ length: TASKS }, (_, index) => index);
  const tasks = await runner.client.submit({ image: IMAGE, command: ['true'], network: 'none', devices, array });
  await runner.ended(...tasks.map(({ id }) => id));
}

/** Creates and starts the next container when the one before has ended, and removes that one beside it, as the runner does. */
async function throughLoop(engine: Engine, containers: Containers): Promise<void> {
  const spec = {
    Image: IMAGE,
    Cmd: ['true'],
    HostConfig: { NetworkMode: 'none', DeviceRequests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=0'] }] },
  };
  const removals: Promise<void>[] = [];
  for (let index = 0; index < TASKS; index++) {
    const name = `loop-${index}`;
    const ended = new Promise<string>((resolve) =>
      containers.on(({ Action, Actor }) => Action === 'die' && Actor.Attributes?.name === name && resolve(Actor.ID)),
    );
    await engine.start(await engine.create(name, spec));
    const id = await ended;
    removals.push(removed(engine, id));
  }
  await Promise.all(removals);
}

async function removed(engine: Engine, id: string): Promise<void> {
  const output = await engine.logs(id, { follow: false });
  output.resume();
  await engine.remove(id, true);
}
