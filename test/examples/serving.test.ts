/**
 * The example of model servers: what a reader copies is free of findings, and what surrounds a server agrees with it.
 */
import { App } from 'cdk8s';
import { modelServers, Serving } from '../../examples/serving/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { asArray, asObject } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const manifests = Testing.synth(modelServers(new App()));
const one = (apiVersion: string, kind: string, name: string): JsonObject => {
  const ofKind = manifests.filter((manifest) => manifest.apiVersion === apiVersion && manifest.kind === kind);
  const found = ofKind.find(({ metadata }) => asObject(metadata).name === name);
  if (found === undefined) {
    throw new Error(`no ${kind} ${name}`);
  }
  return asObject(found.spec);
};

test('has neither errors nor warnings', () => {
  const { findings } = Testing.check(modelServers(new App()));
  expect(
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
  ).toEqual([]);
});

test('is the same each time', () => {
  expect(JSON.stringify(Testing.synth(modelServers(new App())))).toBe(JSON.stringify(manifests));
});

test('Services and budgets choose the pods of their server', () => {
  const pods = asObject(asObject(asObject(one('apps/v1', 'Deployment', 'chat').template).metadata).labels);
  expect(one('v1', 'Service', 'chat').selector).toEqual(pods);
  expect(asObject(one('policy/v1', 'PodDisruptionBudget', 'chat').selector).matchLabels).toEqual(pods);
});

test('the autoscaler scales what has no replicas of its own', () => {
  expect('replicas' in one('apps/v1', 'Deployment', 'chat')).toBe(false);
  expect(one('keda.sh/v1alpha1', 'ScaledObject', 'chat')).toMatchObject({
    scaleTargetRef: { name: 'chat' },
    minReplicaCount: 2,
    maxReplicaCount: 8,
  });
});

test('a copy of the large model is a group, behind a name of its own', () => {
  expect(asObject(one('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'frontier').leaderWorkerTemplate).size).toBe(2);
  const gateway = asObject(
    asArray(asObject(asObject(one('apps/v1', 'Deployment', 'gateway').template).spec).containers)[0],
  );
  expect(gateway.env).toContainEqual({ name: 'FRONTIER', value: 'http://frontier-leader:30000' });
});

test('what it made can be read back', () => {
  const { chat, ranking, frontier } = new Serving(new App(), 'serving');
  expect([
    chat.deployment?.name,
    chat.scaledObject?.name,
    ranking.knativeService?.name,
    frontier.leaderWorkerSet?.name,
  ]).toEqual(['chat', 'chat', 'ranking', 'frontier']);
  expect(ranking.requiredFeatures).toEqual(['kubernetes.podspec-nodeselector', 'kubernetes.podspec-tolerations']);
});
