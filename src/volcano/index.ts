/**
 * Volcano: queues, gangs, jobs and the scheduler's configuration.
 */
export { type NodeGroups, type IQueue, Queue, type QueueProps } from './queue';
export { type ResourceAmounts } from './resource-amounts';
