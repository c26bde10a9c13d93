/**
 * What the shape check can find wrong: one entry per kind of mistake, with the facts that docs and SARIF show.
 *
 * The checks themselves stand in this folder and in `../cel`; they are not functions over a manifest set, as rules are, since the server
 * too does them in one walk over the object.
 */
import { type RuleFacts } from '../rule';

const STRICT = 'Kubernetes API server, strict decoding (fieldValidation=Strict)';
const CRD_SCHEMA = 'Kubernetes API server: the OpenAPI schema of the kind (apiextensions, kube-openapi/validation)';
const REFUSED = 'The API server refuses the object.';

function rule(id: string, summary: string, fix: string, more: Partial<RuleFacts> = {}): RuleFacts {
  return { id, tier: 'schema', severity: 'error', summary, why: REFUSED, source: CRD_SCHEMA, fix, ...more };
}

export const shapeRules = {
  unknownField: rule(
    'schema/unknown-field',
    'Every field is one that the kind has.',
    'Correct the name, or remove the field.',
    {
      why: 'A strict server refuses the object; a lenient one drops the field without a word, so what it said never happens.',
      source: STRICT,
    },
  ),
  required: rule('schema/required', 'Required fields are there, unless they have a default.', 'Add the field.'),
  type: rule('schema/type', 'Values have the type that the field takes.', 'Write a value of the expected type.'),
  nullItem: rule('schema/null-item', 'Lists hold no null items.', 'Remove the item, or give it a value.'),
  enum: rule('schema/enum', 'A value is one of those that the field lists.', 'Use one of the listed values.'),
  bound: rule('schema/bound', 'Numbers lie within the bounds of the field.', 'Choose a number within the bounds.'),
  size: rule(
    'schema/size',
    'Texts, lists and maps are as long as the field allows.',
    'Shorten it, or add what is missing.',
  ),
  pattern: rule(
    'schema/pattern',
    'A text matches the pattern of the field.',
    'Write a value that matches the pattern.',
  ),
  format: rule(
    'schema/format',
    'A value can be read as what the field holds: a quantity, a time, base64, an integer of its width.',
    'Write the value in the form named.',
  ),
  combination: rule(
    'schema/combination',
    'The alternatives that the schema combines (allOf, anyOf, oneOf, not) are met.',
    'Write exactly what one of the alternatives asks for.',
  ),
  listKey: rule(
    'schema/duplicate-list-key',
    'No two items of a keyed list have the same key, after defaults.',
    'Remove one of the items, or change its key.',
    {
      why: 'The API server refuses the object: items of such a list are told apart by their keys.',
      source: 'Kubernetes API server: x-kubernetes-list-type=map',
    },
  ),
  setItem: rule('schema/duplicate-set-item', 'A set holds no item twice.', 'Remove the repeated item.', {
    source: 'Kubernetes API server: x-kubernetes-list-type=set',
  }),
  scale: rule(
    'schema/scale-replicas',
    'The replicas that the scale subresource shows are a count.',
    'Write a number from 0 to 2147483647.',
    {
      tier: 'server',
      source: 'Kubernetes API server, apiextensions customresource: ValidateScaleSpec',
    },
  ),
  scope: rule('schema/scope', 'Only objects of a namespaced kind name a namespace.', 'Remove metadata.namespace.', {
    // Not of the schema tier: posted to the cluster-wide path, as kubectl does, the object is taken.
    tier: 'advice',
    why: 'The API server drops the namespace without a word (at a namespaced path it does not know the kind): the object is not where its manifest says, and every namespace shares it.',
    source: 'Kubernetes API server, registry/rest: EnsureObjectNamespaceMatchesRequestNamespace',
  }),
  version: rule(
    'schema/api-version-served',
    'The API version is one that the target Kubernetes, or the CRD, serves.',
    'Use a served version.',
    {
      why: 'The server has no such API and answers that it does not know the kind.',
      source: 'Kubernetes OpenAPI of each minor; the versions of each CRD',
    },
  ),
  deprecated: rule(
    'schema/api-version-current',
    'The API version is not a deprecated one.',
    'Move to the current version.',
    {
      tier: 'advice',
      severity: 'info',
      why: 'The server takes it with a warning; a later release of the project will not.',
      source: 'the versions of each CRD',
    },
  ),
  onByDefault: rule(
    'schema/api-version-on-by-default',
    'The API version is one that a cluster serves without being told to.',
    'Use a stable version, or switch the API on.',
    {
      tier: 'advice',
      severity: 'warning',
      why: 'Alpha and beta versions of built-in kinds are off unless the API server is started with --runtime-config: it then answers that it does not know the kind.',
      source: 'Kubernetes API server, controlplane: stable, beta and alpha API versions',
    },
  ),
  group: rule(
    'schema/api-group-exists',
    'The API group of a kind is the one that its project serves it in.',
    'Write the whole name of the group.',
    {
      why: 'The server has no such API and answers that it does not know the kind: the name of a project, such as istio.io or volcano.sh, is no API group.',
      source: 'the groups of each project; istio 1.26, manifests/charts/base/files/crd-all.gen.yaml',
    },
  ),
  kind: rule('schema/known-kind', 'The kind is one that its API group has.', 'Correct the kind or the apiVersion.', {
    why: 'The server has no such API and answers that it does not know the kind.',
    source: 'Kubernetes OpenAPI of each minor; the kinds of each project',
  }),
  identity: rule(
    'schema/api-version-and-kind',
    'An object says its apiVersion and its kind, both as text.',
    'Add apiVersion and kind.',
    {
      why: 'Without both nobody can tell where the object belongs; kubectl refuses it.',
      source: 'Kubernetes API conventions',
    },
  ),
  cel: rule('cel/rule', 'The CEL rules of the CRD hold.', 'Change the values that the rule speaks of.', {
    tier: 'cel',
    source: 'x-kubernetes-validations of the CRD',
  }),
  celError: rule(
    'cel/rule-evaluates',
    'The CEL rules of the CRD can be evaluated on the object.',
    'Add the fields that the rule reads.',
    {
      tier: 'cel',
      why: 'The API server refuses the object: a rule that fails to evaluate counts as broken.',
      source: 'x-kubernetes-validations of the CRD',
    },
  ),
} as const satisfies Record<string, RuleFacts>;
