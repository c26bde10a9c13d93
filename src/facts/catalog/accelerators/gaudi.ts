/**
 * Intel Gaudi accelerators.
 *
 * Sources: Intel Gaudi documentation (memory, network ports, servers); Linux, drivers/accel/habanalabs (PCI ids, types of
 * devices); HabanaAI/gaudi-feature-discovery, collector/collector.go (labels). The base operator runs the feature discovery; the device plugin
 * alone labels nothing.
 */
import { type AcceleratorEntry } from './facts';

const gaudi = {
  resource: 'habana.ai/gaudi',
  architecture: 'gaudi',
  formFactor: 'OAM',
  // The devices of a node are joined all to all by their own Ethernet ports; the ports that are left lead to other nodes.
  fabric: { link: 'RoCE', island: 8 },
  host: { devices: 8, numaNodes: 2 },
  productLabelKey: 'habana.ai/device.type',
} as const;

export const GAUDI = {
  Gaudi2: {
    ...gaudi,
    words: 'gaudi gaudi2 hl225 | 2 96gb hbm2e oam',
    memoryGB: 96,
    pciDeviceIds: ['1020'],
    productLabels: ['GAUDI2', 'GAUDI2B', 'GAUDI2C', 'GAUDI2D'],
    note: '24 ports of 100 Gb/s Ethernet: 21 inside the node, 3 outside.',
  },
  Gaudi3: {
    ...gaudi,
    words: 'gaudi gaudi3 hl325 | 3 128gb hbm2e oam',
    memoryGB: 128,
    pciDeviceIds: ['1060'],
    productLabels: ['GAUDI3'],
    note: '24 ports of 200 Gb/s Ethernet: 21 inside the node, 3 outside.',
  },
} as const satisfies Readonly<Record<string, AcceleratorEntry>>;
