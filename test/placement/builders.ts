/**
 * Small clusters for tests: nodes, gangs and snapshots with everything left out that a test does not speak of.
 */
import {
  type ClusterNode,
  decide,
  type Decision,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Snapshot,
} from '../../src/placement';

export const NOW = 1_700_000_000_000;
export const MINUTE = 60_000;

export function node(name: string, devices: number, more: Partial<ClusterNode> = {}): ClusterNode {
  return { name, allocatable: { cpu: 32_000, memory: 1e12, pods: 50, 'nvidia.com/gpu': devices }, ...more };
}

export function template(devices: number, more: Partial<PodTemplate> = {}): PodTemplate {
  return { request: { cpu: 1_000, memory: 1e9, ...(devices > 0 ? { 'nvidia.com/gpu': devices } : {}) }, ...more };
}

export function gang(name: string, count: number, pod: PodTemplate, more: Partial<Gang> = {}): Gang {
  return { name, queue: 'q', arrival: NOW - MINUTE, roles: [{ name: 'worker', count, template: pod }], ...more };
}

/** A running pod of role `worker`. */
export function running(of: string, on: string, index = 0, more: Partial<Pod> = {}): Pod {
  return {
    name: `${of}-worker-${index}`,
    gang: of,
    role: 'worker',
    state: 'running',
    node: on,
    startedAt: NOW - 10 * MINUTE,
    ...more,
  };
}

export function cluster(
  nodes: readonly ClusterNode[],
  gangs: readonly Gang[],
  pods: readonly Pod[] = [],
  more: Partial<Snapshot> = {},
): Snapshot {
  return { now: NOW, nodes, gangs, pods, queues: [{ name: 'q' }], ...more };
}

export function run(snapshot: Snapshot, policy: Partial<Policy> = {}): Decision {
  return decide(snapshot, { ...DEFAULT_POLICY, ...policy });
}

/** `pod on node` for each binding. */
export function bound({ bindings }: Decision): string[] {
  return bindings.map(({ pod, node: on }) => `${pod} on ${on}`);
}

export function nodesOf(decision: Decision, name: string): string[] {
  const own = [...decision.bindings, ...decision.nominations].filter((binding) => binding.gang === name);
  return [...new Set(own.map(({ node: on }) => on))].sort();
}
