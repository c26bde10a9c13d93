/**
 * What must hold at every moment, whatever happens: as the API server alone reports it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { amountsOf } from '../../../src/planning/cluster/objects';
import { podRequest } from '../../../src/planning/cluster/objects/pod-request';
import { asObject, asString } from '../../../src/manifests/read';
import { type Lab, nameOf } from './lab';

/** Pods that hold room on a node. */
function holders(pods: readonly JsonObject[]): readonly JsonObject[] {
  return pods.filter(
    ({ spec, status }) =>
      asString(asObject(spec).nodeName) !== undefined &&
      !['Succeeded', 'Failed'].includes(asString(asObject(status).phase) ?? ''),
  );
}

/** What is wrong, in words: nodes that hold more than they have, devices that two pods hold. */
export function overCapacity(nodes: readonly JsonObject[], pods: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  const held = holders(pods);
  for (const node of nodes) {
    const own = held.filter(({ spec }) => asObject(spec).nodeName === nameOf(node));
    const allocatable: Readonly<Record<string, number>> = amountsOf(asObject(node.status).allocatable);
    const sum: Record<string, number> = { pods: own.length };
    const devices = new Map<string, string>();
    for (const pod of own) {
      for (const [resource, amount] of Object.entries(podRequest(asObject(pod.spec)))) {
        sum[resource] = (sum[resource] ?? 0) + amount;
      }
      const indices = asString(asObject(asObject(pod.metadata).annotations)['gantry.dev/devices'])?.split(',') ?? [];
      for (const index of indices) {
        if (devices.has(index)) {
          faults.push(`device ${index} of ${nameOf(node)} is held by ${devices.get(index)} and ${nameOf(pod)}`);
        }
        devices.set(index, nameOf(pod));
      }
    }
    for (const [resource, amount] of Object.entries(sum)) {
      if (amount > (allocatable[resource] ?? 0)) {
        faults.push(`${nameOf(node)} holds ${amount} ${resource} and has ${allocatable[resource] ?? 0}`);
      }
    }
  }
  return faults;
}

/** Gangs that have some pods on nodes and fewer than their minimum. */
export function brokenGangs(pods: readonly JsonObject[]): readonly string[] {
  const gangs = new Map<string, { placed: number; minimum: number }>();
  for (const pod of pods) {
    const { labels, annotations, deletionTimestamp } = asObject(pod.metadata);
    const name = asString(asObject(labels)['gantry.dev/gang']);
    if (name !== undefined) {
      const gang = gangs.get(name) ?? {
        placed: 0,
        minimum: Number(asString(asObject(annotations)['gantry.dev/gang-min-member']) ?? 0),
      };
      gang.placed += asString(asObject(pod.spec).nodeName) !== undefined && deletionTimestamp === undefined ? 1 : 0;
      gangs.set(name, gang);
    }
  }
  return [...gangs]
    .filter(([, { placed, minimum }]) => placed > 0 && placed < minimum)
    .map(([name, { placed, minimum }]) => `${name}: ${placed} of ${minimum}`);
}

/** Looks all the time, beside what the test does. */
export class Watchman {
  readonly faults = new Set<string>();
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly lab: Lab) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        // Pods first: a node that has gone meanwhile is only missing.
        const pods = await this.lab.pods();
        const nodes = await this.lab.list('/api/v1/nodes');
        overCapacity(nodes, pods).forEach((fault) => this.faults.add(fault));
      } catch {
        // The server is down, as tests want it to be.
      }
      await sleep(100);
    }
  }
}
