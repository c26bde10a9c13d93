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

describeRules(gaudiRules, [
  {
    rule: 'gaudi/one-device-plugin',
    fires: {
      'beside the operator, by Flux': [plugin(IMAGE), release('habana-ai-operator')],
      'beside the operator, by Argo CD': [plugin(IMAGE), application('habana-ai-operator')],
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
