/**
 * The placement core: a pure function from a snapshot of nodes, queues and gangs to decisions.
 *
 * The lowest floor: nothing of Gantry's is imported here, and there is no clock, no input or output, no randomness in it.
 */
export * from './model/model';
export * from './model/decision';
export * from './model/policy';
export * from './model/capacity-filter';
export { decide } from './engine';
export { SnapshotError } from './model/facts';
export { type HyperNode, hyperNodeLevel, hyperNodeTopology } from './topology/domains';
