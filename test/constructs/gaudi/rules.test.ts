import { type JsonObject } from '../../../src/facts/api/schema';
import { gaudiRules } from '../../../src/constructs/gaudi/rules';
import { describeRules, podWith } from '../../support/rule-cases';

const plugin = (image: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'plugin', namespace: 'habana-system' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image }] } },
  },
});
const IMAGE = 'vault.habana.ai/docker-k8s-device-plugin/docker-k8s-device-plugin:1.22.1';
const release = (chart: string): JsonObject => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: 'r', namespace: 'flux-system' },
  spec: { chart: { spec: { chart } } },
});
const application = (chart: string): JsonObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'r', namespace: 'argocd' },
  spec: { source: { chart } },
});
const env = (name: string): JsonObject =>
  podWith({ 'habana.ai/gaudi': 8, 'hugepages-2Mi': '95000Mi' }, {}, { env: [{ name, value: '0,1' }] });

const image = (repository: string, tag = '1.24.2-481'): JsonObject => ({ image: { repository, tag } });
const POLICY: JsonObject = {
  driver: { driver_runner: image('r/driver') },
  runtime: { configuration: { container_engine: 'crio' }, runner: image('r/runtime') },
  device_plugin: image('r/plugin'),
  feature_discovery: { runner: image('r/discovery') },
  metric_exporter: { port: 41_611, runner: image('r/exporter') },
  bmc_monitoring: image('r/bmc'),
};
const policy = (changes: JsonObject = {}, name = 'habana-ai'): JsonObject => ({
  apiVersion: 'habanalabs.habana.ai/v1',
  kind: 'ClusterPolicy',
  metadata: { name },
  spec: { ...POLICY, ...changes },
});
const without = (part: string): JsonObject => {
  const rest = Object.fromEntries(Object.entries(POLICY).filter(([name]) => name !== part));
  return { apiVersion: 'habanalabs.habana.ai/v1', kind: 'ClusterPolicy', metadata: { name: 'habana-ai' }, spec: rest };
};

describeRules(gaudiRules, [
  {
    rule: 'gaudi/cluster-policy-images-set',
    fires: {
      'no runtime': [without('runtime')],
      'no feature discovery': [without('feature_discovery')],
      'the placeholder as runtime': [policy({ runtime: { runner: image('repository') } })],
      'the placeholder as feature discovery': [policy({ feature_discovery: { runner: image('repository') } })],
    },
    silent: {
      'all images': [policy()],
      'no device plugin, whose default exists': [without('device_plugin')],
      'a ClusterPolicy of NVIDIA': [
        { apiVersion: 'nvidia.com/v1', kind: 'ClusterPolicy', metadata: { name: 'p' }, spec: {} },
      ],
    },
  },
  {
    rule: 'gaudi/cluster-policy-one-release',
    fires: {
      'an older runtime': [policy({ runtime: { runner: image('r/runtime', '1.22.0-740') } })],
      'an older device plugin': [policy({ device_plugin: image('r/plugin', '1.22.0-740') })],
      'an older feature discovery': [policy({ feature_discovery: { runner: image('r/discovery', '1') } })],
      'an older metric exporter': [policy({ metric_exporter: { runner: image('r/exporter', '1') } })],
      'an older BMC exporter': [policy({ bmc_monitoring: image('r/bmc', '1') })],
      'the device plugin that is the default': [without('device_plugin')],
    },
    silent: {
      'one release': [policy()],
      'one other release': [
        policy(JSON.parse(JSON.stringify(POLICY).replaceAll('1.24.2-481', '1.24.1-482')) as JsonObject),
      ],
      'a driver without a tag': [policy({ driver: {}, bmc_monitoring: image('r/bmc', '1') })],
    },
  },
  {
    rule: 'gaudi/cluster-policy-port-valid',
    fires: { 'one above the last port': [policy({ metric_exporter: { port: 65_536, runner: image('r/exporter') } })] },
    silent: { 'the last port': [policy({ metric_exporter: { port: 65_535, runner: image('r/exporter') } })] },
  },
  {
    rule: 'gaudi/cluster-policy-once',
    fires: { 'two of different names': [policy(), policy({}, 'second')] },
    silent: {
      one: [policy()],
      'one of NVIDIA beside it': [
        policy(),
        { apiVersion: 'nvidia.com/v1', kind: 'ClusterPolicy', metadata: { name: 'p' } },
      ],
    },
  },
  {
    rule: 'gaudi/one-device-plugin',
    fires: {
      'beside the operator, by Flux': [plugin(IMAGE), release('habana-ai-operator')],
      'beside the operator, by Argo CD': [plugin(IMAGE), application('habana-ai-operator')],
      'under its present name': [
        plugin('docker.io/intel/gaudi-device-plugin:1.24.2-481'),
        release('habana-ai-operator'),
      ],
    },
    silent: {
      alone: [plugin(IMAGE)],
      'the operator alone': [release('habana-ai-operator')],
      'another DaemonSet': [
        plugin('vault.habana.ai/gaudi-metric-exporter/metric-exporter:1'),
        release('habana-ai-operator'),
      ],
      'another chart': [plugin(IMAGE), release('kueue')],
    },
  },
  {
    rule: 'gaudi/visible-devices-left-to-plugin',
    fires: { 'a pod chooses its devices itself': [env('HABANA_VISIBLE_DEVICES')] },
    silent: {
      'among its devices': [env('HABANA_VISIBLE_MODULES')],
      'a pod without Gaudi': [podWith({ cpu: 1 }, {}, { env: [{ name: 'HABANA_VISIBLE_DEVICES', value: 'all' }] })],
    },
  },
]);
