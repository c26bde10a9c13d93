/**
 * Workload hygiene: security and operations of ordinary workloads. A group of its own, which runs with `--hygiene` only.
 */
import { type Rule } from '../../../../checks/rules/rule';
import { imageRules } from './images';
import { laterRemovalRules } from './later-removals';
import { privilegeRules } from './privileges';
import { requestRules } from './requests';
import { secretRules } from './secrets-in-env';

export const hygieneRules: readonly Rule[] = [
  ...privilegeRules,
  ...imageRules,
  ...secretRules,
  ...requestRules,
  ...laterRemovalRules,
];
