/**
 * MIG configurations of a node: what it offers when one of them is applied to all of its devices.
 */
import { migResource } from '../../facts/catalog/mig-profiles';
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE } from '../model/model';

/** Is this the resource of MIG instances of some profile? */
export function isInstanceResource(resource: string): boolean {
  return resource.startsWith('nvidia.com/mig-');
}

/** The instances of each device under the configuration; undefined if the node has no such configuration. */
export function layoutOf({ migConfigs }: ClusterNode, config: string): Readonly<Record<string, number>> | undefined {
  return migConfigs !== undefined && Object.hasOwn(migConfigs, config) ? migConfigs[config] : undefined;
}

/** The node with the configuration applied; the node as it is, if it has no such configuration. */
export function withMigConfig(node: ClusterNode, config: string): ClusterNode {
  const layout = layoutOf(node, config);
  if (layout === undefined) {
    return node;
  }
  const { devices = [], deviceResource = DEFAULT_DEVICE_RESOURCE, allocatable } = node;
  const isDivided = Object.keys(layout).length > 0;
  const amounts: Record<string, number> = Object.fromEntries(
    Object.entries(allocatable).filter(([name]) => name !== deviceResource && !isInstanceResource(name)),
  );
  if (!isDivided) {
    amounts[deviceResource] = devices.length;
  }
  for (const [profile, count] of Object.entries(layout)) {
    amounts[migResource(profile)] = count * devices.length;
  }
  return {
    ...node,
    migChange: undefined,
    allocatable: amounts,
    deviceResource,
    devices: devices.map((device) => ({ ...device, mig: isDivided ? layout : undefined })),
  };
}
