/**
 * Renders the props of the GPU operator as the spec of a ClusterPolicy and as the values of its chart, which use other names for some
 * settings.
 */
import { optionalDurationText } from '../resources/durations';
import type { Duration } from 'cdk8s';
import { type Toleration } from '../../facts/api/types/core/v1';
import { type ClusterPolicySpec } from '../../facts/api/types/nvidia.com/v1';
import { type JsonObject } from '../../facts/api/schema';
import { asObject } from '../../manifests/read';
import { type NamedReference, nameOf, type PriorityClassReference } from '../resources/references';
import { type DriverOptions, named, renderRdma, renderUpgrade } from './driver-options';
import { type Operand, renderOperand } from './operand';
import { type MigStrategy } from './sharing';
import { type OpenPartial } from '../resources/merge';

/** The driver of all nodes. */
export interface ClusterDriverOptions extends DriverOptions {
  /** The driver comes from NVIDIADriver resources, which may differ by node. @default false */
  readonly fromNvidiaDrivers?: boolean;
  /** License of NVIDIA vGPU: a Secret or a ConfigMap with the client configuration. @default - none */
  readonly licensing?: {
    /** Secret with the client configuration. @default - none */
    readonly secret?: NamedReference<'Secret'>;
    /** ConfigMap with the client configuration; instead of `secret`. @default - none */
    readonly configMap?: NamedReference<'ConfigMap'>;
    /** Whether the license comes from NVIDIA License System. @default - the operator's own default */
    readonly nls?: boolean;
  };
}

/** How devices are injected into containers. */
export interface CdiOptions {
  /** Devices are passed by the Container Device Interface. @default true */
  readonly enabled?: boolean;
  /** CDI is the default of the runtime `nvidia`, for pods that use the legacy way too. @default false */
  readonly byDefault?: boolean;
  /** Devices are injected by the Node Resource Interface; no runtime class is needed then. @default false */
  readonly nriPlugin?: boolean;
}

/** Settings of everything that the operator runs on GPU nodes. */
export interface DaemonSetOptions {
  /**
   * Tolerations of everything that the operator runs on GPU nodes. A taint of your own that is not tolerated here keeps driver and
   * device plugin away, and the node has no GPUs.
   * @default - nvidia.com/gpu with any value
   */
  readonly tolerations?: readonly Toleration[];
  /** Priority class of the pods. @default system-node-critical */
  readonly priorityClass?: PriorityClassReference;
  /** Further labels of the pods. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Further annotations of the pods. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Nodes whose pods change at the same time, a number or a percentage. @default 1 */
  readonly maxUnavailable?: number | `${number}%`;
}

/** Settings of the DCGM exporter. */
export interface DcgmExporterOptions extends Operand {
  /** A `DcgmCounters`, or the name of a ConfigMap with the key `dcgm-metrics.csv`. @default - the exporter's own list */
  readonly counters?: NamedReference<'ConfigMap'>;
  /**
   * The operator's ServiceMonitor; `false` if you have your own.
   * @default - none; the chart creates one unless this is `false`
   */
  readonly serviceMonitor?:
    | false
    | {
        /** Time between scrapes. @default - 15 seconds */
        readonly interval?: Duration;
        /** Time after which a scrape fails. @default - Prometheus' own */
        readonly scrapeTimeout?: Duration;
        readonly honorLabels?: boolean;
        /** Labels by which Prometheus finds it. @default - none */
        readonly labels?: Readonly<Record<string, string>>;
      };
  /** Labels of pods on their metrics. @default false */
  readonly podLabels?: boolean;
}

/** Settings of the MIG manager. */
export interface MigManagerOptions extends Operand {
  /** ConfigMap that says which pods to stop before GPUs are cut. @default - the operator's */
  readonly gpuClients?: NamedReference<'ConfigMap'>;
}

/** Settings of the GPU operator that the ClusterPolicy and the chart share. */
export interface ClusterPolicyOptions {
  /**
   * The driver of all nodes.
   * @default - the driver that the chart names; a driver of the node with `{ enabled: false }`
   */
  readonly driver?: ClusterDriverOptions;
  /** The container toolkit. @default - the operator's defaults */
  readonly toolkit?: Operand & {
    /** Folder of the node that the toolkit is installed in. @default - the operator's default, /usr/local/nvidia */
    readonly installDir?: string;
  };
  /** How devices are injected into containers. @default - the operator's default, CDI */
  readonly cdi?: CdiOptions;
  /** The plugin that counts GPUs as resources. @default - the operator's defaults */
  readonly devicePlugin?: Operand;
  /** GPU feature discovery, which writes the node labels. @default - the operator's defaults */
  readonly gfd?: Operand;
  /**
   * MIG strategy of all nodes. It wins over that of every device-plugin configuration, so it stays out where node pools differ.
   * @default - each configuration's own; none without any
   */
  readonly migStrategy?: MigStrategy;
  /** The MIG manager, which divides GPUs. @default - the operator's defaults */
  readonly migManager?: MigManagerOptions;
  /** A DCGM of its own per node; otherwise the exporter holds one. @default - off */
  readonly dcgm?: Operand;
  /** The DCGM exporter, which serves metrics. @default - the operator's defaults */
  readonly dcgmExporter?: DcgmExporterOptions;
  /** GPUDirect Storage. @default - off */
  readonly gds?: Operand;
  /** The driver of GDRCopy, for low-latency copies to and from GPU memory. @default - off */
  readonly gdrcopy?: Operand;
  /** The validator, which always runs. @default - the operator's defaults */
  readonly validator?: Omit<Operand, 'enabled'>;
  /** The exporter of the operator's state on each node. @default - the operator's default, off */
  readonly nodeStatusExporter?: Operand;
  /**
   * Settings of everything that the operator runs on GPU nodes.
   * @default - tolerates nvidia.com/gpu, with the priority class system-node-critical
   */
  readonly daemonSets?: DaemonSetOptions;
  /** Name of the RuntimeClass that the operator creates. @default nvidia */
  readonly runtimeClass?: NamedReference<'RuntimeClass'>;
}

/** What follows from node pools. */
export interface NodeConfigs {
  readonly devicePlugin?: { readonly name: string; readonly default: string };
  readonly mig?: { readonly name: string };
}

const NVIDIA_TOLERATION: Toleration = { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' };

/** Members that a ClusterPolicy must have, even when empty. */
export function clusterPolicySpec(options: ClusterPolicyOptions, configs: NodeConfigs): ClusterPolicySpec {
  const { driver, cdi, toolkit, devicePlugin, migManager } = options;
  return {
    operator: { runtimeClass: options.runtimeClass === undefined ? undefined : nameOf(options.runtimeClass) },
    daemonsets: renderDaemonSets(options.daemonSets ?? {}),
    driver: driver === undefined ? {} : renderDriver(driver),
    toolkit: { ...renderOperand(toolkit ?? {}), installDir: toolkit?.installDir },
    cdi: cdi && { enabled: cdi.enabled ?? true, default: cdi.byDefault, nriPluginEnabled: cdi.nriPlugin },
    devicePlugin: { ...renderOperand(devicePlugin ?? {}), config: configs.devicePlugin },
    gfd: renderOperand(options.gfd ?? {}),
    mig: options.migStrategy && { strategy: options.migStrategy },
    migManager:
      migManager === undefined && configs.mig === undefined
        ? undefined
        : renderMigManager(migManager ?? {}, configs.mig),
    dcgm: renderOperand(options.dcgm ?? {}),
    dcgmExporter: renderExporter(options.dcgmExporter ?? {}),
    gds: options.gds && renderOperand(options.gds),
    gdrcopy: options.gdrcopy && renderOperand(options.gdrcopy),
    validator: options.validator && renderOperand(options.validator),
    nodeStatusExporter: renderOperand(options.nodeStatusExporter ?? {}),
  };
}

function renderDaemonSets(options: DaemonSetOptions): ClusterPolicySpec['daemonsets'] {
  const { tolerations, priorityClass, labels, annotations, maxUnavailable } = options;
  return {
    tolerations: tolerations ?? [NVIDIA_TOLERATION],
    priorityClassName: priorityClass?.name ?? 'system-node-critical',
    labels,
    annotations,
    rollingUpdate: maxUnavailable === undefined ? undefined : { maxUnavailable: String(maxUnavailable) },
  };
}

function renderDriver(options: ClusterDriverOptions): ClusterPolicySpec['driver'] {
  const { licensing, rdma, upgrade, repoConfig, certConfig, kernelModuleConfig, secretEnv } = options;
  return {
    ...renderOperand(options),
    kernelModuleType: options.kernelModuleType,
    usePrecompiled: options.usePrecompiled,
    useNvidiaDriverCRD: options.fromNvidiaDrivers,
    rdma: renderRdma(rdma),
    upgradePolicy: upgrade && renderUpgrade(upgrade),
    repoConfig: repoConfig === undefined ? undefined : { configMapName: nameOf(repoConfig) },
    certConfig: named(certConfig),
    kernelModuleConfig: named(kernelModuleConfig),
    secretEnv: secretEnv === undefined ? undefined : nameOf(secretEnv),
    licensingConfig: licensing && {
      secretName: licensing.secret === undefined ? undefined : nameOf(licensing.secret),
      configMapName: licensing.configMap === undefined ? undefined : nameOf(licensing.configMap),
      nlsEnabled: licensing.nls,
    },
  };
}

function renderMigManager(options: MigManagerOptions, config: NodeConfigs['mig']): ClusterPolicySpec['migManager'] {
  return { ...renderOperand(options), gpuClientsConfig: named(options.gpuClients), config };
}

function renderExporter(options: DcgmExporterOptions): ClusterPolicySpec['dcgmExporter'] {
  const { counters, serviceMonitor, podLabels } = options;
  const name = counters === undefined ? undefined : nameOf(counters);
  return {
    ...renderOperand(options),
    config: name === undefined ? undefined : { name },
    enablePodLabels: podLabels,
    serviceMonitor:
      serviceMonitor === false
        ? { enabled: false }
        : serviceMonitor && {
            enabled: true,
            interval: optionalDurationText('serviceMonitor.interval', serviceMonitor.interval) ?? '15s',
            scrapeTimeout: optionalDurationText('serviceMonitor.scrapeTimeout', serviceMonitor.scrapeTimeout),
            honorLabels: serviceMonitor.honorLabels,
            additionalLabels: serviceMonitor.labels,
          },
  };
}

/**
 * The chart's values for a spec. Most have the same name; this lists those that do not.
 *
 * Source: gpu-operator, deployments/gpu-operator/templates/clusterpolicy.yaml.
 */
export function chartValues(spec: OpenPartial<ClusterPolicySpec>): JsonObject {
  const { driver: driverSpec, ...others } = JSON.parse(JSON.stringify(spec)) as JsonObject;
  const { useNvidiaDriverCRD, upgradePolicy: upgradeSpec, ...driver } = asObject(driverSpec);
  const { podDeletion, ...upgrade } = asObject(upgradeSpec);
  return withoutEmpty({
    ...others,
    driver: {
      ...driver,
      ...(useNvidiaDriverCRD === undefined ? {} : { nvidiaDriverCRD: { enabled: useNvidiaDriverCRD } }),
      upgradePolicy: { ...upgrade, ...(podDeletion === undefined ? {} : { gpuPodDeletion: podDeletion }) },
    },
  });
}

/** Without empty parts: in a chart they say nothing. */
function withoutEmpty(value: JsonObject): JsonObject {
  const entries = Object.entries(value).map(
    ([key, member]) =>
      [
        key,
        typeof member === 'object' && member !== null && !Array.isArray(member) ? withoutEmpty(member) : member,
      ] as const,
  );
  return Object.fromEntries(
    entries.filter(
      ([, member]) =>
        typeof member !== 'object' || member === null || Array.isArray(member) || Object.keys(member).length > 0,
    ),
  );
}
