/**
 * Which nodes belong together for people: by the labels of node pools, else by what they are.
 */
import { GANTRY_NODE_PROFILE_LABEL, VENDORS, vendorOfResource } from '../../../facts/catalog';
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE } from '../../../placement';

/** Labels by which clouds, autoscalers, and Gantry's node profiles name pools. */
const POOL_LABELS = [
  'cloud.google.com/gke-nodepool',
  'eks.amazonaws.com/nodegroup',
  'karpenter.sh/nodepool',
  'kubernetes.azure.com/agentpool',
  'agentpool',
  'alibabacloud.com/nodepool-id',
  'node.kubernetes.io/nodepool',
  'node-pool',
  'nodepool',
  GANTRY_NODE_PROFILE_LABEL,
] as const;

/** The value of the first pool label that the node has. */
export function labeledPool(labels: Readonly<Record<string, string>>): string | undefined {
  return POOL_LABELS.map((key) => labels[key]).find((value) => value !== undefined && value !== '');
}

/** The pool's label; without one, the model and number of devices, the instance type, or `cpu`. */
export function poolName({ labels = {}, devices = [], deviceResource, allocatable }: ClusterNode): string {
  const named = labeledPool(labels);
  if (named !== undefined) {
    return named;
  }
  const count = devices.length > 0 ? devices.length : (allocatable[deviceResource ?? DEFAULT_DEVICE_RESOURCE] ?? 0);
  if (count > 0) {
    return `${devices[0]?.model ?? deviceTitle(deviceResource ?? DEFAULT_DEVICE_RESOURCE)} x ${count}`;
  }
  return labels['node.kubernetes.io/instance-type'] ?? 'cpu';
}

/** What people call the devices of a resource where nothing names their model: the vendor's name, else the resource. */
function deviceTitle(resource: string): string {
  const vendor = vendorOfResource(resource);
  return vendor === undefined ? resource : `${VENDORS[vendor].title} ${VENDORS[vendor].device}`;
}
