/**
 * Entry of the remediation program.
 */
import { runProgram } from '../api/run-program';
import { readOptions, USAGE } from './options';
import { Program } from './program';

runProgram({ readOptions, usage: USAGE, start: (options) => Program.start(options) });
