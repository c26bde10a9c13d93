/**
 * `npm run bench:fgd -- TRACE...`: placement quality on GPU traces, after the experiment of "Beware of Fragmentation" (USENIX ATC '23).
 *
 * A trace is a pod list of the `openb` traces (`openb_pod_list_*.csv`) with the node list and `<trace>.order.csv` (seed, then rows in the
 * order of submission) beside it. No departures, one task at a time; a task that does not fit is lost. The figure is the part of all device
 * thousandths that is allocated at the end, in percent, mean over seeds. Nodes are permuted for each seed, as their order is the tie-break.
 *
 * `fgd` and `gantry` are the placement core itself, with its policies `fgd` and `fragmentation`; the others are loops over the same books.
 * Options: `--seeds 42,43`, `--methods fgd,gantry`, `--json FILE`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../src/interfaces/cli/table';
import { DEFAULT_POLICY, type NodeScore, type PodTemplate, type Policy, type Snapshot } from '../src/placement';
import { type PodRecord } from '../src/placement/books/records';
import { Selector } from '../src/placement/search/select';
import { Session } from '../src/placement/books/session';
import { machine, shuffledOrder } from './machine';

type Method = 'random' | 'first fit' | 'best fit' | 'fgd' | 'gantry';

const METHODS: readonly Method[] = ['random', 'first fit', 'best fit', 'fgd', 'gantry'];
const NODE_LIST = 'openb_node_list_gpu_node.csv';

interface Result {
  readonly trace: string;
  readonly method: Method;
  readonly seeds: readonly number[];
  /** Percent. */
  readonly allocated: readonly number[];
  readonly mean: number;
  readonly podsPerSecond: number;
}

const { values, positionals } = parseArgs({
  options: { seeds: { type: 'string' }, methods: { type: 'string' }, json: { type: 'string' } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  process.stderr.write(
    'Usage: npm run bench:fgd -- openb_pod_list_default.csv... [--seeds 42,43] [--methods fgd,gantry] [--json FILE]\n',
  );
  process.exitCode = 2;
}
const only = values.seeds?.split(',').map(Number);
const wanted = values.methods?.split(',');
const methods = METHODS.filter((method) => wanted === undefined || wanted.includes(method));
const results = positionals.flatMap((file) => methods.map((method) => measure(file, method)));
report();

function measure(file: string, method: Method): Result {
  const folder = dirname(file);
  const nodes = rows(join(folder, NODE_LIST));
  const tasks = rows(file).map(templateOf);
  const orders = readFileSync(file.replace(/\.csv$/, '.order.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number))
    .filter(([seed]) => only === undefined || only.includes(seed));
  let pods = 0;
  let seconds = 0;
  const allocated = orders.map(([seed, ...order]) => {
    const began = process.hrtime.bigint();
    const percent = run(method, nodes, tasks, order, seed);
    seconds += Number(process.hrtime.bigint() - began) / 1e9;
    pods += order.length;
    return percent;
  });
  const mean = allocated.reduce((sum, percent) => sum + percent, 0) / allocated.length;
  const trace = basename(file, '.csv').replace('openb_pod_list_', '');
  process.stderr.write(`${trace}, ${method}: ${mean.toFixed(2)}\n`);
  return {
    trace,
    method,
    seeds: orders.map(([seed]) => seed),
    allocated,
    mean,
    podsPerSecond: Math.round(pods / seconds),
  };
}

function run(
  method: Method,
  nodes: readonly Row[],
  tasks: readonly PodTemplate[],
  order: readonly number[],
  seed: number,
): number {
  const permuted = shuffledOrder(nodes.length, seed).map((from, rank) => ({ ...nodes[from], sn: `node-${rank}` }));
  const score: NodeScore = method === 'fgd' ? 'fgd' : 'fragmentation';
  const policy: Policy = { ...DEFAULT_POLICY, nodeScore: score, workload: workloadOf(tasks) };
  const session = new Session(snapshotOf(permuted, tasks, order), policy);
  const pods = session.gangs[0].roles.flatMap((role) => role.pods).sort((a, b) => place(a) - place(b));
  const choose = chooser(method, session, seed);
  let sum = 0;
  for (const pod of pods) {
    const row = choose(pod);
    if (row >= 0 && session.ledger.place(pod, row)) {
      const { accelerator } = pod.podClass;
      sum +=
        accelerator === undefined
          ? 0
          : accelerator.kind === 'fraction'
            ? accelerator.milli
            : 1000 * pod.podClass.deviceCount;
    }
  }
  return (100 * sum) / (1000 * session.table.devices.length);
}

function place(pod: PodRecord): number {
  return Number(pod.name.slice(pod.name.lastIndexOf('-') + 1));
}

function chooser(method: Method, session: Session, seed: number): (pod: PodRecord) => number {
  const { table: nodes, ledger } = session;
  const fits = ({ podClass }: PodRecord, row: number): boolean =>
    session.staticRow(podClass)[row] === 0 && ledger.fits(podClass, row);
  switch (method) {
    case 'first fit':
      return (pod) => Array.from({ length: nodes.count }, (_, row) => row).find((row) => fits(pod, row)) ?? -1;
    case 'random': {
      let step = seed;
      return (pod) => shuffledOrder(nodes.count, ++step * 7919).find((row) => fits(pod, row)) ?? -1;
    }
    case 'best fit':
      return (pod) => {
        let best = -1;
        let least = Infinity;
        for (let row = 0; row < nodes.count; row++) {
          const room = nodes.milliFree[row] / 8000 + nodes.free[0][row] / 128_000;
          if (room < least && fits(pod, row)) {
            best = row;
            least = room;
          }
        }
        return best;
      };
    case 'fgd':
    case 'gantry': {
      const selector = new Selector(session);
      return ({ podClass }) => selector.best(podClass);
    }
  }
}

type Row = Readonly<Record<string, string>>;

function snapshotOf(nodes: readonly Row[], tasks: readonly PodTemplate[], order: readonly number[]): Snapshot {
  const distinct = [...new Set(order)];
  return {
    now: 0,
    nodes: nodes.map(({ sn, cpu_milli: cpu, memory_mib: memory, gpu, model }) => ({
      name: sn,
      allocatable: { cpu: Number(cpu), memory: Number(memory), pods: 10_000, 'nvidia.com/gpu': Number(gpu) },
      devices: Array.from({ length: Number(gpu) }, () => ({ model })),
    })),
    queues: [],
    gangs: [{ name: 'trace', queue: '', roles: [{ name: 'task', count: order.length, template: tasks[distinct[0]] }] }],
    pods: order.map((task, at) => ({
      name: `task-${at}`,
      state: 'pending',
      gang: 'trace',
      role: 'task',
      template: tasks[task],
    })),
  };
}

/** Thousandths above a whole device count as a whole one; a model binds only tasks with devices. */
function templateOf({
  cpu_milli: cpu,
  memory_mib: memory,
  num_gpu: count,
  gpu_milli: milli,
  gpu_spec: models,
}: Row): PodTemplate {
  const devices = Number(count);
  const wanted = models === undefined || models === '' ? undefined : models.split('|');
  return {
    request: { cpu: Number(cpu), memory: Number(memory) },
    accelerator:
      devices === 0
        ? undefined
        : Number(milli) >= 1000
          ? { kind: 'whole', count: devices, models: wanted }
          : { kind: 'fraction', milli: Number(milli), count: devices, models: wanted },
  };
}

function workloadOf(tasks: readonly PodTemplate[]): { template: PodTemplate; count: number }[] {
  const kinds = new Map<string, { template: PodTemplate; count: number }>();
  for (const template of tasks) {
    const key = JSON.stringify(template);
    const known = kinds.get(key) ?? { template, count: 0 };
    known.count++;
    kinds.set(key, known);
  }
  return [...kinds.values()];
}

function rows(file: string): Row[] {
  const [head, ...lines] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

function report(): void {
  const lines = results.map(({ trace, method, mean, allocated, podsPerSecond }) => [
    trace,
    method,
    mean.toFixed(2),
    allocated.map((percent) => percent.toFixed(2)).join(' '),
    String(podsPerSecond),
  ]);
  process.stdout.write(table(['trace', 'method', 'mean %', 'by seed', 'pods/s'], lines, { color: false }));
  const json = JSON.stringify({ machine: machine(), results });
  process.stdout.write(`${json}\n`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${json}\n`);
  }
}
