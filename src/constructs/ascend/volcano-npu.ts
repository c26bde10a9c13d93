/**
 * The NPU plugin of Volcano's scheduler: its name, and the parameters that the scheduler's configuration passes to it.
 *
 * Source: Ascend mind-cluster, component/ascend-for-volcano/build/build.sh. The plugin is a shared object that is built into the image of
 * the scheduler. Its name contains its version, and before v26.1 also the platform: `volcano-npu_v26.0.0_linux-aarch64`.
 */
import { Duration } from 'cdk8s';
import { versionOf } from '../../facts/upstream';
import { publicFunction } from '../../facts/calls/public-function';

/** Options of `volcanoNpu`. */
export interface VolcanoNpuOptions {
  /** Release of mind-cluster that the scheduler's image contains, with its `v`. @default - that of the catalog */
  readonly version?: string;
  /** Architecture of the node that the scheduler runs on; in the name of the plugin before v26.1. @default aarch64 */
  readonly architecture?: 'aarch64' | 'x86_64';
  /** Time that a pod of a job that is rescheduled has to end, a whole number of seconds. @default Duration.minutes(15) */
  readonly graceOverTime?: Duration;
  /** Whether vNPUs are made beforehand. Must agree with `AscendDevicePlugin`. @default true */
  readonly presetVirtualDevices?: boolean;
  /** Whether the state of the cluster comes from ClusterD rather than from each node's ConfigMap. @default true */
  readonly useClusterInfoManager?: boolean;
  /** NPUs of a SuperPoD of A3 servers. @default 48 */
  readonly superPodSize?: number;
  /** Nodes of a SuperPoD that are kept free for rescheduling. @default 2 */
  readonly reserveNodes?: number;
}

/** What the configuration of Volcano's scheduler states for the NPU plugin. */
export interface VolcanoNpuConfiguration {
  /** Name of the plugin, for `volcano.SchedulerPlugin.of`. */
  readonly plugin: string;
  /** The entry of `configurations`. */
  readonly configuration: {
    /** Name by which the plugin reads the configuration. */
    readonly name: 'init-params';
    /** Settings of the plugin. */
    readonly arguments: Readonly<Record<string, string>>;
  };
}

/**
 * The NPU plugin for a `volcano.SchedulerConfiguration`.
 *
 * @example
 * const npu = ascend.volcanoNpu({ architecture: 'x86_64' });
 * volcano.SchedulerConfiguration.forGpus(chart, 'scheduler', {
 *   devices: { 'huawei.com/Ascend910': 10 },
 *   plugins: [volcano.SchedulerPlugin.of(npu.plugin)],
 *   configurations: [npu.configuration],
 * });
 */
export const volcanoNpu = publicFunction(
  'ascend.volcanoNpu',
  (options: VolcanoNpuOptions = {}): VolcanoNpuConfiguration => {
    const { architecture = 'aarch64', graceOverTime = Duration.minutes(15), presetVirtualDevices = true } = options;
    const { version = versionOf('ascend-mind-cluster'), useClusterInfoManager = true } = options;
    const { superPodSize = 48, reserveNodes = 2 } = options;
    for (const [name, value] of Object.entries({ superPodSize, reserveNodes })) {
      if (!Number.isInteger(value) || value < 0) {
        throw new Error(`${name} ${value}: must be a whole number greater than or equal to 0.`);
      }
    }
    return {
      plugin: `volcano-npu_${version}${hasArchitecture(version) ? `_linux-${architecture}` : ''}`,
      configuration: {
        name: 'init-params',
        arguments: {
          'grace-over-time': String(graceOverTime.toSeconds()),
          presetVirtualDevice: String(presetVirtualDevices),
          useClusterInfoManager: String(useClusterInfoManager),
          'super-pod-size': String(superPodSize),
          'reserve-nodes': String(reserveNodes),
        },
      },
    };
  },
);

/** The first release whose plugin is named without the platform. */
const [PLAIN_MAJOR, PLAIN_MINOR] = [26, 1];

function hasArchitecture(version: string): boolean {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) < PLAIN_MAJOR || (Number(major) === PLAIN_MAJOR && Number(minor) < PLAIN_MINOR);
}
