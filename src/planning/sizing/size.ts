/**
 * The cheapest mix of a sizing, and what it and the mix of today come to.
 */
import { simulate, type SimulationResult } from '../simulation';
import { percentile } from '../simulation/statistics';
import { intervalOf, type Interval } from './confidence';
import { add, CostMeter } from './costs';
import { Evaluator, measuredOf } from './evaluate';
import { type MixReport, type PoolCost, type ShareOfCost, type SizingResult } from './result';
import { cheapestMix, type SearchOutcome } from './search';
import { cheapestMeasuredMix } from './search-measured';
import {
  costPerHour,
  isScaled,
  leastCostPerHour,
  type Mix,
  pricePerHour,
  type Sizing,
  type WaitTarget,
} from './sizing';

export interface SizeOptions {
  /** Called after each mix that was simulated. @default - not called */
  readonly tell?: (evaluated: number) => void;
}

export function size(sizing: Sizing, { tell }: SizeOptions = {}): SizingResult {
  const { pools, search, run } = sizing;
  const evaluator = new Evaluator(sizing);
  let evaluated = 0;
  const meets = (mix: Mix): boolean => {
    const evaluation = evaluator.evaluate(mix);
    tell?.(++evaluated);
    return evaluation.meets;
  };
  const bounds = { least: pools.map(({ least }) => least), most: pools.map(({ nodes }) => nodes.length) };
  const found = isScaled(sizing)
    ? cheapestMeasuredMix(
        { ...bounds, costOf: (mix) => leastCostPerHour(pools, mix) },
        (mix) => (meets(mix) ? reportOf(evaluator, mix).costPerHour : undefined),
        search.evaluations,
      )
    : cheapestMix({ ...bounds, costOf: (mix) => costPerHour(pools, mix) }, meets, search.evaluations);
  const today = pools.every((pool) => pool.today !== undefined) ? pools.map((pool) => pool.today!) : undefined;
  return {
    version: 1,
    name: sizing.name,
    ...(sizing.about !== undefined && { about: sizing.about }),
    ...(sizing.currency !== undefined && { currency: sizing.currency }),
    method: {
      seed: search.seed,
      replications: evaluator.replications,
      confidence: search.confidence,
      seconds: run.seconds,
      warmupSeconds: run.warmupSeconds,
      ...(sizing.history.length > 0 && run.blockSeconds !== undefined && { blockSeconds: run.blockSeconds }),
      measuredGangs: meanGangs(evaluator),
      ...countsOf(found),
      limit: search.evaluations,
    },
    pools: pools.map(({ name, purchase, pricePerHour, least, nodes, spot, scaling }) => ({
      name,
      purchase,
      pricePerHour,
      least,
      most: nodes.length,
      ...(spot !== undefined && { interruptionsPerHour: spot.interruptionsPerHour }),
      ...(scaling !== undefined && { autoscale: scaling }),
    })),
    ...(found.best !== undefined && { best: reportOf(evaluator, found.best) }),
    ...(today !== undefined && { today: reportOf(evaluator, today) }),
  };
}

function countsOf({ mixes, evaluated, assumed, open }: SearchOutcome): Omit<SearchOutcome, 'best'> {
  return { mixes, evaluated, assumed, open };
}

function meanGangs(evaluator: Evaluator): number {
  const counts = replicationsOf(evaluator).map(
    (replication) => measuredOf(evaluator.work(replication), evaluator.sizing).length,
  );
  return Math.round(counts.reduce((sum, count) => sum + count, 0) / counts.length);
}

function replicationsOf({ replications }: Evaluator): readonly number[] {
  return Array.from({ length: replications }, (_, replication) => replication);
}

/** One replication of a mix, simulated until all measured gangs have started. */
interface Replica {
  readonly result: SimulationResult;
  readonly costs: CostMeter;
  /** Of the measured gangs. */
  readonly waitsOf: (queue: string | undefined) => readonly number[];
  readonly unstarted: number;
  readonly sources: ReadonlyMap<string, string>;
}

function replicate(evaluator: Evaluator, mix: Mix, replication: number): Replica {
  const { run } = evaluator.sizing;
  const work = evaluator.work(replication);
  const { scenario, nodes } = evaluator.world(mix, replication);
  const costs = new CostMeter(nodes, { from: run.warmupSeconds, until: run.seconds });
  const awaited = new Set(measuredOf(work, evaluator.sizing).map(({ gang }) => gang.name));
  const result = simulate(scenario, {
    explain: false,
    observer: {
      started: (gang) => void awaited.delete(gang),
      held: (pod, at) => costs.held(pod, at),
      freed: (pod, at) => costs.freed(pod, at),
      requested: (node, at) => costs.requested(node, at),
      ended: (node, at) => costs.ended(node, at),
      stops: (at) => at >= run.seconds && awaited.size === 0,
    },
  });
  costs.finish(Math.max(result.seconds, run.seconds));
  const measured = result.gangs.filter(({ arrivedAt }) => arrivedAt >= run.warmupSeconds && arrivedAt < run.seconds);
  return {
    result,
    costs,
    waitsOf: (queue) =>
      measured
        .filter((gang) => queue === undefined || gang.queue === queue)
        .map(({ waitSeconds }) => waitSeconds)
        .sort((a, b) => a - b),
    unstarted: awaited.size,
    sources: work.sources,
  };
}

/** The first replication of a mix over time. */
export function timelineOf(sizing: Sizing, { nodes }: Pick<MixReport, 'nodes'>): SimulationResult {
  const mix = sizing.pools.map(({ name }) => nodes[name]);
  return replicate(new Evaluator(sizing), mix, 0).result;
}

/** Simulates a mix with all its replications. */
export function reportOf(evaluator: Evaluator, mix: Mix): MixReport {
  const { sizing } = evaluator;
  const replicas = replicationsOf(evaluator).map((replication) => replicate(evaluator, mix, replication));
  const interval = (valueOf: (replica: Replica) => number): Interval =>
    intervalOf(replicas.map(valueOf), sizing.search.confidence);
  const waitOf = ({ percentile: percent, queue }: Pick<WaitTarget, 'percentile' | 'queue'>): Interval =>
    interval(({ waitsOf }) => percentile(waitsOf(queue), percent));
  const unstarted = replicas.reduce((sum, replica) => sum + replica.unstarted, 0);
  const targets = sizing.targets.map((target) => {
    const wait = waitOf(target);
    return { ...target, wait, met: unstarted === 0 && wait.high <= target.seconds };
  });
  const costs = sharesOf(sizing, mix, replicas);
  return {
    nodes: Object.fromEntries(sizing.pools.map(({ name }, index) => [name, mix[index]])),
    costPerHour: costs.total,
    meets: targets.every(({ met }) => met),
    targets,
    unstarted,
    utilization: interval(({ result }) => utilizationOf(result, sizing)),
    evictions: interval(({ result }) => result.summary.evictions),
    idle: costs.idle,
    pools: costs.pools,
    queues: sizing.queues.map(({ name, parent }) => ({
      name,
      ...(parent !== undefined && { parent }),
      costPerHour: costs.byQueue.get(name) ?? 0,
      p95: waitOf({ percentile: 95, queue: name }),
    })),
    teams: teamsOf(sizing, costs.byQueue),
    gangs: ranked(costs.bySource),
  };
}

interface Shares {
  readonly total: number;
  readonly idle: number;
  readonly pools: MixReport['pools'];
  readonly byQueue: ReadonlyMap<string, number>;
  readonly bySource: ReadonlyMap<string, number>;
}

/** Shares of what the mix costs per hour, by what was used of each pool in all replications. */
function sharesOf({ pools, run }: Sizing, mix: Mix, replicas: readonly Replica[]): Shares {
  const byQueue = new Map<string, number>();
  const bySource = new Map<string, number>();
  const hours = (replicas.length * (run.seconds - run.warmupSeconds)) / 3600;
  const queuesOf = replicas.map(({ result }) => new Map(result.gangs.map(({ name, queue }) => [name, queue])));
  const poolCosts = pools.map((pool, index): PoolCost => {
    const spent = replicas.reduce((sum, { costs }) => sum + (costs.pools.get(pool.name)?.spent ?? 0), 0);
    const ran = replicas.reduce((sum, { costs }) => sum + (costs.pools.get(pool.name)?.seconds ?? 0), 0);
    const cost = pool.scaling === undefined ? mix[index] * pricePerHour(pool) : spent / hours;
    const scale = spent > 0 ? cost / spent : 0;
    let used = 0;
    replicas.forEach(({ costs, sources }, replica) => {
      for (const [gang, amount] of costs.pools.get(pool.name)?.byGang ?? []) {
        used += amount * scale;
        add(byQueue, queuesOf[replica].get(gang)!, amount * scale);
        add(bySource, sources.get(gang)!, amount * scale);
      }
    });
    return {
      name: pool.name,
      nodes: mix[index],
      ...(pool.scaling !== undefined && { meanNodes: ran / 3600 / hours }),
      costPerHour: cost,
      idlePerHour: Math.max(0, cost - used),
    };
  });
  const total = poolCosts.reduce((sum, pool) => sum + pool.costPerHour, 0);
  const idle = poolCosts.reduce((sum, { idlePerHour }) => sum + idlePerHour, 0);
  return { total, idle: total > 0 ? idle / total : 0, pools: poolCosts, byQueue, bySource };
}

function teamsOf({ queues }: Sizing, byQueue: ReadonlyMap<string, number>): readonly ShareOfCost[] {
  const parents = new Map(queues.map(({ name, parent }) => [name, parent]));
  const sums = new Map<string, number>();
  for (const [queue, cost] of byQueue) {
    let root = queue;
    for (let at = parents.get(root); at !== undefined; at = parents.get(at)) {
      root = at;
    }
    add(sums, root, cost);
  }
  return ranked(sums);
}

function ranked(sums: ReadonlyMap<string, number>): readonly ShareOfCost[] {
  return [...sums]
    .map(([name, cost]) => ({ name, costPerHour: cost }))
    .sort((a, b) => b.costPerHour - a.costPerHour || (a.name < b.name ? -1 : 1));
}

/** Over the time in which work arrives, without the warm-up. */
function utilizationOf({ samples, device }: SimulationResult, { run }: Sizing): number {
  let used = 0;
  let ready = 0;
  samples.at.forEach((from, i) => {
    const until = Math.min(samples.at[i + 1] ?? run.seconds, run.seconds);
    const seconds = Math.max(0, until - Math.max(from, run.warmupSeconds));
    used += seconds * samples.used[device][i];
    ready += seconds * samples.ready[device][i];
  });
  return ready > 0 ? used / ready : 0;
}
