/**
 * Messages of the API server, with its admission plugins, and of the controllers. Source: Kubernetes 1.36, plugin/pkg/admission and pkg/controller.
 */
import { type KnownMessage } from './known-message';

export const CONTROL_PLANE_MESSAGES: readonly KnownMessage[] = [
  {
    id: 'kube-apiserver/quota',
    component: 'kube-apiserver',
    format: 'exceeded quota: %s, requested: %s, used: %s, limited: %s',
    pattern: /exceeded quota: \S+, requested:/i,
    cause: 'The pod would exceed a ResourceQuota of its namespace, so it was not created.',
    verify: 'kubectl describe resourcequota -n NAMESPACE',
    remedy: 'Raise spec.hard of the quota, lower the requests, or wait until pods of the namespace end.',
  },
  {
    id: 'kube-apiserver/pod-security',
    component: 'kube-apiserver',
    format: 'violates PodSecurity %q: %s',
    pattern: /violates PodSecurity/,
    cause: 'The namespace enforces a Pod Security Standard that the pod does not meet.',
    verify: 'kubectl get namespace NAMESPACE --show-labels',
    remedy: 'Set what the message lists in securityContext, or move the pod to a namespace for privileged workloads.',
  },
  {
    id: 'kube-apiserver/priority-class',
    component: 'kube-apiserver',
    format: 'no PriorityClass with name %v was found',
    pattern: /no PriorityClass with name \S+ was found/,
    cause: 'The pod names a PriorityClass that does not exist.',
    verify: 'kubectl get priorityclasses',
    remedy: 'Correct priorityClassName, or create the class.',
  },
  {
    id: 'kube-apiserver/runtime-class',
    component: 'kube-apiserver',
    format: 'pod rejected: RuntimeClass %q not found',
    pattern: /RuntimeClass \S+ not found/,
    cause: 'The pod names a RuntimeClass that does not exist, often nvidia.',
    verify: 'kubectl get runtimeclasses',
    remedy: 'Let the GPU operator create the class, or remove runtimeClassName.',
  },
  {
    id: 'kube-apiserver/disruption-budget',
    component: 'kube-apiserver',
    format: "Cannot evict pod as it would violate the pod's disruption budget.",
    pattern: /Cannot evict pod as it would violate the pod's disruption budget/,
    cause: 'A PodDisruptionBudget allows no eviction now, so the drain waits.',
    verify: 'kubectl get pdb -A: ALLOWED DISRUPTIONS',
    remedy: 'Add replicas, set maxUnavailable: 1, or let the job end.',
  },
  {
    id: 'kube-controller-manager/backoff-limit',
    component: 'kube-controller-manager',
    format: 'Job has reached the specified backoff limit',
    pattern: /Job has reached the specified backoff limit|BackoffLimitExceeded/,
    cause: 'Pods of the Job failed more often than backoffLimit allows, so the Job failed.',
    verify: 'kubectl logs of the failed pods; kubectl get job NAME -o yaml: status.failed',
    remedy:
      'Correct the cause in the log. For failures of nodes, ignore them with podFailurePolicy, or raise backoffLimit.',
  },
  {
    id: 'kube-controller-manager/deadline',
    component: 'kube-controller-manager',
    format: 'Job was active longer than specified deadline',
    pattern: /Job was active longer than specified deadline|DeadlineExceeded/,
    cause: 'The Job ran longer than activeDeadlineSeconds; time in which its pods were pending counts.',
    verify: 'kubectl get job NAME -o yaml: spec.activeDeadlineSeconds, status.startTime',
    remedy: 'Raise activeDeadlineSeconds. A suspended Job does not count, so a queue in front of it helps.',
  },
  {
    id: 'kube-controller-manager/rollout',
    component: 'kube-controller-manager',
    format: 'ReplicaSet %q has timed out progressing.',
    pattern: /has timed out progressing|ProgressDeadlineExceeded/,
    cause: 'New pods of the Deployment did not become ready within progressDeadlineSeconds.',
    verify: 'kubectl describe pods of the new ReplicaSet',
    remedy:
      'Act on the reason of the pods. For models that load for long, raise progressDeadlineSeconds; add a device or set maxSurge: 0 if none is free for a new pod.',
  },
  {
    id: 'kube-controller-manager/multi-attach',
    component: 'kube-controller-manager',
    format: 'Multi-Attach error for volume %q',
    pattern: /Multi-Attach error/,
    cause: 'The volume is attached to another node, and it allows one node at a time.',
    verify: 'kubectl get volumeattachments; kubectl get pods -A -o wide with the claim',
    remedy: 'Delete the pod on the other node. Use strategy Recreate for Deployments with such volumes.',
  },
  {
    id: 'kube-controller-manager/taint-eviction',
    component: 'kube-controller-manager',
    format: 'Marking for deletion Pod %s',
    pattern: /Marking for deletion Pod|TaintManagerEviction/,
    cause: 'The node has a NoExecute taint that the pod does not tolerate, or tolerated for tolerationSeconds.',
    verify: 'kubectl describe node NODE: Taints',
    remedy: 'Repair the node, or raise tolerationSeconds for node.kubernetes.io/not-ready and unreachable.',
  },
];
