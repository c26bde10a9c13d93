/**
 * The rules about the files of Docker hosts.
 */
import { type Rule } from '../../../checks/rules/rule';
import { cdiRules } from './cdi';
import { composeRules } from './compose';
import { runnerRules } from './runner';

export const dockerRules: readonly Rule[] = [...composeRules, ...runnerRules, ...cdiRules];
