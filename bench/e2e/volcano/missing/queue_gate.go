// Package v1beta1 has what volcano.sh/apis has since v1.15 and the scheduler, not the webhooks, reads. The build adds it to the package of
// the older version.
package v1beta1

// QueueAllocationGateKey names the annotation of pods that wait for their queue.
const QueueAllocationGateKey = "scheduling.volcano.sh/queue-allocation-gate"
