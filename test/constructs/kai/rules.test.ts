import { type JsonObject } from '../../../src/facts/api/schema';
import { kaiRules } from '../../../src/constructs/kai/rules';
import { findingsOf } from '../../support/findings';
import { describeRules } from '../../support/rule-cases';

const pod = (labels: JsonObject, schedulerName?: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ai', labels },
  spec: { ...(schedulerName === undefined ? {} : { schedulerName }), containers: [{ name: 'a', image: 'i' }] },
});
const queue = (labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'scheduling.run.ai/v2',
  kind: 'Queue',
  metadata: { name: 'team', labels },
  spec: {},
});
/** A Deployment whose own labels and those of its pods are given. */
const deployment = (own: JsonObject, ofPods: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'ai', labels: own },
  spec: {
    template: { metadata: { labels: ofPods }, spec: { ...spec, containers: [{ name: 'a', image: 'i' }] } },
  },
});
const cluster = (labels: JsonObject): JsonObject => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCluster',
  metadata: { name: 'r', namespace: 'ai', labels },
  spec: { headGroupSpec: { template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'i' }] } } } },
});
const KAI = 'kai-scheduler';
const IN_TEAM = { 'kai.scheduler/queue': 'team' };
const POOL = { 'kai.scheduler/node-pool': 'a' };

describeRules(kaiRules, [
  {
    rule: 'kai/queue-label-current',
    fires: {
      'the old label': [pod({ 'runai/queue': 'team' }, KAI)],
      'the old label of the workload': [deployment({ 'runai/queue': 'team' }, {}, { schedulerName: KAI })],
    },
    silent: {
      'both labels': [pod({ 'runai/queue': 'team', ...IN_TEAM }, KAI)],
      'one of the workload, the other of the pods': [
        deployment({ 'runai/queue': 'team' }, IN_TEAM, { schedulerName: KAI }),
      ],
      'another scheduler': [pod({ 'runai/queue': 'team' }, 'runai-scheduler')],
    },
  },
  {
    rule: 'kai/queue-label-with-scheduler',
    fires: {
      'no scheduler': [pod(IN_TEAM)],
      'the default scheduler': [pod(IN_TEAM, 'default-scheduler')],
      'the label of the pods': [deployment({}, IN_TEAM)],
      'the label of the workload': [deployment(IN_TEAM, {})],
    },
    silent: {
      'the scheduler': [pod(IN_TEAM, KAI)],
      'a scheduler of another name': [pod(IN_TEAM, 'kai-b')],
      'no queue': [pod({})],
      'a cluster whose pods KubeRay gives a scheduler': [cluster(IN_TEAM)],
    },
  },
  {
    rule: 'kai/queue-in-node-pool',
    fires: {
      'a queue of another pool': [queue({ 'kai.scheduler/node-pool': 'b' }), pod({ ...IN_TEAM, ...POOL }, KAI)],
      'a queue of no pool': [queue(), pod({ ...IN_TEAM, ...POOL }, KAI)],
    },
    silent: {
      'the pool of the queue': [queue(POOL), pod({ ...IN_TEAM, ...POOL }, KAI)],
      'no pools': [queue(), pod(IN_TEAM, KAI)],
      'a queue of the cluster': [pod({ ...IN_TEAM, ...POOL }, KAI)],
    },
  },
]);

test.each([
  [
    {},
    POOL,
    'the pods are in no node pool, but the queue "team" is in the node pool "a", so the pods stay pending',
    'a',
  ],
  [
    POOL,
    {},
    'the pods are in the node pool "a", but the queue "team" is in no node pool, so the pods stay pending',
    'no node pool',
  ],
])('pods with %j and a queue with %j', (ofPods, ofQueue, message, expected) => {
  const objects = [queue(ofQueue), deployment(IN_TEAM, ofPods, { schedulerName: KAI })];
  const found = findingsOf(objects.map((object) => JSON.stringify(object)).join('\n---\n'), kaiRules);
  expect(found).toMatchObject([{ rule: 'kai/queue-in-node-pool', message, expected }]);
});

test('the label of the pods counts before that of the workload', () => {
  const objects = [
    queue(POOL),
    deployment({ 'kai.scheduler/queue': 'other', ...POOL }, IN_TEAM, { schedulerName: KAI }),
  ];
  expect(findingsOf(objects.map((object) => JSON.stringify(object)).join('\n---\n'), kaiRules)).toEqual([]);
  const other = { ...queue({}), metadata: { name: 'other' } };
  const both = [other, ...objects].map((object) => JSON.stringify(object)).join('\n---\n');
  expect(findingsOf(both, kaiRules)).toEqual([]);
});
