/**
 * Two rules that report one field for one reason: one of them is reported.
 */
import { check } from '../../src/checks/engine';
import { type Rule } from '../../src/checks/rules/rule';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: { name: a, namespace: b }\nspec: { containers: [{ name: a, image: b }] }\n';
const set = (): ManifestSet => new ManifestSet(parseYaml(POD, 'a.yaml').manifests);

const rule = (id: string, more: Partial<Rule> = {}): Rule =>
  ({
    id,
    tier: 'webhook',
    severity: 'error',
    summary: 'A.',
    why: 'A.',
    source: 'a',
    fix: 'A.',
    on: 'object',
    kinds: ['*'],
    check: () => [{ path: '/spec', message: 'a' }],
    ...more,
  }) as Rule;

const reported = (...rules: readonly Rule[]): readonly string[] =>
  check(set(), { rules }).findings.map((finding) => finding.rule);

const yielding = rule('acme/yields', { yieldsTo: 'any' });

test.each<readonly [string, readonly Rule[], readonly string[]]>([
  ['alone', [yielding], ['acme/yields']],
  ['another rule at the place', [yielding, rule('acme/other')], ['acme/other']],
  ['in the other order', [rule('acme/other'), yielding], ['acme/other']],
  ['rules that both stay', [rule('acme/one'), rule('acme/other')], ['acme/one', 'acme/other']],
  ['another tier', [yielding, rule('acme/other', { tier: 'advice' })], ['acme/other', 'acme/yields']],
  ['a warning', [yielding, rule('acme/other', { severity: 'warning' })], ['acme/other', 'acme/yields']],
  [
    'a rule that yields only to core rules',
    [rule('acme/yields', { yieldsTo: 'core' }), rule('acme/other')],
    ['acme/other', 'acme/yields'],
  ],
  ['a core rule', [rule('acme/yields', { yieldsTo: 'core' }), rule('core/other')], ['core/other']],
  [
    'a warning that yields',
    [rule('acme/yields', { yieldsTo: 'any', severity: 'warning' }), rule('acme/other')],
    ['acme/other', 'acme/yields'],
  ],
  [
    'another place',
    [yielding, rule('acme/other', { check: () => [{ path: '/metadata', message: 'a' }] })],
    ['acme/other', 'acme/yields'],
  ],
  ['two that yield', [yielding, rule('acme/yields-too', { yieldsTo: 'any' })], ['acme/yields', 'acme/yields-too']],
])('%s', (_what, rules, expected) => {
  expect([...reported(...rules)].sort()).toEqual(expected);
});

test('a suppressed finding does not hide the other one', () => {
  const ignored = { rule: 'acme/other', reason: 'known' };
  const { findings } = check(set(), { rules: [yielding, rule('acme/other')], ignore: [ignored] });
  expect(findings.map((finding) => finding.rule)).toEqual(['acme/yields']);
});

test('a Knative revision with a wrong name of a volume is reported once', () => {
  const text = `apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: a, namespace: b }
spec:
  template:
    spec:
      containers: [{ image: example.com/a, volumeMounts: [{ name: a=b, mountPath: /a }] }]
      volumes: [{ name: a=b, emptyDir: {} }]
`;
  const { findings } = check(new ManifestSet(parseYaml(text, 'a.yaml').manifests));
  expect(findings.filter(({ path }) => path.endsWith('/volumes/0/name')).map((finding) => finding.rule)).toEqual([
    'core/volume-name-valid',
  ]);
});
