/**
 * `npm run bench:e2e -- --nodes N --pods N --stream N`: the scheduler against its peers on one API server, with the same nodes and gangs, one after the
 * other. `--only NAME,NAME` selects contenders, `--markdown` prints the table of docs/migrate.md.
 *
 * - *Empty*: all pods wait when the scheduler starts; how many it binds in a second, from its first binding to its last.
 * - *Full*: the same on a cluster of which three quarters of the devices are in use, with as many pods as leave some free.
 * - *Stream*, on the full cluster: gangs arrive at a fixed rate; how long a gang waits from its last pod to its last binding. For kube-scheduler, how long a
 *   pod waits is stated too.
 *
 * Nothing else runs beside etcd and the API server (no controllers, no kubelets), so pods stay where they are bound. `--soak MINUTES` measures Gantry
 * alone, under churn, with `--waiting` impossible gangs and a node that comes or goes each second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type JsonObject } from '../src/facts/api/schema';
import { asObject, asString } from '../src/manifests/read';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { coveredDefinitions } from '../test/e2e/control-plane/covered-definitions';
import { applyCustomResources } from '../test/e2e/control-plane/custom-resources';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { Lab, nameOf } from '../test/e2e/scheduler/lab';
import { type Contender, type ContenderName, CONTENDERS, costOf, startContender, whyNot } from './e2e/contender';
import { filler, gangsFor, type LoadGang, readyNode } from './e2e/load';
import { gangLatencies, PodWatch, quantile, type Sighting } from './e2e/watch-pods';
import { soak } from './e2e/soak';
import { machine } from './machine';

interface Result {
  readonly contender: ContenderName;
  readonly empty: Backlog;
  readonly full: Backlog;
  readonly stream: { readonly p50: number; readonly p99: number; readonly podP50: number };
  readonly peakMiB: number;
}

interface Backlog {
  readonly rate: number;
  readonly cpu: number;
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
      only: { type: 'string' },
      markdown: { type: 'boolean', default: false },
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
  const contenders = values.soak === undefined ? chosen(values.only?.split(',')) : [];
  const lab = await Lab.start({
    extra: [],
    customResources: false,
    serve: ['api/beta', 'scheduling.k8s.io/v1alpha2'],
    featureGates: { GenericWorkload: true },
  });
  try {
    if (contenders.includes('Volcano')) {
      await applyCustomResources(lab.cluster.client, coveredDefinitions().filter(isOfVolcano));
      await openQueues(lab);
    }
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
    const { nodes, pods, stream, rate = '50' } = values;
    const load = { nodes: Number(nodes), pods: Number(pods), stream: Number(stream), rate: Number(rate) };
    const results: Result[] = [];
    for (const contender of contenders) {
      results.push(await measure(lab, contender, load));
    }
    print(results, load, values.markdown);
  } finally {
    await lab.stop();
  }
}

/** @throws where a name is unknown */
function chosen(only: readonly string[] | undefined): readonly ContenderName[] {
  const unknown = only?.find((name) => !(CONTENDERS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new Error(`--only: unknown contender "${unknown}"; must be one of ${CONTENDERS.join(', ')}`);
  }
  return CONTENDERS.filter((name) => {
    const reason = whyNot(name);
    if (reason !== undefined) {
      console.log(`${name} is left out: ${reason}`);
    }
    return reason === undefined && (only === undefined || only.includes(name));
  });
}

function isOfVolcano({ metadata }: JsonObject): boolean {
  return /\.volcano\.sh$/.test(asString(asObject(metadata).name) ?? '');
}

/** Volcano's scheduler makes these queues, and places nothing before its controller, which does not run here, has opened them. */
async function openQueues(lab: Lab): Promise<void> {
  const path = '/apis/scheduling.volcano.sh/v1beta1/queues';
  for (const name of ['root', 'default']) {
    const spec = { weight: 1, ...(name === 'default' && { parent: 'root' }) };
    await lab.create({ apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name }, spec });
    await lab.patch(`${path}/${name}/status`, { status: { state: 'Open' } });
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
  readonly nodes: number;
  readonly pods: number;
  /** Pods that arrive one gang after the other. */
  readonly stream: number;
  /** Of them in a second. */
  readonly rate: number;
}

/** Devices of each node of eight that are in use before the full cluster is measured. */
const FILLED = 6;
/** Of the devices that are then free, as much is asked for in all as of an empty cluster. */
const LEFT = (8 - FILLED) / 8;

async function measure(lab: Lab, name: ContenderName, load: Load): Promise<Result> {
  const watch = new PodWatch(lab.kubeconfig);
  let peakMiB = 0;
  const costs = (contender: Contender): ReturnType<typeof costOf> => {
    const cost = costOf(contender.pid);
    peakMiB = Math.max(peakMiB, cost.peakMiB);
    return cost;
  };
  try {
    const empty = await backlog(lab, watch, name, gangsFor(name, load.pods, 1, 'e'), 'empty', costs);
    await clear(lab);
    await fill(lab, watch, load.nodes);
    const full = await backlog(lab, watch, name, gangsFor(name, load.pods * LEFT, 2, 'f'), 'full', costs);
    await clear(lab, 'f-');
    const contender = await startContender(name, lab.kubeconfig);
    try {
      await sleep(10_000);
      const arriving = gangsFor(name, load.stream, 3, 's');
      const stream = await streamIn(lab, watch, arriving, load.rate, load.nodes * (8 - FILLED));
      costs(contender);
      return { contender: name, empty, full, stream, peakMiB };
    } finally {
      await contender.stop();
    }
  } finally {
    await watch.stop();
    await clear(lab);
  }
}

/** All gangs wait when the scheduler starts. */
async function backlog(
  lab: Lab,
  watch: PodWatch,
  name: ContenderName,
  gangs: readonly LoadGang[],
  what: string,
  costs: (contender: Contender) => ReturnType<typeof costOf>,
): Promise<Backlog> {
  const own = new Set(gangs.flatMap(({ pods }) => pods.map(nameOf)));
  const created = performance.now();
  await createGangs(lab, gangs);
  await lab.until('all pods are seen', () => Promise.resolve([...own].every((pod) => watch.pods.has(pod))), 600_000);
  console.log(`${name}, ${what}: ${own.size} pods in ${gangs.length} gangs wait after ${seconds(created)}`);
  const contender = await startContender(name, lab.kubeconfig);
  try {
    const brokenGangs = await untilBound(watch, own);
    const times = [...own].map((pod) => watch.pods.get(pod)!.boundAt!).sort((a, b) => a - b);
    const took = Math.max(0.001, (times[times.length - 1] - times[0]) / 1000);
    const { cpuSeconds: cpu } = costs(contender);
    console.log(`${name}, ${what}: bound in ${took.toFixed(1)} s, CPU ${cpu.toFixed(1)} s`);
    return { rate: own.size / took, cpu, brokenGangs };
  } finally {
    await contender.stop();
  }
}

async function fill(lab: Lab, watch: PodWatch, nodes: number): Promise<void> {
  const started = performance.now();
  const pods = filler(nodes, FILLED);
  await inParallel(pods, (pod) => lab.create(pod));
  await lab.until(
    'the cluster is filled',
    () => Promise.resolve(pods.every((pod) => watch.pods.has(nameOf(pod)))),
    600_000,
  );
  console.log(`${FILLED} of 8 devices of each node are in use after ${seconds(started)}`);
}

/** The most gangs at one moment of which some pods were bound for more than a second and not all. */
async function untilBound(watch: PodWatch, pods: ReadonlySet<string>): Promise<number> {
  let most = 0;
  const bound = (): number => [...pods].filter((pod) => watch.pods.get(pod)?.boundAt !== undefined).length;
  for (
    let last = -1, count = bound(), since = performance.now();
    count < pods.size;
    await sleep(250), count = bound()
  ) {
    if (count !== last) {
      last = count;
      since = performance.now();
    }
    if (performance.now() - since > 60_000) {
      throw new Error(`${count} of ${pods.size} pods were bound, and no more within a minute.`);
    }
    const gangs = new Map<string, { first: number; waits: boolean }>();
    for (const pod of pods) {
      const { gang, boundAt } = watch.pods.get(pod)!;
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

/** Gangs that were bound first end once the devices that are left are used up. */
async function streamIn(
  lab: Lab,
  watch: PodWatch,
  gangs: readonly LoadGang[],
  rate: number,
  devices: number,
): Promise<Result['stream']> {
  const before = new Set(watch.pods.keys());
  const started = performance.now();
  const alive: LoadGang[] = [];
  let used = 0;
  let sent = 0;
  for (const gang of gangs) {
    await createGangs(lab, [gang]);
    alive.push(gang);
    used += gang.pods.length;
    sent += gang.pods.length;
    for (; used > devices / 2; used -= alive.shift()!.pods.length) {
      const [first] = alive;
      await lab.until('the first gang is bound', () =>
        Promise.resolve(first.pods.every((pod) => watch.pods.get(nameOf(pod))?.boundAt !== undefined)),
      );
      await end(lab, first);
    }
    const ahead = started + (sent / rate) * 1000 - performance.now();
    if (ahead > 0) {
      await sleep(ahead);
    }
  }
  const fresh = (): Sighting[] => [...watch.pods].filter(([name]) => !before.has(name)).map(([, pod]) => pod);
  const bound = (): number => fresh().filter(({ boundAt }) => boundAt !== undefined).length;
  await lab.until('all gangs that came are bound', () => Promise.resolve(bound() >= sent), 120_000);
  const latencies = gangLatencies(fresh());
  const ofPods = fresh().map(({ createdAt, boundAt = Infinity }) => (boundAt - createdAt) / 1000);
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), podP50: quantile(ofPods, 0.5) };
}

async function end(lab: Lab, { pods, group }: LoadGang): Promise<void> {
  await inParallel(pods, (pod) => lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`));
  if (group !== undefined) {
    await lab.delete(`${group.path}/${nameOf(group.object)}`);
  }
}

async function createGangs(lab: Lab, gangs: readonly LoadGang[]): Promise<void> {
  await inParallel(gangs, async ({ group }) => {
    if (group !== undefined) {
      const { status, body } = await lab.cluster.client.request('POST', group.path, { body: group.object });
      if (status >= 300) {
        throw new Error(`PodGroup ${nameOf(group.object)}: ${asString(body.message)}`);
      }
    }
  });
  await inParallel(
    gangs.flatMap(({ pods }) => pods),
    (pod) => lab.create(pod),
  );
}

/** Pods and PodGroups whose names begin so, or all, are deleted. */
async function clear(lab: Lab, prefix = ''): Promise<void> {
  const left = async (): Promise<readonly JsonObject[]> =>
    (await lab.pods()).filter((pod) => nameOf(pod).startsWith(prefix));
  await inParallel(await left(), (pod) => lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`));
  for (const version of ['scheduling.k8s.io/v1alpha2', 'scheduling.volcano.sh/v1beta1']) {
    const path = `/apis/${version}/namespaces/default/podgroups`;
    // A finalizer of a controller that does not run here would keep them.
    const groups = (await lab.list(path)).filter((group) => nameOf(group).startsWith(prefix));
    await inParallel(groups, async (group) => {
      await lab.patch(`${path}/${nameOf(group)}`, { metadata: { finalizers: null as unknown as string } });
      await lab.delete(`${path}/${nameOf(group)}`);
    });
  }
  await lab.until('no pod is left', async () => (await left()).length === 0, 600_000);
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

function print(results: readonly Result[], { nodes, pods }: Load, markdown: boolean): void {
  const rows: readonly (readonly [string, (result: Result) => string])[] = [
    ['empty cluster: pods bound per second', ({ empty }) => empty.rate.toFixed(0)],
    ['empty cluster: CPU of the scheduler, s', ({ empty }) => empty.cpu.toFixed(1)],
    ['empty cluster: most gangs in part for more than a second', ({ empty }) => String(empty.brokenGangs)],
    ['75 % full: pods bound per second', ({ full }) => full.rate.toFixed(0)],
    ['75 % full: CPU of the scheduler, s', ({ full }) => full.cpu.toFixed(1)],
    ['75 % full: gang latency p50, ms', ({ stream }) => (stream.p50 * 1000).toFixed(0)],
    ['75 % full: gang latency p99, ms', ({ stream }) => (stream.p99 * 1000).toFixed(0)],
    ['75 % full: pod latency p50, ms', ({ stream }) => (stream.podP50 * 1000).toFixed(0)],
    ['peak memory, MiB', ({ peakMiB }) => peakMiB.toFixed(0)],
  ];
  const size = `${nodes.toLocaleString('en-US')} nodes, ${pods.toLocaleString('en-US')} pods`;
  const names = results.map(({ contender }) => contender);
  const cells = rows.map(([title, value]) => [title, ...results.map(value)]);
  if (markdown) {
    const line = (list: readonly string[]): string => `| ${list.join(' | ')} |`;
    console.log([line([size, ...names]), `|${'---|'.repeat(names.length + 1)}`, ...cells.map(line)].join('\n'));
  } else {
    const table = new Table({ head: [size, ...names] });
    cells.forEach((row) => table.push(row));
    console.log(table.toString());
  }
  const [stock, gantry] = ['kube-scheduler', 'Gantry'].map((name) =>
    results.find(({ contender }) => contender === name),
  );
  if (stock !== undefined && gantry !== undefined) {
    const times = (a: number, b: number): string => (a / b).toFixed(2);
    console.log(
      `Gantry binds ${times(gantry.empty.rate, stock.empty.rate)} times as many pods per second as kube-scheduler on the empty cluster and ` +
        `${times(gantry.full.rate, stock.full.rate)} times on the full one (target: 2). Its gang latency is ${times(gantry.stream.p50, stock.stream.podP50)} ` +
        `(p50, target: 2) and ${times(gantry.stream.p99, stock.stream.podP50)} (p99, target: 4) times kube-scheduler's pod latency (p50).`,
    );
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
