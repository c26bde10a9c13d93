/**
 * How many nodes each pool needs to keep waits under a target at the least cost: sizing files to results.
 */
export * from './result';
export { type Mix, type Sizing } from './sizing';
export { readSizing, type SizingSources } from './read-sizing';
export { size, type SizeOptions, timelineOf } from './size';
export { sizingText, type SizingTextOptions } from './report';
export { sizingComparison } from './compare';
