/**
 * Advice about pods that belongs to the domain of a device, and what several such rules look at: amounts and node labels.
 */
import { type PodTemplateRule, type RuleContext, type RuleFacts } from '../../../checks/rules/rule';
import { type PodView } from '../../../checks/server/pod-view';
import { type Say, saidOfPod } from '../../../checks/server/server-rule';
import { itemsOf, text } from '../../../checks/server/values';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, isObject, stringEntries, stringsIn } from '../../../manifests/read';
import { type Asked, askedBy } from './advice';

export type AdviceFacts = Omit<RuleFacts, 'id' | 'tier'> & Partial<Pick<RuleFacts, 'tier'>>;

/** A rule about pod templates; its id begins with the domain. */
export function domainAdvice(
  domain: string,
  name: string,
  facts: AdviceFacts,
  check: (pod: PodView, say: Say, context: RuleContext) => void,
): PodTemplateRule {
  return {
    tier: 'advice',
    ...facts,
    id: `${domain}/${name}`,
    on: 'pod-template',
    sees: 'template',
    check: (template, context) => saidOfPod(template, check, context),
  };
}

/** What a container asks for, amounts in whatever way a quantity can be written: `3k` are 3000. */
export function amountsOf(container: PodView['all'][number]): readonly Asked[] {
  const { limits, requests } = asObject(container.value.resources);
  return askedBy(container).map((asked) => {
    const written = asObject(limits)[asked.name] ?? asObject(requests)[asked.name];
    const quantity = typeof written === 'string' || typeof written === 'number' ? parseQuantity(written) : undefined;
    return { ...asked, amount: quantity?.toNumber() ?? 0 };
  });
}

/** Everything that the containers of a pod ask for. */
export function askedByPod(pod: PodView): readonly Asked[] {
  return pod.all.flatMap(amountsOf);
}

/** The values of a node label that a pod accepts, by selector or required affinity; `undefined` where it does not say. */
export function nodeLabelWanted(pod: PodView, key: string): readonly string[] | undefined {
  const selected = stringEntries(pod.spec.nodeSelector).find(([name]) => name === key);
  if (selected !== undefined) {
    return [selected[1]];
  }
  const affinity = asObject(
    asObject(asObject(pod.spec.affinity).nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution,
  );
  const terms = asArray(affinity.nodeSelectorTerms).filter(isObject);
  const values = terms.flatMap((term) =>
    itemsOf(term.matchExpressions, '')
      .filter(({ value }) => value.key === key && text(value.operator) === 'In')
      .flatMap(({ value }) => stringsIn(value.values)),
  );
  return values.length === 0 ? undefined : values;
}
