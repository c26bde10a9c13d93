import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { chartRules } from '../../../src/constructs/charts/rules';
import { findingsOf } from '../../support/findings';
import { samples } from '../../support/samples';

interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, readonly JsonObject[]>>;
  readonly silent: Readonly<Record<string, readonly JsonObject[]>>;
}

function release(chart: string, values: JsonObject = {}, version: JsonObject = { version: '1.2.3' }): JsonObject {
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: chart, namespace: 'flux-system' },
    spec: { chart: { spec: { chart, ...version, sourceRef: { kind: 'HelmRepository', name: 'repo' } } }, values },
  };
}

function repository(url: string): JsonObject {
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmRepository',
    metadata: { name: 'repo', namespace: 'flux-system' },
    spec: { url },
  };
}

function application(
  chart: string,
  source: JsonObject = {},
  syncOptions: string[] = ['ServerSideApply=true'],
): JsonObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: chart, namespace: 'argocd' },
    spec: {
      source: { chart, targetRevision: '1.2.3', repoURL: 'https://example.com', ...source },
      syncPolicy: { syncOptions },
    },
  };
}

const gpu = (values: JsonObject): readonly JsonObject[] => [release('gpu-operator', values)];

const cases: readonly RuleCases[] = [
  {
    rule: 'charts/version-pinned',
    fires: {
      'no version': [release('keda', {}, {})],
      'a range': [release('keda', {}, { version: '>=2.0.0' })],
      'the latest': [application('volcano', { targetRevision: '*' })],
    },
    silent: {
      fixed: [release('gpu-operator', {}, { version: 'v1.0.0' }), application('volcano')],
      'a chart of others': [release('podinfo', {}, {})],
    },
  },
  {
    rule: 'charts/repository-current',
    fires: {
      Flux: [release('volcano'), repository('https://volcano-sh.github.io/charts/')],
      'Argo CD': [application('volcano', { repoURL: 'https://volcano-sh.github.io/charts' })],
    },
    silent: {
      current: [release('volcano'), repository('https://volcano-sh.github.io/helm-charts')],
      'the repository lives in the cluster': [release('volcano')],
    },
  },
  {
    rule: 'charts/large-crds-server-side',
    fires: { Kueue: [application('kueue', {}, [])] },
    silent: {
      'server side': [application('kueue')],
      'small CRDs': [application('volcano', {}, [])],
      'Flux does': [release('kueue')],
    },
  },
  {
    rule: 'charts/gpu-operator-upgrade-policy-keys',
    fires: {
      Flux: gpu({ driver: { upgradePolicy: { podDeletion: { force: true } } } }),
      'values as a text': [
        application('gpu-operator', { helm: { values: 'driver:\n  upgradePolicy:\n    podDeletion: {}\n' } }),
      ],
    },
    silent: {
      "the chart's key": gpu({ driver: { upgradePolicy: { gpuPodDeletion: { force: true } } } }),
      'another chart': [release('keda', { driver: { upgradePolicy: { podDeletion: {} } } })],
    },
  },
  {
    rule: 'charts/gpu-operator-driver-crd-keys',
    fires: {
      'the field of the ClusterPolicy': [
        application('gpu-operator', { helm: { valuesObject: { driver: { useNvidiaDriverCRD: true } } } }),
      ],
    },
    silent: { "the chart's key": gpu({ driver: { nvidiaDriverCRD: { enabled: true } } }) },
  },
  {
    rule: 'charts/gpu-operator-one-resource',
    fires: { both: gpu({ clusterPolicy: { deployCR: true }, gpuCluster: { deployCR: true } }) },
    silent: { one: gpu({ clusterPolicy: { deployCR: false }, gpuCluster: { deployCR: true } }) },
  },
  {
    rule: 'charts/gpu-operator-gpu-cluster-has-drivers',
    fires: { 'no drivers': gpu({ gpuCluster: { deployCR: true } }) },
    silent: {
      drivers: gpu({ gpuCluster: { deployCR: true }, driver: { nvidiaDriverCRD: { enabled: true } } }),
      'of the nodes': gpu({ gpuCluster: { deployCR: true }, driver: { enabled: false } }),
    },
  },
  {
    rule: 'charts/gpu-operator-nri-needs-cdi',
    fires: {
      'CDI off': gpu({ cdi: { enabled: false, nriPluginEnabled: true } }),
      'no toolkit': gpu({ cdi: { nriPluginEnabled: true }, toolkit: { enabled: false } }),
    },
    silent: { both: gpu({ cdi: { enabled: true, nriPluginEnabled: true } }) },
  },
  {
    rule: 'charts/gpu-operator-plugin-config-complete',
    fires: {
      'no data': gpu({ devicePlugin: { config: { create: true, name: 'a' } } }),
      'no name': gpu({ devicePlugin: { config: { create: true, data: { a: 'version: v1' } } } }),
    },
    silent: {
      both: gpu({ devicePlugin: { config: { create: true, name: 'a', data: { a: 'version: v1' } } } }),
      'one that is there': gpu({ devicePlugin: { config: { name: 'a' } } }),
    },
  },
];

const firing = (manifests: readonly JsonObject[]): readonly string[] =>
  findingsOf(manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'), chartRules).map(({ rule }) => rule);

describe.each(cases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has cases', () => {
  expect(cases.map(({ rule }) => rule).sort()).toEqual(chartRules.map(({ id }) => id).sort());
});

test('no rule fails, whatever replaces any part of a manifest', () => {
  const good = cases.flatMap(({ fires }) => Object.values(fires)).flat();
  const junk = fc.constantFrom<JsonValue>(null, '', 0, true, [], {}, [null], 'a: [', [{}], { a: 1 });
  const changed = (value: JsonValue, by: JsonValue, depth: number, pick: number): JsonValue => {
    if (depth === 0 || value === null || typeof value !== 'object' || Array.isArray(value)) {
      return by;
    }
    const keys = Object.keys(value).filter((key) => key !== 'apiVersion' && key !== 'kind');
    const key = keys[pick % Math.max(1, keys.length)];
    return key === undefined ? by : { ...value, [key]: changed(value[key] ?? null, by, depth - 1, pick) };
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...good),
      junk,
      fc.integer({ min: 1, max: 8 }),
      fc.nat(20),
      (manifest, value, depth, pick) => {
        findingsOf(JSON.stringify(changed(manifest, value, depth, pick)), chartRules);
      },
    ),
    { seed: 20261120, numRuns: samples(300) },
  );
});
