/**
 * `npm run bench:e2e -- --nodes N --pods N`: the scheduler against the cluster's own on one API server.
 *
 * - *Backlog*: all pods wait when the scheduler starts; how many it binds in a second, from its first binding to its last.
 * - *Stream*: gangs arrive at a fixed rate; how long a gang waits from its last pod to its last binding.
 *
 * Both schedulers get the same nodes and the same gangs, one after the other; nothing else runs beside etcd and the API server (no
 * controllers, no kubelets), so pods stay where they are bound. `--soak MINUTES` measures Gantry alone, under churn, with `--waiting` impossible
 * gangs and a node that comes or goes each second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { Lab, nameOf } from '../test/e2e/scheduler/lab';
import { type Contender, type ContenderName, costOf, startContender } from './e2e/contender';
import { gangsFor, type LoadGang, readyNode } from './e2e/load';
import { gangLatencies, PodWatch, quantile, type Sighting } from './e2e/watch-pods';
import { soak } from './e2e/soak';
import { machine } from './machine';

interface Result {
  readonly contender: ContenderName;
  readonly rate: number;
  readonly backlogCpu: number;
  readonly p50: number;
  readonly p99: number;
  readonly peakMiB: number;
  readonly brokenGangs: number;
}

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      pods: { type: 'string', default: '10000' },
      stream: { type: 'string', default: '1000' },
      rate: { type: 'string' },
      soak: { type: 'string' },
      waiting: { type: 'string', default: '1000' },
    },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.log(`bench:e2e skipped: ${reason}`);
    return;
  }
  console.log(JSON.stringify(machine()));
  const lab = await Lab.start({ extra: [], customResources: false });
  try {
    await makeNodes(lab, Number(values.nodes));
    if (values.soak !== undefined) {
      await soak(lab, {
        minutes: Number(values.soak),
        pods: Number(values.pods) / 10,
        rate: Number(values.rate ?? 25),
        waiting: Number(values.waiting),
      });
      return;
    }
    const results: Result[] = [];
    for (const contender of ['kube-scheduler', 'gantry'] as const) {
      const { pods, stream, rate = '50' } = values;
      results.push(await measure(lab, contender, { pods: Number(pods), stream: Number(stream), rate: Number(rate) }));
      await empty(lab);
    }
    print(results);
  } finally {
    await lab.stop();
  }
}

async function makeNodes(lab: Lab, count: number): Promise<void> {
  const started = performance.now();
  const nodes = Array.from({ length: count }, (_, index) => readyNode(index));
  await lab.createMany(nodes);
  // Admission taints new nodes until a controller, which does not run here, finds them ready.
  await inParallel(nodes, (node) =>
    lab.patch(`/api/v1/nodes/${nameOf(node)}`, { spec: { taints: null as unknown as string } }),
  );
  console.log(`${count} nodes in ${seconds(started)}`);
}

interface Load {
  readonly pods: number;
  /** Pods that arrive one gang after the other. */
  readonly stream: number;
  /** Of them in a second. */
  readonly rate: number;
}

async function measure(lab: Lab, name: ContenderName, { pods, stream, rate }: Load): Promise<Result> {
  const watch = new PodWatch(lab.kubeconfig);
  let contender: Contender | undefined;
  try {
    const gangs = gangsFor(name, pods, 1);
    const created = performance.now();
    await createGangs(lab, gangs);
    await lab.until('all pods are seen', () => Promise.resolve(watch.pods.size >= pods));
    console.log(`${name}: ${pods} pods in ${gangs.length} gangs wait after ${seconds(created)}`);
    const started = performance.now();
    contender = await startContender(name, lab.kubeconfig);
    const broken = await untilBound(watch, pods);
    const times = [...watch.pods.values()].map(({ boundAt }) => boundAt!).sort((a, b) => a - b);
    const took = (times[times.length - 1] - times[0]) / 1000;
    const cost = costOf(contender.pid);
    const first = (times[0] - started) / 1000;
    console.log(
      `${name}: bound in ${took.toFixed(1)} s, first after ${first.toFixed(1)} s, CPU ${cost.cpuSeconds.toFixed(1)} s`,
    );
    await empty(lab);
    await sleep(2000);
    const latencies = await streamIn(lab, watch, gangsFor(name, stream, 2, 's'), rate);
    return {
      contender: name,
      rate: pods / took,
      backlogCpu: cost.cpuSeconds,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      peakMiB: costOf(contender.pid).peakMiB,
      brokenGangs: broken,
    };
  } finally {
    await contender?.stop();
    await watch.stop();
  }
}

/** The most gangs at one moment of which some pods were bound for more than a second and not all. */
async function untilBound(watch: PodWatch, pods: number): Promise<number> {
  let most = 0;
  for (let last = -1, since = performance.now(); watch.bound < pods; await sleep(250)) {
    if (watch.bound !== last) {
      last = watch.bound;
      since = performance.now();
    }
    if (performance.now() - since > 60_000) {
      throw new Error(`${watch.bound} of ${pods} pods were bound, and no more within a minute.`);
    }
    const gangs = new Map<string, { first: number; waits: boolean }>();
    for (const { gang, boundAt } of watch.pods.values()) {
      const known = gangs.get(gang) ?? { first: Infinity, waits: false };
      gangs.set(gang, {
        first: Math.min(known.first, boundAt ?? Infinity),
        waits: known.waits || boundAt === undefined,
      });
    }
    most = Math.max(
      most,
      [...gangs.values()].filter(({ first, waits }) => waits && performance.now() - first > 1000).length,
    );
  }
  return most;
}

async function streamIn(lab: Lab, watch: PodWatch, gangs: readonly LoadGang[], rate: number): Promise<number[]> {
  const before = new Set(watch.pods.keys());
  const started = performance.now();
  let sent = 0;
  for (const { pods } of gangs) {
    await inParallel(pods, (pod) => lab.create(pod));
    sent += pods.length;
    const ahead = started + (sent / rate) * 1000 - performance.now();
    if (ahead > 0) {
      await sleep(ahead);
    }
  }
  const fresh = (): Sighting[] => [...watch.pods].filter(([name]) => !before.has(name)).map(([, pod]) => pod);
  const bound = (): number => fresh().filter(({ boundAt }) => boundAt !== undefined).length;
  await lab.until('all gangs that came are bound', () => Promise.resolve(bound() >= sent), 120_000);
  return gangLatencies(fresh());
}

async function createGangs(lab: Lab, gangs: readonly LoadGang[]): Promise<void> {
  await inParallel(
    gangs.flatMap(({ pods }) => pods),
    (pod) => lab.create(pod),
  );
}

async function empty(lab: Lab): Promise<void> {
  const all = await lab.pods();
  await inParallel(all, (pod) => lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`));
  await lab.until('no pod is left', async () => (await lab.pods()).length === 0);
}

async function inParallel<T>(list: readonly T[], work: (item: T) => Promise<void>, atOnce = 16): Promise<void> {
  const rest = [...list].reverse();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
        await work(item);
      }
    }),
  );
}

function print(results: readonly Result[]): void {
  const table = new Table({ head: ['', ...results.map(({ contender }) => contender)] });
  const row = (title: string, value: (result: Result) => string): void =>
    void table.push([title, ...results.map(value)]);
  row('backlog: pods bound per second', ({ rate }) => rate.toFixed(0));
  row('backlog: CPU of the scheduler, s', ({ backlogCpu }) => backlogCpu.toFixed(1));
  row('backlog: most gangs in part for more than 1 s', ({ brokenGangs }) => String(brokenGangs));
  row('stream: gang latency p50, s', ({ p50 }) => p50.toFixed(3));
  row('stream: gang latency p99, s', ({ p99 }) => p99.toFixed(3));
  row('peak memory, MiB', ({ peakMiB }) => peakMiB.toFixed(0));
  console.log(table.toString());
  const [stock, gantry] = results;
  console.log(
    `gantry binds ${(gantry.rate / stock.rate).toFixed(2)} times as fast as kube-scheduler (target: at least 1)`,
  );
  console.log(`gantry's peak memory: ${gantry.peakMiB.toFixed(0)} MiB (target: below 400)`);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
