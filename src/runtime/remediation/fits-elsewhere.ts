/**
 * Whether a gang would find places on healthy nodes: asked of the placement core, with the gang's own places given back. A gang that fits
 * is promised its new places, so that no other one is: in the same plan, and later until its new pods run.
 */
import { type JsonObject } from '../../facts/api/schema';
import { decide, DEFAULT_POLICY, type Gang, type Pod } from '../../placement';
import { clusterOfObjects } from '../../planning/cluster';
import { type FitsElsewhere } from '../../planning/remediation';

interface Promised {
  readonly gang: Gang;
  readonly pods: readonly Pod[];
  /** Milliseconds on the clock of the caller. */
  readonly at: number;
}

/** A gang that has not started at its new places after this time, milliseconds, will not. */
const KEPT = 300_000;

export class Moves {
  private readonly promised = new Map<string, Promised>();

  /** @param objects nodes, pods, and what else placement depends on, with apiVersion and kind */
  fitsElsewhere(objects: readonly JsonObject[], now: number): FitsElsewhere {
    const cluster = clusterOfObjects(objects, 'cluster');
    const nodes = new Set(cluster.nodes.map(({ name }) => name));
    for (const [name, { at, pods }] of this.promised) {
      const known = cluster.gangs.find(({ gang }) => gang.name === name);
      const runs = known?.pods.every(({ node }) => pods.some((pod) => pod.node === node)) === true;
      if (runs || now - at > KEPT || pods.some(({ node = '' }) => !nodes.has(node))) {
        this.promised.delete(name);
      }
    }
    return ({ key }, without) => {
      const found = cluster.gangs.find(({ keys }) => keys.some((one) => key === one || key.startsWith(`${one} `)));
      if (found === undefined) {
        return false;
      }
      const waiting = found.pods.map((pod): Pod => ({
        ...pod,
        state: 'pending',
        node: undefined,
        devices: undefined,
        startedAt: undefined,
      }));
      // Gangs that wait are not asked about: the question is whether there is room, and not whose turn it is.
      const others = cluster.gangs.filter(
        (one) =>
          one !== found && !this.promised.has(one.gang.name) && one.pods.some(({ state }) => state !== 'pending'),
      );
      const promised = [...this.promised.values()].filter(({ gang }) => gang.name !== found.gang.name);
      const gangs = [
        { ...found.gang, priority: Number.MAX_SAFE_INTEGER },
        ...others.map(({ gang }) => gang),
        ...promised.map(({ gang }) => gang),
      ];
      const { bindings } = decide(
        {
          now: cluster.at ?? 0,
          nodes: cluster.nodes.map((node) => (without.has(node.name) ? { ...node, unschedulable: true } : node)),
          topologies: cluster.topologies,
          queues: [...new Set(gangs.map(({ queue }) => queue))].map((name) => ({ name })),
          gangs,
          pods: [
            ...waiting,
            ...others.flatMap(({ pods }) => pods),
            ...promised.flatMap(({ pods }) => pods),
            ...cluster.nodePods.map(({ pod }) => pod),
          ],
        },
        { ...DEFAULT_POLICY, actions: ['allocate'] },
      );
      const places = new Map(bindings.map((binding) => [binding.pod, binding]));
      if (!waiting.every(({ name }) => places.has(name))) {
        return false;
      }
      const pods = found.pods.map((pod): Pod => {
        const { node, devices } = places.get(pod.name)!;
        return { ...pod, state: 'running', node, devices };
      });
      this.promised.set(found.gang.name, { gang: found.gang, pods, at: now });
      return true;
    };
  }
}
