/**
 * What Kueue's webhooks and controllers demand of its objects and of the workloads that go through it.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { admissionRules } from './admission';
import { connectionRules } from './connections';
import { jobRules } from './jobs';
import { multikueueRules } from './multikueue';
import { objectRules } from './objects';
import { quotaRules } from './quotas';
import { topologyRequestRules } from './topology-requests';

export const kueueRules: readonly Rule[] = seeAllButName(
  [
    ...quotaRules,
    ...objectRules,
    ...topologyRequestRules,
    ...jobRules,
    ...connectionRules,
    ...admissionRules,
    ...multikueueRules,
  ],
  ['kueue/cohort-tree-acyclic'],
);
