/**
 * What KubeRay demands of its kinds beyond their schema. Rows RA1 to RA14 of docs/ray.md. Its controller judges at reconcile: an object
 * that fails here exists, with an event, and gets no pod.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { autoscalerRules } from './autoscaler';
import { createdRules } from './created';
import { groupRules } from './groups';
import { jobRules } from './jobs';
import { startValueRules } from './start-values';

export const rayRules: readonly Rule[] = seeAllButName(
  [...groupRules, ...autoscalerRules, ...jobRules, ...createdRules, ...startValueRules],
  ['ray/name-fits'],
);
