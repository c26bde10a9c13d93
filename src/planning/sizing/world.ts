/**
 * One mix in one replication, as a scenario.
 */
import { type Scenario } from '../simulation';
import { type PricedNode } from './costs';
import { REPARTITION_SECONDS } from '../simulation/scenario';
import { drawOutages, reclaimEvents, seedOf } from '../simulation/spot';
import { type DrawnWork } from './draw';
import { type Mix, type Sizing } from './sizing';

export interface World {
  readonly scenario: Scenario;
  readonly nodes: readonly PricedNode[];
}

export function worldOf(sizing: Sizing, mix: Mix, replication: number, { gangs }: DrawnWork): World {
  const { run, search, pools } = sizing;
  const until = longestRun(sizing);
  const nodes = pools.flatMap((pool, index) =>
    pool.nodes.slice(0, mix[index]).map((node, place): PricedNode => {
      const seed = seedOf(search.seed, replication, 'spot', pool.name, place);
      const outages = pool.spot === undefined ? [] : drawOutages(pool.spot, seed, until);
      const starts = place < (pool.scaling?.least ?? mix[index]);
      return {
        node: starts ? node : { ...node, ready: false },
        pool: pool.name,
        pricePerHour: pool.pricePerHour,
        starts,
        outages,
      };
    }),
  );
  const { name, topologies, queues, policy, deviceClaims } = sizing;
  const scenario: Scenario = {
    name,
    nodes: [...sizing.nodes, ...nodes.map(({ node }) => node)],
    topologies,
    ...(deviceClaims && { deviceClaims }),
    queues,
    gangs,
    events: nodes
      .flatMap(({ node, outages }) => outages.flatMap((outage) => reclaimEvents([node.name], outage)))
      .sort((a, b) => a.at - b.at),
    scaling: pools.flatMap(({ name: pool, nodes: own, scaling }, index) =>
      scaling === undefined || mix[index] === 0
        ? []
        : [
            {
              ...scaling,
              name: pool,
              nodes: own.slice(0, mix[index]).map((node) => node.name),
              least: Math.min(scaling.least, mix[index]),
            },
          ],
    ),
    policy,
    run: {
      seconds: until,
      cycleSeconds: run.cycleSeconds,
      graceSeconds: run.graceSeconds,
      repartitionSeconds: REPARTITION_SECONDS,
    },
    expectations: [],
  };
  return { scenario, nodes };
}

/** No gang arrives after the run; what has not started long after it never starts. */
export function longestRun({ run, targets }: Sizing): number {
  return 2 * run.seconds + Math.max(0, ...targets.map(({ seconds }) => seconds));
}
