/**
 * DeviceConfig: what the ROCm GPU operator runs on the nodes that it selects.
 */
import { type Carried, type CarriedMap, passed } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import {
  DeviceConfig as DeviceConfigKind,
  type DeviceConfigSpec,
  type DeviceConfigSpecDriver,
  type DeviceConfigSpecMetricsExporter,
  type DeviceConfigSpecMetricsExporterPrometheusServiceMonitorMetricRelabeling,
} from '../../facts/api/types/amd.com/v1alpha1';
import { type Toleration } from '../../facts/api/types/core/v1';
import { acceleratorToleration } from '../../facts/catalog';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Namespace of the operator, where its DeviceConfigs and their ConfigMaps must be. */
export const ROCM_NAMESPACE = 'kube-amd-gpu';
/** Label that the operator's NFD rule sets on nodes with AMD GPUs. */
export const AMD_GPU_NODES = { 'feature.node.kubernetes.io/amd-gpu': 'true' } as const;

/** Options of the driver that the operator installs. */
export interface RocmDriverOptions {
  /**
   * Whether the operator builds and loads the driver. Without it the driver of the node is used.
   * @default true
   */
  readonly enabled?: boolean;
  /** Version of the driver, for example `7.0.2`. @default - the operator's default */
  readonly version?: string;
  /** Repository for the images that the operator builds, without a tag; it must be writable. @default - the cluster's own registry */
  readonly image?: Carried<string>;
  /** Secret of the registry. @default - none */
  readonly imageRegistrySecret?: NamedReference<'Secret'>;
  /** Whether the driver of the distribution is kept from loading. @default - the operator's default, false */
  readonly blacklist?: boolean;
  /** Whether nodes get a new version one after the other. @default - the operator's default, false */
  readonly autoUpgrade?: boolean;
}

/** Options of the metrics exporter. */
export interface RocmExporterOptions {
  /** Port of the metrics. @default 5000 */
  readonly port?: number;
  /** ConfigMap with the fields to export, in the operator's namespace. @default - the exporter's default fields */
  readonly config?: NamedReference<'ConfigMap'>;
  /** Whether the operator makes a ServiceMonitor. @default false */
  readonly serviceMonitor?: boolean;
  /** Labels of that ServiceMonitor. @default - none */
  readonly serviceMonitorLabels?: Readonly<Record<string, string>>;
  /** Relabelings of that ServiceMonitor, before the scrape. @default - none */
  readonly serviceMonitorRelabelings?: readonly DeviceConfigSpecMetricsExporterPrometheusServiceMonitorMetricRelabeling[];
}

/** Props of a DeviceConfig. */
export interface DeviceConfigProps extends NamespacedObjectProps {
  /** @default kube-amd-gpu */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Labels of the nodes. A node may be selected by one DeviceConfig only. @default - every node with an AMD GPU */
  readonly nodeSelector?: CarriedMap<string>;
  /** The driver on the nodes. @default - the operator installs its default driver */
  readonly driver?: RocmDriverOptions;
  /**
   * Who hands out the GPUs: the device plugin, as `amd.com/gpu`, or the DRA driver, by resource claims.
   * @default device-plugin
   */
  readonly allocation?: 'device-plugin' | 'dra';
  /**
   * How the device plugin names partitions: all of them `amd.com/gpu`, or each after its modes, `amd.com/cpx_nps4`. Nodes whose GPUs are
   * partitioned in different ways need `mixed`.
   * @default single
   */
  readonly resourceNaming?: 'single' | 'mixed';
  /** Partition profiles, which the device config manager applies. @default - none, and no device config manager */
  readonly partitions?: NamedReference<'ConfigMap'>;
  /** The metrics exporter; `false` for none. @default - on, without a ServiceMonitor of the operator's */
  readonly exporter?: RocmExporterOptions | false;
  /** Tolerations of everything that runs on the nodes. @default - amd.com/gpu:NoSchedule */
  readonly tolerations?: readonly Toleration[];
  /** Fields without a property of their own, merged into the spec. @default - none */
  readonly overrides?: OpenPartial<DeviceConfigSpec>;
}

/** Labels that the node labeller sets beside its default ones, so that partitions can be selected. */
const PARTITION_LABELS = [
  'compute-memory-partition',
  'compute-partitioning-supported',
  'memory-partitioning-supported',
];

/**
 * What the ROCm GPU operator runs on AMD nodes: driver, device plugin or DRA driver, node labeller, metrics exporter,
 * and the device config manager that partitions GPUs.
 *
 * Rules: `amd-gpu/*`, `devices/amd-*`. Source: ROCm gpu-operator, api/v1alpha1 and internal/validator.
 *
 * @example
 * new amdGpu.DeviceConfig(chart, 'mi300x', { driver: { version: '7.0.2' }, nodeSelector: { 'example.com/pool': 'mi300x' } });
 */
@publicClass('amdGpu.DeviceConfig')
export class DeviceConfig extends Construct {
  /** Name of the DeviceConfig. */
  readonly name: string;
  /** The DeviceConfig object. */
  readonly resource: Resource<DeviceConfigKind>;

  constructor(scope: Construct, id: string, props: DeviceConfigProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    const namespace = props.namespace ?? ROCM_NAMESPACE;
    this.resource = new Resource(
      this,
      'Resource',
      DeviceConfigKind,
      {
        metadata: namespacedMetadata(id, { ...props, namespace }),
        spec: specOf(props),
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace, props.partitions);
  }
}

function specOf(props: DeviceConfigProps): DeviceConfigSpec {
  const { allocation = 'device-plugin', partitions, exporter = {} } = props;
  const tolerations = props.tolerations ?? [{ ...acceleratorToleration('amd.com/gpu') }];
  const selector = props.nodeSelector ?? AMD_GPU_NODES;
  return {
    selector: selector as Readonly<Record<string, string>>,
    driver: { ...driverOf(props.driver ?? {}), tolerations },
    devicePlugin: {
      enableDevicePlugin: allocation === 'device-plugin',
      enableNodeLabeller: true,
      ...(props.resourceNaming === undefined
        ? {}
        : { devicePluginArguments: { resource_naming_strategy: props.resourceNaming } }),
      ...(partitions === undefined ? {} : { nodeLabellerArguments: PARTITION_LABELS }),
      devicePluginTolerations: tolerations,
      nodeLabellerTolerations: tolerations,
    },
    ...(allocation === 'dra' ? { draDriver: { enable: true, tolerations } } : {}),
    ...(partitions === undefined
      ? {}
      : {
          configManager: {
            enable: true,
            config: { name: nameOf(partitions) },
            configManagerTolerations: tolerations,
          },
        }),
    metricsExporter: exporter === false ? { enable: false } : { ...exporterOf(exporter), tolerations },
  };
}

function driverOf(driver: RocmDriverOptions): DeviceConfigSpecDriver {
  const { enabled = true, version, image, imageRegistrySecret, blacklist, autoUpgrade } = driver;
  return {
    enable: enabled,
    version,
    image: passed(image),
    blacklist,
    ...(imageRegistrySecret === undefined ? {} : { imageRegistrySecret: { name: nameOf(imageRegistrySecret) } }),
    ...(autoUpgrade === undefined ? {} : { upgradePolicy: { enable: autoUpgrade } }),
  };
}

function exporterOf(exporter: RocmExporterOptions): DeviceConfigSpecMetricsExporter {
  const { port, config, serviceMonitor = false, serviceMonitorLabels, serviceMonitorRelabelings } = exporter;
  return {
    enable: true,
    port,
    ...(config === undefined ? {} : { config: { name: nameOf(config) } }),
    ...(serviceMonitor
      ? {
          prometheus: {
            serviceMonitor: { enable: true, labels: serviceMonitorLabels, relabelings: serviceMonitorRelabelings },
          },
        }
      : {}),
  };
}
