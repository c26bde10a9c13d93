/**
 * Registers the rules for a program that may never check: they are loaded when an app is synthesized.
 */
import { createRequire } from 'node:module';
import { provideRules } from '../../checks/rules/registry';
import type * as AllRules from './all-rules';

provideRules(() => (createRequire(__filename)('./all-rules') as typeof AllRules).allRules());
