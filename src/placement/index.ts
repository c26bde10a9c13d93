/**
 * The placement core: a pure function from a snapshot of nodes, queues and gangs to decisions.
 *
 * The lowest floor: nothing of Gantry's is imported here, and there is no clock, no input or output, no randomness in it.
 */
export * from './model';
export * from './decision';
export * from './policy';
export { decide } from './engine';
export { SnapshotError } from './facts';
export { type HyperNode, hyperNodeLevel, hyperNodeTopology } from './domains';
