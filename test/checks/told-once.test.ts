/**
 * A missing field is reported once, by the rule that says more about it.
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
