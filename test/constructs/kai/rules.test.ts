import { type JsonObject } from '../../../src/facts/api/schema';
import { kaiRules } from '../../../src/constructs/kai/rules';
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
const KAI = 'kai-scheduler';
const IN_TEAM = { 'kai.scheduler/queue': 'team' };
const POOL = { 'kai.scheduler/node-pool': 'a' };

describeRules(kaiRules, [
  {
    rule: 'kai/queue-label-current',
    fires: { 'the old label': [pod({ 'runai/queue': 'team' }, KAI)] },
    silent: {
      'both labels': [pod({ 'runai/queue': 'team', ...IN_TEAM }, KAI)],
      'another scheduler': [pod({ 'runai/queue': 'team' }, 'runai-scheduler')],
    },
  },
  {
    rule: 'kai/queue-label-with-scheduler',
    fires: { 'no scheduler': [pod(IN_TEAM)], 'the default scheduler': [pod(IN_TEAM, 'default-scheduler')] },
    silent: { 'the scheduler': [pod(IN_TEAM, KAI)], 'a scheduler of another name': [pod(IN_TEAM, 'kai-b')] },
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
