/**
 * The GPUs that Gantry knows: memory, architecture, MIG profiles, PCI ids and how they call themselves on a node.
 *
 * Sources: mig-parted, deployments/systemd/config-default.yaml (MIG profiles, their counts, PCI ids; for the RTX PRO 6000 also
 * NVIDIA's MIG user guide); NVIDIA's product pages (nominal memory, compute capability). The product label of a node is the name that
 * NVML reports, which vendors and drivers change: the labels here are examples, and every name is open to what is not listed.
 */
import { frozen } from './frozen';
import { type MigProfile, migProfile } from './mig-profiles';

export type AcceleratorVendor = 'nvidia';

/** NVIDIA architectures, as GPU feature discovery writes them in `nvidia.com/gpu.family`. */
export type GpuArchitecture = 'volta' | 'turing' | 'ampere' | 'ada-lovelace' | 'hopper' | 'blackwell';

/** Names of the catalog's own; any other string is taken as well. */
export type KnownAccelerator =
  | 'A30'
  | 'A100-40GB'
  | 'A100-80GB'
  | 'H100-80GB'
  | 'H100-NVL'
  | 'H100-96GB'
  | 'H200'
  | 'GH200-144GB'
  | 'B200'
  | 'GB200'
  | 'B300'
  | 'GB300'
  | 'RTX-PRO-6000-Blackwell'
  | 'V100'
  | 'T4'
  | 'A10'
  | 'A40'
  | 'L4'
  | 'L40S';
export type AcceleratorName = KnownAccelerator | (string & {});

export interface AcceleratorFacts {
  readonly vendor: AcceleratorVendor;
  readonly name: KnownAccelerator;
  /** Boards that share every fact of this entry, and other spellings of its name. */
  readonly aliases: readonly string[];
  /** A label value by which a cloud calls it and which spelling rules would not find. */
  readonly cloudName?: string;
  /** Nominal memory in GB as it is sold; NVML, and with it the label `nvidia.com/gpu.memory` (MiB), says a little less. */
  readonly memoryGB: number;
  readonly architecture: GpuArchitecture;
  /** CUDA compute capability, `major.minor`. */
  readonly computeCapability: string;
  /** Empty where the GPU cannot be cut. */
  readonly mig: readonly MigProfile[];
  /** PCI device ids, four hexadecimal digits; NVIDIA's vendor id is 10DE. Only known for GPUs with MIG. */
  readonly pciDeviceIds: readonly string[];
  /** Examples of the node label `nvidia.com/gpu.product`. */
  readonly productLabels: readonly string[];
  readonly note?: string;
}

type Facts = Omit<AcceleratorFacts, 'vendor' | 'name' | 'mig' | 'pciDeviceIds'> & {
  readonly mig?: Readonly<Record<string, number>>;
  readonly pciDeviceIds?: readonly string[];
};

const NVIDIA: Readonly<Record<KnownAccelerator, Facts>> = {
  A30: {
    aliases: [],
    memoryGB: 24,
    architecture: 'ampere',
    computeCapability: '8.0',
    mig: { '1g.6gb': 4, '1g.6gb+me': 1, '2g.12gb': 2, '2g.12gb+me': 1, '4g.24gb': 1 },
    pciDeviceIds: ['20B7'],
    productLabels: ['NVIDIA-A30'],
  },
  'A100-40GB': {
    aliases: ['A800-40GB', 'A100-SXM4-40GB', 'A100-PCIE-40GB'],
    cloudName: 'nvidia-tesla-a100',
    memoryGB: 40,
    architecture: 'ampere',
    computeCapability: '8.0',
    mig: { '1g.5gb': 7, '1g.5gb+me': 1, '1g.10gb': 4, '2g.10gb': 3, '3g.20gb': 2, '4g.20gb': 1, '7g.40gb': 1 },
    pciDeviceIds: ['20B0', '20B1', '20F1', '20F6'],
    productLabels: ['NVIDIA-A100-SXM4-40GB', 'NVIDIA-A100-PCIE-40GB'],
  },
  'A100-80GB': {
    aliases: ['A800-80GB', 'A100-SXM4-80GB', 'A100-80GB-PCIe', 'A800-SXM4-80GB'],
    memoryGB: 80,
    architecture: 'ampere',
    computeCapability: '8.0',
    mig: { '1g.10gb': 7, '1g.10gb+me': 1, '1g.20gb': 4, '2g.20gb': 3, '3g.40gb': 2, '4g.40gb': 1, '7g.80gb': 1 },
    pciDeviceIds: ['20B2', '20B5', '20F3', '20F5'],
    productLabels: ['NVIDIA-A100-SXM4-80GB', 'NVIDIA-A100-80GB-PCIe'],
  },
  'H100-80GB': {
    aliases: [
      'H100',
      'H800',
      'H800-80GB',
      'H100-80GB-HBM3',
      'H100-SXM',
      'H100-SXM5',
      'H100-SXM-80GB',
      'H100-SXM5-80GB',
      'H100-PCIe',
    ],
    memoryGB: 80,
    architecture: 'hopper',
    computeCapability: '9.0',
    mig: { '1g.10gb': 7, '1g.10gb+me': 1, '1g.20gb': 4, '2g.20gb': 3, '3g.40gb': 2, '4g.40gb': 1, '7g.80gb': 1 },
    pciDeviceIds: ['2330', '2331', '2322', '2324'],
    productLabels: ['NVIDIA-H100-80GB-HBM3', 'NVIDIA-H100-PCIe'],
  },
  'H100-NVL': {
    aliases: ['H800-NVL', 'H100-94GB'],
    memoryGB: 94,
    architecture: 'hopper',
    computeCapability: '9.0',
    mig: { '1g.12gb': 7, '1g.12gb+me': 1, '1g.24gb': 4, '2g.24gb': 3, '3g.47gb': 2, '4g.47gb': 1, '7g.94gb': 1 },
    pciDeviceIds: ['2321', '233A'],
    productLabels: ['NVIDIA-H100-NVL'],
  },
  'H100-96GB': {
    aliases: ['GH200', 'GH200-96GB', 'GH200-480GB', 'H20'],
    memoryGB: 96,
    architecture: 'hopper',
    computeCapability: '9.0',
    mig: { '1g.12gb': 7, '1g.12gb+me': 1, '1g.24gb': 4, '2g.24gb': 3, '3g.48gb': 2, '4g.48gb': 1, '7g.96gb': 1 },
    pciDeviceIds: ['2342', '233D', '2329'],
    productLabels: ['NVIDIA-GH200-480GB', 'NVIDIA-H20'],
  },
  H200: {
    aliases: ['H200-141GB', 'H200-NVL', 'H200-SXM'],
    memoryGB: 141,
    architecture: 'hopper',
    computeCapability: '9.0',
    mig: { '1g.18gb': 7, '1g.18gb+me': 1, '1g.35gb': 4, '2g.35gb': 3, '3g.71gb': 2, '4g.71gb': 1, '7g.141gb': 1 },
    pciDeviceIds: ['2335', '233B'],
    productLabels: ['NVIDIA-H200', 'NVIDIA-H200-NVL'],
  },
  'GH200-144GB': {
    aliases: ['GH200-144G-HBM3e'],
    memoryGB: 144,
    architecture: 'hopper',
    computeCapability: '9.0',
    mig: { '1g.18gb': 7, '1g.18gb+me': 1, '1g.36gb': 4, '2g.36gb': 3, '3g.72gb': 2, '4g.72gb': 1, '7g.144gb': 1 },
    pciDeviceIds: ['2348'],
    productLabels: ['NVIDIA-GH200-144G-HBM3e'],
  },
  B200: {
    aliases: ['B200-180GB'],
    memoryGB: 180,
    architecture: 'blackwell',
    computeCapability: '10.0',
    mig: { '1g.23gb': 7, '1g.23gb+me': 1, '1g.45gb': 4, '2g.45gb': 3, '3g.90gb': 2, '4g.90gb': 1, '7g.180gb': 1 },
    pciDeviceIds: ['2901'],
    productLabels: ['NVIDIA-B200'],
  },
  GB200: {
    aliases: ['GB200-NVL72', 'GB200-186GB'],
    memoryGB: 186,
    architecture: 'blackwell',
    computeCapability: '10.0',
    mig: { '1g.23gb': 7, '1g.23gb+me': 1, '1g.47gb': 4, '2g.47gb': 3, '3g.93gb': 2, '4g.93gb': 1, '7g.186gb': 1 },
    pciDeviceIds: ['2941'],
    productLabels: ['NVIDIA-GB200'],
    note: 'Older drivers name the large profiles 3g.95gb, 4g.95gb and 7g.189gb.',
  },
  B300: {
    aliases: ['B300-SXM6-AC', 'B300-269GB'],
    memoryGB: 269,
    architecture: 'blackwell',
    computeCapability: '10.3',
    mig: { '1g.34gb': 7, '1g.34gb+me': 1, '1g.67gb': 4, '2g.67gb': 3, '3g.135gb': 2, '4g.135gb': 1, '7g.269gb': 1 },
    pciDeviceIds: ['3182'],
    productLabels: ['NVIDIA-B300-SXM6-AC'],
  },
  GB300: {
    aliases: ['GB300-NVL72', 'GB300-278GB'],
    memoryGB: 278,
    architecture: 'blackwell',
    computeCapability: '10.3',
    mig: { '1g.35gb': 7, '1g.35gb+me': 1, '1g.70gb': 4, '2g.70gb': 3, '3g.139gb': 2, '4g.139gb': 1, '7g.278gb': 1 },
    pciDeviceIds: ['31C2'],
    productLabels: ['NVIDIA-GB300'],
  },
  'RTX-PRO-6000-Blackwell': {
    aliases: ['RTX-PRO-6000', 'RTX-PRO-6000-Blackwell-Server-Edition', 'RTX-PRO-6000-Blackwell-Workstation-Edition'],
    memoryGB: 96,
    architecture: 'blackwell',
    computeCapability: '12.0',
    mig: {
      '1g.24gb': 4,
      '1g.24gb+me': 1,
      '1g.24gb+gfx': 4,
      '1g.24gb-me': 4,
      '1g.24gb+me.all': 1,
      '2g.48gb': 2,
      '2g.48gb+gfx': 2,
      '2g.48gb-me': 2,
      '2g.48gb+me.all': 1,
      '4g.96gb': 1,
      '4g.96gb+gfx': 1,
    },
    pciDeviceIds: ['2BB5'],
    productLabels: ['NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition'],
  },
  V100: {
    aliases: ['V100-32GB', 'V100-SXM2-32GB', 'V100-PCIE-32GB'],
    memoryGB: 32,
    architecture: 'volta',
    computeCapability: '7.0',
    productLabels: ['Tesla-V100-SXM2-32GB'],
    note: 'Also sold with 16 GB.',
  },
  T4: { aliases: [], memoryGB: 16, architecture: 'turing', computeCapability: '7.5', productLabels: ['Tesla-T4'] },
  A10: { aliases: [], memoryGB: 24, architecture: 'ampere', computeCapability: '8.6', productLabels: ['NVIDIA-A10'] },
  A40: { aliases: [], memoryGB: 48, architecture: 'ampere', computeCapability: '8.6', productLabels: ['NVIDIA-A40'] },
  L4: {
    aliases: [],
    memoryGB: 24,
    architecture: 'ada-lovelace',
    computeCapability: '8.9',
    productLabels: ['NVIDIA-L4'],
  },
  L40S: {
    aliases: [],
    memoryGB: 48,
    architecture: 'ada-lovelace',
    computeCapability: '8.9',
    productLabels: ['NVIDIA-L40S'],
  },
};

/** Every accelerator of the catalog: GPUs with MIG first, each group from older to newer. */
export const ACCELERATORS: readonly AcceleratorFacts[] = frozen(
  (Object.entries(NVIDIA) as [KnownAccelerator, Facts][]).map(([name, { mig = {}, pciDeviceIds = [], ...facts }]) => ({
    vendor: 'nvidia' as const,
    name,
    ...facts,
    mig: Object.entries(mig).map(([profile, count]) => migProfile(profile, count)),
    pciDeviceIds,
  })),
);

const byKey = new Map<string, AcceleratorFacts>();
for (const accelerator of ACCELERATORS) {
  for (const name of [
    accelerator.name,
    ...accelerator.aliases,
    ...accelerator.productLabels,
    ...accelerator.pciDeviceIds,
  ]) {
    byKey.set(keyOf(name), accelerator);
  }
}

/**
 * The accelerator of this name, whichever way it is spelt: `H100-80GB`, `nvidia h100 80gb`, the product label of a node
 * (`NVIDIA-H100-80GB-HBM3-MIG-1g.10gb`), a cloud's label value (`nvidia-tesla-t4`) or a PCI device id (`0x233010DE`, `10de:2330`).
 *
 * A name that several entries share (`A100` comes with 40 and with 80 GB) finds none: see `acceleratorsLike`.
 */
export function findAccelerator(name: AcceleratorName): AcceleratorFacts | undefined {
  return ACCELERATORS.find((accelerator) => accelerator.cloudName === name) ?? byKey.get(keyOf(name));
}

/** Every accelerator whose name, alias or label contains these words, catalog order: `A100` finds both sizes. */
export function acceleratorsLike(name: string): readonly AcceleratorFacts[] {
  const key = keyOf(name);
  const exact = byKey.get(key);
  if (key === '') {
    return [];
  }
  const near = ACCELERATORS.filter((accelerator) =>
    [accelerator.name, ...accelerator.aliases, ...accelerator.productLabels].some((known) =>
      keyOf(known).startsWith(key),
    ),
  );
  return exact && !near.includes(exact) ? [exact] : near;
}

/** The MIG profiles of an accelerator; empty where it cannot be cut, or is not in the catalog. */
export function migProfiles(name: AcceleratorName): readonly MigProfile[] {
  return findAccelerator(name)?.mig ?? [];
}

/** What remains of a name when spelling is taken away: case, separators, the vendor, sharing and MIG suffixes. */
function keyOf(name: string): string {
  const pci = /^(?:0x)?([0-9a-f]{4})10de$|^10de:([0-9a-f]{4})$/i.exec(name.trim());
  if (pci) {
    return (pci[1] ?? pci[2]).toLowerCase();
  }
  return name
    .trim()
    .replace(/-SHARED$/i, '')
    .replace(/-MIG-\d+(?:c\.\d+)?g\.\d+gb.*$/i, '')
    .toLowerCase()
    .replace(/\b(?:nvidia|tesla)\b/g, '')
    .replace(/[^a-z0-9]/g, '');
}
