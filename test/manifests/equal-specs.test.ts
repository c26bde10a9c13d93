import { readManifests } from '../../src/interfaces/checks';

const object = (kind: string, name: string, spec: string, apiVersion = 'apps/v1'): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

test('manifests of one version and kind share their spec if it is equal', () => {
  const set = readManifests(
    [
      object('Deployment', 'a', '{replicas: 1}'),
      object('Deployment', 'b', '{replicas: 1}'),
      object('Deployment', 'c', '{replicas: 2}'),
      object('StatefulSet', 'd', '{replicas: 1}'),
      object('Deployment', 'e', '{replicas: 1}', 'apps/v1beta1'),
    ].join('---\n'),
  );
  const [a, b, ...others] = set.manifests.map((manifest) => set.specOf(manifest));
  expect(a).toBeDefined();
  expect(b).toBe(a);
  expect(new Set([a, ...others]).size).toBe(4);
});

test('a spec that JSON does not represent is not shared', () => {
  const json = (replicas: string): string =>
    `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": ${replicas}}}\n`;
  const set = readManifests([json('1e999'), json('null')].join('---\n'));
  expect(set.manifests.map((manifest) => set.specOf(manifest) !== undefined)).toEqual([false, true]);
});

test('of thousands of specs, each manifest keeps its own', () => {
  const texts = Array.from({ length: 2100 }, (_, index) => object('Deployment', `d${index}`, `{replicas: ${index}}`));
  const set = readManifests(texts.join('---\n'));
  const first = set.manifests.map((manifest) => set.specOf(manifest));
  expect(new Set(first).size).toBe(2100);
  expect(set.manifests.map((manifest) => set.specOf(manifest))).toEqual(first);
  expect(set.manifests.every((manifest, index) => set.specOf(manifest) === first[index])).toBe(true);
});
