/**
 * `npm run bench:cycle -- --nodes N --pods N --waiting N --shapes N --crowd KIND`: what one arriving gang costs the scheduler program when nothing
 * else changes.
 *
 * The whole program runs in this process against an API server in memory. *CPU* is that of the process from the arrival of a gang of `--size` pods
 * until the watch has shown its bindings, the server included; *latency* is from the arrival to the last binding. First beside running pods alone, then with
 * gangs that wait, in so many different shapes:
 *
 * - `impossible`: no node has as many devices
 * - `full`: a free node would take them, and no node is free
 * - `apart`: as `impossible`, and each fourth keeps off others
 * - `hostile`: what one tenant could write to cost others their time, each object different; `--shapes` does not matter
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type JsonObject } from '../src/facts/api/schema';
import { Program } from '../src/runtime/kubernetes/program';
import { pod } from '../test/e2e/scheduler/manifests';
import { readyNode } from './e2e/load';
import { hostileCrowd } from './e2e/hostile-crowd';
import { MemoryServer } from './e2e/memory-server';
import { machine, median } from './machine';

/** Devices in use on each node of eight: three quarters. */
const USED = 6;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '5000' },
      pods: { type: 'string', default: '40000' },
      waiting: { type: 'string', default: '10000' },
      shapes: { type: 'string', default: '1' },
      crowd: { type: 'string', default: 'impossible' },
      size: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '30' },
      settle: { type: 'string', default: '20' },
    },
  });
  const [nodes, pods, waiting] = [Number(values.nodes), Number(values.pods), Number(values.waiting)];
  console.log(JSON.stringify(machine()));
  const server = new MemoryServer();
  fill(server, nodes, pods);
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, '{}');
  const program = await Program.start(
    {
      config,
      kubeconfig: undefined,
      address: '127.0.0.1',
      port: 0,
      authentication: 'off',
      leaderElection: false,
      leaseNamespace: 'x',
      leaseName: 'x',
      leaseSeconds: 15,
      identity: 'bench',
      clusterName: 'bench',
    },
    { client: server.client, logTo: { write: () => undefined } },
  );
  await until(() => ready(program.port), 120_000);
  const [size, count] = [Number(values.size), Number(values.rounds)];
  await arrive(server, 'warm', size);
  await sleep(3000);
  const alone = await rounds(server, 'a', `${nodes} nodes, ${pods} pods`, size, count);
  if (waiting > 0) {
    const started = process.cpuUsage();
    if (values.crowd === 'hostile') {
      hostileCrowd(waiting).forEach(({ plural, object }) => server.put(plural, object));
    }
    for (let i = 0; i < waiting && values.crowd !== 'hostile'; i++) {
      server.put('pods', waitingPod(i, i % Number(values.shapes), values.crowd));
    }
    await sleep(Number(values.settle) * 1000);
    const { user, system } = process.cpuUsage(started);
    console.log(`${waiting} gangs came: ${((user + system) / 1000).toFixed(0)} ms of CPU in ${values.settle} s`);
    const what =
      values.crowd === 'hostile'
        ? `${waiting} hostile pods`
        : `${waiting} gangs of ${values.shapes} shapes waiting (${values.crowd})`;
    const beside = await rounds(server, 'b', `the same, with ${what}`, size, count);
    console.log(
      `with the crowd: ${(beside.cpu / alone.cpu).toFixed(2)} times the CPU, ${(beside.p50 / alone.p50).toFixed(2)} times the latency (p50)`,
    );
    const many = ['a', 'b'].map((kind) => [kind, server.writes] as const);
    console.log(JSON.stringify(Object.fromEntries([...many[0][1]].slice(0, 12))));
  }
  console.log(`memory: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB, with the server's own copies`);
  await program.stop('done');
  rmSync(folder, { recursive: true, force: true });
}

function fill(server: MemoryServer, nodes: number, pods: number): void {
  for (let i = 0; i < nodes; i++) {
    server.put('nodes', readyNode(i));
  }
  const each = pods / nodes;
  const startTime = new Date(Date.now() - 3_600_000).toISOString();
  for (let i = 0; i < pods; i++) {
    const node = Math.floor(i / each);
    const index = i - node * each;
    const made = pod(`run-${i}`, { gang: `run-${node}`, minimum: Math.floor(each), gpus: index < USED ? 1 : 0 });
    const spec = { ...(made.spec as JsonObject), nodeName: `node-${String(node).padStart(5, '0')}` };
    server.put('pods', { ...made, spec, status: { phase: 'Running', startTime } });
  }
}

async function ready(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/gantry/v1/view`).catch(() => undefined);
  return response?.ok === true && (await response.text()) !== 'null';
}

/** @returns milliseconds from the arrival to the last binding */
async function arrive(server: MemoryServer, name: string, size: number): Promise<number> {
  let left = size;
  const started = performance.now();
  const done = new Promise<number>((resolve) => {
    server.onBound = (key) => {
      if (key.startsWith(`default/${name}-`) && --left === 0) {
        resolve(performance.now() - started);
      }
    };
  });
  for (let i = 0; i < size; i++) {
    server.put('pods', pod(`${name}-${i}`, { gang: name, minimum: size, gpus: 1 }));
  }
  return done;
}

interface Cost {
  readonly cpu: number;
  readonly p50: number;
}

async function rounds(server: MemoryServer, prefix: string, title: string, size: number, count: number): Promise<Cost> {
  const latencies: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round < count; round++) {
    const before = process.cpuUsage();
    latencies.push(await arrive(server, `${prefix}${round}`, size));
    await sleep(400);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
    for (let i = 0; i < size; i++) {
      server.remove('pods', `default/${prefix}${round}-${i}`);
    }
    await sleep(400);
  }
  const sorted = [...latencies].sort((a, b) => a - b);
  console.log(
    `${title}: a gang of ${size} costs ${median(costs).toFixed(1)} ms of CPU (median of ${count}); latency p50 ${median(latencies).toFixed(1)} ms, ` +
      `p99 ${sorted[Math.floor(0.99 * sorted.length)].toFixed(1)} ms`,
  );
  return { cpu: median(costs), p50: median(latencies) };
}

function waitingPod(index: number, shape: number, crowd: string): JsonObject {
  const common = { gang: `never-${index}`, minimum: 1, labels: { shape: `s${shape % 40}` } };
  switch (crowd) {
    case 'full':
      return pod(`never-${index}`, { ...common, gpus: 8, cpu: `${1000 + shape}m` });
    case 'apart': {
      const term = {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: { matchLabels: { shape: `s${shape % 40}` } },
      };
      const spec: JsonObject =
        shape % 4 === 0
          ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
          : {};
      return pod(`never-${index}`, { ...common, gpus: 100 + shape, spec });
    }
    default:
      return pod(`never-${index}`, { ...common, gpus: 100 + shape });
  }
}

async function until(isSo: () => Promise<boolean>, limit: number): Promise<void> {
  for (const deadline = Date.now() + limit; !(await isSo()); await sleep(200)) {
    if (Date.now() > deadline) {
      throw new Error('the scheduler did not become ready');
    }
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : String(error));
  process.exitCode = 1;
});
