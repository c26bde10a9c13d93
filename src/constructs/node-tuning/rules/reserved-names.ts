/**
 * Names on nodes that are not one's own to give (row K7).
 */
import { type ObjectRule, type Rule } from '../../../checks/rules/rule';
import { valueAt, pointer } from '../../../manifests/pointer';
import { asObject, stringEntries } from '../../../manifests/read';

const RESERVED: readonly string[] = ['kubernetes.io', 'k8s.io', 'node.kubernetes.io', 'node.k8s.io'];
/** Where the annotations of nodes are, by kind. */
const PLACES: Readonly<Record<string, string>> = {
  Node: '/metadata/annotations',
  NodePool: '/spec/template/metadata/annotations',
};

const ownDomain: ObjectRule = {
  id: 'node-tuning/node-annotation-in-own-domain',
  row: 'K7',
  tier: 'advice',
  severity: 'warning',
  summary: 'Custom annotations of nodes must use a domain of your own.',
  why: 'kubernetes.io and k8s.io are reserved for Kubernetes, which may give the name another meaning. Also, schedulers cannot select by annotations, and each change is sent to all watchers of nodes.',
  source: 'kubernetes.io, well-known labels, annotations and taints (reserved namespaces)',
  fix: 'Rename the annotation to a key with another domain prefix, such as example.com/name.',
  on: 'object',
  kinds: ['Node', 'karpenter.sh/NodePool'],
  concerns: ['annotations'],
  *check({ id, object }) {
    const place = PLACES[id.kind];
    for (const [name, value] of stringEntries(asObject(valueAt(object, place)))) {
      const domain = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
      if (!RESERVED.includes(domain)) {
        continue;
      }
      yield {
        path: pointer(place, name),
        message: `the prefix ${domain} is reserved, and "${name}" is not one of its node annotations`,
        found: value,
        expected: `a name in another domain, such as example.com/${name.slice(domain.length + 1)}`,
      };
    }
  },
};

export const reservedNameRules: readonly Rule[] = [ownDomain];
