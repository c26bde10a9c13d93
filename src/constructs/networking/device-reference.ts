/**
 * The device that belongs to a network: said once, where it is made.
 */

/** A reference to a device: a SriovNetworkNodePolicy, a device of a NicClusterPolicy, or the name of the resource. */
export type DeviceReference = string | { readonly deviceResource: string };

export function deviceResourceOf(device: DeviceReference): string {
  return typeof device === 'string' ? device : device.deviceResource;
}
