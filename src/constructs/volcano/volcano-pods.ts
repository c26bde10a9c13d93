/**
 * Pods that Volcano schedules, and the annotations by which they say how.
 */
import { type JsonObject } from '../../facts/api/schema';

/** The scheduler name that Volcano listens to by default. Its webhook gives it to the pods of a job that names none. */
export const VOLCANO_SCHEDULER = 'volcano';

/** The annotation that puts a pod into a PodGroup of its namespace. */
export const GROUP_NAME_ANNOTATION = 'scheduling.k8s.io/group-name';
/** Looks as if it did the same, but no part of Volcano reads it to that end. */
export const UNREAD_GROUP_NAME_ANNOTATION = 'scheduling.volcano.sh/group-name';
/** The least number of pods for a workload of its own; on the workload, not on its pods. */
export const GROUP_MIN_MEMBER_ANNOTATION = 'scheduling.volcano.sh/group-min-member';
/** The task of a pod, which a PodGroup's minTaskMember counts by. */
export const TASK_ANNOTATION = 'volcano.sh/task-spec';

/** Whether a pod spec names Volcano as its scheduler. */
export function schedulesWithVolcano(spec: JsonObject): boolean {
  return spec.schedulerName === VOLCANO_SCHEDULER;
}
