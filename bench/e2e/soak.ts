/**
 * Churn for as long as one likes: gangs come and go, impossible gangs wait, a node comes or goes each second. The program must not grow, must
 * not become slower, and must not be wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject } from '../../src/manifests/read';
import { GantryProcess } from '../../test/e2e/scheduler/gantry-process';
import { overCapacity } from '../../test/e2e/scheduler/invariants';
import { type Lab, nameOf } from '../../test/e2e/scheduler/lab';
import { pod } from '../../test/e2e/scheduler/manifests';
import { median } from '../machine';
import { costOf } from './contender';
import { gangsFor, type LoadGang, readyNode } from './load';
import { gangLatencies, PodWatch, quantile, type Sighting } from './watch-pods';

const SAMPLE = 10_000;
/** Nodes that come and go have numbers from here on. */
const CHURNING = 90_000;
/** Nodes that came and have not gone. */
const MOST_CHURNING = 5;

export interface SoakOptions {
  readonly minutes: number;
  /** Pods that exist at a time; the oldest gangs go first. */
  readonly pods: number;
  /** Pods that come in a second. */
  readonly rate: number;
  /** Impossible gangs. */
  readonly waiting: number;
}

export async function soak(lab: Lab, options: SoakOptions): Promise<void> {
  const { minutes, pods, rate, waiting } = options;
  await lab.createMany(
    Array.from({ length: waiting }, (_, i) =>
      pod(`never-${i}`, { gang: `never-${i}`, minimum: 1, gpus: 100 + (i % 10) }),
    ),
  );
  const gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig });
  const watch = new PodWatch(lab.kubeconfig);
  const world = new Churn(lab, watch);
  const memory: number[] = [];
  const faults = new Set<string>();
  const until = Date.now() + minutes * 60_000;
  let nextSample = Date.now() + SAMPLE;
  try {
    for (let round = 0; Date.now() < until; round++) {
      const started = performance.now();
      await world.nodeComesOrGoes(round);
      await world.come(gangsFor('Gantry', rate, round + 1, `r${round}`));
      await world.leave(pods);
      if (Date.now() >= nextSample) {
        memory.push(costOf(gantry.pid).memoryMiB);
        nextSample += SAMPLE;
        overCapacity(await lab.list('/api/v1/nodes'), await lab.pods()).forEach((fault) => faults.add(fault));
      }
      await sleep(Math.max(0, 1000 - (performance.now() - started)));
    }
    const third = Math.max(1, Math.floor(memory.length / 3));
    const { cpuSeconds, peakMiB } = costOf(gantry.pid);
    console.log(
      `soak: ${minutes} minutes; ${world.came} pods came and ${world.gone} went; ${waiting} impossible gangs waited; ` +
        `${world.nodesCame} nodes came and ${world.nodesGone} went; CPU ${cpuSeconds.toFixed(0)} s`,
    );
    console.log(
      `memory: second third ${median(memory.slice(third, 2 * third)).toFixed(0)} MiB, last third ${median(memory.slice(-third)).toFixed(0)} MiB, ` +
        `peak ${peakMiB.toFixed(0)} MiB`,
    );
    for (const [part, latencies] of world.latenciesByThird()) {
      console.log(
        `gangs of the ${part} third: latency p50 ${quantile(latencies, 0.5).toFixed(3)} s, p99 ${quantile(latencies, 0.99).toFixed(3)} s (${latencies.length})`,
      );
    }
    const metrics = ['gantry_cycle_failures_total', 'gantry_session_divergences_total', 'gantry_cycle_seconds_count'];
    for (const name of metrics) {
      console.log(`${name}: ${await gantry.metric(name)}`);
    }
    const wrong = [...watch.pods].filter(([name, { boundAt }]) => name.startsWith('never-') && boundAt !== undefined);
    console.log(
      `over capacity: ${[...faults].join('; ') || 'never'}; impossible gangs that were bound: ${wrong.length}`,
    );
  } finally {
    await gantry.stop();
    await watch.stop();
  }
}

class Churn {
  came = 0;
  gone = 0;
  nodesCame = 0;
  nodesGone = 0;
  private alive: LoadGang[] = [];
  /** Gangs that were there until the end of their time, in the order in which they came. */
  private readonly seen: string[] = [];
  private readonly lost = new Set<string>();
  private readonly nodes: string[] = [];

  constructor(
    private readonly lab: Lab,
    private readonly watch: PodWatch,
  ) {}

  async come(gangs: readonly LoadGang[]): Promise<void> {
    for (const gang of gangs) {
      await this.lab.createMany(gang.pods);
      this.alive.push(gang);
      this.seen.push(gang.name);
      this.came += gang.pods.length;
    }
  }

  /** The oldest gangs end. */
  async leave(most: number): Promise<void> {
    let count = this.alive.reduce((sum, { pods }) => sum + pods.length, 0);
    while (count > most) {
      const gang = this.alive.shift()!;
      count -= gang.pods.length;
      await this.end(gang);
    }
  }

  /** One comes, or the oldest one goes; gangs with a pod on it end, as their jobs would. */
  async nodeComesOrGoes(round: number): Promise<void> {
    const { lab, nodes } = this;
    if (nodes.length < MOST_CHURNING && round % 2 === 0) {
      const made = readyNode(CHURNING + round);
      await lab.create(made);
      await lab.patch(`/api/v1/nodes/${nameOf(made)}`, { spec: { taints: null as unknown as string } });
      nodes.push(nameOf(made));
      this.nodesCame++;
      return;
    }
    const name = nodes.shift();
    if (name === undefined) {
      return;
    }
    const there = await lab.list(`/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3D${name}`);
    await lab.delete(`/api/v1/nodes/${name}`);
    this.nodesGone++;
    const groups = new Set(there.map(({ metadata }) => asObject(asObject(metadata).labels).group));
    const ended = this.alive.filter((gang) => groups.has(gang.name));
    this.alive = this.alive.filter((gang) => !groups.has(gang.name));
    for (const gang of ended) {
      this.lost.add(gang.name);
      await this.end(gang);
    }
  }

  /** From the last pod's arrival to the last binding, of gangs that were not lost with a node. */
  latenciesByThird(): (readonly [string, readonly number[]])[] {
    const gangs = new Map<string, Sighting[]>();
    for (const sighting of this.watch.pods.values()) {
      const known = gangs.get(sighting.gang);
      if (known === undefined) {
        gangs.set(sighting.gang, [sighting]);
      } else {
        known.push(sighting);
      }
    }
    const kept = this.seen.filter((name) => !this.lost.has(name));
    const third = Math.ceil(kept.length / 3);
    return ['first', 'second', 'last'].map((part, i) => [
      part,
      gangLatencies(kept.slice(i * third, (i + 1) * third).flatMap((name) => gangs.get(name) ?? [])),
    ]);
  }

  private async end({ pods }: LoadGang): Promise<void> {
    for (const one of pods) {
      await this.lab.delete(`/api/v1/namespaces/default/pods/${nameOf(one)}`);
    }
    this.gone += pods.length;
  }
}
