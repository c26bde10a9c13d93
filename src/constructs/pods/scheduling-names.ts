/**
 * Labels, annotations, and names by which pods say who schedules them.
 */

/** Annotations by which Volcano reads queue and gang of pods that no controller gives a PodGroup. */
export const VOLCANO_QUEUE_ANNOTATION = 'scheduling.volcano.sh/queue-name';
/** Annotation of workloads and pods: the `minMember` of the PodGroup that Volcano creates for them. */
export const VOLCANO_MIN_MEMBER_ANNOTATION = 'scheduling.volcano.sh/group-min-member';
/** Annotation by which a pod names its PodGroup of Volcano. */
export const VOLCANO_GROUP_ANNOTATION = 'scheduling.k8s.io/group-name';
/** Label by which a pod names its PodGroup of scheduler-plugins. */
export const SCHEDULER_PLUGINS_GROUP_LABEL = 'scheduling.x-k8s.io/pod-group';
/** Label of workloads: the LocalQueue that Kueue admits them through. */
export const KUEUE_QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** Label of workloads: the WorkloadPriorityClass that Kueue orders them by. */
export const KUEUE_PRIORITY_LABEL = 'kueue.x-k8s.io/priority-class';
/** Label of workloads and pods: the queue of KAI Scheduler. */
export const KAI_QUEUE_LABEL = 'kai.scheduler/queue';
/** `schedulerName` of Volcano. */
export const VOLCANO_SCHEDULER = 'volcano';
/** `schedulerName` of KAI Scheduler. */
export const KAI_SCHEDULER = 'kai-scheduler';
