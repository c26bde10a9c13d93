/**
 * Advice about the pods of any workload: the server accepts them, but they do not do what was intended.
 */
import { type Rule } from '../../../checks/rules/rule';
import { commandRules } from './command';
import { contentionRules } from './contention';
import { deviceRules } from './devices';
import { networkRules } from './network';
import { objectRules } from './objects';
import { placementRules } from './placement';
import { probeRules } from './probes';
import { sharedMemoryRules } from './shared-memory';

export const podRules: readonly Rule[] = [
  ...commandRules,
  ...sharedMemoryRules,
  ...deviceRules,
  ...placementRules,
  ...networkRules,
  ...objectRules,
  ...probeRules,
  ...contentionRules,
];
