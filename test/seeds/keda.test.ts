/**
 * The corrected ScaledObject that lies beside the project, made by constructs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart } from 'cdk8s';
import { ScaledObject, Triggers } from '../../src/constructs/keda';
import { parseYaml } from '../../src/manifests/yaml';

const FIXED = resolve(__dirname, '../../../shared/seeds/fixed/001-26-keda.yaml');
const here = existsSync(FIXED);
if (!here) {
  console.log('no ../shared/seeds beside the project: the comparison of the ScaledObject is skipped');
}

(here ? test : test.skip)('the ScaledObject of the language model is what constructs make', () => {
  const chart = new Chart(new App(), 'llm', { namespace: 'ai-workloads' });
  new ScaledObject(chart, 'llm-inference-scaler', {
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'llm-inference-deployment' },
    pollingIntervalSeconds: 15,
    minReplicas: 2,
    maxReplicas: 20,
    fallback: { failureThreshold: 3, replicas: 4 },
    horizontalPodAutoscaler: { behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } },
    triggers: [
      Triggers.prometheus({
        metricType: 'AverageValue',
        serverAddress: 'http://prometheus.monitoring:9090',
        threshold: 1000,
        query: 'sum(rate(http_requests_total{app="llm-inference"}[1m]))',
      }),
    ],
  });
  expect(chart.toJson()).toEqual(parseYaml(readFileSync(FIXED, 'utf8'), FIXED).manifests.map(({ object }) => object));
});
