/**
 * What runs to an end, alone or together, and groups of pods: Job, CronJob, JobSet and LeaderWorkerSet.
 */
export { CronJob, type CronJobProps } from './cron-job';
export { Job, type JobProps, type JobTemplateProps } from './job';
export { JobSet, type JobSetProps, type ReplicatedJobProps } from './job-set';
export { LeaderWorkerSet, type LeaderWorkerSetProps, type SubGroups } from './leader-worker-set';
