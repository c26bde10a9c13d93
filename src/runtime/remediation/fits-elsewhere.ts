/**
 * Whether a gang would find places on healthy nodes: asked of the placement core, with the gang's own places given back.
 */
import { type JsonObject } from '../../facts/api/schema';
import { decide, DEFAULT_POLICY, type Pod } from '../../placement';
import { clusterOfObjects } from '../../planning/cluster';
import { type FitsElsewhere } from '../../planning/remediation';

/** @param objects nodes and pods */
export function fitsElsewhere(objects: readonly JsonObject[]): FitsElsewhere {
  const cluster = clusterOfObjects(objects, 'cluster');
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
    const others = cluster.gangs.filter((one) => one !== found);
    const gangs = [found.gang, ...others.map(({ gang }) => gang)];
    const { bindings } = decide(
      {
        now: cluster.at ?? 0,
        nodes: cluster.nodes.map((node) => (without.has(node.name) ? { ...node, unschedulable: true } : node)),
        topologies: cluster.topologies,
        queues: [...new Set(gangs.map(({ queue }) => queue))].map((name) => ({ name })),
        gangs: gangs.map((gang) => (gang === found.gang ? { ...gang, priority: Number.MAX_SAFE_INTEGER } : gang)),
        pods: [...waiting, ...others.flatMap(({ pods }) => pods), ...cluster.nodePods.map(({ pod }) => pod)],
      },
      { ...DEFAULT_POLICY, actions: ['allocate'] },
    );
    const bound = new Set(bindings.map(({ pod }) => pod));
    return waiting.every(({ name }) => bound.has(name));
  };
}
