/**
 * The corrected ScaledObject, made by constructs.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart, Duration } from 'cdk8s';
import { ScaledObject, Triggers } from '../../src/constructs/keda';
import { parseYaml } from '../../src/manifests/yaml';

const FIXED = resolve(__dirname, '../fixtures/manifests/corrected/keda-scaled-object.yaml');
test('constructs make the corrected ScaledObject', () => {
  const chart = new Chart(new App(), 'llm', { namespace: 'training' });
  new ScaledObject(chart, 'chat', {
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'chat' },
    pollingInterval: Duration.seconds(15),
    minReplicas: 2,
    maxReplicas: 20,
    fallback: { failureThreshold: 3, replicas: 4 },
    horizontalPodAutoscaler: { behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } },
    triggers: [
      Triggers.prometheus({
        metricType: 'AverageValue',
        serverAddress: 'http://prometheus.monitoring:9090',
        threshold: 1000,
        query: 'sum(rate(http_requests_total{app="chat"}[1m]))',
      }),
    ],
  });
  expect(chart.toJson()).toEqual(parseYaml(readFileSync(FIXED, 'utf8'), FIXED).manifests.map(({ object }) => object));
});
