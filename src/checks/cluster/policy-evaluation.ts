/**
 * Evaluates the CEL expressions of admission policies on the creation of an object.
 *
 * What cannot be known without the server (parameters, the authorizer, the user, fields that only the server fills in) has no value.
 * Source: Kubernetes 1.36, staging/src/k8s.io/apiserver/pkg/admission/plugin/policy.
 */
import { createRequire } from 'node:module';
import { type CelInput } from '@bufbuild/cel';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import type * as CostTypes from '../../cel/cost';
import type * as RuleProgramTypes from '../../cel/rule-program';
import type * as ValuesTypes from '../cel/values';
import { type AdmissionRequest, admissionMatches } from './admission-matching';

/** The server evaluates an expression on the request, the rights of the user, or an object that is not here. */
const NEEDS_SERVER = /\b(authorizer|params|request\s*\.\s*(userInfo|options|uid|dryRun))\b/;

/** The CEL engine is loaded with the first policy. */
const load = createRequire(__filename);

/** A policy that applies to a request. */
export interface ChosenPolicy {
  /** Specs of the bindings that choose the request. */
  readonly bindings: readonly JsonObject[];
  /** The value of an expression; `undefined` where it cannot be evaluated here, or costs too much. */
  readonly valueOf: (expression: JsonValue | undefined) => CelInput | undefined;
}

/** What the expressions of a policy may still cost together on one object; below 0, none is evaluated any more. */
interface Budget {
  left: number;
}

/**
 * Whether the policy applies to the request: a binding and the match constraints choose it, and all match conditions hold.
 *
 * @param bindings specs of the bindings of the policy
 */
export function chosenPolicy(
  policy: Manifest,
  bindings: readonly JsonObject[],
  request: AdmissionRequest,
): ChosenPolicy | undefined {
  const spec = asObject(policy.object.spec);
  const bound = bindings.filter((binding) =>
    isObject(binding.matchResources) ? admissionMatches(asObject(binding.matchResources), request) : true,
  );
  if (bound.length === 0 || !admissionMatches(asObject(spec.matchConstraints), request, true)) {
    return undefined;
  }
  const { CONDITIONS_LIMIT, OBJECT_LIMIT } = load('../../cel/cost') as typeof CostTypes;
  const budget: Budget = { left: OBJECT_LIMIT };
  const ofConditions: Budget = { left: CONDITIONS_LIMIT };
  const variables = variablesOf(spec, request, budget);
  const fails = ({ expression }: JsonObject): boolean => evaluated(expression, variables, ofConditions) !== true;
  return asArray(spec.matchConditions).map(asObject).some(fails)
    ? undefined
    : { bindings: bound, valueOf: (expression) => evaluated(expression, variables, budget) };
}

/** What expressions may name; later variables are computed from earlier ones. */
function variablesOf(
  spec: JsonObject,
  { manifest, set, cluster }: AdmissionRequest,
  budget: Budget,
): Record<string, CelInput> {
  const { id, object } = manifest;
  const { CelValues } = load('../cel/values') as typeof ValuesTypes;
  const values = new CelValues();
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

function evaluated(
  expression: JsonValue | undefined,
  variables: Record<string, CelInput>,
  budget: Budget,
): CelInput | undefined {
  if (typeof expression !== 'string' || NEEDS_SERVER.test(expression) || budget.left < 0) {
    return undefined;
  }
  const { expressionOf } = load('../../cel/rule-program') as typeof RuleProgramTypes;
  const program = expressionOf(expression);
  if (typeof program === 'string') {
    return undefined;
  }
  const outcome = program(variables);
  budget.left -= outcome.cost;
  return 'value' in outcome && budget.left >= 0 ? outcome.value : undefined;
}
