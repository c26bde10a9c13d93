/**
 * The KAI scheduler: its queues.
 */
export { Queue, type QueueAmounts, type QueueProps } from './queue';
