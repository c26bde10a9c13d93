/**
 * What Volcano's scheduler reads of its configuration: actions and plugins with their arguments. Nothing on a server checks
 * it, so constructs and rules share this table.
 *
 * Source: pkg/scheduler/{conf,actions,plugins}, pkg/scheduler/framework/arguments.go.
 */

export const SCHEDULER_ACTIONS = [
  'enqueue',
  'allocate',
  'backfill',
  'preempt',
  'reclaim',
  'gangpreempt',
  'gangreclaim',
  'shuffle',
] as const;
/** An action of Volcano's scheduler. */
export type SchedulerActionName = (typeof SCHEDULER_ACTIONS)[number];

/**
 * What an argument may hold.
 *
 * - `int`, `number`, `bool`, `text`: a scalar of that type (a `bool` may be written as text)
 * - `duration`: a text in Go's form, `5m`
 * - `time-range`: a text `HH:MM-HH:MM`
 * - `map`, `list`: as it says
 */
export type ArgumentType = 'int' | 'number' | 'bool' | 'text' | 'duration' | 'time-range' | 'map' | 'list';

export interface ArgumentFacts {
  readonly type: ArgumentType;
  /** The scheduler does not fall back to a default where the type is wrong: its process ends. */
  readonly fatal?: boolean;
  /** A value to write. */
  readonly example?: string;
  /** Values that have an effect. */
  readonly values?: readonly string[];
  /** The keys of a map, where they are a closed list. */
  readonly keys?: Readonly<Record<string, ArgumentFacts>>;
  /** What the values of a map may hold, where its keys are the user's. */
  readonly entries?: ArgumentFacts;
}

export interface PluginFacts {
  readonly arguments: Readonly<Record<string, ArgumentFacts>>;
  /** Arguments whose names begin so and go on with a name of the user's. */
  readonly prefixes?: Readonly<Record<string, ArgumentFacts>>;
}

const int: ArgumentFacts = { type: 'int' };
const bool: ArgumentFacts = { type: 'bool' };
const text: ArgumentFacts = { type: 'text' };
const fatalInt: ArgumentFacts = { type: 'int', fatal: true };
const none: PluginFacts = { arguments: {} };

/** The plugins that exist, by the name under which they register. */
export const SCHEDULER_PLUGINS = {
  priority: none,
  gang: none,
  conformance: none,
  drf: none,
  predicates: {
    arguments: {
      'predicate.NodeAffinityEnable': bool,
      'predicate.NodePortsEnable': bool,
      'predicate.TaintTolerationEnable': bool,
      'predicate.PodAffinityEnable': bool,
      'predicate.NodeVolumeLimitsEnable': bool,
      'predicate.VolumeZoneEnable': bool,
      'predicate.PodTopologySpreadEnable': bool,
      'predicate.VolumeBindingEnable': bool,
      'predicate.CacheEnable': bool,
      'volumebinding.weight': { type: 'int', fatal: true },
      'volumebinding.bindTimeoutSeconds': { type: 'int', fatal: true },
      'volumebinding.shape': { type: 'list', fatal: true },
      'dynamicresources.filterTimeoutSeconds': { type: 'int', fatal: true },
    },
  },
  proportion: none,
  nodeorder: {
    arguments: {
      'nodeaffinity.weight': int,
      'podaffinity.weight': int,
      'leastrequested.weight': int,
      'mostrequested.weight': int,
      'balancedresource.weight': int,
      'tainttoleration.weight': int,
      'imagelocality.weight': int,
      'podtopologyspread.weight': int,
    },
  },
  binpack: {
    arguments: { 'binpack.weight': int, 'binpack.cpu': int, 'binpack.memory': int, 'binpack.resources': text },
    prefixes: { 'binpack.resources.': int },
  },
  overcommit: { arguments: { 'overcommit-factor': { type: 'number' } } },
  capacity: {
    arguments: {
      ancestorReclaimLevel: int,
      'capacity.DynamicResourceAllocationEnable': bool,
      'capacity.DRAConsumableCapacityEnable': bool,
    },
  },
  cdp: none,
  deviceshare: {
    arguments: {
      'deviceshare.GPUSharingEnable': bool,
      'deviceshare.GPUNumberEnable': bool,
      'deviceshare.VGPUEnable': bool,
      'deviceshare.NodeLockEnable': bool,
      'deviceshare.AscendMindClusterVNPUEnable': bool,
      'deviceshare.AscendHAMiVNPUEnable': bool,
      'deviceshare.SchedulePolicy': { type: 'text', values: ['binpack', 'spread'] },
      'deviceshare.ScheduleWeight': int,
      'deviceshare.KnownGeometriesCMName': text,
      'deviceshare.KnownGeometriesCMNamespace': text,
      'deviceshare.GPUExclusiveRules': { type: 'list' },
    },
  },
  extender: {
    arguments: {
      'extender.urlPrefix': text,
      'extender.httpTimeout': { type: 'duration' },
      'extender.onSessionOpenVerb': text,
      'extender.onSessionCloseVerb': text,
      'extender.predicateVerb': text,
      'extender.prioritizeVerb': text,
      'extender.preemptableVerb': text,
      'extender.reclaimableVerb': text,
      'extender.queueOverusedVerb': text,
      'extender.jobEnqueueableVerb': text,
      'extender.jobReadyVerb': text,
      'extender.allocateFuncVerb': text,
      'extender.deallocateFuncVerb': text,
      'extender.ignorable': bool,
      'extender.managedResources': { type: 'list', fatal: true },
    },
  },
  'network-topology-aware': {
    arguments: {
      weight: int,
      'hypernode.binpack.cpu': int,
      'hypernode.binpack.memory': int,
      'hypernode.binpack.resources': text,
      'hypernode.binpack.normal-pod.enable': bool,
      'hypernode.binpack.normal-pod.fading': { type: 'number' },
      'hypernode.gradient.evict.max-hypernodes': int,
    },
    prefixes: { 'hypernode.binpack.resources.': int },
  },
  nodegroup: { arguments: { strict: bool, enablePreferredOrder: bool } },
  'numa-aware': { arguments: { weight: int } },
  pdb: none,
  rescheduling: {
    arguments: {
      interval: { type: 'duration', fatal: true },
      metricsPeriod: { type: 'duration', fatal: true },
      strategies: { type: 'list' },
    },
  },
  'resource-strategy-fit': {
    arguments: {
      resourceStrategyFitWeight: { type: 'int', fatal: true },
      resources: {
        type: 'map',
        fatal: true,
        example: '{ nvidia.com/gpu: { type: MostAllocated, weight: 2 } }',
        entries: {
          type: 'map',
          fatal: true,
          example: '{ type: MostAllocated, weight: 2 }',
          keys: { type: { type: 'text', fatal: true }, weight: fatalInt },
        },
      },
      sra: {
        type: 'map',
        fatal: true,
        example: '{ enable: true, resources: nvidia.com/gpu, weight: 10 }',
        keys: {
          enable: { type: 'bool', fatal: true },
          resources: { type: 'text', fatal: true },
          weight: fatalInt,
          resourceWeight: { type: 'map', fatal: true, example: '{ nvidia.com/gpu: 1 }', entries: fatalInt },
        },
      },
      proportional: {
        type: 'map',
        fatal: true,
        example: '{ enable: true, resources: nvidia.com/gpu, resourceProportion: { nvidia.com/gpu.cpu: 4 } }',
        keys: {
          enable: { type: 'bool', fatal: true },
          resources: { type: 'text', fatal: true },
          resourceProportion: {
            type: 'map',
            fatal: true,
            example: '{ nvidia.com/gpu.cpu: 4 }',
            entries: { type: 'number', fatal: true },
          },
        },
      },
    },
  },
  resourcequota: none,
  sla: { arguments: { 'sla-waiting-time': { type: 'duration' } } },
  'task-topology': { arguments: { 'task-topology.weight': int } },
  tdm: {
    arguments: { 'tdm.evict.period': { type: 'duration', fatal: true } },
    prefixes: { 'tdm.revocable-zone.': { type: 'time-range', fatal: true } },
  },
  usage: {
    arguments: {
      'usage.weight': int,
      'cpu.weight': int,
      'memory.weight': int,
      thresholds: { type: 'map', example: '{ cpu: 80, mem: 80 }', keys: { cpu: int, mem: int } },
    },
  },
} as const satisfies Readonly<Record<string, PluginFacts>>;

/** A plugin of Volcano's scheduler. */
export type SchedulerPluginName = keyof typeof SCHEDULER_PLUGINS;

/** The facts of a plugin; `undefined` where no plugin has that name. */
export function schedulerPlugin(name: string): PluginFacts | undefined {
  return Object.prototype.hasOwnProperty.call(SCHEDULER_PLUGINS, name)
    ? SCHEDULER_PLUGINS[name as SchedulerPluginName]
    : undefined;
}

/** The switches that a plugin entry takes beside its name and arguments. Their spelling is upstream's, uneven as it is. */
export const PLUGIN_SWITCHES = [
  'enableJobOrder',
  'enableHierarchy',
  'enableJobReady',
  'enableJobPipelined',
  'enableTaskOrder',
  'enablePreemptable',
  'enableReclaimable',
  'enablePreemptive',
  'enableQueueOrder',
  'EnabledClusterOrder',
  'enablePredicate',
  'enableBestNode',
  'enableNodeOrder',
  'enableTargetJob',
  'enableReservedNodes',
  'enableJobEnqueued',
  'enabledVictim',
  'enableJobStarving',
  'enabledOverused',
  'enabledAllocatable',
  'enabledHyperNodeOrder',
  'enabledSubJobReady',
  'enabledSubJobPipelined',
  'enabledSubJobOrder',
  'enabledHyperNodeGradient',
] as const;
/** A switch that turns one extension point of a plugin off. */
export type PluginSwitch = (typeof PLUGIN_SWITCHES)[number];

const errorCache = { predicateErrorCacheEnable: bool } as const;
const gangDomains = { maxDomains: int, allowWholeBundle: bool } as const;

/** The arguments of actions (`configurations[].arguments`). */
export const ACTION_ARGUMENTS: Readonly<Record<SchedulerActionName, Readonly<Record<string, ArgumentFacts>>>> = {
  enqueue: {},
  allocate: errorCache,
  backfill: errorCache,
  preempt: {
    ...errorCache,
    enableTopologyAwarePreemption: bool,
    topologyAwarePreemptWorkerNum: int,
    minCandidateNodesPercentage: int,
    minCandidateNodesAbsolute: int,
    maxCandidateNodesAbsolute: int,
  },
  reclaim: errorCache,
  gangpreempt: gangDomains,
  gangreclaim: gangDomains,
  shuffle: {},
};

export function isSchedulerAction(name: string): name is SchedulerActionName {
  return (SCHEDULER_ACTIONS as readonly string[]).includes(name);
}

/** Keys of the `metrics` section, which the `usage` and `rescheduling` plugins live on. */
export const METRICS_KEYS = [
  'type',
  'address',
  'interval',
  'tls.insecureSkipVerify',
  'elasticsearch.index',
  'elasticsearch.username',
  'elasticsearch.password',
  'elasticsearch.hostnameFieldName',
] as const;
export const METRICS_TYPES = ['prometheus', 'prometheus_adaptor', 'elasticsearch'] as const;

/** Flags of the scheduler's own command line, which belong on its Deployment and not in its configuration. */
export const SCHEDULER_FLAGS = [
  'scheduler-name',
  'scheduler-conf',
  'schedule-period',
  'resync-period',
  'default-queue',
  'listen-address',
  'healthz-address',
  'priority-class',
  'kube-api-qps',
  'kube-api-burst',
  'minimum-feasible-nodes',
  'minimum-percentage-nodes-to-find',
  'percentage-nodes-to-find',
  'plugins-dir',
  'csi-storage',
  'enable-healthz',
  'enable-metrics',
  'enable-pprof',
  'node-selector',
  'cache-dumper',
  'cache-dump-dir',
  'node-worker-threads',
  'gate-removal-worker-num',
  'ignored-provisioners',
  'resource-sync-timeout',
  'disable-default-scheduler-config',
  'scheduler-sharding-mode',
  'scheduler-sharding-name',
  'leader-elect',
  'lock-object-namespace',
  'kubeconfig',
  'master',
] as const;

/** The ConfigMap that the chart mounts for a Helm release. */
export function schedulerConfigMapName(release: string): string {
  return `${release}-scheduler-configmap`;
}
