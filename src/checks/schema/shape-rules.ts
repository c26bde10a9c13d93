/**
 * What the shape check can find wrong: one entry per kind of mistake, with the facts that docs and SARIF show.
 *
 * The checks themselves are in this folder and in `../cel`; they are not functions over a manifest set, as rules are, since the server
 * too does them in one walk over the object.
 */
import { type RuleFacts } from '../rules/rule';

const STRICT = 'Kubernetes API server, strict decoding (fieldValidation=Strict)';
const CRD_SCHEMA = 'Kubernetes API server: the OpenAPI schema of the kind (apiextensions, kube-openapi/validation)';
const REFUSED = 'The API server rejects the object.';

function rule(id: string, summary: string, fix: string, more: Partial<RuleFacts> = {}): RuleFacts {
  return { id, tier: 'schema', severity: 'error', summary, why: REFUSED, source: CRD_SCHEMA, fix, ...more };
}

export const shapeRules = {
  unknownField: rule(
    'schema/unknown-field',
    'Every field must be a field of the kind.',
    'Write the field as the schema spells it, such as nodeSelector instead of nodeselector, or remove it.',
    {
      why: 'With strict validation the API server rejects the object; otherwise it silently drops the field, which then has no effect.',
      source: STRICT,
    },
  ),
  required: rule(
    'schema/required',
    'Required fields must be set, unless they have a default.',
    'Set the required field, such as spec.selector of a Deployment.',
  ),
  type: rule(
    'schema/type',
    'Values must have the type of the field.',
    'Write a value of the expected type, such as "8" for a string and 8 for an integer.',
  ),
  nullItem: rule(
    'schema/null-item',
    'Lists must not contain null.',
    'Remove the null item from the list: [a, null] becomes [a].',
  ),
  enum: rule(
    'schema/enum',
    'The value of an enum field must be one of its values.',
    'Write one of the supported values, with the same capitalization, such as Always.',
  ),
  bound: rule(
    'schema/bound',
    'Numbers must be within the bounds of the field.',
    'Write a number within the bounds, such as minimum: 1.',
  ),
  size: rule(
    'schema/size',
    'Strings, lists, and maps must have a length that the field allows.',
    'Shorten the value to maxLength or maxItems, or add what is missing up to minLength or minItems.',
  ),
  pattern: rule(
    'schema/pattern',
    'A string must match the pattern of the field.',
    'Write a string that matches the pattern of the field, such as default-queue for ^[a-z0-9-]+$.',
  ),
  format: rule(
    'schema/format',
    'A value must have the format of the field: a quantity, a time, base64, or an integer of the right width.',
    'Write a value in the expected format, such as "16Gi" or "2026-01-31T15:04:05Z".',
  ),
  combination: rule(
    'schema/combination',
    'The alternatives that the schema combines (allOf, anyOf, oneOf, not) must match.',
    'Set the fields of exactly one alternative (`oneOf`), or of at least one (`anyOf`).',
  ),
  listKey: rule(
    'schema/duplicate-list-key',
    'The keys of the items of a keyed list must be unique after defaulting.',
    'Set the key of one of the items, such as containers[].name, to a unique value, or remove the item.',
    {
      why: 'The API server rejects the object, because the keys identify the items of such a list.',
      source: 'Kubernetes API server: x-kubernetes-list-type=map',
    },
  ),
  setItem: rule(
    'schema/duplicate-set-item',
    'The items of a set must be unique.',
    'Remove the duplicate item: [a, a] becomes [a].',
    {
      source: 'Kubernetes API server: x-kubernetes-list-type=set',
    },
  ),
  scale: rule(
    'schema/scale-replicas',
    'The number of replicas of a custom resource with a scale subresource must be at least 0 and fit in 32 bits.',
    'Set spec.replicas to an integer from 0 to 2147483647.',
    {
      tier: 'server',
      source: 'Kubernetes API server, apiextensions customresource: ValidateScaleSpec',
    },
  ),
  scope: rule('schema/scope', 'Only objects of a namespaced kind may set a namespace.', 'Remove metadata.namespace.', {
    // Not of the schema tier: posted to the cluster-wide path, as kubectl does, the object is accepted.
    tier: 'advice',
    severity: 'warning',
    why: 'The API server silently drops the namespace (at a namespaced path it does not know the kind): the object is cluster-scoped, and all namespaces share it.',
    source: 'Kubernetes API server, registry/rest: EnsureObjectNamespaceMatchesRequestNamespace',
  }),
  version: rule(
    'schema/api-version-served',
    'The API version must be served by the target Kubernetes version or by the CRD.',
    'Set apiVersion to a version that is served.',
    {
      why: 'The API server has no such API and responds that it does not know the kind.',
      source: 'Kubernetes OpenAPI of each minor; the versions of each CRD',
    },
  ),
  deprecated: rule(
    'schema/api-version-current',
    'The API version should not be deprecated.',
    'Set apiVersion to the current version.',
    {
      tier: 'advice',
      severity: 'info',
      why: 'The API server accepts it with a warning; a later release of the project will not.',
      source: 'the versions of each CRD',
    },
  ),
  onByDefault: rule(
    'schema/api-version-on-by-default',
    'The API version should be one that clusters serve by default.',
    'Set apiVersion to a version that is served by default, or start the API server with --runtime-config.',
    {
      tier: 'advice',
      severity: 'warning',
      why: 'Alpha and beta versions of built-in kinds are off unless the API server is started with --runtime-config: it then responds that it does not know the kind.',
      source: 'Kubernetes API server, controlplane: stable, beta and alpha API versions',
    },
  ),
  group: rule(
    'schema/api-group-exists',
    'The API group of a kind must be the group in which its project serves it.',
    'Set apiVersion to the full name of the group and its version.',
    {
      why: 'The API server has no such API and responds that it does not know the kind: the name of a project, such as istio.io or volcano.sh, is not an API group.',
      source: 'the groups of each project; istio 1.26, manifests/charts/base/files/crd-all.gen.yaml',
    },
  ),
  kind: rule(
    'schema/known-kind',
    'The kind must be a kind of its API group.',
    'Set kind or apiVersion to an existing kind and its group.',
    {
      why: 'The API server has no such API and responds that it does not know the kind.',
      source: 'Kubernetes OpenAPI of each minor; the kinds of each project',
    },
  ),
  identity: rule(
    'schema/api-version-and-kind',
    'An object must set apiVersion and kind, both as strings.',
    'Set apiVersion and kind, such as apiVersion: v1 and kind: Pod.',
    {
      why: 'Without both, no client can tell what the object is; kubectl rejects it.',
      source: 'Kubernetes API conventions',
    },
  ),
  cel: rule(
    'cel/rule',
    'The CEL rules of the CRD must evaluate to true.',
    'Set the fields that the rule reads as self.X to values for which it evaluates to true.',
    {
      tier: 'cel',
      source: 'x-kubernetes-validations of the CRD',
    },
  ),
  celError: rule(
    'cel/rule-evaluates',
    'The CEL rules of the CRD must be evaluable on the object.',
    'Set the fields that the rule reads as self.X.',
    {
      tier: 'cel',
      why: 'The API server rejects the object: a rule that fails to evaluate counts as violated.',
      source: 'x-kubernetes-validations of the CRD',
    },
  ),
} as const satisfies Record<string, RuleFacts>;
