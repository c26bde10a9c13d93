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
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type JsonObject } from '../src/facts/api/schema';
import { asObject, asString } from '../src/manifests/read';
import { whyNoControlPlane } from '../test/e2e/control-plane/availability';
import { coveredDefinitions } from '../test/e2e/control-plane/covered-definitions';
import { applyCustomResources } from '../test/e2e/control-plane/custom-resources';
import { stopStartedOnSignal } from '../test/e2e/control-plane/started';
import { Lab, nameOf } from '../test/e2e/scheduler/lab';
import { type ContenderName, CONTENDERS, whyNot } from './e2e/contender';
import { readyNode } from './e2e/load';
import {
  type Backlog,
  fill,
  inParallel,
  LARGEST,
  type Load,
  measureEmpty,
  measureFloor,
  measureFull,
  measureStream,
  seconds,
  type Stream,
} from './e2e/phases';
import { soak } from './e2e/soak';
import { machine } from './machine';

/** What is missing was not measured. */
interface Result {
  readonly contender: ContenderName;
  empty?: Backlog;
  full?: Backlog;
  stream?: Stream;
}

async function main(): Promise<void> {
  stopStartedOnSignal();
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      pods: { type: 'string', default: '8000' },
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
        pods: Number(values.pods) / 8,
        rate: Number(values.rate ?? 25),
        waiting: Number(values.waiting),
      });
      return;
    }
    const { nodes, pods, stream, rate = '50' } = values;
    const load = { nodes: Number(nodes), pods: Number(pods), stream: Number(stream), rate: Number(rate) };
    print(await measured(lab, contenders, load), load, values.markdown);
    console.log(
      `The API server alone takes ${((await measureFloor(lab)) * 1000).toFixed(0)} ms to bind ${LARGEST} pods, those of the largest gang, sent at once.`,
    );
  } finally {
    await lab.stop();
  }
}

/** A contender that fails is reported, and costs the others nothing. */
async function measured(lab: Lab, contenders: readonly ContenderName[], load: Load): Promise<readonly Result[]> {
  const results = contenders.map((contender): Result => ({ contender }));
  const each = async (phase: (result: Result) => Promise<void>): Promise<void> => {
    for (const result of results) {
      await phase(result).catch((error: unknown) =>
        console.log(`${result.contender}: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
  };
  await each(async (result) => {
    result.empty = await measureEmpty(lab, result.contender, load);
  });
  await fill(lab, load.nodes);
  await each(async (result) => {
    result.full = await measureFull(lab, result.contender, load);
    result.stream = await measureStream(lab, result.contender, load);
  });
  return results;
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

function print(results: readonly Result[], { nodes, pods }: Load, markdown: boolean): void {
  const rows: readonly (readonly [string, (result: Result) => number | undefined, number?])[] = [
    ['empty cluster: pods bound per second', ({ empty }) => empty?.rate],
    ['empty cluster: CPU of the scheduler, s', ({ empty }) => empty?.cpu, 1],
    ['empty cluster: most gangs in part for more than a second', ({ empty }) => empty?.brokenGangs],
    ['75 % full: pods bound per second', ({ full }) => full?.rate],
    ['75 % full: pods that found no place', ({ full }) => full?.left],
    ['75 % full: CPU of the scheduler, s', ({ full }) => full?.cpu, 1],
    ['75 % full: gang latency p50, ms', ({ stream }) => inMilliseconds(stream?.p50)],
    ['75 % full: gang latency p99, ms', ({ stream }) => inMilliseconds(stream?.p99)],
    ['75 % full: pod latency p50, ms', ({ stream }) => inMilliseconds(stream?.podP50)],
    ['peak memory, MiB', ({ empty, full, stream }) => most(empty?.peakMiB, full?.peakMiB, stream?.peakMiB)],
  ];
  const size = `${nodes.toLocaleString('en-US')} nodes, ${pods.toLocaleString('en-US')} pods`;
  const names = results.map(({ contender }) => contender);
  const cells = rows.map(([title, value, digits]) => [
    title,
    ...results.map((result) => value(result)?.toFixed(digits ?? 0) ?? '-'),
  ]);
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
  const times = (a: number | undefined, b: number | undefined): string =>
    a === undefined || b === undefined ? '?' : (a / b).toFixed(2);
  console.log(
    `Gantry binds ${times(gantry?.empty?.rate, stock?.empty?.rate)} times as many pods per second as kube-scheduler on the empty cluster and ` +
      `${times(gantry?.full?.rate, stock?.full?.rate)} times on the full one (target: 2). ` +
      `Its gang latency is ${times(gantry?.stream?.p50, stock?.stream?.podP50)} (p50, target: 2) and ` +
      `${times(gantry?.stream?.p99, stock?.stream?.podP50)} (p99, target: 4) times kube-scheduler's pod latency (p50).`,
  );
}

function inMilliseconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000;
}

function most(...values: readonly (number | undefined)[]): number {
  return Math.max(0, ...values.map((value) => value ?? 0));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
