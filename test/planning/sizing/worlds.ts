/**
 * Small random worlds: pools, prices, spot interruptions, queues, and work, drawn by seed. `npm run bench:sizing` runs 200 of them.
 */
import { readSizing, size, type Sizing } from '../../../src/planning/sizing';
import { Evaluator } from '../../../src/planning/sizing/evaluate';
import { reportOf } from '../../../src/planning/sizing/size';
import { type Mix } from '../../../src/planning/sizing/sizing';
import { Random } from '../../support/random';
import { NO_SOURCES } from './support';

/** @param scales whether an autoscaler starts and ends the nodes of the pools that are not spot */
export function smallWorld(seed: number, scales = false): Sizing {
  const random = new Random(seed);
  const between = (least: number, most: number): number => least + random.below(most - least + 1);
  const pools = Array.from({ length: between(1, 3) }, (_, index) => {
    const isSpot = between(0, 2) === 0;
    const perNode = [2, 4, 8][between(0, 2)];
    return {
      name: `pool-${index}`,
      accelerator: 'H100-SXM-80GB',
      perNode,
      min: between(0, 1),
      max: between(1, 3),
      pricePerHour: perNode * between(2, 6) + between(0, 3),
      ...(scales &&
        !isSpot &&
        index % 2 === seed % 2 && {
          autoscale: { min: 0, delay: 60 * (1 + (seed % 7)), idle: 60 * (1 + (seed % 11)) },
        }),
      ...(isSpot && {
        purchase: 'spot',
        spot: { interruptionsPerHour: between(1, 4) / 10, notice: 120, replacedAfter: 60 * between(2, 20) },
      }),
    };
  });
  const queues = Array.from({ length: between(1, 2) }, (_, index) => ({ name: `queue-${index}` }));
  const gangs = Array.from({ length: between(1, 3) }, (_, index) => ({
    name: `work-${index}`,
    queue: queues[between(0, queues.length - 1)].name,
    pods: between(1, 2),
    gpus: [1, 2, 4][between(0, 2)],
    cpu: 1,
    duration: between(0, 1) === 0 ? '40m' : { median: '20m', p95: '90m' },
    checkpoint: '5m',
    repeat: { perHour: between(1, 4) / 2 },
  }));
  const file = {
    pools,
    queues,
    gangs,
    targets: [{ percentile: 90, wait: 60 * between(1, 40) }],
    run: { for: '6h', warmup: '1h', cycle: 30 },
    search: { seed, replications: 3, evaluations: 200 },
  };
  return readSizing(JSON.stringify(file), `world-${seed}.json`, NO_SOURCES);
}

export interface Compared {
  readonly mixes: number;
  /** Cost per hour of the mix that the search found; `undefined` without one. */
  readonly searched: number | undefined;
  readonly evaluated: number;
  /** Cost per hour of the cheapest mix of all that keep the targets. */
  readonly exhaustive: number | undefined;
  /** A mix keeps the targets although one that contains it misses them. */
  readonly anomalies: number;
}

/** Simulates every mix to its end, without the search and without ending a simulation early. */
export function compareWithExhaustiveSearch(sizing: Sizing): Compared {
  const { best, method } = size(sizing);
  const evaluator = new Evaluator(sizing);
  const results = allMixes(sizing).map((mix) => ({ mix, ...reportOf(evaluator, mix) }));
  const good = results.filter(({ meets }) => meets);
  const costs = good.map(({ costPerHour }) => costPerHour);
  const anomalies = good.filter(({ mix }) =>
    results.some(({ mix: other, meets }) => !meets && other.every((count, i) => count >= mix[i])),
  );
  return {
    mixes: results.length,
    searched: best?.costPerHour,
    evaluated: method.evaluated,
    exhaustive: costs.length === 0 ? undefined : Math.min(...costs),
    anomalies: anomalies.length,
  };
}

function allMixes({ pools }: Sizing): readonly Mix[] {
  return pools.reduce<readonly Mix[]>(
    (mixes, { least, nodes }) =>
      mixes.flatMap((mix) => Array.from({ length: nodes.length - least + 1 }, (_, i) => [...mix, least + i])),
    [[]],
  );
}
