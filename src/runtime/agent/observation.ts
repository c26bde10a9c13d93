/**
 * One look at the node: the files of the host, the kubelet, and the exporters of its accelerators, each on its own.
 *
 * A source that fails or hangs costs what it would have said, and nothing else.
 */
import { messageOf } from '../api/api-error';
import { type AcceleratorState, type ExporterVendor, readAccelerators } from './devices/accelerators';
import { fetchText } from './devices/fetch-text';
import { type Cgroups, readCgroups } from './host/cgroups';
import { type HostRoot } from './host/host-root';
import { type Hugepages, readHugepages } from './host/hugepages';
import { readRdmaPorts, type RdmaPort } from './host/infiniband';
import { type PciBus, readPciBus } from './host/pci-devices';
import { type PodName, readPodNames } from './host/pod-names';
import { nodePressure, type Pressures } from './host/pressure';
import { readXgmiLinks } from './host/xgmi';
import { type DevicePlugins, readDevicePlugins } from './kubelet/device-plugins';
import { type KubeletDevices, readKubeletDevices } from './kubelet/pod-resources';
import { type NvidiaTool, withTool } from './devices/nvidia-tool';

export interface Observation {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Each member is absent where its source failed, or does not exist. */
  readonly cgroups?: Cgroups;
  readonly pressure?: Pressures;
  readonly rdma?: readonly RdmaPort[];
  readonly pci?: PciBus;
  /** By address on the PCI bus, for AMD's GPUs. */
  readonly xgmi?: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hugepages?: Hugepages;
  readonly podNames?: ReadonlyMap<string, PodName>;
  readonly accelerators?: readonly AcceleratorState[];
  readonly nvidia?: NvidiaTool;
  readonly kubelet?: KubeletDevices;
  readonly plugins?: DevicePlugins;
  readonly failures: readonly SourceFailure[];
}

export type SourceName =
  | 'cgroups'
  | 'pressure'
  | 'rdma'
  | 'pci'
  | 'xgmi'
  | 'hugepages'
  | 'pod names'
  | 'accelerators'
  | 'nvidia-smi'
  | 'kubelet'
  | 'device plugins';

export interface SourceFailure {
  readonly source: SourceName;
  readonly message: string;
}

export interface Exporter {
  readonly vendor: ExporterVendor;
  readonly url: string;
}

export interface Sources {
  readonly root: HostRoot;
  /** Exporters of this node. */
  readonly exporters: readonly Exporter[];
  /** Path of the kubelet's pod resources socket; absent where the kubelet is not asked. */
  readonly podResources?: string;
  /** Path of the folder of device plugins' sockets; absent where it is not read. */
  readonly devicePlugins?: string;
  /** What `nvidia-smi` says; absent where it is not run. */
  readonly nvidiaTool?: () => Promise<NvidiaTool>;
  /** Of each source, milliseconds. */
  readonly timeout: number;
  readonly now: () => number;
}

export async function observe({
  root,
  exporters,
  podResources,
  devicePlugins,
  nvidiaTool,
  timeout,
  now,
}: Sources): Promise<Observation> {
  const failures: SourceFailure[] = [];
  const from = async <T>(source: SourceName, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await within(timeout, read());
    } catch (error) {
      failures.push({ source, message: messageOf(error) });
      return undefined;
    }
  };
  const [cgroups, pressure, rdma, pci, xgmi, hugepages, podNames, exported, nvidia, kubelet, plugins] =
    await Promise.all([
      from('cgroups', () => readCgroups(root)),
      from('pressure', () => nodePressure(root)),
      from('rdma', () => readRdmaPorts(root)),
      from('pci', () => readPciBus(root)),
      from('xgmi', () => readXgmiLinks(root)),
      from('hugepages', () => readHugepages(root)),
      from('pod names', () => readPodNames(root)),
      exporters.length === 0 ? undefined : from('accelerators', () => readExporters(exporters, timeout)),
      nvidiaTool === undefined ? undefined : from('nvidia-smi', nvidiaTool),
      podResources === undefined ? undefined : from('kubelet', () => readKubeletDevices(podResources, timeout)),
      devicePlugins === undefined ? undefined : from('device plugins', () => readDevicePlugins(devicePlugins, timeout)),
    ]);
  const accelerators = withTool(exported, nvidia);
  const files = { cgroups, pressure, rdma, pci, xgmi, hugepages, podNames };
  return { at: now(), ...files, accelerators, nvidia, kubelet, plugins, failures };
}

async function readExporters(exporters: readonly Exporter[], timeout: number): Promise<readonly AcceleratorState[]> {
  const read = exporters.map(async ({ vendor, url }) => readAccelerators(vendor, await fetchText(url, timeout)));
  return (await Promise.all(read)).flat();
}

function within<T>(timeout: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
