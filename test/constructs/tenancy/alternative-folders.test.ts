/**
 * Folders with limit ranges and quotas of one name for one namespace are alternatives: environments, overlays, tests. A pod is held to those of
 * its folder, and not to those of another.
 */
import { check } from '../../../src/interfaces/checks';
import { parseYaml } from '../../../src/manifests/yaml';
import { ManifestSet } from '../../../src/manifests/manifest-set';

const limits = (max: string): string =>
  `apiVersion: v1\nkind: LimitRange\nmetadata: {name: limits, namespace: default}\nspec: {limits: [{type: Container, max: {cpu: "${max}"}}]}\n`;
const quota = (cpu: string): string =>
  `apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: quota, namespace: default}\nspec: {hard: {requests.cpu: "${cpu}", services: "0"}}\n`;
const pod = (cpu: string, name = 'train'): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: default}\nspec: {containers: [{name: main, image: a:1, resources: {requests: {cpu: "${cpu}"}, limits: {cpu: "${cpu}"}}}]}\n`;
const service = `apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\nspec: {ports: [{port: 80}]}\n`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: a:1, resources: {requests: {cpu: "2"}, limits: {cpu: "2"}}}]}
`;

/** `file: rule` of what the limit ranges and quotas reject. */
function rejected(files: Readonly<Record<string, string>>): readonly string[] {
  const parsed = Object.entries(files).map(([file, text]) => parseYaml(text, file));
  const { findings } = check(new ManifestSet(parsed.flatMap(({ manifests }) => manifests)));
  return findings
    .filter(({ rule }) => /^tenancy\/(container-within|claim-within|default-limit|quota-(amounts|holds))/.test(rule))
    .map(({ file, rule, message }) =>
      `${file}: ${rule.slice('tenancy/'.length)} ${/[\d.]+ > [\d.]+ \S+(?=\))/.exec(message)?.[0] ?? ''}`.trim(),
    );
}

test('a pod of another folder is held to none of them', () => {
  expect(
    rejected({
      'clone/sync/limits.yaml': limits('1'),
      'clone/nosync/limits.yaml': limits('1'),
      'validate/pod.yaml': pod('2'),
      'clone/pod.yaml': pod('2'),
    }),
  ).toEqual([]);
});

test('a pod of the same folder, or of one below, is held to that of its folder', () => {
  const files = {
    'dev/limits.yaml': limits('1'),
    'prod/limits.yaml': limits('4'),
    'dev/pod.yaml': pod('2'),
    'dev/app/pod.yaml': pod('3', 'other'),
    'prod/pod.yaml': pod('2'),
    'prod/app/pod.yaml': pod('8', 'other'),
    'development/pod.yaml': pod('9', 'third'),
  };
  const expected = ['dev/pod.yaml', 'dev/app/pod.yaml', 'prod/app/pod.yaml'].map(
    (file) => `${file}: container-within-limits`,
  );
  expect(rejected(files)).toEqual(expected);
  expect([...rejected(Object.fromEntries(Object.entries(files).reverse()))].sort()).toEqual([...expected].sort());
});

test('a pod above the folder of one of them is held to that one', () => {
  const files = {
    'base/pod.yaml': pod('2'),
    'base/policies/limits.yaml': limits('1'),
    'other/limits.yaml': limits('1'),
  };
  expect(rejected(files)).toEqual(['base/pod.yaml: container-within-limits']);
  expect(rejected({ ...files, 'base/more/limits.yaml': limits('1') })).toEqual([]);
});

test('one folder decides for all others, wherever it is', () => {
  expect(rejected({ 'quotas/limits.yaml': limits('1'), 'apps/pod.yaml': pod('2') })).toEqual([
    'apps/pod.yaml: container-within-limits',
  ]);
  expect(rejected({ 'quotas/limits.yaml': `${limits('1')}---\n${limits('1')}`, 'apps/pod.yaml': pod('2') })).toEqual([
    'apps/pod.yaml: container-within-limits',
  ]);
});

test('quotas count what is in their folder', () => {
  const app = `${deployment}---\n${service}`;
  expect(
    rejected({
      'dev/quota.yaml': quota('4'),
      'prod/quota.yaml': quota('1'),
      'dev/app.yaml': app,
      'prod/app.yaml': app,
      'elsewhere/app.yaml': app,
    }),
  ).toEqual([
    'dev/app.yaml: quota-holds-gang 6 > 4 requests.cpu',
    'dev/app.yaml: quota-holds-object 1 > 0 services',
    'prod/app.yaml: quota-holds-pod 2 > 1 requests.cpu',
    'prod/app.yaml: quota-holds-object 1 > 0 services',
  ]);
});

test('a quota that one folder defines counts all, once, beside alternatives', () => {
  expect(
    rejected({
      'a/limits.yaml': limits('4'),
      'b/limits.yaml': limits('4'),
      'c/quota.yaml': quota('9'),
      'a/app.yaml': service,
      'd/app.yaml': service.replace('name: s', 'name: t'),
    }),
  ).toEqual(['a/app.yaml: quota-holds-object 1 > 0 services', 'd/app.yaml: quota-holds-object 1 > 0 services']);
});

test('without a namespace, one folder decides for what is near: below the folder above its own', () => {
  const unplaced = (text: string): string => text.replace(', namespace: default', '');
  expect(
    rejected({
      'test/admin/limits/limits.yaml': unplaced(limits('1')),
      'test/admin/limits/pod.yaml': unplaced(pod('2')),
      'test/admin/apps/web/pod.yaml': unplaced(pod('2', 'beside')),
      'test/pod.yaml': unplaced(pod('2', 'above')),
      'test/user/pod.yaml': unplaced(pod('2', 'elsewhere')),
      'hack/pod.yaml': unplaced(pod('2', 'far')),
    }),
  ).toEqual(
    ['test/admin/limits/pod.yaml', 'test/admin/apps/web/pod.yaml', 'test/pod.yaml'].map(
      (file) => `${file}: container-within-limits`,
    ),
  );
});
