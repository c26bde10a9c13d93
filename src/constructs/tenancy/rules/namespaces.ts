/**
 * Namespaces: objects in a namespace that no manifest creates.
 */
import { type Rule } from '../../../checks/rules/rule';
import { nearestOf, quotedNames } from '../../../facts/spelling';
import { oneOf } from '../../../facts/words';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { namesOfKind } from '../../../manifests/references/placed-names';

const ALWAYS_THERE = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** What belongs to a tenant. Other objects often configure a component whose namespace its own installation made. */
const OF_A_TENANT = new Set(['ResourceQuota', 'LimitRange', 'PersistentVolumeClaim', 'ServiceAccount']);

function belongsToTenant(set: ManifestSet, manifest: Manifest): boolean {
  return OF_A_TENANT.has(kindKey(manifest.id)) || set.podTemplatesOf(manifest).length > 0;
}

const namespaceInSet: Rule = {
  id: 'tenancy/namespace-in-set',
  on: 'set',
  tier: 'advice',
  severity: 'info',
  summary: 'If the manifests contain namespaces, namespaced objects should be in one of them.',
  why: 'The API server rejects an object whose namespace does not exist; next to namespaces in the manifests, another name is often a typo.',
  source: 'Kubernetes 1.36, plugin/pkg/admission/namespace/lifecycle',
  fix: 'Add the Namespace to the manifests, make sure that it exists in the cluster, or set metadata.namespace to a namespace in these manifests.',
  *check({ set }) {
    const names = set.ofKind('Namespace').map(({ id }) => id.name);
    if (names.length === 0) {
      return;
    }
    const made = new Set(names);
    const named = [...made].filter((name) => name !== '');
    const some = quotedNames(named);
    const choices = named.length > 3 ? 'a namespace in these manifests' : oneOf(named.map((name) => `"${name}"`));
    const known = namesOfKind(set, 'Namespace').inReachOf('');
    const said = new Set<string>();
    for (const manifest of set.manifests) {
      const { namespace } = manifest.id;
      if (namespace === '' || ALWAYS_THERE.has(namespace) || made.has(namespace) || said.has(namespace)) {
        continue;
      }
      if (!belongsToTenant(set, manifest)) {
        continue;
      }
      said.add(namespace);
      // A name that nearly matches another one is reported by references/object-in-set.
      if (nearestOf(known, namespace) !== undefined) {
        continue;
      }
      yield {
        manifest,
        path: '/metadata/namespace',
        message: `namespace "${namespace}" not found in these manifests`,
        found: namespace,
        expected: some === '' ? 'a namespace in the cluster' : `${some}, or a namespace in the cluster`,
        fix: `Add the Namespace "${namespace}" to the manifests${choices === '' ? ', or' : ','} make sure that it exists in the cluster${choices === '' ? '' : `, or set metadata.namespace to ${choices}`}.`,
      };
    }
  },
};

export const namespaceRules: readonly Rule[] = [namespaceInSet];
