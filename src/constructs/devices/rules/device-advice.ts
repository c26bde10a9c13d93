/**
 * How rules about what pods ask of devices are made.
 */
import { type PodTemplateRule, type RuleContext } from '../../../checks/rules/rule';
import { type PodView } from '../../../checks/server/pod-view';
import { type Say } from '../../../checks/server/server-rule';
import { type AdviceFacts, domainAdvice } from '../../pods/rules/domain-advice';

export { type AdviceFacts, amountsOf, askedByPod, nodeLabelWanted } from '../../pods/rules/domain-advice';

export function deviceAdvice(
  name: string,
  facts: AdviceFacts,
  check: (pod: PodView, say: Say, context: RuleContext) => void,
): PodTemplateRule {
  return domainAdvice('devices', name, facts, check);
}
