/**
 * SchedulerConfiguration: what Volcano's scheduler does in each cycle, as the ConfigMap that its chart mounts.
 */
import { embedded } from '../../manifests/values/deferred';
import { durationText } from '../resources/durations';
import { type Duration, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { Resource } from '../resources/resource';
import { type NamedReference, nameOf } from '../resources/references';
import { dependOn } from '../resources/depend-on';
import { SCHEDULER_CONF_KEY } from '../../facts/catalog/volcano-names';
import { type SchedulerActionName, schedulerConfigMapName } from './scheduler-facts';
import { SchedulerPlugin } from './scheduler-plugin';
import { type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';

/** An action with arguments of its own. */
export interface SchedulerAction {
  /** Name of the action. */
  readonly name: SchedulerActionName;
  /** For example `{ enableTopologyAwarePreemption: true }` for preempt. @default - Volcano's defaults */
  readonly arguments?: Readonly<Record<string, JsonValue>>;
}

/** Where the scheduler reads the load of nodes, for the plugin `usage`. */
export interface SchedulerMetrics {
  /** Where the plugins `usage` and `rescheduling` get the load of nodes from. */
  readonly type: 'prometheus' | 'prometheus_adaptor' | 'elasticsearch';
  /** URL; not for prometheus_adaptor. @default - none */
  readonly address?: string;
  /** Time between two readings. @default - Volcano's default */
  readonly interval?: Duration;
  /** Further keys, for example `tls.insecureSkipVerify`. @default - none */
  readonly others?: Readonly<Record<string, string>>;
}

/** Props of a SchedulerConfiguration. */
export interface SchedulerConfigurationProps extends Overridable<ConfigMap> {
  /** The Helm release of Volcano, after which its chart names the ConfigMap. @default 'volcano' */
  readonly release?: string;
  /** The namespace of the release. @default 'volcano-system' */
  readonly namespace?: NamedReference<'Namespace'>;
  /** In the order in which they run. @default - enqueue, allocate, preempt, reclaim, backfill */
  readonly actions?: readonly (SchedulerActionName | SchedulerAction)[];
  /** Plugins by tier: within a tier all have a say, a later tier is asked only where the earlier ones leave a choice. */
  readonly tiers: readonly (readonly SchedulerPlugin[])[];
  /** Where the scheduler reads the load of nodes. @default - the load of nodes is not looked at */
  readonly metrics?: SchedulerMetrics;
  /** Configurations that plugins read by name, such as `init-params` of Ascend's NPU plugin. @default - none */
  readonly configurations?: readonly PluginConfiguration[];
}

/** A configuration that a plugin reads by its name. */
export interface PluginConfiguration {
  /** Name of the plugin. */
  readonly name: string;
  /** Arguments of the plugin, as they are written. */
  readonly arguments: Readonly<Record<string, JsonValue>>;
}

/** Options of `SchedulerConfiguration.forGpus`. */
export interface GpuSchedulingOptions extends Pick<SchedulerConfigurationProps, 'release' | 'namespace' | 'metrics'> {
  /** Devices that are packed, with their weights. @default - `nvidia.com/gpu` with 10 */
  readonly devices?: Readonly<Record<string, number>>;
  /** How queues share: `deserved` by amounts in a tree (capacity), `weight` side by side (proportion). @default 'deserved' */
  readonly queues?: 'deserved' | 'weight';
  /** Keep gangs within hyper nodes. @default false */
  readonly networkTopology?: boolean;
  /** Further plugins, in the last tier. @default - none */
  readonly plugins?: readonly SchedulerPlugin[];
  /** Configurations that plugins read by name, such as `init-params` of Ascend's NPU plugin. @default - none */
  readonly configurations?: readonly PluginConfiguration[];
}

const DEFAULT_ACTIONS: readonly SchedulerActionName[] = ['enqueue', 'allocate', 'preempt', 'reclaim', 'backfill'];

/**
 * The scheduler reloads the file when the ConfigMap changes. If it cannot read the new file, it keeps its present configuration.
 *
 * Helm owns a ConfigMap of this name: set `custom.scheduler_config_override` in the chart to `configuration.text` instead, or let
 * the release leave the ConfigMap alone.
 *
 * Rules: `volcano/scheduler-*`. Source: volcano, pkg/scheduler/util.go.
 *
 * @example volcano.SchedulerConfiguration.forGpus(chart, 'scheduler', { networkTopology: true });
 */
@publicClass('volcano.SchedulerConfiguration')
export class SchedulerConfiguration extends Construct {
  /**
   * What suits GPU training: gangs, queue trees with deserved amounts, preemption and reclaim, and nodes filled one after the other
   * by their GPUs, so that whole nodes stay free.
   */
  static forGpus(scope: Construct, id: string, options: GpuSchedulingOptions = {}): SchedulerConfiguration {
    const { devices = { 'nvidia.com/gpu': 10 }, plugins = [] } = options;
    return new SchedulerConfiguration(scope, id, {
      release: options.release,
      namespace: options.namespace,
      metrics: options.metrics,
      configurations: options.configurations,
      tiers: [
        [SchedulerPlugin.priority(), SchedulerPlugin.gang({ preemptable: false }), SchedulerPlugin.conformance()],
        [
          SchedulerPlugin.overcommit(),
          SchedulerPlugin.drf({ preemptable: false }),
          SchedulerPlugin.predicates(),
          options.queues === 'weight' ? SchedulerPlugin.proportion() : SchedulerPlugin.capacity(),
          SchedulerPlugin.nodeorder(),
          SchedulerPlugin.binpack({ weight: 10, resources: devices }),
          ...(options.networkTopology === true
            ? [SchedulerPlugin.networkTopologyAware({ weight: 10, resources: devices })]
            : []),
          ...plugins,
        ],
      ],
    });
  }

  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly tiers: SchedulerPlugin[][];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: SchedulerConfigurationProps,
  ) {
    super(scope, id);
    this.name = schedulerConfigMapName(props.release ?? 'volcano');
    this.tiers = props.tiers.map((tier) => [...tier]);
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: { name: this.name, namespace: nameOf(props.namespace ?? 'volcano-system') },
        data: { [SCHEDULER_CONF_KEY]: Lazy.any({ produce: () => this.text }) as string },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Adds a plugin to a tier, counted from 0; a tier that does not exist yet is added at the end. */
  addPlugin(plugin: SchedulerPlugin, tier: number): this {
    const plugins = this.tiers[tier];
    if (plugins === undefined) {
      this.tiers.push([plugin]);
    } else {
      plugins.push(plugin);
    }
    return this;
  }

  /** The configuration as the scheduler reads it. The same configuration gives the same text. */
  get text(): string {
    const actions = (this.props.actions ?? DEFAULT_ACTIONS).map((action) =>
      typeof action === 'string' ? { name: action } : action,
    );
    const configurations = actions.flatMap(({ name, arguments: args }): JsonObject[] =>
      args === undefined ? [] : [{ name, arguments: { ...args } }],
    );
    configurations.push(
      ...(this.props.configurations ?? []).map(({ name, arguments: args }) => ({ name, arguments: { ...args } })),
    );
    const { metrics } = this.props;
    return embedded(
      {
        actions: actions.map(({ name }) => name).join(', '),
        tiers: this.tiers.map((tier) => ({ plugins: tier.map((plugin) => plugin.toEntry()) })),
        ...(configurations.length === 0 ? {} : { configurations }),
        ...(metrics === undefined ? {} : { metrics: metricsOf(metrics) }),
      },
      (plain) => stringify(plain, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false }),
    );
  }
}

function metricsOf({ type, address, interval, others }: SchedulerMetrics): Readonly<Record<string, string>> {
  return {
    type,
    ...(address === undefined ? {} : { address }),
    ...(interval === undefined ? {} : { interval: durationText('metrics.interval', interval) }),
    ...others,
  };
}
