/**
 * The devices of a pool, of any vendor: which resource they are counted by, how many devices pods can have, and what a pod requests.
 */
import {
  type AcceleratorName,
  acceleratorNamed,
  tpuCountProblem,
  tpuTopologyProblem,
  type KnownAcceleratorFacts,
  type ResourceName,
  VENDORS,
} from '../../facts/catalog';
import { type OfferedDevices } from '../../checks/offered-devices';
import { partitionOf, type PartitionModes } from '../amd-gpu';
import { Sharing } from '../gpu-operator';
import { Accelerator } from '../pods';
import { type ByteSize, bytesText } from '../resources/quantities';

/** What a pool states about its devices. */
export interface PoolDeviceProps {
  /** The accelerator of the nodes, of any vendor: a name of the catalog in any spelling (`H100-SXM-80GB`, `MI300X`, `Gaudi3`). */
  readonly accelerator: AcceleratorName;
  /** Devices of each node: GPUs, NPUs, Neuron devices, TPU chips. */
  readonly devices: number;
  /** How NVIDIA GPUs are exposed. @default - whole */
  readonly sharing?: Sharing;
  /** How AMD GPUs are partitioned: `CPX/NPS4`. Pods then request partitions as `amd.com/gpu`. @default - not partitioned */
  readonly partition?: PartitionModes;
  /** Topology of a TPU slice, as that of the node pool: `4x4`. Required for TPUs. @default - none */
  readonly topology?: string;
  /** Huge pages of a pod with Gaudi devices. @default 95000Mi */
  readonly hugepages?: ByteSize;
}

/** What the devices of a pool offer, and how pods request them. */
export interface PoolDevices {
  /** What the catalog knows about the accelerator. */
  readonly facts: KnownAcceleratorFacts;
  /** Whether a pod gets whole devices. */
  readonly isWhole: boolean;
  /** How NVIDIA GPUs are exposed; whole for other vendors. */
  readonly sharing: Sharing;
  /** How AMD GPUs are partitioned. Absent where they are whole, and for other vendors. */
  readonly partition?: PartitionModes;
  /** Resources that pods request on the nodes. */
  readonly resources: readonly ResourceName[];
  /** Amounts of one node, by resource. */
  readonly perNode: Readonly<Record<string, number>>;
  /** What the nodes offer, for the checks. */
  readonly offered: OfferedDevices;
  /** Further resources that pods with the devices need of a node, such as huge pages. */
  readonly alsoPerNode: Readonly<Record<string, string>>;
  /** Labels that the provider sets on the nodes and that pods select, such as the topology of a TPU slice. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** All devices of a node. */
  readonly all: () => Accelerator;
  /** One device, share, instance, or partition. */
  readonly one: (resource?: ResourceName) => Accelerator;
}

/** @throws if the accelerator is unknown or ambiguous, or a property belongs to another vendor */
export function poolDevices(name: string, props: PoolDeviceProps): PoolDevices {
  const facts = acceleratorNamed(props.accelerator);
  const { sharing, partition, topology, devices } = props;
  const { vendor } = facts;
  const misplaced = Object.entries({
    sharing: sharing !== undefined && vendor !== 'nvidia',
    partition: partition !== undefined && vendor !== 'amd',
    topology: topology !== undefined && vendor !== 'google',
    hugepages: props.hugepages !== undefined && vendor !== 'intel',
  }).find(([, wrong]) => wrong);
  if (misplaced !== undefined) {
    throw new Error(`pool ${name}: ${misplaced[0]} must not be set for ${facts.name} (${VENDORS[vendor].title}).`);
  }
  if (vendor === 'google' && topology === undefined) {
    throw new Error(
      `pool ${name}: topology is required for ${facts.name}. Set it to that of the node pool, such as "4x4".`,
    );
  }
  const problem =
    topology === undefined
      ? undefined
      : (tpuTopologyProblem(facts.name, topology) ?? tpuCountProblem(facts.name, topology, devices));
  if (problem !== undefined) {
    throw new Error(`pool ${name}: ${problem}.`);
  }
  if (vendor === 'nvidia') {
    return nvidiaDevices(facts, sharing ?? Sharing.whole(), devices);
  }
  const parts = partition === undefined ? 1 : partitionOf(facts.name, partition).devices;
  return {
    facts,
    isWhole: parts === 1,
    sharing: Sharing.whole(),
    ...(partition === undefined ? {} : { partition }),
    resources: [facts.resource],
    offered: offeredBy(facts, [facts.resource, ...(facts.vendor === 'aws' ? [NEURON_CORE] : [])]),
    perNode: { [facts.resource]: devices * parts },
    alsoPerNode: vendor === 'intel' ? { 'hugepages-2Mi': hugepagesOf(props) } : {},
    nodeLabels: topology === undefined ? {} : { [TPU_TOPOLOGY_LABEL]: topology },
    all: () => requestOf(facts, devices * parts, props),
    one: () => requestOf(facts, 1, props),
  };
}

function nvidiaDevices(facts: KnownAcceleratorFacts, sharing: Sharing, gpus: number): PoolDevices {
  return {
    facts,
    isWhole: sharing.toMigEntries() === undefined && sharing.toDevicePluginConfig().sharing === undefined,
    sharing,
    resources: sharing.resources,
    offered: offeredBy(facts, sharing.resources),
    perNode: sharing.offersOf(gpus),
    alsoPerNode: {},
    nodeLabels: {},
    all: () => Accelerator.nvidia({ count: gpus }),
    one: (resource) => sharing.accelerator(resource),
  };
}

function offeredBy({ name }: KnownAcceleratorFacts, resources: readonly string[]): OfferedDevices {
  return { resources: new Set(resources), products: new Set([name]) };
}

/** Cores of Neuron devices, which the same plugin offers beside them. */
const NEURON_CORE = 'aws.amazon.com/neuroncore';

/** Label of the nodes of a TPU slice. */
const TPU_TOPOLOGY_LABEL = 'cloud.google.com/gke-tpu-topology';

/** Huge pages of a pod with all eight devices of a Gaudi node, as Intel's documentation has it. */
const GAUDI_HUGEPAGES = '95000Mi';

function hugepagesOf({ hugepages = GAUDI_HUGEPAGES }: PoolDeviceProps): string {
  return bytesText('hugepages', hugepages);
}

function requestOf(facts: KnownAcceleratorFacts, count: number, props: PoolDeviceProps): Accelerator {
  switch (facts.vendor) {
    case 'amd':
      return Accelerator.amd({ count });
    case 'intel':
      return Accelerator.gaudi({ count, hugepages: hugepagesOf(props) });
    case 'huawei':
      return Accelerator.ascend({ count, chip: facts.resource === 'huawei.com/Ascend310P' ? '310P' : '910' });
    case 'aws':
      return Accelerator.neuron({ count });
    case 'google':
      return Accelerator.tpu({ count, accelerator: facts.name, topology: props.topology ?? '' });
    case 'nvidia':
      return Accelerator.nvidia({ count });
  }
}
