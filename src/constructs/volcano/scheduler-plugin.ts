/**
 * Plugins of Volcano's scheduler, each with the arguments that it reads.
 *
 * Source: volcano, pkg/scheduler/plugins. Rules: `volcano/scheduler-*`.
 */
import { secondsOf } from '../resources/durations';
import type { Duration } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type PluginSwitch, type SchedulerPluginName } from './scheduler-facts';
import { publicClass } from '../resources/public-class';

/** Parts of a plugin that can be turned off one by one; what is left out is on, but for `enableHierarchy`. */
export type PluginSwitches = Readonly<Partial<Record<PluginSwitch, boolean>>>;

/** Arguments as they are written; what is undefined is left out. */
export type PluginArguments = Readonly<Record<string, JsonValue | undefined>>;

/** Options of every plugin. */
export interface PluginOptions {
  /** Extension points of the plugin to turn on or off. @default - everything on, but for `enableHierarchy` */
  readonly switches?: PluginSwitches;
}

/** Options of the plugin `binpack`. */
export interface BinpackOptions extends PluginOptions {
  /** Weight among the plugins that score nodes. @default 1 */
  readonly weight?: number;
  /** Weight of CPU. @default 1 */
  readonly cpu?: number;
  /** Weight of memory. @default 1 */
  readonly memory?: number;
  /** Weights of further resources. What is not named here is not packed. @default - none: GPUs are not looked at */
  readonly resources?: Readonly<Record<string, number>>;
}

/** Options of the plugin `nodeorder`: the weight of each score. */
export interface NodeorderOptions extends PluginOptions {
  /** Prefer empty nodes. @default 1 */
  readonly leastRequested?: number;
  /** Prefer full nodes. @default 0 */
  readonly mostRequested?: number;
  /** Weight of preferred node affinity. @default 2 */
  readonly nodeAffinity?: number;
  /** Weight of preferred pod affinity and anti-affinity. @default 2 */
  readonly podAffinity?: number;
  /** Weight of even use of CPU and memory. @default 1 */
  readonly balancedResource?: number;
  /** Weight of nodes without taints of the effect PreferNoSchedule. @default 3 */
  readonly taintToleration?: number;
  /** Weight of nodes that have the image already. @default 1 */
  readonly imageLocality?: number;
  /** Weight of topology spread constraints. @default 2 */
  readonly podTopologySpread?: number;
}

/** Options of the plugin `capacity`. */
export interface CapacityOptions extends PluginOptions {
  /** Whether the parents of queues count. Without it a parent's limits do not hold for its children. @default true */
  readonly hierarchy?: boolean;
  /** How many levels of ancestors protect a queue from being reclaimed by its own relations. @default 0 */
  readonly ancestorReclaimLevel?: number;
  /** Count devices of resource claims. @default false */
  readonly dynamicResources?: boolean;
  /** Count the capacities that claims consume of a device. @default false */
  readonly consumableCapacity?: boolean;
}

/** Options of the plugin `drf`. */
export interface DrfOptions extends PluginOptions {
  /** Fair shares along the annotation `volcano.sh/hierarchy`; not together with proportion in one tier. @default false */
  readonly hierarchy?: boolean;
  /** Whether the shares decide who may be preempted. @default true */
  readonly preemptable?: boolean;
}

/** Options of the plugin `gang`. */
export interface GangOptions extends PluginOptions {
  /** Whether gangs protect their members from preemption below minAvailable. @default true */
  readonly preemptable?: boolean;
}

/** Options of the plugin `predicates`: the checks of a node that can be turned off. */
export interface PredicatesOptions extends PluginOptions {
  /** Whether node affinity is checked. @default true */
  readonly nodeAffinity?: boolean;
  /** Whether host ports are checked. @default true */
  readonly nodePorts?: boolean;
  /** Whether taints are checked. @default true */
  readonly taintToleration?: boolean;
  /** Whether pod affinity and anti-affinity are checked. @default true */
  readonly podAffinity?: boolean;
  /** Whether the number of volumes of a node is checked. @default true */
  readonly nodeVolumeLimits?: boolean;
  /** Whether the zone of volumes is checked. @default true */
  readonly volumeZone?: boolean;
  /** Whether topology spread constraints are checked. @default true */
  readonly podTopologySpread?: boolean;
  /** Whether volumes that are bound late are checked. @default true */
  readonly volumeBinding?: boolean;
  /** Keep the results of pods that are alike. @default false */
  readonly cache?: boolean;
}

/** How GPUs are shared: by memory, by number, or as vGPUs of Volcano's device plugin. Two of them end the scheduler. */
export type DeviceSharing = 'memory' | 'number' | 'vgpu';

/** Options of the plugin `deviceshare`. */
export interface DeviceshareOptions extends PluginOptions {
  /** How GPUs are shared. */
  readonly sharing: DeviceSharing;
  /** Fill devices one after the other, or spread over them. @default - neither */
  readonly schedulePolicy?: 'binpack' | 'spread';
  /** Weight of the score of the plugin. @default 0 */
  readonly scheduleWeight?: number;
  /** Let one pod at a time be given devices of a node. @default false */
  readonly nodeLock?: boolean;
}

/** Options of the plugin `network-topology-aware`. */
export interface NetworkTopologyOptions extends PluginOptions {
  /** Weight of the score of the plugin. @default 1 */
  readonly weight?: number;
  /** Weights by which hyper nodes are filled. @default 1 */
  readonly cpu?: number;
  /** Weight of memory in filling hyper nodes. @default 1 */
  readonly memory?: number;
  /** Weights of other resources in filling hyper nodes, by resource name. @default - none */
  readonly resources?: Readonly<Record<string, number>>;
  /** Fill hyper nodes with pods that ask for no topology too. @default - Volcano's default */
  readonly normalPods?: boolean;
}

/** Options of the plugin `usage`. */
export interface UsageOptions extends PluginOptions {
  /** Nodes above this load get no further pods, in whole percent. @default 80 */
  readonly cpuThreshold?: number;
  /** Memory use in percent above which a node gets no more pods. @default 80 */
  readonly memoryThreshold?: number;
  /** Weight of the score. @default 5 */
  readonly weight?: number;
  /** Weight of CPU use. @default 1 */
  readonly cpuWeight?: number;
  /** Weight of memory use. @default 1 */
  readonly memoryWeight?: number;
}

/** Options of the plugin `tdm`. */
export interface TdmOptions extends PluginOptions {
  /** When nodes of a zone (node label `volcano.sh/revocable-zone`) are lent, `22:00-06:00`, by zone. */
  readonly revocableZones: Readonly<Record<string, string>>;
  /** How often pods are taken back when the time has come. @default - 1 minute */
  readonly evictPeriod?: Duration;
}

/** How a resource of a node is scored: prefer nodes where most of it is taken, or least. */
export interface ResourceStrategy {
  /** `MostAllocated` fills nodes by this resource; `LeastAllocated` spreads by it. */
  readonly type: 'MostAllocated' | 'LeastAllocated';
  /** Weight among the resources. @default 1 */
  readonly weight?: number;
}

/** Options of the plugin `resource-strategy-fit`. */
export interface ResourceStrategyOptions extends PluginOptions {
  /** Weight of the score. @default 10 */
  readonly weight?: number;
  /** By resource; one trailing `*` matches any end. @default - cpu and memory, least allocated */
  readonly resources?: Readonly<Record<string, ResourceStrategy>>;
  /** Keep pods that do not ask for these scarce resources off their nodes; by resource, with a weight. @default - off */
  readonly scarce?: Readonly<Record<string, number>>;
}

/**
 * A plugin of Volcano's scheduler, with its arguments and switches.
 *
 * @example
 * new volcano.SchedulerConfiguration(chart, 'scheduler', {
 *   actions: ['enqueue', 'allocate', 'backfill'],
 *   tiers: [
 *     [volcano.SchedulerPlugin.priority(), volcano.SchedulerPlugin.gang()],
 *     [volcano.SchedulerPlugin.predicates(), volcano.SchedulerPlugin.binpack({ weight: 10 })],
 *   ],
 * });
 */
@publicClass('volcano.SchedulerPlugin')
export class SchedulerPlugin {
  /** Higher priority first. */
  static priority(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('priority', {}, options);
  }

  /** All or nothing: jobs start when minAvailable pods fit. */
  static gang(options: GangOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('gang', {}, withSwitches(options, { enablePreemptable: options.preemptable }));
  }

  /** Leaves system pods alone. */
  static conformance(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('conformance', {}, options);
  }

  /** Fair shares by dominant resource. */
  static drf(options: DrfOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'drf',
      {},
      withSwitches(options, { enableHierarchy: options.hierarchy, enablePreemptable: options.preemptable }),
    );
  }

  /** Taints, affinity, volumes: may the pod run there at all. */
  static predicates(options: PredicatesOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'predicates',
      {
        'predicate.NodeAffinityEnable': options.nodeAffinity,
        'predicate.NodePortsEnable': options.nodePorts,
        'predicate.TaintTolerationEnable': options.taintToleration,
        'predicate.PodAffinityEnable': options.podAffinity,
        'predicate.NodeVolumeLimitsEnable': options.nodeVolumeLimits,
        'predicate.VolumeZoneEnable': options.volumeZone,
        'predicate.PodTopologySpreadEnable': options.podTopologySpread,
        'predicate.VolumeBindingEnable': options.volumeBinding,
        'predicate.CacheEnable': options.cache,
      },
      options,
    );
  }

  /** Queues by deserved amounts, in a tree. Not together with proportion. */
  static capacity(options: CapacityOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'capacity',
      {
        ancestorReclaimLevel: options.ancestorReclaimLevel,
        'capacity.DynamicResourceAllocationEnable': options.dynamicResources,
        'capacity.DRAConsumableCapacityEnable': options.consumableCapacity,
      },
      withSwitches(options, { enableHierarchy: options.hierarchy === false ? undefined : true }),
    );
  }

  /** Queues by weight, side by side. Not together with capacity. */
  static proportion(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('proportion', {}, options);
  }

  /** Scores nodes by Kubernetes' own criteria, each with a weight. */
  static nodeorder(options: NodeorderOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'nodeorder',
      {
        'leastrequested.weight': options.leastRequested,
        'mostrequested.weight': options.mostRequested,
        'nodeaffinity.weight': options.nodeAffinity,
        'podaffinity.weight': options.podAffinity,
        'balancedresource.weight': options.balancedResource,
        'tainttoleration.weight': options.taintToleration,
        'imagelocality.weight': options.imageLocality,
        'podtopologyspread.weight': options.podTopologySpread,
      },
      options,
    );
  }

  /** Fill nodes one after the other, so that whole nodes stay free for whole-node jobs. */
  static binpack(options: BinpackOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'binpack',
      {
        'binpack.weight': options.weight,
        'binpack.cpu': options.cpu,
        'binpack.memory': options.memory,
        ...resourceWeights('binpack.resources', options.resources),
      },
      options,
    );
  }

  /** Admits jobs beyond the free resources, by a factor of 1 or more. @param options.factor default 1.2 */
  static overcommit(options: PluginOptions & { readonly factor?: number } = {}): SchedulerPlugin {
    return SchedulerPlugin.of('overcommit', { 'overcommit-factor': options.factor }, options);
  }

  /** Shares GPUs between pods, by memory, by number, or as virtual GPUs. */
  static deviceshare(options: DeviceshareOptions): SchedulerPlugin {
    const mode = { memory: 'GPUSharingEnable', number: 'GPUNumberEnable', vgpu: 'VGPUEnable' }[options.sharing];
    return SchedulerPlugin.of(
      'deviceshare',
      {
        [`deviceshare.${mode}`]: true,
        'deviceshare.NodeLockEnable': options.nodeLock,
        'deviceshare.SchedulePolicy': options.schedulePolicy,
        'deviceshare.ScheduleWeight': options.scheduleWeight,
      },
      options,
    );
  }

  /** Keeps gangs within hyper nodes. */
  static networkTopologyAware(options: NetworkTopologyOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'network-topology-aware',
      {
        weight: options.weight,
        'hypernode.binpack.cpu': options.cpu,
        'hypernode.binpack.memory': options.memory,
        'hypernode.binpack.normal-pod.enable': options.normalPods,
        ...resourceWeights('hypernode.binpack.resources', options.resources),
      },
      options,
    );
  }

  /** Queues on node groups. @param options.strict whether queues without a node group are kept off grouped nodes; default true */
  static nodegroup(
    options: PluginOptions & { readonly strict?: boolean; readonly preferredInOrder?: boolean } = {},
  ): SchedulerPlugin {
    return SchedulerPlugin.of(
      'nodegroup',
      { strict: options.strict, enablePreferredOrder: options.preferredInOrder },
      options,
    );
  }

  /** CPUs and devices of one NUMA node. Its name is `numa-aware`. */
  static numaAware(options: PluginOptions & { readonly weight?: number } = {}): SchedulerPlugin {
    return SchedulerPlugin.of('numa-aware', { weight: options.weight }, options);
  }

  /** A job that has waited so long goes first. */
  static sla(options: PluginOptions & { readonly waitingTime?: Duration } = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'sla',
      { 'sla-waiting-time': options.waitingTime && `${secondsOf('waitingTime', options.waitingTime)}s` },
      options,
    );
  }

  /** Pods that have just started are left alone for their cooldown time. */
  static cdp(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('cdp', {}, options);
  }

  /** Does not preempt below a PodDisruptionBudget. */
  static pdb(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('pdb', {}, options);
  }

  /** Admits a job only if it fits the namespace's ResourceQuota. */
  static resourcequota(options: PluginOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of('resourcequota', {}, options);
  }

  /** Tasks of a job near to each other or apart, by annotations. */
  static taskTopology(options: PluginOptions & { readonly weight?: number } = {}): SchedulerPlugin {
    return SchedulerPlugin.of('task-topology', { 'task-topology.weight': options.weight }, options);
  }

  /** Prefers nodes with little real load; needs `metrics` of the configuration. */
  static usage(options: UsageOptions = {}): SchedulerPlugin {
    return SchedulerPlugin.of(
      'usage',
      {
        'usage.weight': options.weight,
        'cpu.weight': options.cpuWeight,
        'memory.weight': options.memoryWeight,
        // Volcano logs an error where they are missing, so they are always written.
        thresholds: { cpu: options.cpuThreshold ?? 80, mem: options.memoryThreshold ?? 80 },
      },
      options,
    );
  }

  /** Lends nodes of other systems at set times. */
  static tdm(options: TdmOptions): SchedulerPlugin {
    return SchedulerPlugin.of(
      'tdm',
      {
        ...Object.fromEntries(
          Object.entries(options.revocableZones).map(([zone, span]) => [`tdm.revocable-zone.${zone}`, span]),
        ),
        'tdm.evict.period': options.evictPeriod && `${secondsOf('evictPeriod', options.evictPeriod)}s`,
      },
      options,
    );
  }

  /** Fills nodes by some resources and spreads by others. */
  static resourceStrategyFit(options: ResourceStrategyOptions = {}): SchedulerPlugin {
    const { resources, scarce } = options;
    const strategies = Object.entries(resources ?? {}).map(([name, { type, weight }]) => [
      name,
      { type, weight: weight ?? 1 },
    ]);
    return SchedulerPlugin.of(
      'resource-strategy-fit',
      {
        resourceStrategyFitWeight: options.weight,
        resources: resources && (Object.fromEntries(strategies) as JsonObject),
        // Without a weight of its own the score of scarce resources is never added.
        sra: scarce && {
          enable: true,
          resources: Object.keys(scarce).join(', '),
          weight: options.weight ?? 10,
          resourceWeight: { ...scarce },
        },
      },
      options,
    );
  }

  /** Any plugin by name, one of your own included, with arguments as they are written. */
  static of(
    name: SchedulerPluginName | (string & {}),
    args: PluginArguments = {},
    options: PluginOptions = {},
  ): SchedulerPlugin {
    return new SchedulerPlugin(name, defined(args), options.switches ?? {});
  }

  private constructor(
    /** Name of the plugin. */
    readonly name: string,
    private readonly args: Readonly<Record<string, JsonValue>>,
    private readonly switches: PluginSwitches,
  ) {}

  /** The plugin's entry in a tier. */
  toEntry(): Readonly<Record<string, JsonValue>> {
    return {
      name: this.name,
      ...defined(this.switches),
      ...(Object.keys(this.args).length === 0 ? {} : { arguments: this.args }),
    };
  }
}

function defined(values: PluginArguments): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

function withSwitches(options: PluginOptions, switches: PluginSwitches): PluginOptions {
  return { switches: { ...switches, ...options.switches } };
}

/** The list of resources, which Volcano walks, and the weight of each. */
function resourceWeights(
  key: string,
  resources: Readonly<Record<string, number>> = {},
): Readonly<Record<string, JsonValue>> {
  const names = Object.keys(resources);
  if (names.length === 0) {
    return {};
  }
  return {
    [key]: names.join(', '),
    ...Object.fromEntries(Object.entries(resources).map(([name, weight]) => [`${key}.${name}`, weight])),
  };
}
