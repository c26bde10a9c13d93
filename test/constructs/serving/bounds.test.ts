/**
 * Rules of served models, for each reserved name, and where the number of pods is not known.
 */
import { servingRules } from '../../../src/constructs/serving/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { rulesFiring } from '../../support/findings';
import { knative } from './cases';

const fires = (rule: string, ...objects: readonly JsonObject[]): boolean =>
  rulesFiring(objects.map((one) => JSON.stringify(one)).join('\n---\n'), servingRules).includes(`serving/${rule}`);

test.each(['PORT', 'K_SERVICE', 'K_CONFIGURATION', 'K_REVISION'])('Knative sets %s itself', (name) => {
  expect(fires('knative-reserved-names-free', knative({}, {}, { env: [{ name, value: '1' }] }))).toBe(true);
  expect(fires('knative-reserved-names-free', knative({}, {}, { env: [{ name: `${name}_X`, value: '1' }] }))).toBe(
    false,
  );
});

const budget = (minAvailable: number | string): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'chat', namespace: 'ai' },
  spec: { minAvailable, selector: { matchLabels: { app: 'chat' } } },
});
const deployment = (name: string, replicas?: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'ai' },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'chat' } },
    template: { metadata: { labels: { app: 'chat' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const scaled: JsonObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'hpa', namespace: 'ai' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'b' }, maxReplicas: 9, minReplicas: 1 },
};

test('a budget counts the pods of all workloads that it selects', () => {
  expect(fires('disruption-budget-lets-drain', budget(3), deployment('a', 2), deployment('b', 1))).toBe(true);
  expect(fires('disruption-budget-lets-drain', budget(3), deployment('a', 2), deployment('b', 2))).toBe(false);
});

test('where an autoscaler decides about one of them, the sum is not known', () => {
  expect(fires('disruption-budget-lets-drain', budget(3), deployment('a', 2), deployment('b', 1), scaled)).toBe(false);
});

test('a budget of no pods in the set is not judged', () => {
  expect(fires('disruption-budget-lets-drain', budget(0))).toBe(false);
  expect(fires('disruption-budget-lets-drain', budget(1))).toBe(false);
});
