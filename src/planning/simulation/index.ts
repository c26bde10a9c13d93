/**
 * Scenarios over time, run through the placement core: files to scenarios, scenarios to results.
 */
export * from './result';
export * from './scenario';
export { readScenario } from './read-scenario';
export { type ClusterSource, ScenarioError } from './read-world';
export { type Compared, comparisonText, type CompareOptions } from './compare';
export { simulate } from './simulate';
export { type HeldPod, type Progress, type SimulateOptions, type SimulationObserver } from './observer';
export { tellDuration } from './time';
export { type ReportOptions, simulationText, verdictLine } from './report';
