import { ApiObject, App, Chart, JsonPatch, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import fc from 'fast-check';
import { manifestsOf } from '../../src/manifests/constructs';
import { parseYaml } from '../../src/manifests/yaml';
import { samples } from '../support/samples';

function configMap(scope: Construct, id: string, data: object = {}): ApiObject {
  return new ApiObject(scope, id, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: id }, data });
}

test('every object carries the path of its construct', () => {
  const chart = new Chart(new App(), 'platform', { namespace: 'n' });
  configMap(new Construct(chart, 'team'), 'settings');
  const [manifest] = manifestsOf(chart.node.root).manifests;
  expect(manifest.id).toEqual({ apiVersion: 'v1', group: '', kind: 'ConfigMap', namespace: 'n', name: 'settings' });
  expect(manifest.origin).toEqual({ construct: 'platform/team/settings' });
});

test('patches and late values are in', () => {
  const chart = new Chart(new App(), 'c');
  const object = configMap(chart, 'a', { late: Lazy.any({ produce: () => 'yes' }) as unknown });
  object.addJsonPatch(JsonPatch.add('/data/nvidia.com~1gpu', '8'));
  expect(manifestsOf(chart).manifests[0].object.data).toEqual({ late: 'yes', 'nvidia.com/gpu': '8' });
});

test('a part of the tree gives its part of the objects', () => {
  const app = new App();
  const chart = new Chart(app, 'c');
  const part = new Construct(chart, 'part');
  configMap(part, 'inside');
  configMap(chart, 'outside');
  expect(manifestsOf(part).manifests.map(({ id }) => id.name)).toEqual(['inside']);
  expect(manifestsOf(app).manifests.map(({ id }) => id.name)).toEqual(['inside', 'outside']);
});

test.each([
  ['not-a-number', NaN, 'NaN'],
  ['infinity', -Infinity, '-Infinity'],
  ['a function', () => 1, 'a function'],
  ['a bigint', 10n, 'a bigint'],
])('%s does not pass silently', (_, value, word) => {
  const chart = new Chart(new App(), 'c');
  configMap(chart, 'a', { list: [{ 'x/y': value as unknown }] });
  expect(() => manifestsOf(chart)).toThrow(`c/a: /data/list/0/x~1y is ${word}, which JSON cannot represent`);
});

test('an empty list item is null, as cdk8s writes it', () => {
  const chart = new Chart(new App(), 'c');
  configMap(chart, 'a', { list: ['x', undefined, null] });
  expect(manifestsOf(chart).manifests[0].object.data).toEqual({ list: ['x', null, null] });
});

describe('the order is that of cdk8s', () => {
  /** Names in the order in which cdk8s writes them. */
  const written = (app: App): string[] => parseYaml(app.synthYaml(), 'a.yaml').manifests.map(({ id }) => id.name);
  const ours = (app: App): string[] => manifestsOf(app).manifests.map(({ id }) => id.name);

  test('for any tree and any dependencies', () => {
    const shape = fc.record({
      charts: fc.integer({ min: 1, max: 4 }),
      objects: fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 12 }),
      dependencies: fc.array(fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 })), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(shape, ({ charts, objects, dependencies }) => {
        const app = new App();
        const scopes: Construct[] = [];
        for (let i = 0; i < charts; i++) {
          const chart = new Chart(i % 3 === 2 ? scopes[0] : app, `chart${i}`);
          scopes.push(chart, new Construct(chart, 'group'));
        }
        const nodes: Construct[] = [
          ...scopes,
          ...objects.map((at, i) => configMap(scopes[at % scopes.length], `object${i}`)),
        ];
        for (const [from, to] of dependencies) {
          const [source, target] = [from % nodes.length, to % nodes.length].sort((a, b) => b - a);
          const [a, b] = [nodes[source], nodes[target]];
          if (a !== b && !a.node.scopes.includes(b) && !b.node.scopes.includes(a)) {
            a.node.addDependency(b);
          }
        }
        const found = ours(app);
        let expected: string[];
        try {
          expected = written(app);
        } catch (error) {
          // cdk8s itself refuses circles between charts.
          fc.pre(!(error instanceof Error && error.message.includes('cycle')));
          throw error;
        }
        expect(found).toEqual(expected);
      }),
      { seed: 3, numRuns: samples(200) },
    );
  }, 60_000);
});
