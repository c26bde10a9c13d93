/**
 * One mistake is reported once, by the rule that says more about it.
 */
import { check } from '../../src/checks/engine';
import { parseYaml } from '../../src/manifests/yaml';
import { ManifestSet } from '../../src/manifests/manifest-set';
import '../../src/interfaces/checks';

const NAMELESS = `
apiVersion: v1
kind: Pod
metadata: { name: a, annotations: {} }
spec:
  containers:
    - { image: x }
`;

function rulesAt(path: string, tiers?: readonly ['schema']): readonly string[] {
  const { findings } = check(new ManifestSet(parseYaml(NAMELESS, 'a.yaml').manifests), { tiers });
  return findings.filter((finding) => finding.path === path).map(({ rule }) => rule);
}

test('the rule that names the container speaks, and the schema is silent', () => {
  expect(rulesAt('/spec/containers/0/name')).toEqual(['core/container-name-required']);
});

test('who asks for the schema alone hears the schema', () => {
  expect(rulesAt('/spec/containers/0/name', ['schema'])).toEqual(['schema/required']);
});

function messagesOf(yaml: string, tiers?: readonly ['server']): readonly string[] {
  const { findings } = check(new ManifestSet(parseYaml(yaml, 'a.yaml').manifests), { tiers });
  return findings.filter(({ severity }) => severity === 'error').map(({ rule, path }) => `${rule} ${path}`);
}

const IMAGE = `
apiVersion: v1
kind: Pod
metadata: { name: a, namespace: b }
spec: { containers: [{ name: c, image: {} }] }
`;

const service = (port: string): string => `
apiVersion: v1
kind: Service
metadata: { name: a, namespace: b }
spec: { ports: [{ port: ${port} }] }
`;

test('a value of the wrong type is reported by the schema alone', () => {
  expect(messagesOf(IMAGE)).toEqual(['schema/type /spec/containers/0/image']);
});

test.each([
  [
    'a field of an object',
    'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a, namespace: b}\nspec: {groups: [{name: g, rules: [{expr: up, alert: {a: 1}}]}]}\n',
    '/spec/groups/0/rules/0/alert',
  ],
  [
    'one of two fields',
    'apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: a, namespace: b}\nspec: {entrypoint: x, clusterSelector: true}\n',
    '/spec/clusterSelector',
  ],
  [
    'an item of a list',
    'apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {name: a}\nspec: {cidrs: [[a]]}\n',
    '/spec/cidrs/0',
  ],
])('a value of the wrong type is not reported as missing: %s', (_, yaml, path) => {
  expect(messagesOf(yaml)).toEqual([`schema/type ${path}`]);
});

test('another field that is missing beside it is reported', () => {
  const found = messagesOf(
    'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a, namespace: b}\nspec: {groups: [{name: g, rules: [{expr: up, labels: 7}]}]}\n',
  );
  expect(found).toEqual([
    'monitoring/rule-is-alert-or-recording /spec/groups/0/rules/0',
    'schema/type /spec/groups/0/rules/0/labels',
  ]);
});

test('without the schema, the rule reports the value', () => {
  expect(messagesOf(IMAGE, ['server'])).toEqual(['core/container-image-required /spec/containers/0/image']);
});

test('a number outside the format is reported by the rule that knows the range', () => {
  expect(messagesOf(service('9000000000'))).toEqual(['core/service-port-valid /spec/ports/0/port']);
});

test('a wrong key is reported beside the wrong type of its value', () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b, labels: { "A.b/c": 1 } }';
  expect(messagesOf(yaml)).toEqual([
    'metadata/label-key /metadata/labels/A.b~1c',
    'schema/type /metadata/labels/A.b~1c',
  ]);
});

const job = (networks: string): string => `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: a, namespace: b }
spec:
  pytorchReplicaSpecs:
    Master: &replica
      template:
        metadata: { annotations: { k8s.v1.cni.cncf.io/networks: '${networks}' } }
        spec: { containers: [{ name: pytorch, image: x }] }
    Worker: *replica
`;

const NETWORK = `
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: rail, namespace: other }
`;

function networksSaid(...yaml: readonly string[]): readonly string[] {
  const { findings } = check(new ManifestSet(parseYaml(yaml.join('---'), 'a.yaml').manifests));
  return findings
    .filter(({ rule }) => rule === 'pods/network-attachment-known')
    .map(({ object, severity, message }) => `${object} ${severity}: ${message}`);
}

test('an object that is not there is reported once for each object and name', () => {
  const said = (object: string, name: string): string =>
    `kubeflow.org/v1 PyTorchJob ${object} info: NetworkAttachmentDefinition "${name}" not found in these manifests`;
  expect(networksSaid(job('rdma, rdma, eth, rdma'), job('rdma').replace('name: a,', 'name: c,'))).toEqual([
    said('b/a', 'rdma'),
    said('b/a', 'eth'),
    said('b/c', 'rdma'),
  ]);
});

test('what has to be corrected at each place is reported at each', () => {
  expect(networksSaid(job('rail'), NETWORK)).toHaveLength(2);
});

const scaled = (kind: string, triggers: string): string => `
apiVersion: keda.sh/v1alpha1
kind: ${kind}
metadata: { name: a, namespace: b }
spec:
  ${kind === 'ScaledJob' ? 'jobTargetRef: { template: { spec: { containers: [{ name: c, image: "x:1" }], restartPolicy: Never } } }' : 'scaleTargetRef: { name: x }'}
  ${triggers}
`;

test.each(['ScaledObject', 'ScaledJob'])('triggers of a %s that are missing or empty are reported once', (kind) => {
  expect(messagesOf(scaled(kind, 'triggers: []'))).toEqual(['keda/triggers-present /spec/triggers']);
  expect(messagesOf(scaled(kind, ''))).toEqual(['keda/triggers-present /spec/triggers']);
});

test('the schema reports that triggers are empty where it is asked alone', () => {
  const { findings } = check(new ManifestSet(parseYaml(scaled('ScaledObject', 'triggers: []'), 'a.yaml').manifests), {
    tiers: ['schema'],
  });
  expect(findings.map(({ rule, path }) => `${rule} ${path}`)).toEqual(['schema/size /spec/triggers']);
});

test('the schema also reports what is too long, though a rule reports the field', () => {
  const said = messagesOf(`
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: a }
spec: { cohortName: "${'A'.repeat(254)}", namespaceSelector: {} }
`);
  expect(said).toContain('schema/size /spec/cohortName');
});
