/**
 * What JobSet, LeaderWorkerSet and DisaggregatedSet demand beyond their schema. Rows JS1 to JS10 and LW1 to LW7 of docs/batch.md; JS2
 * (dependsOn excludes startupPolicy InOrder) is a rule of the CRD itself.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { type Rule } from '../../../checks/rules/rule';
import { disaggregatedSetRules } from './disaggregated-set';
import { jobSetRules } from './job-set';
import { jobSetFailureRules } from './job-set-failure';
import { leaderWorkerSetRules } from './leader-worker-set';

export const batchRules: readonly Rule[] = [
  ...jobSetRules,
  ...jobSetFailureRules,
  ...leaderWorkerSetRules,
  ...disaggregatedSetRules,
];
