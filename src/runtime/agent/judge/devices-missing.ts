/**
 * Devices that the node should have and that the kubelet does not offer.
 */
import { type PciVendor } from '../host/pci-devices';
import { type Observation } from '../observation';
import { type Finding } from './finding';

/** Vendor on the PCI bus, by resource of whole devices. */
export const ON_BUS: Readonly<Record<string, PciVendor>> = {
  'nvidia.com/gpu': 'nvidia',
  'amd.com/gpu': 'amd',
  'habana.ai/gaudi': 'gaudi',
  'huawei.com/Ascend910': 'ascend',
  'huawei.com/Ascend310P': 'ascend',
  'aws.amazon.com/neuron': 'neuron',
  'google.com/tpu': 'tpu',
};

/** @param why what the sockets of device plugins say about it */
export function devicesMissing(
  { kubelet, pci, failures }: Observation,
  expected: ReadonlyMap<string, number>,
  why?: { readonly reason: string; readonly clause: string },
): Finding | 'fine' | 'unknown' | 'none' {
  if (expected.size === 0) {
    return 'none';
  }
  if (kubelet === undefined) {
    return failures.some(({ source }) => source === 'kubelet') ? 'unknown' : 'none';
  }
  const missing = [...expected].flatMap(([resource, count]) => {
    const there = kubelet.allocatable.filter((device) => device.resource === resource).length;
    if (there >= count) {
      return [];
    }
    const vendor = Object.hasOwn(ON_BUS, resource) ? ON_BUS[resource] : undefined;
    const onBus = pci?.accelerators.filter((device) => device.vendor === vendor).length ?? 0;
    const bus = vendor === undefined || pci === undefined ? '' : `; the PCI bus has ${onBus}`;
    return [`${there} of ${count} ${resource} are allocatable${bus}`];
  });
  return missing.length === 0
    ? 'fine'
    : {
        reason: why?.reason ?? 'DevicesMissing',
        message: [...missing, ...(why === undefined ? [] : [why.clause])].join('; '),
      };
}
