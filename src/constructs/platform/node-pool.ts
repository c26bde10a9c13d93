/**
 * A pool of identical nodes, and everything that follows from its description: labels and taints, how its GPUs are exposed, the capacity of
 * its nodes, and what a pod needs to get a node or a share of one.
 */
import { type JsonObject } from '../../facts/api/schema';
import {
  acceleratorProblem,
  type KnownAcceleratorFacts,
  type ResourceName,
  type SpotProvider,
  VENDORS,
} from '../../facts/catalog';
import { type GpuNodePool, type Sharing } from '../gpu-operator';
import { parseQuantity, Quantity as Amount } from '../../manifests/values/quantity';
import { isObject } from '../../manifests/read';
import { NodeProfile, type NodeTaint, type NodeTier } from '../node-tuning';
import { type Accelerator, type PodProps, Rdma } from '../pods';
import { type Amounts, type AmountsByName, amountsOf } from '../pods/amounts';
import { type RdmaNetwork } from '../pods/rdma';
import { bytesText, type ByteSize } from '../resources/quantities';
import { type PoolDeviceProps, type PoolDevices, poolDevices } from './pool-devices';
import { publicClass } from '../resources/public-class';

/** Props of a pool of a platform. */
export interface PlatformPoolProps extends PoolDeviceProps {
  /** How many nodes there are. */
  readonly nodes: number;
  /** Cores that pods can have of one node: what is allocatable, less what DaemonSets take. */
  readonly cpu: number;
  /** Memory that pods can have of one node: `1500Gi`, or a `Size` of cdk8s. */
  readonly memory: ByteSize;
  /** What the nodes are for. @default - training for pools with whole GPUs, otherwise inference */
  readonly tier?: NodeTier;
  /** Whether the nodes have the platform's network. @default - those of the tier training do */
  readonly network?: boolean;
  /** The provider of these nodes, if they are spot nodes. @default - on-demand nodes */
  readonly spot?: SpotProvider;
  /** Further labels of the nodes. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Further taints of the nodes. @default - none */
  readonly taints?: readonly NodeTaint[];
  /** Racks of the nodes, for topology: nodes per rack. @default - no racks are known */
  readonly nodesPerRack?: number;
}

/** Amounts by resource, exact. */
export type ExactAmounts = ReadonlyMap<string, Amount>;

/** What a pod says that has a node to itself. */
export type WholeNode = Pick<PodProps, 'accelerators' | 'rdma' | 'resources' | 'sharedMemory' | 'nodeSelection'> & {
  readonly accelerators: Accelerator;
};

/**
 * A pool of identical nodes of a platform. `GpuPlatform` makes one for each of its `pools`.
 *
 * @example
 * const platform = new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 * });
 * console.log(platform.pools.training.profile.labels);
 */
@publicClass('PlatformPool')
export class PlatformPool {
  /** Labels and taints of the nodes. */
  readonly profile: NodeProfile;
  /** What the devices offer, and how pods request them. */
  readonly devices: PoolDevices;
  /** What the nodes are for. */
  readonly tier: NodeTier;
  /** Memory that pods can have of one node, as Kubernetes writes it. */
  readonly memory: string;
  /** Set when the pool is registered with the GPU operator. */
  operatorPool?: GpuNodePool;

  /** @throws where a number is none, or the accelerator is not in the catalog */
  constructor(
    /** Name of the pool. */
    readonly name: string,
    /** The props that the pool was made with. */
    readonly props: PlatformPoolProps,
  ) {
    const { nodes, devices, cpu } = props;
    for (const [what, value] of Object.entries({ nodes, devices, cpu })) {
      if (!(value > 0) || (what !== 'cpu' && !Number.isInteger(value))) {
        throw new Error(
          `pool ${name}: ${what} must be a ${what === 'cpu' ? '' : 'whole '}number greater than 0, not ${value}.`,
        );
      }
    }
    const problem = acceleratorProblem(props.accelerator);
    if (problem !== undefined) {
      throw new Error(`pool ${name}: ${problem}.`);
    }
    this.memory = bytesText(`pool ${name}: memory`, props.memory);
    this.devices = poolDevices(name, props);
    this.tier = props.tier ?? (this.isWhole ? 'training' : 'inference');
    this.profile = new NodeProfile(name, {
      tier: this.tier,
      accelerator: this.facts.resource,
      spot: props.spot,
      labels: props.labels,
      taints: props.taints,
      devices: { perNode: devices },
    });
  }

  /** The accelerator of the nodes as the catalog has it. */
  get facts(): KnownAcceleratorFacts {
    return this.devices.facts;
  }

  /** How NVIDIA GPUs are exposed. */
  get sharing(): Sharing {
    return this.devices.sharing;
  }

  /** Whether a pod gets whole devices. */
  get isWhole(): boolean {
    return this.devices.isWhole;
  }

  /** Whether the nodes have the platform's network. */
  get hasNetwork(): boolean {
    return this.props.network ?? this.tier === 'training';
  }

  /** Labels that the nodes need beside those that software puts there. */
  get nodeLabels(): Readonly<Record<string, string>> {
    return { ...this.profile.labels, ...this.operatorPool?.nodeLabels };
  }

  /** The capacity of the given number of nodes: CPU, memory, devices as they are exposed, and the huge pages that they need. */
  offers(nodes: number): ExactAmounts {
    const each = {
      cpu: this.props.cpu,
      memory: this.memory,
      ...this.devices.perNode,
      ...this.devices.alsoPerNode,
    };
    return new Map(Object.entries(each).map(([resource, amount]) => [resource, exact(amount).multiply(nodes)]));
  }

  /**
   * What a pod says that has a node of the pool to itself: all devices, the network, nine tenths of CPU and memory, so that what belongs to
   * the node has room beside it.
   *
   * @param networks of the pod's namespace
   * @throws if the pool exposes no whole devices
   */
  wholeNode(networks: readonly RdmaNetwork[] = []): WholeNode {
    if (!this.isWhole) {
      throw new Error(
        `pool ${this.name} exposes ${this.devices.resources.join(', ')}, not whole ${VENDORS[this.facts.vendor].devices}. Request one with share().`,
      );
    }
    const { cpu } = this.props;
    const mebibytes = Math.floor(exact(this.memory).toNumber() / 2 ** 20);
    return {
      accelerators: this.devices.all(),
      ...(this.hasNetwork && networks.length > 0 ? { rdma: Rdma.over(networks) } : {}),
      resources: { cpu: Math.floor(cpu * USED_BY_JOB), memory: `${Math.floor(mebibytes * USED_BY_JOB)}Mi` },
      sharedMemory: `${Math.floor(mebibytes * SHARED_MEMORY)}Mi`,
      nodeSelection: this.profile.selection,
    };
  }

  /**
   * What a pod says that has one device, share or instance of the pool.
   *
   * @param resource which, where the devices are cut into several kinds
   */
  share(
    resource?: ResourceName,
  ): Pick<PodProps, 'accelerators' | 'nodeSelection'> & { readonly accelerators: Accelerator } {
    return { accelerators: this.devices.one(resource), nodeSelection: this.profile.selection };
  }

  /** The pool in the words of a cluster file. */
  toClusterFile(): JsonObject {
    const { nodes, devices, cpu, nodesPerRack } = this.props;
    const { memory } = this;
    const { resources, ...exposed } = this.devicesInClusterFile();
    const further = { ...(resources as JsonObject | undefined), ...this.devices.alsoPerNode };
    return {
      name: this.name,
      count: nodes,
      accelerator: this.facts.name,
      perNode: devices,
      ...exposed,
      ...(Object.keys(further).length === 0 ? {} : { resources: further }),
      cpu,
      memory,
      labels: {
        ...this.profile.nodeSelector,
        ...this.devices.nodeLabels,
        ...this.operatorPool?.nodeLabels,
        ...this.sharingLabels,
      },
      taints: [...this.profile.givenTaints, ...this.profile.taints].map(
        ({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`,
      ),
      ...(nodesPerRack === undefined ? {} : { racks: { size: nodesPerRack, name: `${this.name}-rack-#` } }),
    };
  }

  /** Without a label, the shares of a cluster file are those of time-slicing. */
  private get sharingLabels(): Readonly<Record<string, string>> {
    const { sharing } = this.sharing.toDevicePluginConfig();
    return isObject(sharing) && sharing.mps !== undefined ? { 'nvidia.com/gpu.sharing-strategy': 'mps' } : {};
  }

  private devicesInClusterFile(): JsonObject {
    if (this.isWhole) {
      return {};
    }
    const [partitions] = Object.values(this.devices.perNode);
    if (this.facts.vendor !== 'nvidia' && partitions !== undefined) {
      const parts = partitions / this.props.devices;
      return { perNode: partitions, memoryMiB: Math.floor((this.facts.memoryGB * 1024) / parts) };
    }
    const [cut, ...others] = this.sharing.toMigEntries() ?? [];
    if (cut === undefined) {
      const [[resource, replicas] = [this.facts.resource, 1]] = Object.entries(this.sharing.offersOf(1));
      const renamed = resource !== this.facts.resource;
      const offered = { [resource]: replicas * this.props.devices };
      return { replicas, ...(renamed ? { resource, resources: offered } : {}) };
    }
    return others.length === 0 && cut['mig-devices'] !== undefined
      ? { mig: cut['mig-devices'] }
      : { perNode: 0, resources: { ...this.sharing.offersOf(this.props.devices) } };
  }
}

/** Part of a node that a job takes which has the node to itself. */
const USED_BY_JOB = 0.9;
/** Part of a node's memory that may be `/dev/shm`: it counts to the memory of the container. */
const SHARED_MEMORY = 0.15;

export function exact(amount: number | string): Amount {
  return parseQuantity(amount) ?? Amount.ZERO;
}

/** The sum of several. */
export function sumOf(all: readonly ExactAmounts[]): ExactAmounts {
  const total = new Map<string, Amount>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) {
      total.set(name, (total.get(name) ?? Amount.ZERO).add(amount));
    }
  }
  return total;
}

/** As strings by the names that Kubernetes uses. */
export function written(amounts: ExactAmounts): AmountsByName {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}

/** As constructs take them. */
export function stated(amounts: ExactAmounts): Amounts {
  return amountsOf(written(amounts));
}
