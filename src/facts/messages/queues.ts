/**
 * Messages of Volcano and Kueue. Source: Volcano, pkg/scheduler; Kueue, pkg/scheduler and pkg/controller/core.
 */
import { type KnownMessage } from './known-message';

export const QUEUE_MESSAGES: readonly KnownMessage[] = [
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
    format:
      'insufficient quota for %s in flavor %s, previously considered podsets requests (%s) + current podset request (%s) > maximum capacity (%s)',
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
    id: 'kueue/cluster-queue-missing',
    component: 'kueue',
    format: "ClusterQueue %s doesn't exist",
    pattern: /ClusterQueue \S+ doesn't exist/,
    cause: 'The LocalQueue of the workload names a ClusterQueue that does not exist.',
    verify: 'kubectl get localqueue NAME -n NAMESPACE -o yaml: spec.clusterQueue; kubectl get clusterqueues',
    remedy: 'Create the ClusterQueue, or create the LocalQueue again: spec.clusterQueue cannot be changed.',
  },
  {
    id: 'kueue/cluster-queue-inactive',
    component: 'kueue',
    format: 'ClusterQueue %s is inactive',
    pattern: /ClusterQueue \S+ is inactive/,
    cause: 'A flavor, admission check, or topology of the ClusterQueue is missing, or the queue is stopped.',
    verify: 'kubectl get clusterqueue NAME -o yaml: the condition Active',
    remedy: 'Create what the condition names, or remove spec.stopPolicy.',
  },
  {
    id: 'kueue/queue-stopped',
    component: 'kueue',
    format: 'ClusterQueue %s is stopped',
    pattern: /(ClusterQueue|LocalQueue) \S+ is stopped/,
    cause: 'spec.stopPolicy of the queue holds workloads back.',
    verify: 'kubectl get clusterqueue NAME -o yaml; kubectl get localqueue NAME -n NAMESPACE -o yaml',
    remedy: 'Remove spec.stopPolicy, or set it to None.',
  },
  {
    id: 'kueue/preempted',
    component: 'kueue',
    format:
      'Preempted to accommodate a workload (UID: %s, JobUID: %s) due to %s; preemptor path: %s; preemptee path: %s',
    pattern: /Preempted to accommodate a workload/,
    cause:
      'Kueue evicted the workload in favor of one with higher priority, or of a queue that takes back its nominal quota.',
    verify: 'kubectl get workload NAME -n NAMESPACE -o yaml: the conditions Evicted and Preempted',
    remedy: 'It is queued again. Give it quota of its own, or a WorkloadPriorityClass, if it must not be evicted.',
  },
  {
    id: 'kueue/flavor-taint',
    component: 'kueue',
    format: 'untolerated taint %s in flavor %s',
    pattern: /untolerated taint .* in flavor/,
    cause: 'The ResourceFlavor has a taint that neither the workload nor the flavor tolerates.',
    verify: 'kubectl get resourceflavor NAME -o yaml: spec.nodeTaints, spec.tolerations',
    remedy: 'Add the toleration to the flavor, if all its workloads may run there, or to the pod template.',
  },
  {
    id: 'kueue/flavor-affinity',
    component: 'kueue',
    format: "flavor %s doesn't match node affinity",
    pattern: /flavor \S+ doesn't match node affinity/,
    cause: 'The node selector or affinity of the workload asks for a label value that the flavor does not have.',
    verify: 'kubectl get resourceflavor NAME -o yaml: spec.nodeLabels',
    remedy: 'Correct the selector, or remove it: the flavor adds its labels to the pods.',
  },
  {
    id: 'kueue/flavor-resource',
    component: 'kueue',
    format: 'flavor %s does not provide resource %s',
    pattern: /flavor \S+ does not provide resource/,
    cause: 'The ClusterQueue states no quota for the resource in this flavor.',
    verify: 'kubectl get clusterqueue NAME -o yaml: resourceGroups[].coveredResources',
    remedy: 'Add the resource with its quota to the resource group of the flavor.',
  },
];
