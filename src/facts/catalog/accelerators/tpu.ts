/**
 * Google TPUs as GKE offers them.
 *
 * Sources: Cloud TPU documentation, system architecture of each version (memory, interconnect, chips of a VM, NUMA nodes); GKE
 * documentation, "About TPUs in GKE" (label values). One entry is one chip.
 */
import { type AcceleratorEntry } from './facts';

const tpu = {
  resource: 'google.com/tpu',
  architecture: 'tensorcore',
  formFactor: 'instance',
  productLabelKey: 'cloud.google.com/gke-tpu-accelerator',
} as const;

export const TPU = {
  'TPU-v4': {
    ...tpu,
    fabric: { link: 'ICI', island: 4, domain: 4096 },
    host: { devices: 4 },
    words: 'tpu v4 | 4 podslice 32gb hbm',
    memoryGB: 32,
    productLabels: ['tpu-v4-podslice'],
    note: '3D torus.',
  },
  'TPU-v5e': {
    ...tpu,
    fabric: { link: 'ICI', island: 8, domain: 256 },
    host: { devices: 8, numaNodes: 2 },
    words: 'tpu v5e v5 v5lite v5litepod | lite podslice device 16gb hbm2',
    memoryGB: 16,
    productLabels: ['tpu-v5-lite-podslice', 'tpu-v5-lite-device'],
    note: '2D torus; VMs with 1, 4, or 8 chips; only those with 8 have two NUMA nodes.',
  },
  'TPU-v5p': {
    ...tpu,
    fabric: { link: 'ICI', island: 4, domain: 8960 },
    host: { devices: 4 },
    words: 'tpu v5p v5 | slice 95gb hbm2e',
    memoryGB: 95,
    productLabels: ['tpu-v5p-slice'],
    note: '3D torus.',
  },
  'TPU-v6e': {
    ...tpu,
    fabric: { link: 'ICI', island: 8, domain: 256 },
    host: { devices: 8, numaNodes: 2 },
    words: 'tpu v6e v6 trillium | slice 32gb hbm',
    memoryGB: 32,
    productLabels: ['tpu-v6e-slice'],
    note: '2D torus; VMs with 1, 4, or 8 chips.',
  },
  'TPU-v7': {
    ...tpu,
    fabric: { link: 'ICI', island: 4, domain: 9216 },
    host: { devices: 4, numaNodes: 2 },
    words: 'tpu tpu7x v7 v7x ironwood | 7 7x 192gb hbm3e',
    memoryGB: 192,
    productLabels: ['tpu7x'],
    note: '3D torus; each VM has two NUMA nodes, with two chips and a network interface each.',
  },
} as const satisfies Readonly<Record<string, AcceleratorEntry>>;
