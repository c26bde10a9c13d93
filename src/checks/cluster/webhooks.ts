/**
 * The admission webhooks of a cluster that are asked about a request. Only the cluster can run them.
 */
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { type AdmissionRequest, admissionMatches } from './admission-matching';

const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

export interface MatchingWebhook {
  readonly name: string;
  /** Whether it may change the object. It may reject it in any case. */
  readonly mutates: boolean;
}

/** Webhooks whose rules and selectors choose the request; match conditions are not evaluated. */
export function webhooksFor(request: AdmissionRequest): readonly MatchingWebhook[] {
  return CONFIGURATIONS.flatMap((kind) =>
    request.cluster
      .itemsOf(kind)
      .flatMap(({ webhooks }) => asArray(webhooks).filter(isObject))
      .filter(({ rules, ...webhook }) => {
        // By default, a webhook is asked about every version of a kind.
        const resourceRules = asArray(rules).map((rule) => ({
          ...asObject(rule),
          ...(webhook.matchPolicy !== 'Exact' && { apiVersions: ['*'] }),
        }));
        return admissionMatches({ ...webhook, resourceRules }, request, true);
      })
      .map(({ name }) => ({ name: asString(name) ?? '', mutates: kind === 'MutatingWebhookConfiguration' })),
  );
}
