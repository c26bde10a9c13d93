/**
 * The partition mode of a node's AMD GPUs: each GPU is several devices, which the device plugin counts as one resource (naming strategy
 * `single`, with the mode in a node label) or names after the mode (`mixed`).
 *
 * Sources: ROCm k8s-device-plugin, cmd/k8s-node-labeller (label) and docs (naming strategies); modes of each GPU: the catalog.
 */
import { type AmdPartition, findAccelerator, findResource } from '../../../facts/catalog';

const MODE_LABEL = 'amd.com/compute-memory-partition';
const RESOURCE_PREFIX = 'amd.com/';

/** The mode; `undefined` for whole GPUs, other vendors, and modes that the GPU does not have. */
export function partitionOf(
  resource: string,
  model: string | undefined,
  labels: Readonly<Record<string, string>>,
): AmdPartition | undefined {
  if (model === undefined || !resource.startsWith(RESOURCE_PREFIX)) {
    return undefined;
  }
  const { partitions = [] } = findAccelerator(model) ?? {};
  const named = labels[MODE_LABEL]?.toLowerCase();
  const mode =
    partitions.find((partition) => partition.resource === resource) ??
    partitions.find((partition) => partition.resource === `${RESOURCE_PREFIX}${named ?? ''}`);
  return mode === undefined || mode.devices === 1 ? undefined : mode;
}

/** A partition that has a resource name of its own, such as `amd.com/cpx_nps4`. */
export function isPartitionResource(name: string): boolean {
  const fact = findResource(name);
  return name.startsWith(RESOURCE_PREFIX) && fact?.unit === 'slice';
}
