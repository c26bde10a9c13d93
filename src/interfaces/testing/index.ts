/**
 * The assertion kit: synthesise in memory, with the checks on.
 */
export { Testing, type TestingSynthOptions } from './testing';
export { CheckError } from '../../checks/check-error';
