/**
 * How the devices of the node are connected, in the form of the annotation `gantry.dev/device-topology`: NUMA node, island, and MIG instances of
 * each device by its index, so that nothing has to be guessed from labels.
 *
 * A driver numbers NVIDIA's and AMD's GPUs in the order of their addresses on the PCI bus, as `nvidia-smi` and `amd-smi` do.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type PciAccelerator } from '../host/pci-devices';
import { type KubeletDevice } from '../kubelet/pod-resources';
import { type Observation } from '../observation';

interface Placed {
  readonly index: number;
  /** As the device plugin calls it. */
  readonly id?: string;
  readonly numa?: number;
  readonly island?: string;
  readonly mig?: Readonly<Record<string, number>>;
}

const NVIDIA_GPU = 'nvidia.com/gpu';
const AMD_GPU = 'amd.com/gpu';

/** @returns the text of the annotation; undefined where nothing is known about any device */
export function deviceTopology(observation: Observation): string | undefined {
  const found = (
    [
      [NVIDIA_GPU, nvidiaDevices(observation)],
      [AMD_GPU, amdDevices(observation)],
    ] as const
  ).filter(([, devices]) => devices.length > 0);
  return found.length === 0
    ? undefined
    : JSON.stringify(
        Object.fromEntries(
          found.map(([resource, devices]) => [resource, entries(devices, offered(observation, resource))]),
        ),
      );
}

function nvidiaDevices({ pci, nvidia, accelerators = [], kubelet }: Observation): readonly Placed[] {
  const onBus = pci?.accelerators.filter(({ vendor }) => vendor === 'nvidia') ?? [];
  const numaByBus = new Map(onBus.map(({ address, numaNode }) => [address, numaNode]));
  const numaById = kubeletNuma(kubelet?.allocatable);
  if (nvidia !== undefined) {
    const { islands, numa } = nvidia.topology;
    return nvidia.gpus.map(({ state: { index, id, busId }, mig }) =>
      placed(index, {
        id,
        numa: numa.get(index) ?? numaByBus.get(busId ?? '') ?? numaById.get(id ?? ''),
        island: islands.get(index),
        mig,
      }),
    );
  }
  const idByBus = new Map(accelerators.map(({ busId, id }) => [busId, id]));
  const island = pci !== undefined && pci.nvSwitches > 0 ? 'nvlink-0' : undefined;
  return onBus.map(({ address, numaNode }, index) => {
    const id = idByBus.get(address);
    return placed(index, { id, numa: numaNode ?? numaById.get(id ?? ''), island });
  });
}

/** AMD's device plugin calls a device by its address. */
function amdDevices({ pci, xgmi = new Map() }: Observation): readonly Placed[] {
  const onBus = pci?.accelerators.filter(({ vendor }) => vendor === 'amd') ?? [];
  const islands = xgmiIslands(onBus, xgmi);
  return onBus.map(({ address, numaNode }, index) =>
    placed(index, { id: address, numa: numaNode, island: islands.get(address) }),
  );
}

/** Devices that links connect, over others too. */
function xgmiIslands(
  devices: readonly PciAccelerator[],
  links: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, string> {
  const islands = new Map<string, string>();
  devices.forEach(({ address }, index) => {
    const members = [address];
    for (const member of islands.has(address) ? [] : members) {
      members.push(...[...(links.get(member) ?? [])].filter((other) => !members.includes(other)));
    }
    if (members.length > 1) {
      members.forEach((member) => islands.set(member, `xgmi-${index}`));
    }
  });
  return islands;
}

function placed(index: number, { id, numa, island, mig }: Partial<Placed>): Placed {
  return {
    index,
    ...(id === undefined ? {} : { id }),
    ...(numa === undefined ? {} : { numa }),
    ...(island === undefined ? {} : { island }),
    ...(mig === undefined ? {} : { mig }),
  };
}

/** Device plugins name one NUMA node for most devices; several nodes say nothing about which is near. */
function kubeletNuma(devices: readonly KubeletDevice[] | undefined): ReadonlyMap<string, number> {
  return new Map(
    devices?.flatMap(({ id, numaNodes }) => (numaNodes.length === 1 ? [[id, numaNodes[0]] as const] : [])),
  );
}

/** Ids that the kubelet offers; undefined where that is not known. */
function offered({ kubelet }: Observation, resource: string): ReadonlySet<string> | undefined {
  const ids = kubelet?.allocatable.filter((device) => device.resource === resource).map(({ id }) => id);
  return ids === undefined || ids.length === 0 ? undefined : new Set(ids);
}

/** A device that the kubelet does not offer is there and takes no pod. Device plugins that call devices by other names say nothing about that. */
function entries(devices: readonly Placed[], ids: ReadonlySet<string> | undefined): readonly JsonObject[] {
  const names = ids !== undefined && devices.some(({ id }) => id !== undefined && ids.has(id));
  return devices.map(({ index, id, numa, island, mig }) => ({
    index,
    ...(numa === undefined ? {} : { numa }),
    ...(island === undefined ? {} : { island }),
    ...(mig === undefined ? {} : { mig }),
    ...(names && mig === undefined && id !== undefined && !ids.has(id) ? { available: false } : {}),
  }));
}
