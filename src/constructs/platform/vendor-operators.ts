/**
 * What a platform installs for the pools of each vendor beside NVIDIA: operators, device plugins, and their monitoring.
 */
import { type Construct } from 'constructs';
import { type MeasuredVendor } from '../../facts/catalog';
import { type Toleration } from '../../facts/api/types/core/v1';
import { DeviceConfig, type DeviceConfigProps, PartitionProfiles, ROCM_NAMESPACE } from '../amd-gpu';
import { AscendDevicePlugin, NPU_EXPORTER_NAMESPACE, NpuExporter } from '../ascend';
import { chartInstall, type ChartInstall } from '../charts';
import { ClusterPolicy, type ClusterPolicyProps, GAUDI_OPERATOR_NAMESPACE } from '../gaudi';
import { AcceleratorMonitoring } from '../monitoring';
import { NeuronMonitor } from '../neuron';
import { Namespace } from '../tenancy';
import { type PlatformPool } from './node-pool';

/** Settings for the operators of other vendors than NVIDIA. */
export interface VendorOptions {
  /** Further settings of the DeviceConfig of AMD pools. @default - what follows from the pools */
  readonly amd?: Omit<DeviceConfigProps, 'namespace' | 'partitions' | 'tolerations' | 'nodeSelector'>;
  /**
   * Settings of the ClusterPolicy of Gaudi pools. Gaudi images of all pools are of one release.
   * @default - the ClusterPolicy that the chart of the base operator creates
   */
  readonly gaudi?: ClusterPolicyProps;
  /** Images for Ascend pools, which upstream does not publish. @default - neither plugin nor exporter is installed */
  readonly ascend?: {
    /** Image of the device plugin. */
    readonly devicePluginImage: string;
    /** Image of the exporter. @default - no exporter is installed */
    readonly exporterImage?: string;
  };
  /** Version of neuron-monitor for Neuron pools. @default - it is not installed */
  readonly neuron?: {
    /** Tag of the monitor's image. */
    readonly monitorVersion: string;
  };
}

/** Something that workloads may need and that the platform does not install. */
export interface NotInstalled {
  /** Name of the project. */
  readonly name: string;
  /** What needs it. */
  readonly neededBy: string;
  /** The property that adds it, or another way to install it, as one sentence. */
  readonly add: string;
}

export interface VendorContext {
  readonly pools: readonly PlatformPool[];
  readonly options: VendorOptions;
  /** Labels by which Prometheus finds monitors; `undefined` where nothing is monitored. */
  readonly monitoring: { readonly labels?: Readonly<Record<string, string>> } | undefined;
  readonly privileged: Readonly<Record<string, string>>;
}

/** What the platform installs for the vendors of its pools. */
export interface InstalledVendors {
  /** Charts of operators and device plugins. */
  readonly charts: readonly ChartInstall[];
  /** Monitoring of each vendor. */
  readonly monitoring: ReadonlyMap<MeasuredVendor, AcceleratorMonitoring>;
  /** What pods of the vendors need and the platform does not install. */
  readonly notInstalled: readonly NotInstalled[];
  /** The DeviceConfig of AMD GPUs. Absent where no pool has them. */
  readonly deviceConfig?: DeviceConfig;
  /** The ClusterPolicy of Gaudi accelerators. Absent where `vendors.gaudi` is not set. */
  readonly clusterPolicy?: ClusterPolicy;
  /** How AMD GPUs are partitioned. Absent where no pool partitions them. */
  readonly partitions?: PartitionProfiles;
}

/** Installs what the pools of other vendors need. */
export function installVendors(scope: Construct, context: VendorContext): InstalledVendors {
  const parts = [amd, gaudi, ascend, neuron, tpu].map((install) => install(scope, context));
  return {
    charts: parts.flatMap(({ charts = [] }) => charts),
    monitoring: new Map(parts.flatMap(({ monitoring = [] }) => [...monitoring])),
    notInstalled: parts.flatMap(({ notInstalled = [] }) => notInstalled),
    ...definedParts(parts),
  };
}

type Part = Partial<InstalledVendors>;

function definedParts(parts: readonly Part[]): Pick<InstalledVendors, 'deviceConfig' | 'clusterPolicy' | 'partitions'> {
  const deviceConfig = parts.find((part) => part.deviceConfig !== undefined)?.deviceConfig;
  const clusterPolicy = parts.find((part) => part.clusterPolicy !== undefined)?.clusterPolicy;
  const partitions = parts.find((part) => part.partitions !== undefined)?.partitions;
  return {
    ...(deviceConfig === undefined ? {} : { deviceConfig }),
    ...(clusterPolicy === undefined ? {} : { clusterPolicy }),
    ...(partitions === undefined ? {} : { partitions }),
  };
}

function poolsOf(context: VendorContext, vendor: PlatformPool['facts']['vendor']): readonly PlatformPool[] {
  return context.pools.filter(({ facts }) => facts.vendor === vendor);
}

function tolerationsOf(pools: readonly PlatformPool[]): readonly Toleration[] {
  const all = pools.flatMap(({ profile }) => profile.operatorTolerations);
  return [...new Map(all.map((toleration) => [JSON.stringify(toleration), toleration])).values()];
}

function monitored(
  scope: Construct,
  { monitoring }: VendorContext,
  vendor: MeasuredVendor,
  namespace?: Namespace,
): ReadonlyMap<MeasuredVendor, AcceleratorMonitoring> {
  if (monitoring === undefined) {
    return new Map();
  }
  const { labels } = monitoring;
  const construct = new AcceleratorMonitoring(scope, `${vendor}-monitoring`, { vendor, labels, namespace });
  return new Map([[vendor, construct]]);
}

function amd(scope: Construct, context: VendorContext): Part {
  const pools = poolsOf(context, 'amd');
  if (pools.length === 0) {
    return {};
  }
  const namespace = new Namespace(scope, ROCM_NAMESPACE, { labels: context.privileged });
  const monitoring = monitored(scope, context, 'amd', namespace);
  const cut = pools.filter((pool) => pool.devices.partition !== undefined);
  const [first] = cut;
  const partitions =
    first === undefined
      ? undefined
      : new PartitionProfiles(scope, 'amd-partitions', {
          namespace,
          gpu: first.facts.name,
          profiles: Object.fromEntries(cut.map((pool) => [pool.name, { partition: pool.devices.partition! }])),
        });
  const deviceConfig = new DeviceConfig(scope, 'amd-gpus', {
    exporter: monitoring.get('amd')?.exporter,
    ...context.options.amd,
    namespace,
    tolerations: tolerationsOf(pools),
    ...(partitions === undefined ? {} : { partitions }),
  });
  return {
    monitoring,
    deviceConfig,
    ...(partitions === undefined ? {} : { partitions }),
    charts: [chartInstall({ chart: 'gpu-operator-charts', values: { crds: { defaultCR: { install: false } } } })],
  };
}

function gaudi(scope: Construct, context: VendorContext): Part {
  if (poolsOf(context, 'intel').length === 0) {
    return {};
  }
  const namespace = new Namespace(scope, GAUDI_OPERATOR_NAMESPACE, { labels: context.privileged });
  const { gaudi: settings } = context.options;
  const clusterPolicy = settings && new ClusterPolicy(scope, 'gaudi', settings);
  return {
    ...(clusterPolicy === undefined ? {} : { clusterPolicy }),
    monitoring: monitored(scope, context, 'gaudi', namespace),
    charts: [chartInstall({ chart: 'habana-ai-operator' })],
  };
}

function ascend(scope: Construct, context: VendorContext): Part {
  const pools = poolsOf(context, 'huawei');
  if (pools.length === 0) {
    return {};
  }
  const { devicePluginImage, exporterImage } = context.options.ascend ?? {};
  const tolerations = tolerationsOf(pools);
  if (devicePluginImage !== undefined) {
    for (const resource of new Set(pools.map(({ facts }) => facts.resource))) {
      const chip = resource === 'huawei.com/Ascend310P' ? '310P' : '910';
      new AscendDevicePlugin(scope, `ascend-${chip.toLowerCase()}`, { image: devicePluginImage, chip, tolerations });
    }
  }
  if (exporterImage === undefined) {
    return { notInstalled: missingOfAscend(devicePluginImage === undefined) };
  }
  const namespace = new Namespace(scope, NPU_EXPORTER_NAMESPACE, { labels: context.privileged });
  new NpuExporter(scope, 'npu-exporter-daemon', { name: 'npu-exporter', image: exporterImage, namespace, tolerations });
  return {
    monitoring: monitored(scope, context, 'ascend', namespace),
    notInstalled: missingOfAscend(devicePluginImage === undefined).slice(0, -1),
  };
}

function missingOfAscend(plugin: boolean): readonly NotInstalled[] {
  return [
    ...(plugin
      ? [
          {
            name: 'Ascend device plugin',
            neededBy: 'Ascend pools',
            add: 'Set vendors.ascend.devicePluginImage of the platform.',
          },
        ]
      : []),
    {
      name: 'npu-exporter',
      neededBy: 'metrics of Ascend pools',
      add: 'Set vendors.ascend.exporterImage of the platform.',
    },
  ];
}

function neuron(scope: Construct, context: VendorContext): Part {
  const pools = poolsOf(context, 'aws');
  if (pools.length === 0) {
    return {};
  }
  const charts = [
    chartInstall({ chart: 'neuron-helm-chart', values: { scheduler: { enabled: true }, npd: { enabled: false } } }),
  ];
  const version = context.options.neuron?.monitorVersion;
  if (version === undefined) {
    return {
      charts,
      notInstalled: [
        {
          name: 'neuron-monitor',
          neededBy: 'metrics of Neuron pools',
          add: 'Set vendors.neuron.monitorVersion of the platform.',
        },
      ],
    };
  }
  const namespace = new Namespace(scope, 'neuron-monitor', { labels: context.privileged });
  new NeuronMonitor(scope, 'neuron-monitor-daemon', { version, namespace, tolerations: tolerationsOf(pools) });
  return { charts, monitoring: monitored(scope, context, 'neuron', namespace) };
}

/** GKE installs the device plugin, which also serves the metrics. */
function tpu(scope: Construct, context: VendorContext): Part {
  return poolsOf(context, 'google').length === 0 ? {} : { monitoring: monitored(scope, context, 'tpu') };
}
