/**
 * Cards whose virtual functions the SR-IOV operator manages, by PCI vendor and device, unless its configuration adds others.
 *
 * Source: sriov-network-operator, deployment/sriov-network-operator-chart/templates/configmap.yaml (supported-nic-ids).
 */
import { type JsonObject } from '../../facts/api/schema';

export const SUPPORTED_CARDS: Readonly<Record<string, readonly string[]>> = {
  // Intel
  '8086': [
    '158a',
    '158b',
    '1572',
    '1563',
    '10c9',
    '1589',
    '1581',
    '15ff',
    '0d58',
    '1583',
    '1592',
    '1593',
    '159b',
    '1599',
    '1591',
    '188a',
    '124d',
    '124c',
    '579c',
    '579d',
    '579e',
    '12d2',
    '12d3',
  ],
  // NVIDIA
  '15b3': ['1013', '1015', '1017', '1019', '101b', '101d', '101f', '1021', '1023', 'a2d6', 'a2dc'],
  // Broadcom
  '14e4': ['16d7', '1750'],
  // QLogic
  '1077': ['1654'],
  // virtio
  '1af4': ['1000', '1041'],
  // Marvell
  '177d': ['b200', 'b100', 'b600', 'b900', 'ba00'],
};

/** The PCI id of NVIDIA (Mellanox), the only vendor whose cards have vDPA. */
export const NVIDIA_CARDS = '15b3';

/** Whether the functions of a policy are vDPA devices. */
export function hasVdpa({ vdpaType }: JsonObject): boolean {
  return vdpaType === 'virtio' || vdpaType === 'vhost';
}
