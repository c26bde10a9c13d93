/**
 * One look at the node: the files of the host, the kubelet, and the exporters of its accelerators, each on its own.
 *
 * A source that fails or hangs costs what it would have said, and nothing else.
 */
import { messageOf } from '../api/api-error';
import { type AcceleratorState, type ExporterVendor, readAccelerators } from './devices/accelerators';
import { fetchText } from './devices/fetch-text';
import { type Cgroups } from './host/cgroups';
import { type HostFiles } from './host/host-files';
import { type Hugepages } from './host/hugepages';
import { type RdmaPort } from './host/infiniband';
import { type PciBus } from './host/pci-devices';
import { type PodName } from './host/pod-names';
import { type Pressures } from './host/pressure';
import { type XgmiLinks } from './host/xgmi';
import { type DevicePlugins, readDevicePlugins } from './kubelet/device-plugins';
import { type KubeletDevices, type PodResources } from './kubelet/pod-resources';
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
  readonly xgmi?: XgmiLinks;
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
  readonly host: HostFiles;
  /** Exporters of this node. */
  readonly exporters: readonly Exporter[];
  /** Absent where the kubelet is not asked. */
  readonly podResources?: PodResources;
  /** Path of the folder of device plugins' sockets; absent where it is not read. */
  readonly devicePlugins?: string;
  /** What `nvidia-smi` says; absent where it is not run. */
  readonly nvidiaTool?: () => Promise<NvidiaTool>;
  /** Of each source, milliseconds. */
  readonly timeout: number;
  readonly now: () => number;
}

export async function observe(sources: Sources): Promise<Observation> {
  const { host, exporters, podResources, devicePlugins, nvidiaTool, timeout, now } = sources;
  const failures: SourceFailure[] = [];
  const failed = (source: SourceName, error: unknown): undefined => {
    failures.push({ source, message: messageOf(error) });
  };
  const from = async <T>(source: SourceName, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await within(timeout, read());
    } catch (error) {
      return failed(source, error);
    }
  };
  const fromFiles = <T>(source: SourceName, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      return failed(source, error);
    }
  };
  const asked = Promise.all([
    from('rdma', () => host.rdma.read()),
    from('xgmi', () => host.xgmi.read()),
    from('pod names', () => host.podNames()),
    exporters.length === 0 ? undefined : from('accelerators', () => readExporters(exporters, timeout)),
    nvidiaTool === undefined ? undefined : from('nvidia-smi', nvidiaTool),
    podResources === undefined ? undefined : from('kubelet', () => podResources.read(timeout)),
    devicePlugins === undefined ? undefined : from('device plugins', () => readDevicePlugins(devicePlugins, timeout)),
  ]);
  // While the others are waited for.
  const prompt = {
    cgroups: fromFiles('cgroups', () => host.cgroups.read()),
    pressure: fromFiles('pressure', () => host.pressure()),
    pci: fromFiles('pci', () => host.pci.read()),
    hugepages: fromFiles('hugepages', () => host.hugepages.read()),
  };
  const [rdma, xgmi, podNames, exported, nvidia, kubelet, plugins] = await asked;
  host.kept.sweep();
  const accelerators = withTool(exported, nvidia);
  return { at: now(), ...prompt, rdma, xgmi, podNames, accelerators, nvidia, kubelet, plugins, failures };
}

async function readExporters(exporters: readonly Exporter[], timeout: number): Promise<readonly AcceleratorState[]> {
  const read = exporters.map(async ({ vendor, url }) => readAccelerators(vendor, await fetchText(url, timeout)));
  return (await Promise.all(read)).flat();
}

function within<T>(timeout: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no response within ${timeout} ms`)), timeout);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
