/**
 * Messages of the API server, with its admission plugins, and of the controllers of Kubernetes.
 */
import { cite } from '../upstream';
import { type KnownMessage, messagesOf } from './known-message';

export const CONTROL_PLANE_MESSAGES: readonly KnownMessage[] = messagesOf(cite('kubernetes'), [
  {
    id: 'kube-apiserver/quota',
    file: 'staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go',
    format: 'exceeded quota: %s, requested: %s, used: %s, limited: %s',
    cause: 'The pod would exceed a ResourceQuota of its namespace, so it was not created.',
    verify: 'kubectl describe resourcequota -n NAMESPACE',
    remedy: 'Raise spec.hard of the quota, lower the requests, or wait until pods of the namespace end.',
  },
  {
    id: 'kube-apiserver/pod-security',
    file: 'staging/src/k8s.io/pod-security-admission/admission/admission.go',
    format: 'violates PodSecurity %q: %s',
    cause: 'The namespace enforces a Pod Security Standard that the pod does not meet.',
    verify: 'kubectl get namespace NAMESPACE --show-labels',
    remedy: 'Set what the message lists in securityContext, or move the pod to a namespace for privileged workloads.',
  },
  {
    id: 'kube-apiserver/priority-class',
    file: 'plugin/pkg/admission/priority/admission.go',
    format: 'no PriorityClass with name %v was found',
    cause: 'The pod names a PriorityClass that does not exist.',
    verify: 'kubectl get priorityclasses',
    remedy: 'Correct priorityClassName, or create the class.',
  },
  {
    id: 'kube-apiserver/runtime-class',
    file: 'plugin/pkg/admission/runtimeclass/admission.go',
    format: 'pod rejected: RuntimeClass %q not found',
    cause: 'The pod names a RuntimeClass that does not exist, often nvidia.',
    verify: 'kubectl get runtimeclasses',
    remedy: 'Let the GPU operator create the class, or remove runtimeClassName.',
  },
  {
    id: 'kube-apiserver/disruption-budget',
    file: 'pkg/registry/core/pod/storage/eviction.go',
    format: "Cannot evict pod as it would violate the pod's disruption budget.",
    cause: 'A PodDisruptionBudget allows no eviction now, so the drain waits.',
    verify: 'kubectl get pdb -A: ALLOWED DISRUPTIONS',
    remedy: 'Add replicas, set maxUnavailable: 1, or let the job end.',
  },
  {
    id: 'kube-controller-manager/backoff-limit',
    file: 'pkg/controller/job/job_controller.go',
    format: 'Job has reached the specified backoff limit',
    also: ['BackoffLimitExceeded'],
    cause: 'Pods of the Job failed more often than backoffLimit allows, so the Job failed.',
    verify: 'kubectl logs of the failed pods; kubectl get job NAME -o yaml: status.failed',
    remedy:
      'Correct the cause in the log. For failures of nodes, ignore them with podFailurePolicy, or raise backoffLimit.',
  },
  {
    id: 'kube-controller-manager/deadline',
    file: 'pkg/controller/job/job_controller.go',
    format: 'Job was active longer than specified deadline',
    cause: 'The Job ran longer than activeDeadlineSeconds; time in which its pods were pending counts.',
    verify: 'kubectl get job NAME -o yaml: spec.activeDeadlineSeconds, status.startTime',
    remedy:
      'Raise activeDeadlineSeconds. The time of a suspended Job does not count, so use a queue that suspends the Job, such as one of Kueue.',
  },
  {
    id: 'kube-controller-manager/rollout',
    file: 'pkg/controller/deployment/progress.go',
    format: 'ReplicaSet %q has timed out progressing.',
    also: ['ProgressDeadlineExceeded'],
    cause: 'New pods of the Deployment did not become ready within progressDeadlineSeconds.',
    verify: 'kubectl describe pods of the new ReplicaSet',
    remedy:
      'Act on the reason of the pods. For models that take long to load, raise progressDeadlineSeconds; add a device or set maxSurge: 0 if none is free for a new pod.',
  },
  {
    id: 'kube-controller-manager/multi-attach',
    file: 'pkg/controller/volume/attachdetach/reconciler/reconciler.go',
    format: 'Waiting for detach for volume %q',
    also: ['Multi-Attach error for volume %q'],
    cause: 'The volume is attached to another node, and it allows one node at a time.',
    verify: 'kubectl get volumeattachments; kubectl get pods -A -o wide with the claim',
    remedy: 'Delete the pod on the other node. Use strategy Recreate for Deployments with such volumes.',
  },
  {
    id: 'kube-controller-manager/taint-eviction',
    file: 'pkg/controller/tainteviction/taint_eviction.go',
    format: 'Marking for deletion Pod %s',
    cause: 'The node has a NoExecute taint that the pod does not tolerate, or tolerated for tolerationSeconds.',
    verify: 'kubectl describe node NODE: Taints',
    remedy: 'Repair the node, or raise tolerationSeconds for node.kubernetes.io/not-ready and unreachable.',
  },
  {
    id: 'kube-apiserver/quota-requires',
    file: 'staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go',
    format: 'failed quota: %s: must specify %s',
    cause: 'A ResourceQuota of the namespace limits a resource that the pod does not set.',
    verify: 'kubectl describe resourcequota -n NAMESPACE',
    remedy: 'Set the request or limit that the message names, or a default with a LimitRange.',
  },
  {
    id: 'kube-apiserver/webhook',
    file: 'staging/src/k8s.io/apiserver/pkg/util/webhook/error.go',
    format: 'failed calling webhook %q: %v',
    cause: 'The API server cannot reach an admission webhook, so it rejects the object.',
    verify:
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations; kubectl get pods of the webhook',
    remedy: 'Repair the pods, the Service, or the certificate of the webhook.',
  },
  {
    id: 'kube-controller-manager/failed-indexes',
    file: 'pkg/controller/job/job_controller.go',
    format: 'Job has failed indexes',
    cause: 'Indexes of the Job failed more often than backoffLimitPerIndex allows.',
    verify: 'kubectl get job NAME -o yaml: status.failedIndexes',
    remedy: 'Read the logs of these indexes. Raise backoffLimitPerIndex or maxFailedIndexes if failures are expected.',
  },
  {
    id: 'kube-controller-manager/first-consumer',
    file: 'pkg/controller/volume/persistentvolume/pv_controller.go',
    format: 'waiting for first consumer to be created before binding',
    cause: 'The storage class binds when a pod uses the claim. This is normal until a pod exists.',
    verify: 'kubectl describe pod of the claim',
    remedy: 'Look at why the pod is not scheduled.',
  },
  {
    id: 'kube-controller-manager/provisioner',
    file: 'pkg/controller/volume/persistentvolume/pv_controller.go',
    format: "Waiting for a volume to be created either by the external provisioner '%s'",
    cause: 'The provisioner of the storage class has not created the volume.',
    verify: 'kubectl get pods of the CSI driver; kubectl describe pvc NAME',
    remedy: 'Install or repair the CSI driver that the storage class names.',
  },
  {
    id: 'kube-controller-manager/failure-policy',
    file: 'pkg/controller/job/pod_failure_policy.go',
    format: 'Container %s for pod %s/%s failed with exit code %v matching %v rule at index %d',
    also: ['Pod %s/%s has condition %v matching %v rule at index %d'],
    cause: 'podFailurePolicy of the Job failed or ignored the pod by its exit code.',
    verify: 'kubectl get job NAME -o yaml: spec.podFailurePolicy',
    remedy: 'Read the log of the container. Correct the rule if the exit code should count otherwise.',
  },
]);
