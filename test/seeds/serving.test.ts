/**
 * The corrected manifest of a model server on Knative, as a construct says it.
 */
import { App, Chart, Duration } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { podPart, serving } from '../../src';
import { parseYaml } from '../../src/manifests/yaml';
import { Testing } from '../../src/interfaces/testing';

const FIXED = resolve(__dirname, '../fixtures/manifests/corrected/knative-service.yaml');
test('knative-service.yaml', () => {
  const { KnativeScaling, KnativeService } = serving;
  const chart = new Chart(new App(), 'serving', { namespace: 'training' });
  new KnativeService(chart, 'chat', {
    image: 'registry.example.com/chat:1.0',
    ports: [{ containerPort: 8000 }],
    parts: [podPart({ limits: { 'nvidia.com/gpu': '1' } })],
    scaling: KnativeScaling.concurrency(10, { minReplicas: 0, maxReplicas: 8 }),
    containerConcurrency: 20,
    timeout: Duration.minutes(5),
  });
  const wanted = parseYaml(readFileSync(FIXED, 'utf8'), FIXED).manifests.map(({ object }) => object);
  expect(Testing.synth(chart)).toEqual(wanted);
});
