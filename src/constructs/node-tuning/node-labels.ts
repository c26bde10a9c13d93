/**
 * Which labels a kubelet may put on its own node.
 *
 * Source: kubernetes, cmd/kubelet/app/options (ValidateKubeletFlags); k8s.io/kubelet, pkg/apis/well_known_labels.go.
 */
const SET_BY_KUBELET: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);

/** Whether the key lies in a domain that Kubernetes keeps for itself: kubernetes.io, k8s.io and everything below. */
export function isReservedKey(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return /(^|\.)(kubernetes|k8s)\.io$/.test(domain);
}

/** Whether `--node-labels` may name the key. */
export function isKubeletLabel(key: string): boolean {
  return !isReservedKey(key) || SET_BY_KUBELET.has(key) || /(^|\.)(kubelet|node)\.kubernetes\.io\//.test(key);
}
