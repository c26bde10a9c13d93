/**
 * Whether a gang of a simulation would find places without some nodes: asked of the placement core, with the gang's own places given back.
 */
import { type Policy, type Snapshot } from '../../placement';
import { decide } from '../../placement/engine';

export function fitsOnHealthyNodes(
  name: string,
  without: ReadonlySet<string>,
  { now, nodes, topologies, gangs, pods, deviceClaims }: Omit<Snapshot, 'queues'>,
  policy: Policy,
): boolean {
  const gang = gangs.find((one) => one.name === name);
  if (gang === undefined) {
    return false;
  }
  const running = new Set(pods.map((pod) => pod.gang));
  const others = gangs.filter((one) => one !== gang && running.has(one.name));
  const count = pods.filter((pod) => pod.gang === name).length;
  const { bindings } = decide(
    {
      now,
      nodes: nodes.map((node) => (without.has(node.name) ? { ...node, unschedulable: true } : node)),
      topologies,
      queues: [...new Set([gang, ...others].map(({ queue }) => queue))].map((queue) => ({ name: queue })),
      gangs: [{ ...gang, priority: Number.MAX_SAFE_INTEGER }, ...others],
      pods: pods.filter((pod) => pod.gang !== name),
      ...(deviceClaims && { deviceClaims }),
    },
    { ...policy, actions: ['allocate'] },
  );
  return bindings.filter((binding) => binding.gang === name).length >= count;
}
