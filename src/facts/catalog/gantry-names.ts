/**
 * The names of the domain `gantry.dev`: labels, annotations and the scheduling gate by which workloads, nodes and Gantry's scheduler
 * understand each other. Constructs write them, the plan and the scheduler read them, rules hold what was written against this table.
 *
 * Every pod of a gang carries the statements about the gang, so that only pods have to be read; different values on pods of one gang
 * are a contradiction.
 */
import { frozen } from './frozen';

/** What all names begin with. */
export const GANTRY_PREFIX = 'gantry.dev/';

/** `schedulerName` of pods that Gantry binds itself. */
export const GANTRY_SCHEDULER = 'gantry';

/** Scheduling gate of pods that Gantry places and hands over to the cluster's own scheduler. */
export const GANTRY_PLACEMENT_GATE = 'gantry.dev/placement';

/** Label of pods and workloads: the queue (a Volcano Queue, or a queue of Gantry's configuration). */
export const GANTRY_QUEUE_LABEL = 'gantry.dev/queue';
/** Label of pods: pods of one namespace with one value start together or not at all. */
export const GANTRY_GANG_LABEL = 'gantry.dev/gang';

/** How many pods of the gang have to run for any to run. Absent: all that exist. */
export const GANTRY_GANG_MIN_MEMBER = 'gantry.dev/gang-min-member';
/**
 * Label of the pod whose value tells gangs of one name apart, for controllers that make many gangs of one template: the groups of a
 * LeaderWorkerSet, the runs of a CronJob. Absent: the name alone.
 */
export const GANTRY_GANG_PER_LABEL = 'gantry.dev/gang-per-label';
/** Topology level (a node label, or a level that the cluster's topology names) whose domain must contain the whole gang. */
export const GANTRY_TOPOLOGY_REQUIRED = 'gantry.dev/topology-required';
/** Topology level; the gang is placed within one of its domains if there is capacity. */
export const GANTRY_TOPOLOGY_PREFERRED = 'gantry.dev/topology-preferred';
/** Seconds that a pod runs before it may be evicted for another. */
export const GANTRY_MINIMUM_RUNTIME = 'gantry.dev/minimum-runtime-seconds';
/** Annotation of pods: seconds between checkpoints of the gang. Work since the last one is lost when it is interrupted. */
export const GANTRY_CHECKPOINT_SECONDS = 'gantry.dev/checkpoint-seconds';
/** Seconds from start to end, as far as the author knows: what backfill counts with. */
export const GANTRY_EXPECTED_SECONDS = 'gantry.dev/expected-seconds';
/** `false`: never evicted for others. */
export const GANTRY_PREEMPTIBLE = 'gantry.dev/preemptible';

/** Indices of the devices that the scheduler chose, comma separated, in the order of the pod's containers. Written by the scheduler. */
export const GANTRY_DEVICES = 'gantry.dev/devices';
/** The node that the scheduler chose for a pod that it handed over. Written by the scheduler, together with taking the gate away. */
export const GANTRY_NODE = 'gantry.dev/node';
/** What a node says about its accelerators, as JSON. Written by a node agent. */
export const GANTRY_ACCELERATOR_CAPACITY = 'gantry.dev/accelerator-capacity';
/**
 * Which devices the kubelet gave to which pod, as JSON: `{"nvidia.com/gpu": {"POD-UID": [7, 6]}}`. Written by an agent on the node, since
 * device plugins leave the choice to the kubelet.
 */
export const GANTRY_ALLOCATED_DEVICES = 'gantry.dev/allocated-devices';

/**
 * How the devices of a node are connected, as JSON: `{"nvidia.com/gpu": [{"index": 0, "numa": 0, "island": "nvlink-0"}]}`. Written by a node
 * agent.
 */
export const GANTRY_DEVICE_TOPOLOGY = 'gantry.dev/device-topology';

/**
 * Which MIG configuration the scheduler last gave to a node, since when, and for which gang, as JSON. Written by the scheduler, together with the
 * label `nvidia.com/mig.config`.
 */
export const GANTRY_MIG_CHANGE = 'gantry.dev/mig-change';

/** Annotation of Volcano Queues: the namespaces whose pods may use the queue, comma separated. Absent: those of its parent, or all. */
export const GANTRY_NAMESPACES = 'gantry.dev/namespaces';
/** Annotation of queues and quotas: the accelerators that their shares are for, comma separated, since the resource name does not say it. */
export const GANTRY_PRODUCTS = 'gantry.dev/products';

/** Check rules that an object silences, one per line, each with its reason. */
export const GANTRY_IGNORE = 'gantry.dev/ignore';
/** Label of the objects of one team. */
export const GANTRY_TEAM_LABEL = 'gantry.dev/team';
/** Label of the pods of one distributed training. */
export const GANTRY_TRAINING_LABEL = 'gantry.dev/training';

/** Label of the ConfigMaps that hold the scheduler's history; its value is the name of the scheduler. */
export const GANTRY_HISTORY_LABEL = 'gantry.dev/history';

/** Labels of nodes: the profile that a pool was made by, and what it is for. */
export const GANTRY_NODE_PROFILE_LABEL = 'gantry.dev/node-profile';
/** Label of nodes: what the pool is for, the second half of its profile. */
export const GANTRY_NODE_TIER_LABEL = 'gantry.dev/tier';

/** Taint of nodes whose devices are not ready yet. */
export const GANTRY_DEVICES_MISSING_TAINT = 'gantry.dev/devices-missing';

/** Taint of nodes on which remediation found a problem. */
export const GANTRY_UNHEALTHY_TAINT = 'gantry.dev/unhealthy';
/** What remediation did to a node, as JSON: the marks that it made, and what it does not do again. Written by remediation. */
export const GANTRY_REMEDIATION = 'gantry.dev/remediation';
/** The node needs a repair, which a controller that repairs nodes reads. Written by remediation. */
export const GANTRY_REPAIR_REQUESTED = 'gantry.dev/repair-requested';

/** Where a name is written. */
export type GantryNamePlace = 'label' | 'annotation' | 'scheduling gate' | 'taint';

/** Form of a value: what a text has to be to be understood. */
export type GantryValueForm = 'name' | 'label key' | 'count' | 'seconds' | 'boolean' | 'indices' | 'json' | 'text';

/** A name of the domain `gantry.dev`. */
export interface GantryName {
  /** The name, for example `gantry.dev/queue`. */
  readonly key: string;
  /** Where it is written. */
  readonly place: GantryNamePlace;
  /** The objects on which it is read. */
  readonly on: 'pod' | 'node' | 'any object';
  /** Absent for what has no value. */
  readonly value?: GantryValueForm;
  /** Who writes it: the author of a manifest (by hand or by a construct), the scheduler, a node agent, or remediation. */
  readonly writtenBy: 'author' | 'scheduler' | 'node agent' | 'remediation';
  /** What its value means. */
  readonly meaning: string;
}

const onPod = (key: string, value: GantryValueForm, meaning: string): GantryName => ({
  key,
  place: 'annotation',
  on: 'pod',
  value,
  writtenBy: 'author',
  meaning,
});

/** Every name of the domain; there are no others. */
export const GANTRY_NAMES: readonly GantryName[] = frozen<readonly GantryName[]>([
  { key: GANTRY_QUEUE_LABEL, place: 'label', on: 'pod', value: 'name', writtenBy: 'author', meaning: 'the queue' },
  {
    key: GANTRY_GANG_LABEL,
    place: 'label',
    on: 'pod',
    value: 'name',
    writtenBy: 'author',
    meaning: 'pods of one namespace with one value start together or not at all',
  },
  onPod(GANTRY_GANG_MIN_MEMBER, 'count', 'number of pods that the gang needs to start; if unset, all of them'),
  onPod(
    GANTRY_GANG_PER_LABEL,
    'label key',
    'pod label whose value distinguishes gangs of one name: groups of a LeaderWorkerSet, runs of a CronJob',
  ),
  onPod(GANTRY_TOPOLOGY_REQUIRED, 'label key', 'the gang is placed within one domain of this level, or stays pending'),
  onPod(GANTRY_TOPOLOGY_PREFERRED, 'label key', 'the gang is placed within one domain of this level if possible'),
  onPod(GANTRY_MINIMUM_RUNTIME, 'seconds', 'time that a pod runs before it can be evicted for another'),
  onPod(
    GANTRY_CHECKPOINT_SECONDS,
    'seconds',
    'time between checkpoints of the gang; work since the last one is the price of an eviction or a move',
  ),
  onPod(GANTRY_EXPECTED_SECONDS, 'seconds', 'expected duration of the gang, which backfill uses'),
  onPod(GANTRY_PREEMPTIBLE, 'boolean', '`false`: never evicted for others'),
  {
    key: GANTRY_DEVICES,
    place: 'annotation',
    on: 'pod',
    value: 'indices',
    writtenBy: 'scheduler',
    meaning: 'indices of the devices that were chosen on the node, separated by commas',
  },
  {
    key: GANTRY_NODE,
    place: 'annotation',
    on: 'pod',
    value: 'name',
    writtenBy: 'scheduler',
    meaning: 'the node that was chosen for a pod that is handed over',
  },
  {
    key: GANTRY_PLACEMENT_GATE,
    place: 'scheduling gate',
    on: 'pod',
    writtenBy: 'author',
    meaning: 'Gantry places the pod, kube-scheduler binds it',
  },
  {
    key: GANTRY_ACCELERATOR_CAPACITY,
    place: 'annotation',
    on: 'node',
    value: 'json',
    writtenBy: 'node agent',
    meaning: 'free memory, utilization and latency of each device, with the time they were read',
  },
  {
    key: GANTRY_ALLOCATED_DEVICES,
    place: 'annotation',
    on: 'node',
    value: 'json',
    writtenBy: 'node agent',
    meaning: 'the devices that the kubelet gave to each pod, by device resource and pod uid',
  },
  {
    key: GANTRY_DEVICE_TOPOLOGY,
    place: 'annotation',
    on: 'node',
    value: 'json',
    writtenBy: 'node agent',
    meaning: 'NUMA node, NVLink or XGMI island, and MIG instances of each device, by device resource',
  },
  {
    key: GANTRY_MIG_CHANGE,
    place: 'annotation',
    on: 'node',
    value: 'json',
    writtenBy: 'scheduler',
    meaning: 'the MIG configuration that the scheduler last gave to the node, the time, and the gang',
  },
  {
    key: GANTRY_UNHEALTHY_TAINT,
    place: 'taint',
    on: 'node',
    value: 'text',
    writtenBy: 'remediation',
    meaning: 'remediation found a problem on the node',
  },
  {
    key: GANTRY_REMEDIATION,
    place: 'annotation',
    on: 'node',
    value: 'json',
    writtenBy: 'remediation',
    meaning: 'the marks that remediation made on the node, and the actions that it does not repeat',
  },
  {
    key: GANTRY_REPAIR_REQUESTED,
    place: 'annotation',
    on: 'node',
    value: 'text',
    writtenBy: 'remediation',
    meaning: 'the node needs a repair',
  },
  {
    key: GANTRY_NAMESPACES,
    place: 'annotation',
    on: 'any object',
    value: 'text',
    writtenBy: 'author',
    meaning: 'the namespaces that may use the queue, separated by commas',
  },
  {
    key: GANTRY_PRODUCTS,
    place: 'annotation',
    on: 'any object',
    value: 'text',
    writtenBy: 'author',
    meaning: 'the accelerators that the shares of a queue or quota are for, separated by commas',
  },
  {
    key: GANTRY_IGNORE,
    place: 'annotation',
    on: 'any object',
    value: 'text',
    writtenBy: 'author',
    meaning: 'suppressed rules, with their reasons',
  },
  {
    key: GANTRY_PLACEMENT_GATE,
    place: 'label',
    on: 'any object',
    value: 'name',
    writtenBy: 'author',
    meaning: '`enabled` on a namespace: its new pods get the gate',
  },
  {
    key: GANTRY_NODE_PROFILE_LABEL,
    place: 'label',
    on: 'node',
    value: 'name',
    writtenBy: 'author',
    meaning: 'the profile of the node',
  },
  {
    key: GANTRY_NODE_TIER_LABEL,
    place: 'label',
    on: 'node',
    value: 'name',
    writtenBy: 'author',
    meaning: 'what the node is for',
  },
  {
    key: GANTRY_DEVICES_MISSING_TAINT,
    place: 'taint',
    on: 'node',
    writtenBy: 'author',
    meaning: 'devices are not ready yet',
  },
  {
    key: GANTRY_TEAM_LABEL,
    place: 'label',
    on: 'any object',
    value: 'name',
    writtenBy: 'author',
    meaning: 'the team that owns the object',
  },
  {
    key: GANTRY_TRAINING_LABEL,
    place: 'label',
    on: 'pod',
    value: 'name',
    writtenBy: 'author',
    meaning: 'the distributed training of the pod',
  },
  {
    key: GANTRY_HISTORY_LABEL,
    place: 'label',
    on: 'any object',
    value: 'name',
    writtenBy: 'author',
    meaning: 'the scheduler whose history the ConfigMap holds',
  },
]);

/** The meaning of a name; a name that is used in two places has two meanings. */
export function findGantryNames(key: string): readonly GantryName[] {
  return GANTRY_NAMES.filter((name) => name.key === key);
}
