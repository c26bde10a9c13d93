/**
 * ClusterPolicy: what the Intel Gaudi base operator runs on the Gaudi nodes of a cluster.
 *
 * Images, container resources, and the parameters of the driver loader are those of the ClusterPolicy that Intel publishes with the
 * operator (redhat-openshift-ecosystem/certified-operators, operators/habana-ai-operator, alm-examples).
 */
import { Construct } from 'constructs';
import {
  ClusterPolicy as ClusterPolicyKind,
  type ClusterPolicySpec,
  type ClusterPolicySpecBmcMonitoring,
  type ClusterPolicySpecBmcMonitoringImage,
  type ClusterPolicySpecBmcMonitoringResources,
} from '../../facts/api/types/habanalabs.habana.ai/v1';
import { ACCELERATOR_EXPORTERS } from '../../facts/catalog';
import { versionOf } from '../../facts/upstream';
import { dependOn } from '../resources/depend-on';
import { type OpenPartial } from '../resources/merge';
import { type ClusterObjectProps, clusterMetadata } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Name of the ClusterPolicy that the chart of the base operator creates. */
export const GAUDI_CLUSTER_POLICY = 'habana-ai';
/** Where Intel publishes the images of Gaudi. */
export const GAUDI_IMAGES = 'docker.io/intel';

/** Images in which the driver is built and loaded, by the distribution of the node: `ubuntu_22.04`. */
const DISTRIBUTIONS: Readonly<Record<string, ClusterPolicySpecBmcMonitoringImage>> = {
  'rhel_9.2': { repository: 'docker.io/redhat/ubi9', tag: '9.2' },
  'rhel_9.4': { repository: 'docker.io/redhat/ubi9', tag: '9.4' },
  'rhel_9.6': { repository: 'docker.io/redhat/ubi9', tag: '9.6' },
  'ubuntu_22.04': { repository: 'docker.io/ubuntu', tag: '22.04' },
  'ubuntu_24.04': { repository: 'docker.io/ubuntu', tag: '24.04' },
};

/** Options of the driver that the operator installs. */
export interface GaudiDriverOptions {
  /** Whether the operator installs the driver; `false` where the nodes have it already. @default true */
  readonly enabled?: boolean;
  /** Number of huge pages of 2 MiB that the loader reserves on each node. @default - the operator's default */
  readonly hugePages?: number;
  /** Whether the external network ports of the devices are enabled. @default - the operator's default */
  readonly externalPorts?: boolean;
  /** Whether the loader flashes the firmware of the devices. @default - the operator's default */
  readonly flushFirmware?: boolean;
  /** Host that serves the packages of the driver. @default vault.habana.ai */
  readonly repositoryServer?: string;
  /** Path of the packages on that host. @default artifactory/gaudi-installer/repos */
  readonly repositoryPath?: string;
  /**
   * Images in which the driver is loaded, by distribution: `{ 'ubuntu_22.04': { repository: 'docker.io/ubuntu', tag: '22.04' } }`.
   * @default - RHEL 9.2, 9.4, 9.6, Ubuntu 22.04, and 24.04
   */
  readonly images?: Readonly<Record<string, ClusterPolicySpecBmcMonitoringImage>>;
}

/** Options of the container runtime that the operator sets up on the nodes. */
export interface GaudiRuntimeOptions {
  /** Whether the operator sets up the runtime; `false` where the nodes have it already. @default true */
  readonly enabled?: boolean;
  /** Configuration of the engine, as its file has it. @default - the operator's default */
  readonly engineConfiguration?: string;
  /** Configuration of habana-container-runtime, as its file has it. @default - the operator's default */
  readonly runtimeConfiguration?: string;
}

/** Props of a ClusterPolicy of the Gaudi base operator. */
export interface ClusterPolicyProps extends ClusterObjectProps {
  /** Name of the object. @default - habana-ai, that of the chart's own */
  readonly name?: string;
  /** Release of the Gaudi software, the tag of all images: `1.24.2-481`. @default - that of the catalog */
  readonly version?: string;
  /** Registry and folder of the images. @default docker.io/intel */
  readonly images?: string;
  /** Container engine of the nodes. @default containerd */
  readonly containerEngine?: 'containerd' | 'crio' | 'docker';
  /** The container runtime of Gaudi. @default - the operator sets it up */
  readonly runtime?: GaudiRuntimeOptions;
  /** How the driver gets onto the nodes. @default - the operator installs its packages */
  readonly driver?: GaudiDriverOptions;
  /** Labels of the nodes that everything runs on. @default - every node that the operator finds a device on */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Port of the metrics, from 1024 to 65535. @default 41611 */
  readonly metricsPort?: number;
  /** Whether node labels are published through node-feature-discovery. @default - the operator labels the nodes itself */
  readonly labelsThroughNfd?: boolean;
  /** ConfigMap with proxy settings for the download of packages. @default - no proxy */
  readonly proxy?: NamedReference<'ConfigMap'>;
  /** Fields without a property of their own, merged into the spec. @default - none */
  readonly overrides?: OpenPartial<ClusterPolicySpec>;
}

const limits = (
  [cpu, memory]: readonly [string, string],
  [leastCpu, leastMemory]: readonly [string, string],
): ClusterPolicySpecBmcMonitoringResources => ({
  limits: { cpu, memory },
  requests: { cpu: leastCpu, memory: leastMemory },
});
const SMALL = limits(['20m', '64Mi'], ['10m', '32Mi']);

/**
 * What the Gaudi base operator runs: driver, container runtime, device plugin, feature discovery, and metrics exporters.
 *
 * The chart `habana-ai-operator` creates a ClusterPolicy named `habana-ai`, which this one replaces under the same name. Apply it after
 * the chart.
 *
 * Rules: `gaudi/cluster-policy-*`. Source: the CustomResourceDefinition of the operator, and Intel Gaudi documentation,
 * "Intel Gaudi Base Operator for Kubernetes".
 *
 * @example
 * new gaudi.ClusterPolicy(chart, 'gaudi', {
 *   containerEngine: 'containerd',
 *   nodeSelector: { 'example.com/pool': 'gaudi3' },
 *   driver: { externalPorts: true },
 * });
 */
@publicClass('gaudi.ClusterPolicy')
export class ClusterPolicy extends Construct {
  /** Name of the ClusterPolicy. */
  readonly name: string;
  /** The ClusterPolicy object. */
  readonly resource: Resource<ClusterPolicyKind>;

  /** @throws if the port of the metrics is not between 1024 and 65535, or the number of huge pages is not a whole number */
  constructor(scope: Construct, id: string, props: ClusterPolicyProps = {}) {
    super(scope, id);
    this.name = props.name ?? GAUDI_CLUSTER_POLICY;
    this.check('metricsPort', props.metricsPort, 1024, 65_535);
    this.check('driver.hugePages', props.driver?.hugePages, 0, Number.MAX_SAFE_INTEGER);
    this.resource = new Resource(
      this,
      'Resource',
      ClusterPolicyKind,
      { metadata: clusterMetadata(id, { ...props, name: this.name }), spec: specOf(props) },
      props.overrides,
    );
    dependOn(this.resource, props.proxy);
  }

  private check(what: string, value: number | undefined, least: number, most: number): void {
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      throw new Error(`${this.node.path}: ${what} must be a whole number ${range}, not ${value}.`);
    }
  }
}

function specOf(props: ClusterPolicyProps): ClusterPolicySpec {
  const { version = versionOf('gaudi-base-operator'), images = GAUDI_IMAGES, driver = {}, runtime = {} } = props;
  const container = (
    name: string,
    resources: ClusterPolicySpecBmcMonitoringResources,
  ): ClusterPolicySpecBmcMonitoring => ({
    image: { repository: `${images}/gaudi-${name}`, tag: version },
    resources,
  });
  return {
    image_registry: 'vault.habana.ai',
    node_selector: props.nodeSelector,
    ...(props.proxy === undefined ? {} : { proxy: { config_map_name: nameOf(props.proxy) } }),
    driver: {
      enabled: driver.enabled,
      driver_loader: {
        images: driver.images ?? DISTRIBUTIONS,
        repo_server: driver.repositoryServer ?? 'vault.habana.ai',
        repo_path: driver.repositoryPath ?? 'artifactory/gaudi-installer/repos',
        hugepage: driver.hugePages,
        external_ports: driver.externalPorts,
        firmware_flush: driver.flushFirmware,
        resources: limits(['4000m', '16Gi'], ['2000m', '8Gi']),
      },
      driver_runner: container('driver-installer', SMALL),
    },
    runtime: {
      enabled: runtime.enabled,
      configuration: {
        container_engine: props.containerEngine ?? 'containerd',
        engine_container_runtime_configuration: runtime.engineConfiguration,
        habana_container_runtime_configuration: runtime.runtimeConfiguration,
      },
      runner: container('container-runtime', SMALL),
    },
    device_plugin: container('device-plugin', SMALL),
    feature_discovery: {
      nfd_plugin: props.labelsThroughNfd ?? false,
      runner: container('feature-discovery', SMALL),
    },
    metric_exporter: {
      port: props.metricsPort ?? ACCELERATOR_EXPORTERS.gaudi.port.number,
      interval: 20,
      runner: container('metric-exporter', limits(['150m', '120Mi'], ['100m', '100Mi'])),
    },
    bmc_monitoring: container('bmc-exporter', limits(['250m', '250Mi'], ['150m', '100Mi'])),
  };
}
