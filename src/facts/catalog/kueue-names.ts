/**
 * Names that Kueue gives to its controllers and dispatchers. Source: kueue v0.19, apis/kueue/v1beta2 and apis/config/v1beta2.
 */

/** The label by which a workload names its local queue. */
export const QUEUE_NAME_LABEL = 'kueue.x-k8s.io/queue-name';

/** The controller of admission checks that sends workloads to worker clusters. */
export const MULTIKUEUE_CONTROLLER = 'kueue.x-k8s.io/multikueue';
/** The controller of admission checks that asks an autoscaler for nodes. */
export const PROVISIONING_CONTROLLER = 'kueue.x-k8s.io/provisioning-request';

/** The dispatcher that asks all worker clusters at the same time; Kueue's default. */
export const ALL_AT_ONCE = 'kueue.x-k8s.io/multikueue-dispatcher-all-at-once';
/** The dispatcher that asks a few worker clusters at a time. */
export const INCREMENTAL = 'kueue.x-k8s.io/multikueue-dispatcher-incremental';
/** Worker clusters that the incremental dispatcher asks at a time, unless `multiKueue.incrementalDispatcherConfig.stepSize` says otherwise. */
export const INCREMENTAL_STEP = 3;
