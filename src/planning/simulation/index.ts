/**
 * Scenarios over time, run through the placement core: files to scenarios, scenarios to results.
 */
export * from './result';
export * from './scenario';
export { type ClusterSource, readScenario, ScenarioError } from './read-scenario';
export { type Compared, comparisonText, type CompareOptions } from './compare';
export { type Progress, simulate } from './simulate';
export { tellDuration } from './time';
export { type ReportOptions, simulationText, verdictLine } from './report';
