import { type JsonObject } from '../../../src/facts/api/schema';
import { gpuOperatorRules } from '../../../src/constructs/gpu-operator/rules';
import { findingsOf } from '../../support/findings';
import { configurationCases } from './cases/configurations';
import { objectCases } from './cases/objects';
import { clusterPolicy, driver, type Manifests, plugin, pod, slicing } from './world';

const allCases = [...configurationCases, ...objectCases];
const yaml = (manifests: Manifests): string => manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] =>
  findingsOf(yaml(manifests), gpuOperatorRules).map(({ rule }) => rule);

describe.each(allCases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = allCases.filter(({ fires, silent }) =>
    [fires, silent].every((cases) => Object.keys(cases).length > 0),
  );
  expect(covered.map(({ rule }) => rule).sort()).toEqual(gpuOperatorRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = gpuOperatorRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^gpu-operator\/[a-z0-9]+(-[a-z0-9]+)+$/);
  }
});

test('two shares are an error where the configuration beside the pod refuses them', () => {
  const shared = slicing(
    { name: 'nvidia.com/gpu', replicas: 4 },
    { failRequestsGreaterThanOne: true, renameByDefault: true },
  );
  const [finding] = findingsOf(yaml([plugin(shared), pod({ 'nvidia.com/gpu.shared': 2 })]), gpuOperatorRules);
  expect(finding).toMatchObject({ rule: 'gpu-operator/shared-device-asked-once', severity: 'error' });
});

test('two NVIDIADrivers that certainly select the same nodes are an error, and ones that can are a warning', () => {
  const severity = (a: JsonObject, b: JsonObject): string | undefined =>
    findingsOf(yaml([driver('a', { nodeSelector: a }), driver('b', { nodeSelector: b })]), gpuOperatorRules).find(
      ({ rule }) => rule === 'gpu-operator/driver-selectors-disjoint',
    )?.severity;
  const gpus = { 'nvidia.com/gpu.present': 'true' };
  expect(severity({ pool: 'a' }, { pool: 'a', zone: 'z' })).toBe('error');
  expect(severity({}, { pool: 'a' })).toBe('error');
  expect(severity(gpus, { pool: 'a' })).toBe('error');
  expect(severity({ pool: 'a', ...gpus }, { pool: 'a' })).toBe('error');
  expect(severity({ pool: 'true' }, { zone: 'z' })).toBe('warning');
  expect(severity({ pool: 'a', ...gpus }, { zone: 'z', ...gpus })).toBe('warning');
});

test.each<[string, JsonObject, string]>([
  ['a folder', { mountPath: '/config' }, 'the path of the file in /config.'],
  ['one file', { mountPath: '/config/any', subPath: 'any' }, 'the path of the file, /config/any.'],
  ['a place that is not known', {}, 'the path of the file.'],
])('a configuration that nothing names, mounted as %s: the fix says what the variable is', (_what, mount, end) => {
  const plain = plugin(slicing());
  const { namespace } = plain.metadata as JsonObject;
  const pods: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'nvidia-device-plugin', namespace },
    spec: {
      containers: [
        { name: 'main', image: 'nvcr.io/nvidia/k8s-device-plugin:v0', volumeMounts: [{ name: 'c', ...mount }] },
      ],
      volumes: [{ name: 'c', configMap: { name: 'plugin' } }],
    },
  };
  const found = findingsOf(yaml([plain, pods]), gpuOperatorRules);
  expect(found.map(({ fix }) => fix)).toEqual([`Set the environment variable CONFIG_FILE to ${end}`]);
});

test.each<[JsonObject, string]>([
  [plugin('- version: v1\n'), 'the configuration must be a mapping, but is a list'],
  [
    plugin(slicing({ name: 'nvidia.com/gpu', replicas: 1 })),
    'sharing.timeSlicing.resources[0].replicas must be greater than or equal to 2, but is 1',
  ],
  [plugin({ ...slicing(), flags: { migStrategy: 'x' } }), 'flags.migStrategy: unsupported value "x"'],
  [plugin({ ...slicing(), flags: { x: 1 } }), 'unknown key "x" in flags'],
  [plugin({ ...slicing(), x: 1 }), 'unknown key "x" at the top level'],
])('what is wrong in a configuration is said with its place, once: %#', (manifest, message) => {
  const policy = clusterPolicy({ devicePlugin: { config: { name: 'plugin', default: 'any' } } });
  expect(findingsOf(yaml([policy, manifest]), gpuOperatorRules).map((finding) => finding.message)).toContain(message);
});

test("configurations in the values of the operator's chart are read as well, and those of other charts are not", () => {
  const values = {
    devicePlugin: { config: { create: true, name: 'c', data: { any: 'version: v2\n' } } },
    migManager: {
      config: {
        data: {
          'config.yaml':
            'version: v1\nmig-configs:\n  a:\n  - devices: all\n    mig-enabled: true\n    mig-devices: {1g.10gb: 9}\n',
        },
      },
    },
  };
  const release = (chart: string): JsonObject => ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'r', namespace: 'flux-system' },
    spec: { chart: { spec: { chart } }, values },
  });
  const application: JsonObject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', namespace: 'argocd' },
    spec: { source: { chart: 'gpu-operator', helm: { valuesObject: values } } },
  };
  const found = (manifest: JsonObject): readonly string[] =>
    findingsOf(yaml([manifest]), gpuOperatorRules).map(({ rule, path }) => `${rule} ${path}`);
  expect(found(release('gpu-operator'))).toEqual([
    'gpu-operator/device-plugin-config-readable /spec/values/devicePlugin/config/data/any',
    'gpu-operator/mig-layout-fits-gpu /spec/values/migManager/config/data/config.yaml',
  ]);
  expect(found(application)).toContain(
    'gpu-operator/device-plugin-config-readable /spec/source/helm/valuesObject/devicePlugin/config/data/any',
  );
  expect(found(release('volcano'))).toEqual([]);
});
