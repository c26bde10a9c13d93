/**
 * What the API server demands of the metadata of every object: one entry per statement, with the facts that docs and SARIF show.
 */
import { type RuleFacts } from '../rules/rule';

function rule(id: string, summary: string, fix: string, more: Partial<RuleFacts> = {}): RuleFacts {
  return {
    id: `metadata/${id}`,
    tier: 'server',
    severity: 'error',
    summary,
    why: 'The API server rejects the object.',
    source: 'apimachinery, pkg/api/validation/objectmeta.go',
    fix,
    ...more,
  };
}

export const metadataRules = {
  named: rule(
    'named',
    'An object must have a name or a generateName.',
    'Set metadata.name to a name such as train-70b, or set metadata.generateName.',
  ),
  name: rule(
    'name',
    'The name must follow the rules of its kind: for most kinds, a DNS subdomain.',
    'Set metadata.name to lowercase letters, digits, and "-".',
  ),
  namespace: rule(
    'namespace',
    'A namespace must be a DNS label.',
    'Set metadata.namespace to a DNS label of at most 63 lowercase letters, digits, and "-".',
  ),
  labelKey: rule(
    'label-key',
    'Label keys must be names with an optional DNS prefix.',
    'Write the key in metadata.labels as prefix/name or name.',
  ),
  labelValue: rule(
    'label-value',
    'Label values must have at most 63 characters: letters, digits, "-", "_", and ".".',
    'Set the value in metadata.labels to at most 63 letters, digits, "-", "_", and ".".',
  ),
  annotationKey: rule(
    'annotation-key',
    'Annotation keys must be names with an optional DNS prefix; case does not matter.',
    'Write the key in metadata.annotations as prefix/name or name.',
  ),
  annotationSize: rule(
    'annotation-size',
    'All annotations together, keys and values, must have no more than 262,144 bytes.',
    'Move large values from metadata.annotations to a ConfigMap.',
  ),
  finalizer: rule(
    'finalizer',
    'Finalizers must be qualified names; built-in kinds require a domain in their finalizers.',
    'Set the finalizer in metadata.finalizers to a name of the form domain/name, such as example.com/cleanup.',
  ),
  owner: rule(
    'owner-reference',
    'An owner reference must set apiVersion, kind, name, and uid, and at most one owner may be the controller.',
    'Set apiVersion, kind, name, and uid of the owner, or remove metadata.ownerReferences: controllers set the owners of the objects that they create.',
  ),
  generation: rule(
    'generation',
    'The generation, which controllers count, must not be negative.',
    'Remove metadata.generation.',
  ),
  resourceVersion: rule(
    'no-resource-version',
    'A manifest must not set resourceVersion.',
    'Remove metadata.resourceVersion.',
    {
      tier: 'advice',
      severity: 'warning',
      why: 'A dry run accepts it, a real create rejects it, and an update fails as soon as the object has changed in the cluster.',
      source: 'Kubernetes API server, storage/etcd3: resourceVersion should not be set on objects to be created',
    },
  ),
} as const satisfies Record<string, RuleFacts>;

/** All of them, in the order in which docs list them. */
export const metadataRuleFacts: readonly RuleFacts[] = Object.values(metadataRules);
