/**
 * What a pod or a pod template states about its gang: queue, priority, minimum, topology, and whether it can be preempted. Reads the labels
 * and annotations of Gantry, Volcano, Kueue, and KAI.
 */
import { definedMembers } from '../../../manifests/values/members';
import { type JsonObject } from '../../../facts/api/schema';
import { readGantryStatement } from '../../../manifests/pods/gantry-statement';
import { asInteger, asObject, asString } from '../../../manifests/read';
import { type TopologyConstraint } from '../../../placement';

/** Where a workload wants to wait. Kueue's local queues refer to a ClusterQueue. */
export type QueueName =
  | { readonly kind: 'queue'; readonly name: string }
  | { readonly kind: 'local-queue'; readonly namespace: string; readonly name: string };

export interface GangHints {
  readonly queue?: QueueName;
  readonly minimum?: number;
  /** Holds for the whole gang. */
  readonly topology?: TopologyConstraint;
  /** Holds for the pods of this template only. */
  readonly roleTopology?: TopologyConstraint;
  readonly priorityClassName?: string;
  /** As the server has filled it in; it counts before the class. */
  readonly priority?: number;
  readonly preemptible?: boolean;
  /** `false`: no pod is evicted for it. */
  readonly preempts?: boolean;
  readonly minimumRuntimeSeconds?: number;
  readonly expectedSeconds?: number;
  readonly checkpointSeconds?: number;
}

/** Reads `metadata` and `spec` of a pod, or of a template; of a workload object, `metadata` alone. */
export function gangHintsOf(metadata: JsonObject, spec: JsonObject, namespace: string): GangHints {
  const labels = asObject(metadata.labels);
  const annotations = asObject(metadata.annotations);
  const own = readGantryStatement(metadata);
  return definedMembers<GangHints>({
    queue: own.queue === undefined ? queueNamed(labels, annotations, namespace) : { kind: 'queue', name: own.queue },
    minimum:
      own.minMember ??
      whole(
        annotations['scheduling.volcano.sh/group-min-member'] ??
          annotations['kueue.x-k8s.io/pod-group-total-count'] ??
          annotations['kai.scheduler/batch-min-member'],
      ),
    topology: constraint({
      topology: asString(annotations['kai.scheduler/topology']),
      required: own.topologyRequired ?? asString(annotations['kai.scheduler/topology-required-placement']),
      preferred: own.topologyPreferred ?? asString(annotations['kai.scheduler/topology-preferred-placement']),
    }),
    roleTopology: podSetTopology(annotations),
    priorityClassName:
      asString(spec.priorityClassName) ??
      asString(labels['kueue.x-k8s.io/priority-class']) ??
      asString(labels.priorityClassName),
    priority: asInteger(spec.priority),
    preemptible:
      own.preemptible ??
      truth(annotations['volcano.sh/preemptable'] ?? labels['volcano.sh/preemptable']) ??
      kaiPreemptible(asString(labels['kai.scheduler/preemptibility'])),
    preempts: spec.preemptionPolicy === 'Never' ? false : undefined,
    minimumRuntimeSeconds: own.minimumRuntimeSeconds,
    expectedSeconds: own.expectedSeconds,
    checkpointSeconds: own.checkpointSeconds,
  });
}

/** The first that says something counts, member by member. */
export function mergedHints(...hints: readonly GangHints[]): GangHints {
  return Object.assign({}, ...[...hints].reverse()) as GangHints;
}

function queueNamed(labels: JsonObject, annotations: JsonObject, namespace: string): QueueName | undefined {
  const name =
    asString(annotations['scheduling.volcano.sh/queue-name']) ??
    asString(labels['volcano.sh/queue-name']) ??
    asString(labels['kai.scheduler/queue']) ??
    asString(labels['runai/queue']);
  if (name !== undefined && name !== '') {
    return { kind: 'queue', name };
  }
  const local = asString(labels['kueue.x-k8s.io/queue-name']) ?? asString(annotations['kueue.x-k8s.io/queue-name']);
  return local === undefined || local === '' ? undefined : { kind: 'local-queue', namespace, name: local };
}

function podSetTopology(annotations: JsonObject): TopologyConstraint | undefined {
  return constraint({
    required: asString(annotations['kueue.x-k8s.io/podset-required-topology']),
    preferred: asString(annotations['kueue.x-k8s.io/podset-preferred-topology']),
    sliceLevel: asString(annotations['kueue.x-k8s.io/podset-slice-required-topology']),
    sliceSize: whole(annotations['kueue.x-k8s.io/podset-slice-size']),
  });
}

function constraint(found: Maybe<TopologyConstraint>): TopologyConstraint | undefined {
  const said = definedMembers<TopologyConstraint>(found);
  return said.required === undefined && said.preferred === undefined && said.sliceLevel === undefined
    ? undefined
    : said;
}

function kaiPreemptible(text: string | undefined): boolean | undefined {
  return text === 'non-preemptible' ? false : text === 'preemptible' ? true : undefined;
}

function truth(value: JsonObject[string]): boolean | undefined {
  return value === 'true' || value === true ? true : value === 'false' || value === false ? false : undefined;
}

function whole(value: JsonObject[string]): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : asInteger(value);
  return number === undefined || number < 0 ? undefined : number;
}

type Maybe<T> = { readonly [Member in keyof T]: T[Member] | undefined };
