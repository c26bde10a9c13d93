/**
 * The program of a thread of `gantry check`.
 */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { requireCompiled } from '../../compile-cache';
import type * as CheckModule from '../check-command';
import { type Question } from './answers';

const BUNDLE = join(__dirname, '../../check-bundle.js');
const { Answers } = (
  existsSync(BUNDLE) ? requireCompiled(BUNDLE) : createRequire(__filename)('../check-command')
) as typeof CheckModule;

const answers = new Answers();
parentPort?.on('message', (question: Question) => parentPort?.postMessage(answers.answerTo(question)));
