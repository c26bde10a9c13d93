/**
 * Advice about pods, whichever workload they stand in: taken by the server, and yet not what was meant.
 */
import { type Rule } from '../../../checks/rule';
import { commandRules } from './command';
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
];
