/**
 * Messages of schedulers, controllers, and the kubelet that say why work does not run: what each means, how to verify it, and what helps.
 *
 * `format` is the text as the program prints it, with Go's verbs; a test compares the pattern with it.
 */

/** A message that Gantry knows. */
export interface KnownMessage {
  /** Stable name: `component/what`. */
  readonly id: string;
  readonly component: string;
  /** The text in the source of the component, with Go's verbs for what varies. */
  readonly format: string;
  readonly pattern: RegExp;
  readonly cause: string;
  readonly verify: string;
  readonly remedy: string;
}

export const KNOWN_MESSAGES: readonly KnownMessage[] = [
  {
    id: 'kube-scheduler/taint',
    component: 'kube-scheduler',
    format: 'node(s) had untolerated taint {%s: %s}',
    pattern: /node\(s\) had untolerated taint/,
    cause: 'The nodes have a taint that the pod does not tolerate.',
    verify: 'kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints',
    remedy:
      'Add a toleration for the taint to the pod template, or remove the taint if the nodes are meant for all pods.',
  },
  {
    id: 'kube-scheduler/node-affinity',
    component: 'kube-scheduler',
    format: "node(s) didn't match Pod's node affinity/selector",
    pattern: /node\(s\) didn't match Pod's node affinity\/selector/,
    cause: 'No node has the labels that nodeSelector or the required node affinity of the pod demands.',
    verify:
      'kubectl get nodes --show-labels, and compare with spec.nodeSelector and spec.affinity.nodeAffinity of the pod',
    remedy:
      'Correct the label in the selector, or label the nodes. Labels of GPU Feature Discovery are missing while its pods do not run.',
  },
  {
    id: 'kube-scheduler/insufficient-device',
    component: 'kube-scheduler',
    format: 'Insufficient %v',
    pattern: /Insufficient [a-z0-9.-]+\.[a-z]+\/[A-Za-z0-9._-]+/,
    cause: 'Too few devices of this resource are free on any one node, or no node offers the resource at all.',
    verify: 'kubectl describe nodes: compare Allocatable with Allocated resources for this resource',
    remedy:
      'Request fewer devices per pod, wait or add nodes. If Allocatable lacks the resource, repair the device plugin on the node.',
  },
  {
    id: 'kube-scheduler/insufficient-resource',
    component: 'kube-scheduler',
    format: 'Insufficient %v',
    pattern: /Insufficient (cpu|memory|ephemeral-storage|pods)\b/,
    cause:
      'The requests of the pods on each candidate node leave too little of this resource. Requests count, not use.',
    verify: 'kubectl describe nodes: Allocated resources',
    remedy: 'Lower the requests of the pod or of others on the node, or add nodes.',
  },
  {
    id: 'kube-scheduler/anti-affinity',
    component: 'kube-scheduler',
    format: "node(s) didn't satisfy existing pods anti-affinity rules",
    pattern: /node\(s\) didn't satisfy existing pods anti-affinity rules/,
    cause: 'A pod that runs on the node has a required anti-affinity term that excludes the new pod.',
    verify:
      'kubectl get pods -A -o yaml, and look for podAntiAffinity whose selector matches the labels of the new pod',
    remedy: 'Use preferred anti-affinity, change the labels, or add nodes in other domains.',
  },
  {
    id: 'kube-scheduler/no-victims',
    component: 'kube-scheduler',
    format: 'No preemption victims found for incoming pod',
    pattern: /No preemption victims found for incoming pod/,
    cause: 'No pods of lower priority whose eviction would make room run on the nodes.',
    verify:
      'kubectl get pods -A --field-selector spec.nodeName=NODE -o custom-columns=NAME:.metadata.name,PRIORITY:.spec.priority',
    remedy: 'Give the pod a higher priority class only if it is more important than what runs. Else wait or add nodes.',
  },
  {
    id: 'kube-scheduler/unbound-claims',
    component: 'kube-scheduler',
    format: 'pod has unbound immediate PersistentVolumeClaims',
    pattern: /pod has unbound immediate PersistentVolumeClaims/,
    cause: 'A PersistentVolumeClaim of the pod has no volume, and its class binds before pods are placed.',
    verify: 'kubectl describe pvc: the events state why no volume was provisioned',
    remedy:
      'Correct the storage class or its provisioner, or create a matching volume. Prefer volumeBindingMode WaitForFirstConsumer.',
  },
  {
    id: 'volcano/gang-unschedulable',
    component: 'volcano',
    format: '%v/%v tasks in gang unschedulable: %v',
    pattern: /\d+\/\d+ tasks in gang unschedulable/,
    cause: 'Fewer pods than minMember (minAvailable) of the PodGroup could be placed, so Volcano starts none.',
    verify:
      'kubectl describe podgroup, and the PodScheduled condition of its pods, which names the nodes and resources',
    remedy: 'Free devices for the whole gang, lower minMember if the job works with fewer pods, or relax its topology.',
  },
  {
    id: 'volcano/queue-quota',
    component: 'volcano',
    format: 'queue resource quota insufficient',
    pattern: /queue resource quota insufficient/,
    cause:
      'The minResources of the PodGroup exceed what the queue may still use: its capability, or what other queues are guaranteed.',
    verify:
      'kubectl get queue NAME -o yaml: compare spec.capability and status.allocated with spec.minResources of the PodGroup',
    remedy: 'Raise spec.capability of the queue and its parents, wait until jobs of the queue end, or request less.',
  },
  {
    id: 'kueue/no-flavor',
    component: 'kueue',
    format: "couldn't assign flavors to pod set %s: %s",
    pattern: /couldn't assign flavors to pod set/,
    cause: 'No resource flavor of the ClusterQueue has quota, labels, or topology for the pod set.',
    verify: 'kubectl describe workload: the rest of the message gives the reason for each flavor',
    remedy: 'Act on the reason that follows in the message.',
  },
  {
    id: 'kueue/unused-quota',
    component: 'kueue',
    format: 'insufficient unused quota for %s in flavor %s, %s more needed',
    pattern: /insufficient unused quota for \S+ in flavor \S+/,
    cause: 'The quota is large enough, but admitted workloads use it.',
    verify: 'kubectl get clusterqueue NAME -o yaml: status.flavorsReservation',
    remedy: 'Wait, allow borrowing in a cohort, or allow preemption in spec.preemption of the ClusterQueue.',
  },
  {
    id: 'kueue/quota-too-small',
    component: 'kueue',
    format: 'insufficient quota for %s in flavor %s, request > maximum capacity (%s > %s)',
    pattern: /insufficient quota for \S+ in flavor \S+/,
    cause: 'The request exceeds all that the ClusterQueue can ever have of the flavor, borrowing included.',
    verify:
      'kubectl get clusterqueue NAME -o yaml: nominalQuota and borrowingLimit of the flavor, and those of the cohort',
    remedy: 'Raise nominalQuota or borrowingLimit, or lower the request. Waiting does not help.',
  },
  {
    id: 'kueue/local-queue-missing',
    component: 'kueue',
    format: "LocalQueue %s doesn't exist",
    pattern: /LocalQueue \S* ?doesn't exist/,
    cause: 'The label kueue.x-k8s.io/queue-name names a LocalQueue that is not in the namespace of the workload.',
    verify: 'kubectl get localqueues -n NAMESPACE',
    remedy: 'Correct the label, or create the LocalQueue in the namespace.',
  },
  {
    id: 'kubelet/allocate-failed',
    component: 'kubelet',
    format: 'Allocate failed due to %v, which is unexpected',
    pattern: /Allocate failed due to/,
    cause:
      'The kubelet accepted the pod, and the device plugin then refused the devices: its state differs from the state of the kubelet, or the request is one that it does not serve.',
    verify: 'kubectl logs of the device plugin pod on the node, and kubectl get node NODE -o yaml: status.allocatable',
    remedy:
      'Delete the failed pod, which is not started again. Restart the device plugin of the node if it happens repeatedly.',
  },
  {
    id: 'kube-apiserver/quota',
    component: 'kube-apiserver',
    format: 'exceeded quota: %s, requested: %s, used: %s, limited: %s',
    pattern: /exceeded quota: \S+, requested:/i,
    cause: 'The pod would exceed a ResourceQuota of its namespace, so it was not created.',
    verify: 'kubectl describe resourcequota -n NAMESPACE',
    remedy: 'Raise spec.hard of the quota, lower the requests, or wait until pods of the namespace end.',
  },
];

/** The messages that a text contains, in the order of the table. */
export function messagesIn(text: string): readonly KnownMessage[] {
  return KNOWN_MESSAGES.filter(({ pattern }) => pattern.test(text));
}
