/**
 * GpuOperator: driver, toolkit, device plugin and the rest of NVIDIA's software on GPU nodes, and how each pool of nodes gives out
 * its GPUs.
 */
import { type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { ClusterPolicy, type ClusterPolicySpec } from '../../facts/api/types/nvidia.com/v1';
import { merged, type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { clusterMetadata, type ClusterObjectProps } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { chartValues, type ClusterPolicyOptions, clusterPolicySpec, type NodeConfigs } from './cluster-policy-spec';
import { DevicePluginConfiguration } from './device-plugin-configuration';
import { MigConfiguration } from './mig-configuration';
import { GpuNodePool } from './node-pool';
import { Sharing } from './sharing';
import { publicClass } from '../resources/public-class';

/** Props of a GpuOperator. */
export interface GpuOperatorProps extends ClusterPolicyOptions, ClusterObjectProps {
  /** Namespace of the operator, where its ConfigMaps must lie. @default gpu-operator */
  readonly namespace?: NamedReference<'Namespace'>;
  /**
   * Who writes the ClusterPolicy: this construct, or the operator's chart. The chart knows which image belongs to which part; take
   * `values` as its values then. A ClusterPolicy of one's own names every image.
   * @default cluster-policy
   */
  readonly through?: 'cluster-policy' | 'chart';
  /** How nodes outside the pools expose their GPUs. @default - whole */
  readonly sharing?: Sharing;
  /** Whatever has no property of its own: merged into the spec at the end, never dropped. @default - none */
  readonly overrides?: OpenPartial<ClusterPolicySpec>;
}

/** As the chart calls the ClusterPolicy. */
const DEFAULT_NAME = 'cluster-policy';

/** The key of nodes without a label. */
const DEFAULT_CONFIG = 'default';

/**
 * Rules: `gpu-operator/*`. Source: gpu-operator v26.7.0.
 *
 * @example
 * const gpu = new gpuOperator.GpuOperator(chart, 'gpu', { driver: { kernelModuleType: 'open' } });
 * const pool = gpu.addNodePool('inference', gpuOperator.Sharing.timeSlicing({ replicas: 4 }));
 * pool.nodeLabels; // what the nodes are to be labeled with
 */
@publicClass('gpuOperator.GpuOperator')
export class GpuOperator extends Construct {
  /** The ClusterPolicy; `undefined` where the chart writes it. */
  readonly resource?: ApiObject;
  private readonly pools = new Map<string, GpuNodePool>();
  private devicePlugin?: DevicePluginConfiguration;
  private mig?: MigConfiguration;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: GpuOperatorProps = {},
  ) {
    super(scope, id);
    const { sharing, through = 'cluster-policy' } = props;
    if (sharing !== undefined) {
      if (sharing.toMigEntries() !== undefined) {
        throw new Error(
          'sharing: nodes without a label cannot be partitioned, because the MIG manager reads the label. Use addNodePool(…).',
        );
      }
      this.devicePluginConfiguration(sharing);
    }
    if (through === 'chart') {
      return;
    }
    this.resource = new Resource(this, 'Resource', ClusterPolicy, {
      metadata: clusterMetadata(DEFAULT_NAME, props),
      spec: Lazy.any({ produce: () => this.spec }) as ClusterPolicySpec,
    });
    dependOn(this.resource, props.namespace, props.daemonSets?.priorityClass);
    const { counters } = props.dcgmExporter ?? {};
    if (Construct.isConstruct(counters)) {
      dependOn(this.resource, counters);
    }
  }

  /**
   * Nodes that expose their GPUs in the same way. Labels identify them, and the tool that creates the nodes must set these labels.
   *
   * @throws if there is a pool of this name, or the name cannot be the value of a label
   */
  addNodePool(name: string, sharing: Sharing): GpuNodePool {
    if (this.pools.has(name)) {
      throw new Error(`node pool "${name}" already exists. Give each pool a unique name.`);
    }
    const labels = { ...this.devicePluginConfiguration().addConfiguration(name, sharing) };
    if (sharing.toMigEntries() !== undefined) {
      Object.assign(labels, this.migConfiguration().addConfiguration(name, sharing));
    }
    const pool = new GpuNodePool(name, sharing, labels);
    this.pools.set(name, pool);
    return pool;
  }

  /** The pools that `addNodePool` added. */
  get nodePools(): readonly GpuNodePool[] {
    return [...this.pools.values()];
  }

  /** The spec of the ClusterPolicy. */
  get spec(): ClusterPolicySpec {
    return merged<ClusterPolicySpec>(clusterPolicySpec(this.props, this.configs), this.props.overrides);
  }

  /** Values of the chart `gpu-operator` that say the same. */
  get values(): JsonObject {
    const { spec } = this;
    const values = chartValues({ ...spec });
    // A strategy of the operator's wins over those of the configurations, and the chart has one by default.
    return this.devicePlugin === undefined || spec.mig?.strategy !== undefined
      ? values
      : { ...values, mig: { strategy: '' } };
  }

  private get configs(): NodeConfigs {
    return {
      ...(this.devicePlugin === undefined
        ? {}
        : { devicePlugin: { name: this.devicePlugin.name, default: DEFAULT_CONFIG } }),
      ...(this.mig === undefined ? {} : { mig: { name: this.mig.name } }),
    };
  }

  private devicePluginConfiguration(byDefault = Sharing.whole()): DevicePluginConfiguration {
    if (this.devicePlugin === undefined) {
      this.devicePlugin = new DevicePluginConfiguration(this, 'DevicePlugin', {
        name: 'device-plugin-config',
        namespace: this.namespace,
        configurations: { [DEFAULT_CONFIG]: byDefault },
      });
      this.after(this.devicePlugin.resource);
    }
    return this.devicePlugin;
  }

  private migConfiguration(): MigConfiguration {
    if (this.mig === undefined) {
      this.mig = new MigConfiguration(this, 'Mig', { name: 'mig-config', namespace: this.namespace });
      this.after(this.mig.resource);
    }
    return this.mig;
  }

  private get namespace(): NamedReference<'Namespace'> {
    return this.props.namespace ?? 'gpu-operator';
  }

  private after(configMap: ApiObject): void {
    this.resource?.addDependency(configMap);
  }

  /** Name of the ClusterPolicy, also where the chart creates it. */
  get name(): string {
    return this.props.name ?? DEFAULT_NAME;
  }
}
