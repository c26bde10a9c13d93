/**
 * Rules about pods at their bounds, and for each of the names that they know.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { podRules } from '../../../src/constructs/pods/rules';
import { rulesFiring } from '../../support/findings';

const pod = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ai' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img', ...container }], ...spec },
});
const fires = (rule: string, object: JsonObject): boolean =>
  rulesFiring(JSON.stringify(object), podRules).includes(`pods/${rule}`);
const limits = (amounts: JsonObject): JsonObject => ({ resources: { limits: amounts } });

test.each([
  [1, false],
  [2, true],
  [3, true],
])('shared memory is asked of a container with %d GPUs', (gpus, asked) => {
  expect(fires('shared-memory-for-several-gpus', pod(limits({ 'nvidia.com/gpu': gpus })))).toBe(asked);
});

test.each([
  [1, '1', false],
  [2, '2', false],
  [2, '1999m', true],
  [1, '500m', false],
])('%d GPUs with a limit of %s CPUs', (gpus, cpu, wrong) => {
  expect(fires('cpu-limit-feeds-gpus', pod(limits({ 'nvidia.com/gpu': gpus, cpu })))).toBe(wrong);
});

test.each([
  ['8Gi', '16Gi', false],
  ['8191Mi', '16Gi', true],
])('a request of %s memory below a limit of %s', (request, limit, wrong) => {
  const resources = { limits: { 'nvidia.com/gpu': 1, memory: limit }, requests: { memory: request } };
  expect(fires('memory-request-near-limit', pod({ resources }))).toBe(wrong);
});

test.each(['command', 'args'])('an unknown variable is found in %s', (field) => {
  const both = { command: ['train'], args: ['--x'] };
  expect(fires('variable-defined', pod({ ...both, [field]: ['train', '$(MISSING)'] }))).toBe(true);
  expect(
    fires('variable-defined', pod({ ...both, [field]: ['train', '$(SET)'], env: [{ name: 'SET', value: '1' }] })),
  ).toBe(false);
});
