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
