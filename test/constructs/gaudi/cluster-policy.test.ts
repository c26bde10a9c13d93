/**
 * The ClusterPolicy of the Gaudi base operator: what its CRD requires is always there, and props reach their fields.
 */
import { Chart, Testing as Cdk8sTesting } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-28';
import { ClusterPolicy, type ClusterPolicyProps } from '../../../src/constructs/gaudi';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject } from '../../../src/manifests/read';
import { Testing } from '../../../src/interfaces/testing';

function policy(props?: ClusterPolicyProps): JsonObject {
  const app = Cdk8sTesting.app();
  new ClusterPolicy(new Chart(app, 'nodes'), 'gaudi', props);
  expect(Testing.check(app).findings).toEqual([]);
  return Testing.synth(app).find(({ kind }) => kind === 'ClusterPolicy') ?? {};
}

test('without props it is valid, replaces the one of the chart, and runs one release on containerd', () => {
  const made = policy();
  expect(made).toMatchObject({
    apiVersion: 'habanalabs.habana.ai/v1',
    metadata: { name: 'habana-ai' },
    spec: { runtime: { configuration: { container_engine: 'containerd' } }, metric_exporter: { port: 41_611 } },
  });
  const images = [...JSON.stringify(made).matchAll(/"repository":"(docker\.io\/intel\/[^"]*)","tag":"([^"]*)"/g)];
  expect(images.map(([, repository]) => repository).sort()).toEqual(
    [
      'bmc-exporter',
      'container-runtime',
      'device-plugin',
      'driver-installer',
      'feature-discovery',
      'metric-exporter',
    ].map((name) => `docker.io/intel/gaudi-${name}`),
  );
  expect(new Set(images.map(([, , tag]) => tag)).size).toBe(1);
});

test('props reach their fields', () => {
  const { spec } = policy({
    name: 'gaudi3',
    version: '1.24.2-481',
    images: 'mirror.example.com/intel',
    containerEngine: 'crio',
    runtime: { enabled: true, engineConfiguration: 'a = 1', runtimeConfiguration: 'b = 2' },
    driver: {
      enabled: true,
      hugePages: 40_000,
      externalPorts: true,
      flushFirmware: false,
      repositoryServer: 'packages.example.com',
      repositoryPath: 'gaudi',
      images: { 'ubuntu_24.04': { repository: 'mirror.example.com/ubuntu', tag: '24.04' } },
    },
    nodeSelector: { 'example.com/pool': 'gaudi3' },
    metricsPort: 9100,
    labelsThroughNfd: true,
    overrides: { image_registry: 'mirror.example.com' },
  });
  expect(spec).toMatchObject({
    image_registry: 'mirror.example.com',
    node_selector: { 'example.com/pool': 'gaudi3' },
    driver: {
      enabled: true,
      driver_loader: {
        hugepage: 40_000,
        external_ports: true,
        firmware_flush: false,
        repo_server: 'packages.example.com',
        repo_path: 'gaudi',
        images: { 'ubuntu_24.04': { repository: 'mirror.example.com/ubuntu', tag: '24.04' } },
      },
      driver_runner: { image: { repository: 'mirror.example.com/intel/gaudi-driver-installer', tag: '1.24.2-481' } },
    },
    runtime: {
      enabled: true,
      configuration: {
        container_engine: 'crio',
        engine_container_runtime_configuration: 'a = 1',
        habana_container_runtime_configuration: 'b = 2',
      },
    },
    feature_discovery: { nfd_plugin: true },
    metric_exporter: { port: 9100 },
  });
});

test('the proxy is a reference, and comes first', () => {
  const app = Cdk8sTesting.app();
  const chart = new Chart(app, 'nodes');
  const proxy = new ConfigMap(chart, 'proxy', { metadata: { name: 'proxy', namespace: 'habana-ai-operator' } });
  new ClusterPolicy(chart, 'gaudi', { proxy });
  const objects = Testing.synth(app);
  expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'ClusterPolicy']);
  expect(asObject(objects[1]?.spec).proxy).toEqual({ config_map_name: 'proxy' });
});

test.each<[string, ClusterPolicyProps, string]>([
  ['a port below the range', { metricsPort: 1023 }, 'metricsPort must be a whole number from 1024 to 65535, not 1023.'],
  ['the port that only the CRD accepts', { metricsPort: 65_536 }, 'from 1024 to 65535, not 65536.'],
  [
    'part of a huge page',
    { driver: { hugePages: 1.5 } },
    'driver.hugePages must be a whole number of at least 0, not 1.5.',
  ],
])('%s is refused', (_, props, message) => {
  expect(() => policy(props)).toThrow(message);
});
