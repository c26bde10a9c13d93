/**
 * The kinds that Gantry's own constructs write for Flux, Argo CD, and the node readiness controller are checked like any other.
 */
import { App, Chart } from 'cdk8s';
import { ShapeChecker } from '../../../src/checks/schema/check-shape';
import * as charts from '../../../src/constructs/charts';
import { DeviceReadiness } from '../../../src/constructs/node-tuning';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Testing } from '../../../src/interfaces/testing';
import { asObject } from '../../../src/manifests/read';
import { manifestOf } from '../../support/manifest-of';

const checker = new ShapeChecker({ kubernetes: '1.35', crds: [] });

function rendered(): readonly JsonObject[] {
  const chart = new Chart(new App(), 'delivery', { namespace: 'gantry-system' });
  new charts.HelmRelease(chart, 'volcano', { chart: 'volcano' });
  new charts.TrainingOperatorRelease(chart, 'training-operator');
  new charts.ArgoApplication(chart, 'kueue', { chart: 'kueue' });
  new DeviceReadiness(chart, 'gpu-ready', { image: 'registry.example.com/kubectl:1.36', count: 8 });
  return Testing.synth(chart);
}

const KINDS = [
  'HelmRepository',
  'HelmRelease',
  'GitRepository',
  'Kustomization',
  'Application',
  'NodeReadinessRule',
] as const;

const one = (kind: (typeof KINDS)[number]): JsonObject => rendered().find((object) => object.kind === kind)!;
const withSpec = (kind: (typeof KINDS)[number], change: JsonObject): JsonObject => {
  const object = one(kind);
  return { ...object, spec: { ...asObject(object.spec), ...change } };
};
const violations = (object: JsonObject): readonly (readonly [string | undefined, string | undefined])[] =>
  checker.check(manifestOf(object)).violations.map(({ rule, path }) => [rule, path]);

test.each(KINDS)('a rendered %s is checked and has no finding', (kind) => {
  const { violations: found, notChecked } = checker.check(manifestOf(one(kind)));
  expect(notChecked).toBeUndefined();
  expect(found).toEqual([]);
});

test.each(KINDS)('an unknown field of a %s is found', (kind) => {
  expect(violations(withSpec(kind, { noSuchField: 1 }))).toEqual([['schema/unknown-field', '/spec/noSuchField']]);
});

test.each([
  ['HelmRepository', { type: 'git' }, 'schema/enum', '/spec/type'],
  ['HelmRepository', { interval: 'often' }, 'schema/pattern', '/spec/interval'],
  ['HelmRelease', { interval: 600 }, 'schema/type', '/spec/interval'],
  ['HelmRelease', { releaseName: 'x'.repeat(54) }, 'schema/size', '/spec/releaseName'],
  ['HelmRelease', { upgrade: { crds: 'Replace' } }, 'schema/enum', '/spec/upgrade/crds'],
  ['GitRepository', { url: 'example.com/a.git' }, 'schema/pattern', '/spec/url'],
  ['Kustomization', { prune: 'yes' }, 'schema/type', '/spec/prune'],
  ['Application', { destination: { server: 1 } }, 'schema/type', '/spec/destination/server'],
  ['NodeReadinessRule', { enforcementMode: 'always' }, 'schema/enum', '/spec/enforcementMode'],
  ['NodeReadinessRule', { conditions: [] }, 'schema/size', '/spec/conditions'],
  [
    'NodeReadinessRule',
    { conditions: [{ type: 'x', requiredStatus: true }] },
    'schema/type',
    '/spec/conditions/0/requiredStatus',
  ],
] as const)('a %s with %j breaks %s', (kind, change, rule, path) => {
  expect(violations(withSpec(kind, change as JsonObject))).toEqual([[rule, path]]);
});

test.each([
  ['HelmRelease', 'interval'],
  ['Kustomization', 'sourceRef'],
  ['Application', 'destination'],
  ['GitRepository', 'url'],
  ['NodeReadinessRule', 'enforcementMode'],
] as const)('a %s without spec.%s lacks a required field', (kind, field) => {
  const object = one(kind);
  const spec = Object.fromEntries(Object.entries(asObject(object.spec)).filter(([name]) => name !== field));
  expect(checker.check(manifestOf({ ...object, spec })).violations).toEqual([
    expect.objectContaining({ rule: 'schema/required' }),
  ]);
});

test('a NodeReadinessRule has no namespace', () => {
  expect(asObject(one('NodeReadinessRule').metadata).namespace).toBeUndefined();
});
