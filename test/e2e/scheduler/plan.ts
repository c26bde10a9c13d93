/**
 * What Gantry plans for a cluster as it is, from its objects alone: the same way that `gantry plan` takes, and not that of the program.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { clusterOfObjects } from '../../../src/planning/cluster';
import { type Decision, decide, DEFAULT_POLICY, type Policy, type Queue, type Snapshot } from '../../../src/placement';
import { type Lab } from './lab';

const COLLECTIONS: readonly (readonly [path: string, apiVersion: string, kind: string])[] = [
  ['/api/v1/nodes', 'v1', 'Node'],
  ['/api/v1/pods', 'v1', 'Pod'],
  ['/api/v1/namespaces', 'v1', 'Namespace'],
  ['/apis/scheduling.k8s.io/v1/priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass'],
  ['/apis/scheduling.volcano.sh/v1beta1/queues', 'scheduling.volcano.sh/v1beta1', 'Queue'],
  ['/apis/scheduling.volcano.sh/v1beta1/podgroups', 'scheduling.volcano.sh/v1beta1', 'PodGroup'],
  ['/apis/topology.volcano.sh/v1alpha1/hypernodes', 'topology.volcano.sh/v1alpha1', 'HyperNode'],
];

export interface PlanOptions {
  readonly policy?: Partial<Policy>;
  readonly queues?: readonly Queue[];
  /** For what is measured from now on, such as minimum running times. @default - the newest time in the cluster */
  readonly now?: number;
}

export async function planOf(lab: Lab, { policy = {}, queues = [], now }: PlanOptions = {}): Promise<Decision> {
  return decide(await snapshotOf(lab, queues, now), { ...DEFAULT_POLICY, ...policy });
}

async function snapshotOf(lab: Lab, queues: readonly Queue[], now: number | undefined): Promise<Snapshot> {
  const lists = await Promise.all(
    COLLECTIONS.map(async ([path, apiVersion, kind]): Promise<JsonObject[]> =>
      (await lab.list(path)).map((item): JsonObject => ({ ...item, apiVersion, kind })),
    ),
  );
  const state = clusterOfObjects(lists.flat(), 'live');
  const known = new Set([...queues, ...state.queues].map(({ name }) => name));
  return {
    now: now ?? state.at ?? 0,
    nodes: state.nodes,
    topologies: state.topologies,
    queues: [
      ...queues,
      ...state.queues.filter(({ name }) => !queues.some((queue) => queue.name === name)),
      ...(known.has('default') ? [] : [{ name: 'default' }]),
    ],
    gangs: state.gangs.map(({ gang }) => gang),
    pods: [...state.gangs.flatMap(({ pods }) => pods), ...state.nodePods.map(({ pod }) => pod)],
  };
}

/** `node devices` by pod: where the plan wants it. */
export function wanted({ bindings }: Decision): Readonly<Record<string, string>> {
  return Object.fromEntries(
    bindings.map(({ pod, node, devices }) => [pod.replace('default/', ''), `${node} ${devices.join(',')}`]),
  );
}
