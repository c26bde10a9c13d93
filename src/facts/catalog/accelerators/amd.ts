/**
 * AMD Instinct GPUs.
 *
 * Sources: ROCm documentation, GPU hardware specifications (memory in GiB, architecture); Linux, drivers/gpu/drm/amd/amdgpu/aqua_vanjaram.c
 * (the memory modes of each compute mode), ROCm gpu-operator, docs/dcm (NPS4 only with CPX), and ROCm/amdgpu-docs,
 * docs/gpu-partitioning/index.rst (the modes that AMD validates; notes name them); ROCm gpu-operator, NFD rules
 * (PCI ids of physical and virtual functions); ROCm k8s-device-plugin, cmd/k8s-node-labeller (labels); Instinct documentation, system
 * acceptance of the MI250 and MI250X (dies, memory, nodes); rocprofiler-compute, src/utils/mi_gpu_spec.yaml (compute dies of the MI308X,
 * whose memory is what ROCm tools report, because AMD publishes no data sheet). The nodes are selected by `amd.com/gpu.device-id`, which
 * drivers do not rename as they do the product name.
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
  MI250: {
    ...instinct,
    architecture: 'cdna2',
    aliases: ['MI250X'],
    words: 'mi250 mi250x | oam gcd 64gb 128gb hbm2e',
    memoryGB: 64,
    pciDeviceIds: ['7408', '740C'],
    productLabels: ['7408', '740c'],
    note: 'Each of the two dies of a module is a device, and memory is that of one die. The MI250X has the same label, and modules of it are also joined in eights.',
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
  MI308X: {
    ...instinct,
    architecture: 'cdna3',
    words: 'mi308x mi308 | oam 192gb hbm3 vf hf',
    memoryGB: 192,
    partitions: ['SPX/NPS1', 'DPX/NPS1', 'CPX/NPS1', 'CPX/NPS4'],
    pciDeviceIds: ['74A2', '74A8', '74B6', '74BC'],
    productLabels: ['74a2', '74a8', '74b6', '74bc'],
    note: 'It has four compute dies. AMD does not say which partition modes it validates.',
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
