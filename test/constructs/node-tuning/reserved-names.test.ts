/**
 * Annotations of nodes in domains that Kubernetes keeps for itself.
 */
import { nodeTuningRules } from '../../../src/constructs/node-tuning/rules';
import { findingsOf } from '../../support/findings';

const node = (name: string): string =>
  `{ apiVersion: v1, kind: Node, metadata: { name: a, annotations: { "${name}": "{}" } } }`;
const pool = (name: string): string =>
  `{ apiVersion: karpenter.sh/v1, kind: NodePool, metadata: { name: a }, spec: { template: { metadata: { annotations: { "${name}": "x" } } } } }`;
const found = (yaml: string): readonly string[] =>
  findingsOf(yaml, nodeTuningRules).map(({ rule, path }) => `${rule} ${path}`);

test('an invented annotation of a node is reported', () => {
  expect(found(node('node.kubernetes.io/ai-resource-capacity'))).toEqual([
    'node-tuning/node-annotation-in-own-domain /metadata/annotations/node.kubernetes.io~1ai-resource-capacity',
  ]);
  expect(found(pool('k8s.io/tier'))).toEqual([
    'node-tuning/node-annotation-in-own-domain /spec/template/metadata/annotations/k8s.io~1tier',
  ]);
});

test.each([
  'example.com/ai-resource-capacity',
  'volumes.kubernetes.io/controller-managed-attach-detach',
  'csi.volume.kubernetes.io/nodeid',
  'node.alpha.kubernetes.io/ttl',
  'kubeadm.alpha.kubernetes.io/cri-socket',
  'note',
  'nfd.node.kubernetes.io/feature-labels',
])('%s is allowed', (name) => {
  expect(found(node(name))).toEqual([]);
  expect(found(pool(name))).toEqual([]);
});
