/**
 * The ValidatingAdmissionPolicies of a cluster, evaluated on the creation of each manifest.
 *
 * What cannot be known without the server (parameters, the authorizer, the user, fields that only the server fills in) gives no finding: an
 * expression that fails to evaluate is not a violation. Source: Kubernetes 1.36,
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy.
 */
import { createRequire } from 'node:module';
import { type CelInput } from '@bufbuild/cel';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { asArray, asObject, asString, isObject, stringsIn } from '../../manifests/read';
import type * as CostTypes from '../cel/cost';
import type * as RuleProgramTypes from '../cel/rule-program';
import type * as ValuesTypes from '../cel/values';
import { type SetRule, type Violation } from '../rule';
import { type AdmissionRequest, admissionMatches } from './admission-matching';
import { type TargetCluster } from './target-cluster';

const POLICY = 'admissionregistration.k8s.io/ValidatingAdmissionPolicy';
const BINDING = 'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding';
/** The server evaluates an expression on the request, the rights of the user, or an object that is not here. */
const NEEDS_SERVER = /\b(authorizer|params|request\s*\.\s*(userInfo|options|uid|dryRun))\b/;
const DENY = 'Deny';

/** The CEL engine is loaded with the first policy. */
const load = createRequire(__filename);

/** One finding for each validation that a manifest breaks: an error if a binding denies, else a warning. */
export function admissionPolicyRule(cluster: TargetCluster): SetRule {
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
    *check({ set }): Iterable<Violation & { readonly manifest: Manifest }> {
      const policies = set.ofKind(POLICY);
      if (policies.length === 0) {
        return;
      }
      const { CelValues } = load('../cel/values') as typeof ValuesTypes;
      const values = new CelValues();
      const bindings = set.ofKind(BINDING).map(({ object }) => asObject(object.spec));
      for (const policy of policies) {
        const own = bindings.filter(({ policyName }) => policyName === policy.id.name);
        for (const manifest of own.length === 0 ? [] : set.manifests) {
          yield* violationsOf(policy, own, { manifest, set, cluster, values });
        }
      }
    },
  };
}

/** What the expressions of a policy may still cost together on one object; below 0, none is evaluated any more. */
interface Budget {
  left: number;
}

interface Request extends AdmissionRequest {
  readonly values: ValuesTypes.CelValues;
}

function* violationsOf(
  policy: Manifest,
  bindings: readonly JsonObject[],
  request: Request,
): Iterable<Violation & { readonly manifest: Manifest }> {
  const spec = asObject(policy.object.spec);
  const bound = bindings.filter((binding) =>
    isObject(binding.matchResources) ? admissionMatches(asObject(binding.matchResources), request) : true,
  );
  if (bound.length === 0 || !admissionMatches(asObject(spec.matchConstraints), request, true)) {
    return;
  }
  const { CONDITIONS_LIMIT, OBJECT_LIMIT } = load('../cel/cost') as typeof CostTypes;
  const budget: Budget = { left: OBJECT_LIMIT };
  const ofConditions: Budget = { left: CONDITIONS_LIMIT };
  const variables = variablesOf(spec, request, budget);
  const holds = (expression: JsonValue | undefined, units = budget): CelInput | undefined =>
    evaluated(expression, variables, units);
  if (asArray(spec.matchConditions).some((one) => holds(asObject(one).expression, ofConditions) !== true)) {
    return;
  }
  const actions = new Set(bound.flatMap(({ validationActions }) => stringsIn(validationActions)));
  for (const validation of asArray(spec.validations).filter(isObject)) {
    if (holds(validation.expression) !== false) {
      continue;
    }
    const computed = holds(validation.messageExpression);
    const message =
      (typeof computed === 'string' && computed !== '' ? computed : asString(validation.message)) ??
      `failed expression: ${asString(validation.expression) ?? ''}`;
    yield {
      manifest: request.manifest,
      path: '',
      message: `ValidatingAdmissionPolicy "${policy.id.name}": ${message.trim()}`,
      expected: (asString(validation.expression) ?? '').trim(),
      severity: actions.has(DENY) ? 'error' : actions.has('Warn') ? 'warning' : 'info',
    };
  }
}

/** What expressions may name; later variables are computed from earlier ones. */
function variablesOf(
  spec: JsonObject,
  { manifest, set, cluster, values }: Request,
  budget: Budget,
): Record<string, CelInput> {
  const { id, object } = manifest;
  const served = cluster.kindOf(id.apiVersion, id.kind);
  const namespace = set.get('Namespace', id.namespace)?.object;
  const bindings: Record<string, CelInput> = {
    object: values.of(object, undefined),
    oldObject: null,
    params: null,
    namespaceObject: namespace === undefined ? null : values.of(namespace, undefined),
    request: values.of(
      {
        operation: 'CREATE',
        name: id.name,
        namespace: id.namespace,
        kind: { group: id.group, version: id.apiVersion.split('/').at(-1) ?? '', kind: id.kind },
        resource: { group: id.group, version: id.apiVersion.split('/').at(-1) ?? '', resource: served?.plural ?? '' },
      },
      undefined,
    ),
  };
  const computed = new Map<string, CelInput>();
  for (const variable of asArray(spec.variables).filter(isObject)) {
    bindings.variables = Object.fromEntries(computed);
    const value = evaluated(variable.expression, bindings, budget);
    const name = asString(variable.name);
    if (name !== undefined && value !== undefined) {
      computed.set(name, value);
    }
  }
  bindings.variables = Object.fromEntries(computed);
  return bindings;
}

/** `undefined` where it cannot be evaluated here, or costs too much. */
function evaluated(
  expression: JsonValue | undefined,
  variables: Record<string, CelInput>,
  budget: Budget,
): CelInput | undefined {
  if (typeof expression !== 'string' || NEEDS_SERVER.test(expression) || budget.left < 0) {
    return undefined;
  }
  const { expressionOf } = load('../cel/rule-program') as typeof RuleProgramTypes;
  const program = expressionOf(expression);
  if (typeof program === 'string') {
    return undefined;
  }
  const outcome = program(variables);
  budget.left -= outcome.cost;
  return 'value' in outcome && budget.left >= 0 ? outcome.value : undefined;
}
