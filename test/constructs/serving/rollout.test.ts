/**
 * What a rollout waits for and what an autoscaler scales.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { servingRules } from '../../../src/constructs/serving/rules';
import { startupBudget } from '../../../src/constructs/serving/rules/probe-budget';
import { rulesFiring } from '../../support/findings';

test.each([
  [{}, 30],
  [{ periodSeconds: 0, failureThreshold: 0 }, 30],
  [{ periodSeconds: -1, failureThreshold: -1 }, 30],
  [{ periodSeconds: 1, failureThreshold: 1 }, 1],
  [{ initialDelaySeconds: 5, periodSeconds: 2, failureThreshold: 4 }, 13],
])('the probe %j allows %d seconds', (probe, seconds) => {
  expect(startupBudget(probe)).toBe(seconds);
});

test.each([
  ['apps/v1', 'Deployment', true],
  ['apps/v1', 'StatefulSet', true],
  ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', true],
  ['apps/v1', 'ReplicaSet', false],
])('replicas of %s %s are left to its autoscaler: %s', (apiVersion, kind, expected) => {
  const metadata = { name: 'server', namespace: 'ai' };
  const autoscaler: JsonObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef: { apiVersion, kind, name: 'server' }, maxReplicas: 4 },
  };
  const firing = (spec: JsonObject): readonly string[] =>
    rulesFiring(
      [{ apiVersion, kind, metadata, spec }, autoscaler].map((one) => JSON.stringify(one)).join('\n---\n'),
      servingRules,
    );
  const rule = 'serving/replicas-left-to-autoscaler';
  expect([firing({ replicas: 2 }).includes(rule), firing({}).includes(rule)]).toEqual([expected, false]);
});
