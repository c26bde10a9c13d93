/**
 * Templates of Go's text/template: whether they parse, and with which functions.
 */
export { GO_FUNCTIONS, SPRIG_FUNCTIONS } from './functions';
export { templateProblem, type TemplateScope } from './parser';
