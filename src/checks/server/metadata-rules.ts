/**
 * What the API server demands of the metadata of every object: one entry per statement, with the facts that docs and SARIF show.
 */
import { type RuleFacts } from '../rule';

function rule(id: string, summary: string, fix: string, more: Partial<RuleFacts> = {}): RuleFacts {
  return {
    id: `metadata/${id}`,
    tier: 'server',
    severity: 'error',
    summary,
    why: 'The API server refuses the object.',
    source: 'apimachinery, pkg/api/validation/objectmeta.go',
    fix,
    ...more,
  };
}

export const metadataRules = {
  named: rule('named', 'An object has a name, or a generateName.', 'Add metadata.name.'),
  name: rule(
    'name',
    'The name follows the rules of its kind: for most kinds a DNS subdomain.',
    'Use lower-case letters, digits and "-".',
  ),
  namespace: rule(
    'namespace',
    'A namespace is named by a DNS label.',
    'Use lower-case letters, digits and "-", at most 63 characters.',
  ),
  labelKey: rule(
    'label-key',
    'Label keys are names with an optional DNS prefix.',
    'Write the key as prefix/name or name.',
  ),
  labelValue: rule(
    'label-value',
    'Label values have at most 63 characters: letters, digits, "-", "_" and ".".',
    'Move what does not fit into an annotation.',
  ),
  annotationKey: rule(
    'annotation-key',
    'Annotation keys are names with an optional DNS prefix; letter case does not matter.',
    'Write the key as prefix/name or name.',
  ),
  annotationSize: rule(
    'annotation-size',
    'All annotations together, keys and values, have at most 262,144 bytes.',
    'Move large values into a ConfigMap.',
  ),
  finalizer: rule(
    'finalizer',
    'Finalizers are qualified names; built-in kinds want a domain in front of their own.',
    'Write the finalizer as domain/name.',
  ),
  owner: rule(
    'owner-reference',
    'An owner reference names apiVersion, kind, name and uid, and one owner at most is the controller.',
    'Complete the reference, or leave it to the controller that creates the object.',
  ),
  generation: rule(
    'generation',
    'The generation, which controllers count, is not negative.',
    'Remove metadata.generation.',
  ),
  resourceVersion: rule(
    'no-resource-version',
    'A manifest names no resourceVersion.',
    'Remove metadata.resourceVersion.',
    {
      tier: 'advice',
      severity: 'warning',
      why: 'A dry run takes it, a real create refuses it, and an update fails as soon as somebody else has changed the object.',
      source: 'Kubernetes API server, storage/etcd3: resourceVersion should not be set on objects to be created',
    },
  ),
} as const satisfies Record<string, RuleFacts>;

/** All of them, in the order in which docs list them. */
export const metadataRuleFacts: readonly RuleFacts[] = Object.values(metadataRules);
