/**
 * The KAI scheduler: references to its queues.
 */
export { Queue } from './queue';
