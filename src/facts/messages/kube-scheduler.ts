/**
 * Messages of kube-scheduler. Source: Kubernetes 1.36, pkg/scheduler/framework/plugins.
 */
import { type KnownMessage } from './known-message';

export const KUBE_SCHEDULER_MESSAGES: readonly KnownMessage[] = [
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
    id: 'kube-scheduler/topology-spread',
    component: 'kube-scheduler',
    format: "node(s) didn't match pod topology spread constraints",
    pattern: /node\(s\) didn't match pod topology spread constraints/,
    cause:
      'The pod would make the difference between domains larger than maxSkew, with whenUnsatisfiable DoNotSchedule.',
    verify:
      'kubectl get pod POD -o yaml: spec.topologySpreadConstraints; compare the number of matching pods in each domain',
    remedy: 'Raise maxSkew, set whenUnsatisfiable to ScheduleAnyway, or add nodes in the domains with the fewest pods.',
  },
  {
    id: 'kube-scheduler/affinity',
    component: 'kube-scheduler',
    format: "node(s) didn't match pod affinity rules",
    pattern: /node\(s\) didn't match pod affinity rules/,
    cause: 'No node is in a domain with a pod that the required pod affinity selects.',
    verify: 'kubectl get pod POD -o yaml: spec.affinity.podAffinity; kubectl get pods -A -l SELECTOR -o wide',
    remedy: 'Correct the selector or its namespaces, start the other pods first, or use preferred affinity.',
  },
  {
    id: 'kube-scheduler/own-anti-affinity',
    component: 'kube-scheduler',
    format: "node(s) didn't match pod anti-affinity rules",
    pattern: /node\(s\) didn't match pod anti-affinity rules/,
    cause: 'Pods that the required anti-affinity of this pod excludes run in the domain of each node.',
    verify: 'kubectl get pod POD -o yaml: spec.affinity.podAntiAffinity; kubectl get pods -A -l SELECTOR -o wide',
    remedy: 'Use preferred anti-affinity, or add nodes: one domain holds one such pod.',
  },
  {
    id: 'kube-scheduler/unschedulable-nodes',
    component: 'kube-scheduler',
    format: 'node(s) were unschedulable',
    pattern: /node\(s\) were unschedulable/,
    cause: 'The nodes are cordoned.',
    verify: 'kubectl get nodes: SchedulingDisabled',
    remedy: 'Run kubectl uncordon NODE if the maintenance is over.',
  },
  {
    id: 'kube-scheduler/host-ports',
    component: 'kube-scheduler',
    format: "node(s) didn't have free ports for the requested pod ports",
    pattern: /node\(s\) didn't have free ports/,
    cause: 'A pod with the same hostPort, or with hostNetwork and the same port, runs on each node.',
    verify: 'kubectl get pods -A -o wide, and compare hostPort and hostNetwork',
    remedy: 'Remove hostPort from the pod, or use another port.',
  },
  {
    id: 'kube-scheduler/volume-node-affinity',
    component: 'kube-scheduler',
    format: "node(s) didn't match PersistentVolume's node affinity",
    pattern: /node\(s\) (had volume node affinity conflict|didn't match PersistentVolume's node affinity)/,
    cause: 'The volume of the pod can be used in one zone or on one node only, and the pod cannot run there.',
    verify: 'kubectl get pv NAME -o yaml: spec.nodeAffinity',
    remedy: 'Make room on nodes of that zone, or create the volume again with volumeBindingMode WaitForFirstConsumer.',
  },
  {
    id: 'kube-scheduler/volume-count',
    component: 'kube-scheduler',
    format: 'node(s) exceed max volume count',
    pattern: /node\(s\) exceed max volume count/,
    cause: 'The nodes have as many volumes attached as their CSI driver allows.',
    verify: 'kubectl get csinode NODE -o yaml: spec.drivers[].allocatable.count',
    remedy: 'Spread pods with volumes over more nodes, or use fewer and larger volumes.',
  },
  {
    id: 'kube-scheduler/read-write-once-pod',
    component: 'kube-scheduler',
    format:
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    pattern: /ReadWriteOncePod access mode already in-use/,
    cause: 'Another pod uses the claim, and its access mode allows one pod.',
    verify: 'kubectl describe pvc NAME: Used By',
    remedy: 'Delete the other pod, or use ReadWriteMany if the storage supports it.',
  },
  {
    id: 'kube-scheduler/claims-not-allocated',
    component: 'kube-scheduler',
    format: 'cannot allocate all claims',
    pattern: /cannot allocate all claims/,
    cause: 'No set of free devices on the node satisfies all ResourceClaims of the pod at once.',
    verify:
      'kubectl get resourceclaims -n NAMESPACE -o yaml; kubectl get resourceslices -o yaml: compare the selectors with the attributes of free devices',
    remedy: 'Relax the selectors or constraints of the claim, or free devices on one node.',
  },
  {
    id: 'kube-scheduler/device-class-missing',
    component: 'kube-scheduler',
    format: 'request %s: device class %s does not exist',
    pattern: /device class \S+ does not exist/,
    cause: 'The ResourceClaim names a DeviceClass that the cluster does not have.',
    verify: 'kubectl get deviceclasses',
    remedy: 'Correct deviceClassName, or install the DRA driver whose chart creates the class.',
  },
  {
    id: 'kube-scheduler/gang-incomplete',
    component: 'kube-scheduler',
    format: 'waiting for minCount pods from a gang to appear in scheduling queue',
    pattern: /waiting for minCount pods from a gang to appear in scheduling queue/,
    cause: 'Fewer pods of the PodGroup exist than its minCount, so none is scheduled.',
    verify: 'kubectl get pods -n NAMESPACE: count the pods whose spec.schedulingGroup names the group',
    remedy: 'Find out why the controller does not create the other pods (kubectl get events), or lower minCount.',
  },
  {
    id: 'kube-scheduler/gang-waits',
    component: 'kube-scheduler',
    format: 'waiting for minCount pods from a gang to be scheduled',
    pattern: /waiting for minCount pods from a gang to be scheduled/,
    cause: 'Pods of the gang have found a node and wait for the others.',
    verify: 'kubectl describe the pods of the group that have no node: their events say why',
    remedy: 'Act on the reason of the pods that have no node.',
  },
  {
    id: 'kube-scheduler/preempt-never',
    component: 'kube-scheduler',
    format: 'PodGroup with PreemptNever does not perform preemption',
    pattern: /PodGroup with PreemptNever does not perform preemption/,
    cause: 'The priority class of the group has preemptionPolicy Never, so no pods are evicted for it.',
    verify: 'kubectl get priorityclass NAME -o yaml',
    remedy: 'Wait for free nodes, or use a class whose preemptionPolicy is PreemptLowerPriority.',
  },
];
