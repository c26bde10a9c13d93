/**
 * Sets of Jobs and of pods that belong together: JobSet and LeaderWorkerSet.
 */
export { JobSet, type JobSetProps, type ReplicatedJobProps } from './job-set';
export { LeaderWorkerSet, type LeaderWorkerSetProps, type SubGroups } from './leader-worker-set';
