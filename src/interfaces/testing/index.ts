/**
 * The assertion kit, the entry point `cdk8s-gantry/testing`: synthesis in memory, assertions on objects, findings, and placement.
 */
export { Testing, type TestingSynthOptions } from './testing';
export { Template, type FindingPattern } from './template';
export { Match } from './match';
export { Matcher, type Difference, type Pattern } from './matcher';
export { type KindName } from './kinds';
export { type Placed, PlannedTemplate, type PlannedTemplateOptions, type WorkloadName } from './planned-template';
export { TemplateError } from './assertion-error';
export { CheckError } from '../../checks/synth/check-error';
