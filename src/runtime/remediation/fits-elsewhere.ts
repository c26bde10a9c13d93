/**
 * Whether a gang would find places on healthy nodes: asked of the placement core, with the gang's own places given back. A gang that fits
 * takes its new places, so that the next one is not promised the same.
 */
import { type JsonObject } from '../../facts/api/schema';
import { decide, DEFAULT_POLICY, type Pod } from '../../placement';
import { clusterOfObjects } from '../../planning/cluster';
import { type FitsElsewhere } from '../../planning/remediation';

/** @param objects nodes, pods, and what else placement depends on, with apiVersion and kind */
export function fitsElsewhere(objects: readonly JsonObject[]): FitsElsewhere {
  const cluster = clusterOfObjects(objects, 'cluster');
  /** Pods of gangs that were promised places in this plan, on their new nodes. */
  const promised: Pod[] = [];
  const moved = new Set<string>();
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
    const others = cluster.gangs.filter((one) => one !== found && one.pods.some(({ state }) => state !== 'pending'));
    const gangs = [found.gang, ...others.map(({ gang }) => gang)];
    const { bindings } = decide(
      {
        now: cluster.at ?? 0,
        nodes: cluster.nodes.map((node) => (without.has(node.name) ? { ...node, unschedulable: true } : node)),
        topologies: cluster.topologies,
        queues: [...new Set(gangs.map(({ queue }) => queue))].map((name) => ({ name })),
        gangs: gangs.map((gang) => (gang === found.gang ? { ...gang, priority: Number.MAX_SAFE_INTEGER } : gang)),
        pods: [
          ...waiting,
          ...others.flatMap(({ gang, pods }) => (moved.has(gang.name) ? [] : pods)),
          ...promised,
          ...cluster.nodePods.map(({ pod }) => pod),
        ],
      },
      { ...DEFAULT_POLICY, actions: ['allocate'] },
    );
    const places = new Map(bindings.map((binding) => [binding.pod, binding]));
    if (!waiting.every(({ name }) => places.has(name))) {
      return false;
    }
    moved.add(found.gang.name);
    promised.push(
      ...found.pods.map((pod): Pod => {
        const { node, devices } = places.get(pod.name)!;
        return { ...pod, state: 'running', node, devices };
      }),
    );
    return true;
  };
}
