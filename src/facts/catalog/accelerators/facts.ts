/**
 * What the catalog states about an accelerator, in the same terms for every vendor: memory, how devices of a node reach each other, which
 * resource they are counted by, and how a node names them.
 */
import { type MigProfile } from '../mig-profiles';

/** Vendors of the accelerators in the catalog. */
export type AcceleratorVendor = 'nvidia' | 'amd' | 'intel' | 'huawei' | 'aws' | 'google';

/** Architectures; those of NVIDIA as GPU feature discovery writes them in `nvidia.com/gpu.family`. */
export type AcceleratorArchitecture =
  | 'volta'
  | 'turing'
  | 'ampere'
  | 'ada-lovelace'
  | 'hopper'
  | 'blackwell'
  | 'cdna2'
  | 'cdna3'
  | 'cdna4'
  | 'gaudi'
  | 'da-vinci'
  | 'neuroncore-v1'
  | 'neuroncore-v2'
  | 'neuroncore-v3'
  | 'neuroncore-v4'
  | 'tensorcore';

/** How the device is built into a node. Boards of one chip differ in power, memory, and links. */
export type FormFactor = 'SXM' | 'PCIe' | 'NVL' | 'superchip' | 'OAM' | 'APU' | 'module' | 'instance';

/** The link between the devices of a node. */
export type FabricLink = 'NVLink' | 'xGMI' | 'RoCE' | 'HCCS' | 'NeuronLink' | 'ICI' | 'PCIe';

/** How the devices of a node reach each other without the network. */
export interface AcceleratorFabric {
  /** The fastest link between two devices of a node. */
  readonly link: FabricLink;
  /** Devices of one node that the link joins; 1 if no link joins the devices. */
  readonly island: number;
  /** Devices of the largest domain that the link spans over several nodes. @default - the link ends at the node */
  readonly domain?: number;
}

/** The node that the vendor's reference design puts the devices into. */
export interface AcceleratorHost {
  /** Devices of one node. */
  readonly devices: number;
  /** NUMA nodes that the devices are spread over evenly. @default - depends on the server */
  readonly numaNodes?: number;
}

/** Compute partition modes of AMD Instinct GPUs: 1, 2, 3, 4, or as many devices as the GPU has compute dies. */
export type AmdComputeMode = 'SPX' | 'DPX' | 'TPX' | 'QPX' | 'CPX';
/** Memory partition modes of AMD Instinct GPUs: NUMA domains per socket of the GPU. */
export type AmdMemoryMode = 'NPS1' | 'NPS2' | 'NPS4';

/** One way to partition an AMD GPU. */
export interface AmdPartition {
  /** Compute partition mode. */
  readonly compute: AmdComputeMode;
  /** Memory partition mode. */
  readonly memory: AmdMemoryMode;
  /** Devices that one GPU becomes. */
  readonly devices: number;
  /** Resource name of such a partition under the naming strategy `mixed`; `single` counts `amd.com/gpu`. */
  readonly resource: `amd.com/${string}`;
}

/** What the catalog knows about one accelerator, in the same terms for every vendor. */
export interface AcceleratorFacts<Name extends string = string> {
  /** Vendor of the device. */
  readonly vendor: AcceleratorVendor;
  /** The name in the catalog, for example `H100-SXM-80GB`. */
  readonly name: Name;
  /** Other names of the same entry: boards that share every fact, market names, instance types. */
  readonly aliases: readonly string[];
  /**
   * Words that describe the entry. A name finds the entry if all of its words are among them and one of them is a model word, so that
   * `h100 80gb sxm5` and `H100-SXM` both do.
   */
  readonly words: {
    /** Words of the model. A name must contain at least one of them. */
    readonly model: readonly string[];
    /** Words that a name may contain beside those of the model. */
    readonly detail: readonly string[];
    /** Details that a name must state: those of boards that few people have. */
    readonly required: readonly string[];
  };
  /** Values of a cloud's accelerator label. */
  readonly cloudNames: readonly string[];
  /** Nominal memory of one device in GB as it is sold; what drivers report is slightly less. */
  readonly memoryGB: number;
  /** Architecture of the chip. */
  readonly architecture: AcceleratorArchitecture;
  /** How the device is built into a node. */
  readonly formFactor: FormFactor;
  /** How the devices of a node reach each other. */
  readonly fabric: AcceleratorFabric;
  /** The node that the vendor's reference design puts the devices into. @default - depends on the server */
  readonly host?: AcceleratorHost;
  /** Extended resource of a whole device. */
  readonly resource: string;
  /** Cores of one device that can be requested by themselves. @default - none can */
  readonly cores?: number;
  /** CUDA compute capability, `major.minor`. Absent for other vendors than NVIDIA. */
  readonly computeCapability?: string;
  /** MIG profiles. Empty for GPUs without MIG and for other vendors. */
  readonly mig: readonly MigProfile[];
  /** Partition modes. Empty for GPUs that cannot be partitioned and for other vendors. */
  readonly partitions: readonly AmdPartition[];
  /** PCI device ids, four hexadecimal digits, without the vendor's (10DE NVIDIA, 1002 AMD, 1DA3 Habana). */
  readonly pciDeviceIds: readonly string[];
  /** Node label that names the accelerator. @default - nothing labels the nodes of this vendor */
  readonly productLabelKey?: string;
  /** Values of `productLabelKey`; those of NVIDIA and AMD are examples. */
  readonly productLabels: readonly string[];
  /** What is often mistaken about the device. Absent for most. */
  readonly note?: string;
}

/** An entry as its vendor's file writes it: what is empty is left out. */
export type AcceleratorEntry = Omit<
  AcceleratorFacts,
  'vendor' | 'name' | 'aliases' | 'cloudNames' | 'mig' | 'partitions' | 'pciDeviceIds' | 'productLabels' | 'words'
> & {
  readonly aliases?: readonly string[];
  /** `model words | words of detail`, separated by blanks; a detail with `!` is required. */
  readonly words: string;
  readonly cloudNames?: readonly string[];
  readonly mig?: Readonly<Record<string, number>>;
  readonly partitions?: readonly `${AmdComputeMode}/${AmdMemoryMode}`[];
  readonly pciDeviceIds?: readonly string[];
  readonly productLabels?: readonly string[];
};
