/**
 * Every accelerator that the catalog knows, NVIDIA first.
 */
import { frozen } from '../frozen';
import { migProfile } from '../mig-profiles';
import { AMD } from './amd';
import { ASCEND } from './ascend';
import {
  type AcceleratorEntry,
  type AcceleratorFacts,
  type AcceleratorVendor,
  type AmdComputeMode,
  type AmdMemoryMode,
  type AmdPartition,
} from './facts';
import { GAUDI } from './gaudi';
import { NEURON } from './neuron';
import { NVIDIA } from './nvidia';
import { TPU } from './tpu';

const TABLES = { nvidia: NVIDIA, amd: AMD, intel: GAUDI, huawei: ASCEND, aws: NEURON, google: TPU } as const;

/** Names of the catalog. */
export type KnownAccelerator = {
  [Vendor in keyof typeof TABLES]: Extract<keyof (typeof TABLES)[Vendor], string>;
}[keyof typeof TABLES];

/** A name of the catalog, or any other spelling of one: `findAccelerator` reads it. */
export type AcceleratorName = KnownAccelerator | (string & {});

/** The facts of an accelerator whose name the catalog lists. */
export type KnownAcceleratorFacts = AcceleratorFacts<KnownAccelerator>;

/** Compute dies of one GPU; all others that can be partitioned have eight. */
const DIES = { MI300A: 6, MI308X: 4 } as Readonly<Partial<Record<KnownAccelerator, number>>>;

/** Every accelerator of the catalog, by vendor; of each vendor from older to newer. */
export const ACCELERATORS: readonly KnownAcceleratorFacts[] = frozen(
  Object.entries(TABLES).flatMap(([vendor, table]) =>
    Object.entries<AcceleratorEntry>(table).map(([name, entry]) =>
      completed(vendor as AcceleratorVendor, name as KnownAccelerator, entry),
    ),
  ),
);

function completed(vendor: AcceleratorVendor, name: KnownAccelerator, entry: AcceleratorEntry): KnownAcceleratorFacts {
  const { aliases, words, cloudNames, mig, partitions, pciDeviceIds, productLabels, ...facts } = entry;
  const [model = '', detail = ''] = words.split('|');
  const details = detail.trim().split(' ');
  return {
    vendor,
    name,
    ...facts,
    aliases: aliases ?? [],
    words: {
      model: model.trim().split(' '),
      detail: details.map((word) => word.replace('!', '')),
      required: details.filter((word) => word.endsWith('!')).map((word) => word.replace('!', '')),
    },
    cloudNames: cloudNames ?? [],
    mig: Object.entries(mig ?? {}).map(([profile, count]) => migProfile(profile, count)),
    partitions: (partitions ?? []).map((modes) => partition(modes, name)),
    pciDeviceIds: pciDeviceIds ?? [],
    productLabels: productLabels ?? [],
  };
}

function partition(modes: string, gpu: KnownAccelerator): AmdPartition {
  const [compute, memory] = modes.split('/') as [AmdComputeMode, AmdMemoryMode];
  const devices = { SPX: 1, DPX: 2, TPX: 3, QPX: 4, CPX: DIES[gpu] ?? 8 }[compute];
  return { compute, memory, devices, resource: `amd.com/${compute.toLowerCase()}_${memory.toLowerCase()}` };
}
