/**
 * AMD Instinct GPUs.
 *
 * Sources: ROCm documentation, GPU hardware specifications (memory in GiB, architecture); Linux, drivers/gpu/drm/amd/amdgpu/aqua_vanjaram.c
 * (the memory modes of each compute mode), ROCm gpu-operator, docs/dcm (NPS4 only with CPX), and ROCm/amdgpu-docs,
 * docs/gpu-partitioning/index.rst (the modes that AMD validates; notes name them); ROCm gpu-operator, NFD rules
 * (PCI ids of physical and virtual functions); ROCm k8s-device-plugin, cmd/k8s-node-labeller (labels). The nodes are selected by
 * `amd.com/gpu.device-id`, which drivers do not rename as they do the product name.
 */
import { type AcceleratorEntry } from './facts';

const instinct = {
  resource: 'amd.com/gpu',
  productLabelKey: 'amd.com/gpu.device-id',
  formFactor: 'OAM',
  fabric: { link: 'xGMI', island: 8 },
  host: { devices: 8, numaNodes: 2 },
} as const;

export const AMD = {
  MI210: {
    ...instinct,
    architecture: 'cdna2',
    formFactor: 'PCIe',
    fabric: { link: 'xGMI', island: 4 },
    host: { devices: 8, numaNodes: 2 },
    words: 'mi210 | pcie 64gb hbm2e',
    memoryGB: 64,
    pciDeviceIds: ['740F', '7410'],
    productLabels: ['740f', '7410'],
    note: 'Bridges join the cards in twos or fours.',
  },
  MI300A: {
    ...instinct,
    architecture: 'cdna3',
    formFactor: 'APU',
    fabric: { link: 'xGMI', island: 4 },
    host: { devices: 4, numaNodes: 4 },
    words: 'mi300a mi300 | apu 128gb hbm3',
    memoryGB: 128,
    partitions: ['SPX/NPS1', 'TPX/NPS1', 'CPX/NPS1'],
    pciDeviceIds: ['74A0'],
    productLabels: ['74a0'],
    note: 'AMD validates SPX/NPS1.',
  },
  MI300X: {
    ...instinct,
    architecture: 'cdna3',
    words: 'mi300x mi300 | oam 192gb hbm3 vf hf',
    memoryGB: 192,
    partitions: ['SPX/NPS1', 'DPX/NPS1', 'DPX/NPS2', 'QPX/NPS1', 'CPX/NPS1', 'CPX/NPS4'],
    pciDeviceIds: ['74A1', '74A9', '74B5', '74BD'],
    productLabels: ['74a1', '74a9', '74b5', '74bd'],
    note: 'AMD validates SPX/NPS1, DPX/NPS2, and CPX/NPS4.',
  },
  MI325X: {
    ...instinct,
    architecture: 'cdna3',
    words: 'mi325x mi325 | oam 256gb hbm3e vf',
    memoryGB: 256,
    partitions: ['SPX/NPS1', 'DPX/NPS1', 'QPX/NPS1', 'CPX/NPS1', 'CPX/NPS4'],
    pciDeviceIds: ['74A5', '74B9'],
    productLabels: ['74a5', '74b9'],
    note: 'AMD validates SPX/NPS1.',
  },
  MI350X: {
    ...instinct,
    architecture: 'cdna4',
    words: 'mi350x mi350 | oam 288gb hbm3e vf',
    memoryGB: 288,
    partitions: ['SPX/NPS1', 'DPX/NPS1', 'DPX/NPS2', 'QPX/NPS1', 'QPX/NPS2', 'CPX/NPS1', 'CPX/NPS2'],
    pciDeviceIds: ['75A0', '75B0'],
    productLabels: ['75a0', '75b0'],
    note: 'AMD validates SPX/NPS1 and DPX/NPS2.',
  },
  MI355X: {
    ...instinct,
    architecture: 'cdna4',
    words: 'mi355x mi355 | oam 288gb hbm3e vf',
    memoryGB: 288,
    partitions: ['SPX/NPS1', 'DPX/NPS1', 'DPX/NPS2', 'QPX/NPS1', 'QPX/NPS2', 'CPX/NPS1', 'CPX/NPS2'],
    pciDeviceIds: ['75A3', '75B3'],
    productLabels: ['75a3', '75b3'],
    note: 'AMD validates SPX/NPS1 and DPX/NPS2.',
  },
} as const satisfies Readonly<Record<string, AcceleratorEntry>>;
