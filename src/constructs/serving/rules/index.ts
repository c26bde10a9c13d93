/**
 * What Knative demands beyond its schema, and what keeps model servers from serving. Rows KN1 to KN15 and SV1 to SV7 of docs/serving.md.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { knativeAutoscalingRules } from './knative-autoscaling';
import { knativeFieldRules } from './knative-fields';
import { knativeRevisionRules } from './knative-revision';
import { knativeRoutingRules } from './knative-routing';
import { rolloutRules } from './rollout';

export const servingRules: readonly Rule[] = seeAllButName(
  [...knativeAutoscalingRules, ...knativeRevisionRules, ...knativeFieldRules, ...knativeRoutingRules, ...rolloutRules],
  [
    'serving/knative-revision-name-prefixed',
    'serving/knative-name-is-host',
    'serving/knative-domain-mapping-valid',
    'serving/surge-fits-quota',
  ],
);
