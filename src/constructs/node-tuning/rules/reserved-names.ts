/**
 * Names on nodes that are not one's own to give (row K7).
 */
import { type ObjectRule, type Rule } from '../../../checks/rule';
import { valueAt, pointer } from '../../../manifests/pointer';
import { asObject, stringEntries } from '../../../manifests/read';

const RESERVED: readonly string[] = ['kubernetes.io', 'k8s.io', 'node.kubernetes.io', 'node.k8s.io'];
/** Where the annotations of nodes stand, by kind. */
const PLACES: Readonly<Record<string, string>> = {
  Node: '/metadata/annotations',
  NodePool: '/spec/template/metadata/annotations',
};

const ownDomain: ObjectRule = {
  id: 'node-tuning/node-annotation-in-own-domain',
  row: 'K7',
  tier: 'advice',
  severity: 'warning',
  summary: "Annotations of nodes that one makes up lie in a domain of one's own.",
  why: 'Kubernetes keeps kubernetes.io and k8s.io for itself, and may give the name another meaning. Schedulers cannot select by annotations either, and each write to a node goes to everybody who watches nodes.',
  source: 'kubernetes.io, well-known labels, annotations and taints (reserved namespaces)',
  fix: 'Use a domain of your own; what pods shall select by is a label.',
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
        message: `${domain} is reserved, and ${name} is not one of its annotations of nodes`,
        found: value,
        expected: `such as example.com/${name.slice(domain.length + 1)}`,
      };
    }
  },
};

export const reservedNameRules: readonly Rule[] = [ownDomain];
