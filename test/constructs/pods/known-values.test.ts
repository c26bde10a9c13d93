/**
 * Values that rules about pods know: forms of credentials, capabilities, labels of spot nodes, devices.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { podRules } from '../../../src/constructs/pods/rules';
import { hygieneRules } from '../../../src/constructs/pods/rules/hygiene';
import { findingsOf, rulesFiring } from '../../support/findings';

const pod = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ai' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img:1', ...container }], ...spec },
});
const fires = (rule: string, object: JsonObject): boolean =>
  rulesFiring(JSON.stringify(object), [...podRules, ...hygieneRules]).includes(rule);

/** Written in parts, so that no scanner of repositories takes them for credentials. */
const CREDENTIALS: readonly (readonly [string, string, number])[] = [
  ['AWS', 'AKIA', 16],
  ['AWS, temporary', 'ASIA', 16],
  ['GitHub', 'ghp_', 30],
  ['GitHub, fine-grained', 'github_pat_', 30],
  ['GitLab', 'glpat-', 20],
  ['Hugging Face', 'hf_', 30],
  ['NGC', 'nvapi-', 30],
  ['OpenAI', 'sk-', 20],
  ['Slack', 'xoxb-', 10],
  ['Google', 'AIza', 35],
];

describe.each(CREDENTIALS)('a credential of %s', (_, head, length) => {
  const inVariable = (value: string): boolean =>
    fires('hygiene/secret-from-secret', pod({ env: [{ name: 'SETTINGS', value }] }));
  const value = `${head}${'A'.repeat(length)}`;

  test('is found by its form alone', () => {
    expect(inVariable(value)).toBe(true);
  });

  test.each([
    ['one character shorter', value.slice(0, -1)],
    ['behind another word', `x ${value}`],
    ['before another word', `${value} x`],
  ])('is not one %s', (__, other) => {
    expect(inVariable(other)).toBe(false);
  });
});

test.each([
  ['ALL', true],
  ['SYS_ADMIN', true],
  ['sys_module', true],
  ['CAP_SYS_RAWIO', true],
  ['NO_CAP_ALL', false],
  ['NET_SYS_ADMIN', false],
  ['SYS_ADMINS', false],
])('the capability %s gives the rights of the node: %s', (capability, expected) => {
  const object = pod({ securityContext: { capabilities: { add: [capability] } } });
  expect(fires('hygiene/capability-for-a-reason', object)).toBe(expected);
});

test.each([
  ['cloud.google.com/gke-spot', 'true'],
  ['cloud.google.com/gke-preemptible', 'true'],
  ['kubernetes.azure.com/scalesetpriority', 'spot'],
  ['karpenter.sh/capacity-type', 'spot'],
  ['eks.amazonaws.com/capacityType', 'SPOT'],
])('a node with %s: %s is a spot node', (key, value) => {
  const on = (selected: string): boolean =>
    fires('pods/spot-pod-is-replaced', pod({}, { nodeSelector: { [key]: selected } }));
  expect([on(value), on('other')]).toEqual([true, false]);
});

test.each([
  [{ 'nvidia.com/gpu': 2 }, '2 GPUs'],
  [{ 'aws.amazon.com/neuron': 2 }, '2 Neuron devices'],
  [{ 'nvidia.com/gpu': 1, 'amd.com/gpu': 1 }, '2 GPUs'],
  [{ 'nvidia.com/gpu': 1, 'aws.amazon.com/neuron': 1 }, '2 accelerators'],
])('devices %j are %s', (limits, words) => {
  const messages = findingsOf(JSON.stringify(pod({ resources: { limits: { ...limits } } })), podRules).map(
    ({ message }) => message,
  );
  expect(messages).toContain(
    `the container "main" has ${words}, but only the default 64 MiB of shared memory at /dev/shm`,
  );
});

test.each([
  ['nvidia.com/gpu', true],
  ['nvidia.com/mig-1g.10gb', true],
  ['nvidia.com/gpu.shared', true],
  ['nvidia.com/gpumem', false],
  ['nvidia.com/gpucores', false],
  ['other.nvidia.com/gpu', false],
])('%s is a device of the node: %s', (resource, expected) => {
  const object = pod({ resources: { limits: { [resource]: 1 } } });
  expect(fires('pods/accelerator-tolerated', object)).toBe(expected);
});
