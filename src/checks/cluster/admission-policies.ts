/**
 * The ValidatingAdmissionPolicies of a cluster, evaluated on the creation of each manifest as the mutating policies leave it.
 *
 * An expression that fails to evaluate is not a violation.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { asArray, asObject, asString, isObject, stringsIn } from '../../manifests/read';
import { type SetRule, type Violation } from '../rules/rule';
import { type AdmissionRequest } from './admission-matching';
import { type Mutations } from './mutations';
import { chosenPolicy } from './policy-evaluation';
import { type TargetCluster } from './target-cluster';

const POLICY = 'admissionregistration.k8s.io/ValidatingAdmissionPolicy';
const BINDING = 'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding';
const DENY = 'Deny';

/** One finding for each validation that a manifest breaks: an error if a binding denies, else a warning. */
export function admissionPolicyRule(cluster: TargetCluster, mutations: Mutations): SetRule {
  return {
    id: 'cluster/admission-policy',
    row: 'CL5',
    on: 'set',
    tier: 'server',
    severity: 'error',
    summary: 'Every manifest is accepted by the validating admission policies of the cluster.',
    why: 'The API server rejects the object.',
    source: 'the ValidatingAdmissionPolicies of the cluster given with --cluster',
    fix: 'Set the fields that the expression of the policy reads to values for which it evaluates to true.',
    *check(context): Iterable<Violation & { readonly manifest: Manifest }> {
      const { set } = context;
      const bindings = set.ofKind(BINDING).map(({ object }) => asObject(object.spec));
      for (const policy of set.ofKind(POLICY)) {
        const own = bindings.filter(({ policyName }) => policyName === policy.id.name);
        for (const manifest of own.length === 0 ? [] : set.manifests) {
          const { object, by } = mutations.of(manifest, context);
          const request: AdmissionRequest = { manifest: { ...manifest, object }, set, cluster };
          for (const violation of violationsOf(policy, own, request)) {
            yield { ...violation, manifest, message: `${violation.message}${after(by)}` };
          }
        }
      }
    },
  };
}

/** The manifest itself does not contain what the expression reads. */
function after(policies: readonly string[]): string {
  return policies.length === 0 ? '' : ` (after MutatingAdmissionPolicy ${policies.join(', ')})`;
}

function* violationsOf(
  policy: Manifest,
  bindings: readonly JsonObject[],
  request: AdmissionRequest,
): Iterable<Violation> {
  const chosen = chosenPolicy(policy, bindings, request);
  if (chosen === undefined) {
    return;
  }
  const actions = new Set(chosen.bindings.flatMap(({ validationActions }) => stringsIn(validationActions)));
  for (const validation of asArray(asObject(policy.object.spec).validations).filter(isObject)) {
    if (chosen.valueOf(validation.expression) !== false) {
      continue;
    }
    const computed = chosen.valueOf(validation.messageExpression);
    const message =
      (typeof computed === 'string' && computed !== '' ? computed : asString(validation.message)) ??
      `failed expression: ${asString(validation.expression) ?? ''}`;
    yield {
      path: '',
      message: `ValidatingAdmissionPolicy "${policy.id.name}": ${message.trim()}`,
      expected: (asString(validation.expression) ?? '').trim(),
      severity: actions.has(DENY) ? 'error' : actions.has('Warn') ? 'warning' : 'info',
    };
  }
}
