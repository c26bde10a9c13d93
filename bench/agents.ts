/**
 * `npm run bench:agents -- --agents N --seconds N`: what node agents cost the API server.
 *
 * The agents are in this process: each has the reporter, the publisher, and the client of the program, and writes to its own node of a live API
 * server. What they read is generated, so that reading files costs nothing here. Three loads:
 *
 * - *start*: all agents write their first report;
 * - *changing*: every report changes each ten seconds, the most that an agent writes;
 * - *steady*: reports do not change, so that each is renewed once in four minutes. Measured are the first `--seconds` of it.
 *
 * A watch of all nodes counts what one watcher of nodes, such as a scheduler, receives.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type JsonObject, type JsonValue } from '../src/facts/api/schema';
import { GANTRY_ACCELERATOR_CAPACITY, GANTRY_DEVICE_TOPOLOGY } from '../src/facts/catalog';
import { NODE_AGENT_CONDITIONS } from '../src/facts/catalog/node-conditions';
import { type AcceleratorState } from '../src/runtime/agent/devices/accelerators';
import { CapacityReporter, DEFAULT_CAPACITY_OPTIONS, renewalOf } from '../src/runtime/agent/judge/capacity';
import { Publisher } from '../src/runtime/agent/publisher';
import { ApiClient } from '../src/runtime/api/client';
import { admissionFrom } from '../src/runtime/api/credentials';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { Lab } from '../test/e2e/scheduler/lab';
import { costOf } from './e2e/contender';
import { readyNode } from './e2e/load';
import { machine } from './machine';

const DEVICES = 8;
/** Milliseconds between two observations, as in the program. */
const INTERVAL = 10_000;
const NODES = 8000;

interface Counts {
  patches: number;
  failures: number;
  sent: number;
  received: number;
  watched: number;
}

const zero = (): Counts => ({ patches: 0, failures: 0, sent: 0, received: 0, watched: 0 });
let counts = zero();

class Agent {
  private readonly publisher: Publisher;
  private readonly reporter: CapacityReporter;
  private step = 0;

  constructor(name: string, client: ApiClient) {
    this.reporter = new CapacityReporter({ ...DEFAULT_CAPACITY_OPTIONS, renewal: renewalOf(name) });
    this.publisher = new Publisher({
      client: {
        request: async <T>(method: string, path: string, request = {}): Promise<T> => {
          counts.sent += lengthOf((request as { body?: JsonValue }).body);
          const answer = await client.request(method, path, request);
          counts.received += lengthOf(answer);
          return answer as T;
        },
      },
      node: name,
      monotonic: () => performance.now(),
      now: () => Date.now(),
      onPatch: (failure) => {
        counts.patches++;
        counts.failures += failure === undefined ? 0 : 1;
      },
    });
  }

  observe(isChanging: boolean): Promise<void> {
    this.step += isChanging ? 1 : 0;
    const devices = Array.from({ length: DEVICES }, (_, index): AcceleratorState => {
      const isBusy = (this.step + index) % 2 === 0;
      return { index, totalMiB: 81_559, usedMiB: isBusy ? 70_000 : 4, utilization: isBusy ? 0.97 : 0, held: isBusy };
    });
    return this.publisher.publish({
      annotations: {
        [GANTRY_ACCELERATOR_CAPACITY]: this.reporter.report(devices, Date.now()),
        [GANTRY_DEVICE_TOPOLOGY]: TOPOLOGY,
      },
      conditions: NODE_AGENT_CONDITIONS.map((type) => ({
        type,
        status: 'False',
        reason: 'Fine',
        message: 'No problem',
      })),
    });
  }
}

const TOPOLOGY = JSON.stringify({
  'nvidia.com/gpu': Array.from({ length: DEVICES }, (_, index) => ({ index, numa: index >> 2, island: 'nvlink-0' })),
});

function lengthOf(value: JsonValue | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: { agents: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '60' } },
  });
  const [agents, seconds] = [Number(values.agents), Number(values.seconds)];
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.log(`bench:agents skipped: ${reason}`);
    return;
  }
  console.log(JSON.stringify(machine()));
  const lab = await Lab.start({ extra: [], customResources: false });
  const ending = new AbortController();
  const clients: ApiClient[] = [];
  const clientOf = async (): Promise<ApiClient> => {
    const client = new ApiClient({ admission: await admissionFrom(lab.kubeconfig), connections: 2 });
    clients.push(client);
    return client;
  };
  try {
    const nodes = Array.from({ length: agents }, (_, index) => readyNode(index));
    await lab.createMany(nodes);
    const all: Agent[] = [];
    for (const { metadata } of nodes) {
      all.push(new Agent((metadata as JsonObject).name as string, await clientOf()));
    }
    const watcher = (await clientOf()).get('/api/v1/nodes', { query: { limit: 1 } });
    const watching = await watch(await clientOf(), await watcher, ending.signal);
    const server = lab.cluster.processes.find(({ name }) => name === 'kube-apiserver');
    const phase = async (name: string, rounds: number, isChanging: boolean): Promise<void> => {
      counts = zero();
      const [cpu, own, started] = [costOf(server?.pid ?? 0).cpuSeconds, process.cpuUsage(), performance.now()];
      for (let round = 0; round < rounds; round++) {
        // Spread over the interval, as agents that started at different times are.
        const begun = performance.now();
        const work = all.map(async (agent, index) => {
          await sleep((index / all.length) * INTERVAL);
          await agent.observe(isChanging);
        });
        await Promise.all(work);
        await sleep(Math.max(0, INTERVAL + 50 - (performance.now() - begun)));
      }
      const used = process.cpuUsage(own);
      print(name, all.length, (performance.now() - started) / 1000, {
        server: costOf(server?.pid ?? 0).cpuSeconds - cpu,
        own: (used.user + used.system) / 1e6,
      });
    };
    const rounds = Math.max(1, Math.round((seconds * 1000) / INTERVAL));
    await phase('start', 1, false);
    await phase('changing', rounds, true);
    await phase('steady', rounds, false);
    if (watching() === 0) {
      throw new Error('the watch of nodes received nothing, so what a watcher receives is not measured');
    }
    console.log(
      `resident memory of this process: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB for ${agents} agents`,
    );
  } finally {
    ending.abort();
    clients.forEach((client) => client.close());
    await lab.stop();
  }
}

function print(
  name: string,
  agents: number,
  seconds: number,
  cpu: { readonly server: number; readonly own: number },
): void {
  const { patches, failures, sent, received, watched } = counts;
  const each = (bytes: number): number => Math.round(bytes / Math.max(1, patches));
  console.log(
    JSON.stringify({
      load: name,
      agents,
      seconds: Math.round(seconds),
      patches,
      failures,
      patchesPerSecond: round(patches / seconds),
      bytesPerPatch: { sent: each(sent), received: each(received), eachWatcher: each(watched) },
      apiServerCpuMsPerPatch: round((cpu.server * 1000) / Math.max(1, patches)),
      agentCpuPercent: round((cpu.own / seconds / agents) * 100),
      for8000Nodes: {
        patchesPerSecond: round((patches / seconds / agents) * NODES),
        kilobytesPerSecond: round((((sent + received) / seconds / agents) * NODES) / 1000),
        kilobytesPerSecondOfEachWatcher: round(((watched / seconds / agents) * NODES) / 1000),
      },
    }),
  );
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** Opens the watch. @returns how many bytes came so far, whatever phase they belong to */
async function watch(client: ApiClient, list: JsonObject, signal: AbortSignal): Promise<() => number> {
  const { resourceVersion } = list.metadata as JsonObject;
  const query = { watch: true, resourceVersion: resourceVersion as string };
  const stream = await client.stream('/api/v1/nodes', { query, signal, timeout: 600_000 });
  let total = 0;
  stream
    .on('data', (chunk: Buffer) => {
      counts.watched += chunk.length;
      total += chunk.length;
    })
    .on('error', (error) => {
      if (!signal.aborted) {
        console.error(`the watch ended: ${error.message}`);
      }
    });
  return () => total;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
