/**
 * `npm run bench:placement`: speed and memory of the placement core, beside plain loops over the same books in the same run.
 *
 * Options: `--largest` for 50,000 nodes and 500,000 gangs as well (some GiB of memory, once), `--trace openb_pod_list_default.csv` (with the node list beside it) for the real mix of pods and nodes, `--runs N` (default 3;
 * figures are medians), `--only PART` (repeatable), `--json FILE`. Each part runs in a process of its own. Without a trace a mix of the same character is used.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../src/interfaces/cli/table';
import { DEFAULT_POLICY, type Gang, type Pod, type PodTemplate, type Queue, type Snapshot } from '../src/placement';
import { decideIn } from '../src/placement/engine';
import { type Binding } from '../src/placement/model/decision';
import { type Delta } from '../src/placement/model/facts';
import { type PodRecord } from '../src/placement/books/records';
import { DeviceStates } from '../src/placement/search/score/device-states';
import { Fragmentation } from '../src/placement/search/score/fragmentation';
import { PartValues } from '../src/placement/search/score/part-values';
import { cpuOf, shapeOf, workloadOf } from '../src/placement/search/score/workload';
import { Selector } from '../src/placement/search/select';
import { Session } from '../src/placement/books/session';
import { type Asks, NOTHING } from '../src/placement/reasons/reasons';
import { nodesOfGangs } from './fewest-nodes';
import { machine, median, randomNumbers } from './machine';
import {
  builtInMix,
  eachItsOwn,
  emptyCluster,
  fullCluster,
  GIB,
  plainNode,
  runningCluster,
  traceMix,
  waitingCluster,
} from './placement/clusters';

interface Line {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target: string;
  readonly met: boolean;
}

const { values } = parseArgs({
  options: {
    trace: { type: 'string' },
    runs: { type: 'string' },
    json: { type: 'string' },
    largest: { type: 'boolean' },
    only: { type: 'string', multiple: true },
  },
});
const runs = Number(values.runs ?? 3);
const mix = values.trace === undefined ? builtInMix() : traceMix(values.trace);
/** Decisions before those that count: code is compiled while it runs, and a scheduler decides for days. */
const WARM = 60;
/** Decisions that count. */
const MEASURED = 60;
/** The same where one decision takes long. */
const WARM_LARGE = 15;

const PARTS: Readonly<Record<string, () => Line[]>> = {
  whole: wholeDecisions,
  mixed: mixedGangs,
  overloaded,
  steady: steadyState,
  inner: throughput,
  growth,
  arrivals,
  large: largeGang,
  evictions,
  nodes: fewestNodes,
};

/**
 * As in a scheduler, a session lives as long as the process. While there is none, a garbage collection drops the code that was compiled for
 * sessions, and the next decision is as slow as the first one.
 */
const alive = new Session(runningCluster(8, 32, []), DEFAULT_POLICY);
decideIn(alive);

const names = values.only ?? Object.keys(PARTS);
const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  throw new Error(`unknown part "${unknown}"; known: ${Object.keys(PARTS).join(', ')}`);
}
const lines = names.length === 1 ? PARTS[names[0]]() : names.flatMap(inOwnProcess);
alive.apply();
report();

/** Peak memory is that of a process, and compiled code depends on what ran before: so each part has a process of its own. */
function inOwnProcess(name: string): readonly Line[] {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(folder, 'part.json');
  const { trace, largest = false } = values;
  const options = [
    ...['--only', name, '--json', file, '--runs', String(runs)],
    ...(trace === undefined ? [] : ['--trace', trace]),
    ...(largest ? ['--largest'] : []),
  ];
  try {
    execFileSync(process.execPath, [...process.execArgv, process.argv[1], ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly lines: readonly Line[] }).lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Gangs of one pod each, from the snapshot to the decision: what a caller of `decide` waits for. */
function wholeDecisions(): Line[] {
  const measured = (nodes: number, times = runs + 1): { read: number; decide: number; placed: number } => {
    const snapshot = waitingCluster(nodes, nodes * 10);
    const results = Array.from({ length: times }, () => {
      const session = elapsed(() => new Session(snapshot, DEFAULT_POLICY));
      const decided = elapsed(() => decideIn(session.result));
      return { read: session.seconds, decide: decided.seconds, placed: decided.result.bindings.length };
    }).slice(times > 1 ? 1 : 0);
    return {
      read: median(results.map(({ read }) => read)),
      decide: median(results.map(({ decide }) => decide)),
      placed: results[0].placed,
    };
  };
  const small = measured(5_000);
  const large = measured(20_000);
  const rate = small.placed / small.decide;
  const withRead = small.placed / (small.decide + small.read);
  const perPod = ({ decide, placed }: typeof small): number => decide / placed;
  const growth = perPod(large) / perPod(small);
  const largest = values.largest === true ? measured(50_000, 1) : undefined;
  return [
    line('whole decision, 5,000 nodes, 50,000 gangs of one pod', rate, 'pods/s', 'at least 100,000', rate >= 100_000),
    line('the same with reading the snapshot', withRead, 'pods/s', 'at least 50,000', withRead >= 50_000),
    line('whole decision, 20,000 nodes, 200,000 gangs', large.placed / large.decide, 'pods/s', 'shown', true),
    line('growth per pod from 5,000 to 20,000 nodes', growth, 'x', 'under 1.3', growth < 1.3),
    ...(largest === undefined
      ? []
      : [
          line('whole decision, 50,000 nodes, 500,000 gangs', 1 / perPod(largest), 'pods/s', 'shown', true),
          line(
            'growth per pod from 5,000 to 50,000 nodes',
            perPod(largest) / perPod(small),
            'x',
            'under 1.3',
            perPod(largest) < 1.3 * perPod(small),
          ),
        ]),
    line('peak memory of these decisions', process.resourceUsage().maxRSS / 1024, 'MiB', 'shown', true),
  ];
}

/** Gangs of 1 to 512 pods onto 5,000 empty nodes in racks. */
function mixedGangs(): Line[] {
  const random = randomNumbers(13);
  const base = waitingCluster(5_000, 0);
  const gangs: Gang[] = [];
  for (let pods = 0; pods < 30_000;) {
    const count = 2 ** Math.floor(random() * 10);
    const template: PodTemplate = { request: { cpu: 4_000, memory: GIB }, accelerator: { kind: 'whole', count: 1 } };
    gangs.push({ name: `g${gangs.length}`, queue: 'all', roles: [{ name: 'worker', count, template }] });
    pods += count;
  }
  const results = Array.from({ length: runs + 1 }, () => {
    const session = new Session({ ...base, gangs }, DEFAULT_POLICY);
    const { seconds, result } = elapsed(() => decideIn(session));
    return result.bindings.length / seconds;
  }).slice(1);
  return [line('whole decision, 5,000 nodes, gangs of 1 to 512 pods', median(results), 'pods/s', 'shown', true)];
}

/** One decision for a full cluster of 1,000 nodes on which 6,000 gangs of four queues wait: of 28 kinds, and each of its own. */
function overloaded(): Line[] {
  const took = (snapshot: Snapshot, asks?: Asks): number => {
    const seconds = Array.from({ length: WARM_LARGE + runs }, () => {
      const session = new Session(snapshot, DEFAULT_POLICY);
      return elapsed(() => decideIn(session, asks)).seconds;
    }).slice(WARM_LARGE);
    return 1000 * median(seconds);
  };
  const alike = fullCluster(1_000, 6_000);
  const all = took(alike);
  return [
    line('overloaded: 1,000 full nodes, 6,000 gangs wait', all, 'ms', 'under 250', all < 250),
    line('the same without reasons', took(alike, NOTHING), 'ms', 'shown', true),
    line(
      'no two of the gangs ask for the same, without reasons',
      took(eachItsOwn(alike), NOTHING),
      'ms',
      'shown',
      true,
    ),
  ];
}

/** 50,000 pods of the mix onto 5,000 nodes, one by one: the inner loop of a decision. */
function throughput(): Line[] {
  const engine = median(times(() => packAll(5_000, 50_000).seconds));
  const peak = process.resourceUsage().maxRSS / 1024;
  const plain = median(times(() => plainLoop(5_000, 500, false)));
  const cached = median(times(() => plainLoop(5_000, 20_000, true)));
  const rate = 50_000 / engine;
  return [
    line('inner loop: 5,000 nodes, 50,000 pods', rate, 'pods/s', 'at least 400,000', rate >= 400_000),
    line('plain loop that scores every node', 1 / plain, 'pods/s', 'baseline', true),
    line('plain loop with kept scores', 1 / cached, 'pods/s', 'baseline', true),
    line('ratio to the plain loop', rate * plain, 'x', 'at least 20', rate * plain >= 20),
    line('ratio to the plain loop with kept scores', rate * cached, 'x', 'shown', true),
    line('peak memory of the inner loop', peak, 'MiB', 'under 512', peak < 512),
  ];
}

/** Time per pod when nodes and pods double. */
function growth(): Line[] {
  const perPod = [2_500, 5_000, 10_000].map(
    (nodes) => (1e6 * median(times(() => packAll(nodes, nodes * 10).seconds))) / (nodes * 10),
  );
  const ratios = [perPod[1] / perPod[0], perPod[2] / perPod[1]];
  return [
    ...perPod.map((micros, i) => line(`per pod at ${2_500 * 2 ** i} nodes`, micros, 'us', 'shown', true)),
    ...ratios.map((ratio, i) =>
      line(`growth from ${2_500 * 2 ** i} to ${5_000 * 2 ** i} nodes`, ratio, 'x', 'under 1.3', ratio < 1.3),
    ),
  ];
}

/** One gang arrives in a cluster of 5,000 nodes and 40,000 pods: one that fits, one that does not. */
function arrivals(): Line[] {
  const gang = (name: string, count: number, devices: number): Gang => ({
    name,
    queue: 'all',
    arrival: 1,
    topology: { preferred: 'rack' },
    roles: [
      {
        name: 'worker',
        count,
        template: { request: { cpu: 4_000, memory: GIB }, accelerator: { kind: 'whole', count: devices } },
      },
    ],
  });
  // A scheduler keeps its session between decisions: what is measured is the arrival, from the delta to the decision.
  const settle = (arriving: Gang): { build: number; decide: number; placed: number } => {
    const build = elapsed(() => new Session(runningCluster(5_000, 40_000, []), DEFAULT_POLICY));
    const session = build.result;
    let placed = 0;
    const seconds = Array.from({ length: WARM + MEASURED }, () => {
      const decided = elapsed(() => {
        session.apply({ kind: 'gang', gang: arriving });
        return decideIn(session);
      });
      session.apply({ kind: 'gang-gone', name: arriving.name });
      placed = decided.result.bindings.length;
      return decided.seconds;
    });
    return { build: build.seconds, decide: median(seconds.slice(WARM)), placed };
  };
  const fits = settle(gang('zz-arriving', 16, 2));
  const misses = settle(gang('zz-arriving', 5_000, 8));
  const moves = settle(gang('zz-arriving', 16, 8));
  const fit = 1000 * fits.decide;
  const miss = 1000 * misses.decide;
  return [
    line('reading 5,000 nodes and 40,000 pods', 1000 * fits.build, 'ms', 'shown', true),
    line(`one gang of ${fits.placed} pods arrives`, fit, 'ms', 'under 1', fit < 1 && fits.placed === 16),
    line('one gang of 5,000 pods that does not fit', miss, 'ms', 'under 1', miss < 1 && misses.placed === 0),
    line('one gang of 16 pods that only moves could let in', 1000 * moves.decide, 'ms', 'shown', true),
  ];
}

/** 40,000 pods run on all devices of 5,000 nodes, 2,000 gangs wait; since the last cycle 50 gangs have ended and 50 have arrived. The session is kept. */
function steadyState(): Line[] {
  const random = randomNumbers(5);
  const waits = (name: string): Gang => ({
    name,
    queue: 'all',
    arrival: 1,
    roles: [
      {
        name: 'worker',
        count: Math.ceil(random() * 8),
        template: {
          request: { cpu: 4_000, memory: GIB },
          accelerator: { kind: 'whole', count: 2 ** Math.floor(random() * 4) },
        },
      },
    ],
  });
  const { gangs, pods, ...world } = runningCluster(5_000, 40_000, [], true);
  const session = new Session(
    { ...world, pods, gangs: [...gangs, ...Array.from({ length: 2_000 }, (_, i) => waits(`wait${i}`))] },
    DEFAULT_POLICY,
  );
  decideIn(session);
  let ended = 0;
  const cycle = (): number => {
    const ends = gangs
      .slice(ended, ended + 50)
      .flatMap(({ name }): Delta[] => [
        ...[0, 1, 2, 3].map((index): Delta => ({ kind: 'pod-gone', name: `${name}-${index}` })),
        { kind: 'gang-gone', name },
      ]);
    const arrive = Array.from({ length: 50 }, (_, i): Delta => ({ kind: 'gang', gang: waits(`new${ended + i}`) }));
    ended += 50;
    return elapsed(() => {
      session.apply(...ends, ...arrive);
      session.assume(...started(decideIn(session).bindings, world.now));
    }).seconds;
  };
  const took = 1000 * median(Array.from({ length: WARM + MEASURED }, cycle).slice(WARM));
  return [line('steady state: 40,000 pods run, 2,000 gangs wait, 50 come, 50 end', took, 'ms', 'under 20', took < 20)];
}

/** The pods that a decision starts, as they then run. */
function started(bindings: readonly Binding[], startedAt: number): Pod[] {
  return bindings.map(({ pod, gang, role, node, devices }) => ({
    name: pod,
    gang,
    role,
    state: 'running',
    node,
    devices,
    startedAt,
  }));
}

/** 4,096 pods over 512 nodes, all in one block. */
function largeGang(): Line[] {
  const results = times(() => {
    const nodes = Array.from({ length: 1_024 }, (_, i) =>
      plainNode(`n${i}`, 8, { block: `b${i >> 9}`, rack: `r${i >> 4}` }),
    );
    const session = new Session(
      {
        now: 0,
        nodes,
        pods: [],
        queues: [{ name: 'all' }],
        topologies: [{ name: 'fabric', levels: ['block', 'rack'] }],
        gangs: [
          {
            name: 'large',
            queue: 'all',
            topology: { required: 'block' },
            roles: [
              {
                name: 'worker',
                count: 4_096,
                template: { request: { cpu: 1_000, memory: GIB }, accelerator: { kind: 'whole', count: 1 } },
              },
            ],
          },
        ],
      },
      DEFAULT_POLICY,
    );
    const { seconds, result } = elapsed(() => decideIn(session));
    return { seconds, placed: result.bindings.length };
  });
  const ms = 1000 * median(results.map(({ seconds }) => seconds));
  return [line('gang of 4,096 pods, required level', ms, 'ms', 'under 50', ms < 50 && results[0].placed === 4_096)];
}

/** 10,000 running gangs fill the cluster; one gang preempts, another reclaims. */
function evictions(): Line[] {
  const queues: Queue[] = [
    { name: 'a', deserved: { 'nvidia.com/gpu': 8_000 } },
    { name: 'b', deserved: { 'nvidia.com/gpu': 12_000 } },
  ];
  const claim = (queue: string, priority: number): Gang => ({
    name: 'zz-claim',
    queue,
    priority,
    arrival: 1,
    roles: [
      {
        name: 'worker',
        count: 8,
        template: { request: { cpu: 4_000, memory: GIB }, accelerator: { kind: 'whole', count: 8 } },
      },
    ],
  });
  const settle = (gang: Gang): { seconds: number; evicted: number; nominated: number } => {
    const template: PodTemplate = { request: { cpu: 2_000, memory: GIB }, accelerator: { kind: 'whole', count: 2 } };
    const nodes = Array.from({ length: 2_500 }, (_, i) => plainNode(`n${i}`, 8, {}));
    const gangs = Array.from({ length: 10_000 }, (_, i): Gang => ({
      name: `g${i}`,
      queue: 'a',
      arrival: -i,
      roles: [{ name: 'worker', count: 1, template }],
    }));
    const pods = gangs.map(({ name }, i): Pod => ({
      name: `${name}-0`,
      gang: name,
      role: 'worker',
      state: 'running',
      node: `n${i >> 2}`,
      devices: [2 * (i & 3), 2 * (i & 3) + 1],
    }));
    const session = new Session({ now: 10, nodes, pods, queues, gangs: [...gangs, gang] }, DEFAULT_POLICY);
    const { seconds, result } = elapsed(() => decideIn(session));
    return { seconds, evicted: result.evictions.length, nominated: result.nominations.length };
  };
  return [['preemption', claim('a', 10)] as const, ['reclaim', claim('b', 0)] as const].map(([what, gang]) => {
    const results = times(() => settle(gang));
    const ms = 1000 * median(results.map(({ seconds }) => seconds));
    const [{ evicted, nominated }] = results;
    return line(
      `${what} among 10,000 gangs (${evicted} evicted)`,
      ms,
      'ms',
      'under 100',
      ms < 100 && evicted === 32 && nominated === 8,
    );
  });
}

/** Over how many nodes gangs are spread. */
function fewestNodes(): Line[] {
  const sum = { used: 0, ideal: 0, bound: 0, scattered: 0 };
  for (const seed of [1, 2, 3]) {
    const { used, ideal, bound, scattered } = nodesOfGangs(seed);
    sum.used += used;
    sum.ideal += ideal;
    sum.bound += bound;
    sum.scattered += scattered;
  }
  const [overIdeal, overBound] = [sum.used / sum.ideal, sum.used / sum.bound];
  return [
    line('nodes of 148 gangs against the ideal', overIdeal, 'x', 'at most 1.15', overIdeal <= 1.15),
    line('the same against the bound with racks kept', overBound, 'x', 'at most 1.05', overBound <= 1.05),
    line('gangs in more racks than they need', sum.scattered, '', '0', sum.scattered === 0),
  ];
}

function packAll(nodes: number, pods: number): { seconds: number; placed: number } {
  const { session, records } = emptyCluster(mix, nodes, pods);
  const selector = new Selector(session);
  let placed = 0;
  const { seconds } = elapsed(() => {
    for (const pod of records) {
      const row = selector.best(pod.podClass);
      placed += row >= 0 && session.ledger.place(pod, row) ? 1 : 0;
    }
  });
  return { seconds, placed };
}

/** Seconds per pod. The same filters and the same measure, without any index. */
function plainLoop(nodes: number, pods: number, keep: boolean): number {
  const { session, records } = emptyCluster(mix, nodes, pods);
  const { table: rows, ledger } = session;
  const counts = new Map(records.map(({ podClass }) => [podClass, 1]));
  const measure = new Fragmentation(rows, new DeviceStates({ table: rows }), workloadOf(counts), new PartValues());
  const kept = new Map<number, { scores: Float64Array; versions: Int32Array }>();
  const scorers = new Map<number, (row: number) => number>();
  const scoreOf = (podClass: PodRecord['podClass']): ((row: number) => number) => {
    const known = scorers.get(podClass.id) ?? measure.scores(shapeOf(podClass), cpuOf(podClass));
    scorers.set(podClass.id, known);
    return known;
  };
  const { seconds } = elapsed(() => {
    for (const pod of records) {
      const { podClass } = pod;
      const allowed = session.staticRow(podClass);
      const row = kept.get(podClass.id) ?? {
        scores: new Float64Array(rows.count),
        versions: new Int32Array(rows.count).fill(-1),
      };
      kept.set(podClass.id, row);
      const score = (at: number): number =>
        allowed[at] === 0 && ledger.fits(podClass, at) ? scoreOf(podClass)(at) : -Infinity;
      let best = -1;
      let bestScore = -Infinity;
      for (let at = 0; at < rows.count; at++) {
        if (!keep) {
          row.scores[at] = score(at);
        } else if (row.versions[at] !== rows.version[at]) {
          row.scores[at] = score(at);
          row.versions[at] = rows.version[at];
        }
        if (row.scores[at] > bestScore) {
          best = at;
          bestScore = row.scores[at];
        }
      }
      if (best >= 0) {
        ledger.place(pod, best);
      }
    }
  });
  return seconds / pods;
}

/** Results of runs after others: code is compiled while it runs first. */
function times<T>(once: () => T): T[] {
  return Array.from({ length: WARM_LARGE + runs }, once).slice(WARM_LARGE);
}

/** CPU time of this process, which on a machine that is shared says more than the clock on the wall. */
function elapsed<T>(work: () => T): { seconds: number; result: T } {
  const began = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(began);
  return { seconds: (user + system) / 1e6, result };
}

function line(what: string, value: number, unit: string, target: string, met: boolean): Line {
  process.stderr.write(`${what}: ${format(value)} ${unit}\n`);
  return { what, value, unit, target, met };
}

function format(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function report(): void {
  const cells = lines.map(({ what, value, unit, target, met }) => [
    what,
    `${format(value)} ${unit}`,
    target,
    met ? '' : 'missed',
  ]);
  process.stdout.write(table(['what', 'measured', 'target', ''], cells, { color: false }));
  const json = JSON.stringify({ machine: machine(), runs, lines });
  process.stdout.write(`${json}\n`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${json}\n`);
  }
}
