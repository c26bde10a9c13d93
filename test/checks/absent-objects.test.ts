/**
 * That an object is not in the manifests is reported once for each object that names it, whatever the words are.
 */
import { check } from '../../src/checks/engine';
import { type AbsentObject, type Rule, type Violation } from '../../src/checks/rules/rule';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import '../../src/interfaces/checks';

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b }\n';

function setOf(...yaml: readonly string[]): ManifestSet {
  return new ManifestSet(parseYaml(yaml.join('\n---\n'), 'a.yaml').manifests);
}

/** The paths at which a rule with these violations is heard. */
function heard(...violations: readonly Violation[]): readonly string[] {
  const rule: Rule = {
    id: 'example/names',
    tier: 'advice',
    severity: 'info',
    on: 'object',
    kinds: ['ConfigMap'],
    summary: 'An object has a name.',
    why: 'It is found by it.',
    source: 'this test',
    fix: 'Set the name.',
    check: () => violations,
  };
  return check(setOf(CONFIG_MAP), { rules: [rule] })
    .findings.filter((finding) => finding.rule === rule.id)
    .map(({ path }) => path);
}

const secret: AbsentObject = { kind: 'Secret', name: 'x' };

test('two places that name one absent object are one finding, in whatever words', () => {
  expect(
    heard(
      { path: '/data/1', message: 'Secret "x" not found in these manifests', absent: secret },
      { path: '/data/2', message: 'nothing here has the name x', absent: { ...secret } },
    ),
  ).toEqual(['/data/1']);
});

test('words that look like those of an absent object are findings of their own', () => {
  const message = 'Secret "x" not found in these manifests';
  expect(heard({ path: '/data/1', message }, { path: '/data/2', message })).toEqual(['/data/1', '/data/2']);
});

test('another kind or name is another object, and a mistake is reported at each place', () => {
  const message = 'not found';
  expect(
    heard(
      { path: '/data/1', message, absent: secret },
      { path: '/data/2', message, absent: { kind: 'Secret', name: 'y' } },
      { path: '/data/3', message, absent: { kind: 'example.com/Secret', name: 'x' } },
      { path: '/data/4', message, absent: secret, severity: 'warning' },
    ),
  ).toEqual(['/data/1', '/data/2', '/data/3', '/data/4']);
});

test('a report does not carry the object as a field of its own', () => {
  const { findings } = check(
    setOf('apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: { name: a, namespace: b }\n' + requests),
  );
  expect(findings.find(({ rule }) => rule === 'devices/device-class-known')).toMatchObject({ found: 'gone' });
  expect(findings.some((finding) => 'absent' in finding)).toBe(false);
});

const requests = `spec:
  devices:
    requests:
      - { name: x, exactly: { deviceClassName: gone } }
      - { name: y, exactly: { deviceClassName: gone } }
`;

const templates = `
    - { name: x, template: &pod { metadata: { annotations: { scheduling.k8s.io/group-name: gone } }, spec: { schedulerName: volcano, containers: [{ name: c, image: i }] } } }
    - { name: y, template: *pod }`;

test.each([
  [
    'devices/device-class-known',
    `apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: { name: a, namespace: b }\n${requests}`,
  ],
  [
    'references/object-in-set',
    `apiVersion: v1
kind: Pod
metadata: { name: a, namespace: b }
spec:
  containers:
    - { name: x, image: i, envFrom: [{ configMapRef: { name: unrelated } }] }
    - { name: y, image: i, envFrom: [{ configMapRef: { name: unrelated } }] }
---
${CONFIG_MAP}`,
  ],
  [
    'volcano/job-flow-template-known',
    `apiVersion: flow.volcano.sh/v1alpha1
kind: JobFlow
metadata: { name: a, namespace: b }
spec: { flows: [{ name: gone }, { name: gone }] }
---
apiVersion: flow.volcano.sh/v1alpha1
kind: JobTemplate
metadata: { name: other, namespace: b }
`,
  ],
  [
    'volcano/pod-group-known',
    `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: { name: a, namespace: b }
spec:
  tasks:${templates}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: { name: other, namespace: b }
`,
  ],
])('%s reports an absent object once for the object that names it twice', (id, yaml) => {
  const said = check(setOf(yaml)).findings.filter(({ rule, severity }) => rule === id && severity === 'info');
  expect(said).toHaveLength(1);
});
