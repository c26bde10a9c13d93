/**
 * FieldGuard: the admission policy is evaluated here as an API server evaluates it.
 */
import { App, Chart } from 'cdk8s';
import { type ValidatingAdmissionPolicy } from '../../../src/facts/api/types/admissionregistration.k8s.io/v1';
import { type JsonObject } from '../../../src/facts/api/schema';
import { GantryScheduler, type GantrySchedulerProps } from '../../../src/constructs/scheduler';
import { Testing } from '../../../src/interfaces/testing';
import { asObject, asString } from '../../../src/manifests/read';
import { type AdmissionRequest, policyRefusals } from '../../support/policy-refusals';

const SCHEDULER = 'system:serviceaccount:gantry-system:gantry-scheduler';

function rendered(props: GantrySchedulerProps = {}): readonly JsonObject[] {
  const app = new App();
  new GantryScheduler(new Chart(app, 'chart'), 'scheduler', props);
  return Testing.synth(app);
}

type Policy = ValidatingAdmissionPolicy & JsonObject;

function policyNamed(name: string): Policy {
  return rendered().find(
    ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && asObject(metadata).name === name,
  ) as Policy;
}

const policy = policyNamed('gantry-scheduler-fields');
const nodePolicy = policyNamed('gantry-scheduler-fields-nodes');

const refusals = (request: AdmissionRequest, by = policy): readonly string[] => policyRefusals(by, request);

function pod(more: { annotations?: JsonObject; labels?: JsonObject; spec?: JsonObject } = {}): JsonObject {
  const { annotations, labels, spec = {} } = more;
  return {
    metadata: { name: 'p', ...(annotations && { annotations }), ...(labels && { labels }) },
    spec: { containers: [], ...spec },
  };
}

const GATED = { schedulingGates: [{ name: 'gantry.dev/placement' }] };

test.each(['gantry.dev/node', 'gantry.dev/devices'])('only the scheduler writes %s', (key) => {
  const written = pod({ annotations: { [key]: 'n-1' } });
  const message = `the annotation ${key} must be set by the scheduler only`;
  expect(refusals({ after: written })).toEqual([message]);
  expect(refusals({ before: pod(), after: written })).toEqual([message]);
  expect(refusals({ before: written, after: pod() })).toEqual([message]);
  expect(refusals({ before: written, after: pod({ annotations: { [key]: 'n-2' } }) })).toEqual([message]);
  // A Binding carries annotations to the pod.
  const binding = { metadata: { name: 'p', annotations: { [key]: '0' } }, target: { name: 'n-1' } };
  expect(refusals({ after: binding })).toEqual([message]);
  expect(refusals({ before: pod(), after: written, user: SCHEDULER })).toEqual([]);
  expect(refusals({ after: binding, user: SCHEDULER })).toEqual([]);
});

test('other changes of a pod pass, and those of administrators', () => {
  const annotations = { 'gantry.dev/node': 'n-1', other: 'a' };
  expect(refusals({ after: pod() })).toEqual([]);
  expect(refusals({ after: { metadata: { name: 'p' }, target: { name: 'n-1' } } })).toEqual([]);
  expect(
    refusals({ before: pod({ annotations }), after: pod({ annotations: { ...annotations, other: 'b' } }) }),
  ).toEqual([]);
  expect(refusals({ after: pod({ annotations }), groups: ['system:masters'] })).toEqual([]);
});

test('only the scheduler removes the gate', () => {
  const others = { schedulingGates: [{ name: 'other' }] };
  const message = 'the scheduling gate gantry.dev/placement must be removed by the scheduler only';
  expect(refusals({ before: pod({ spec: GATED }), after: pod() })).toEqual([message]);
  expect(refusals({ before: pod({ spec: GATED }), after: pod({ spec: others }) })).toEqual([message]);
  expect(refusals({ before: pod({ spec: others }), after: pod() })).toEqual([]);
  expect(refusals({ before: pod({ spec: GATED }), after: pod({ spec: GATED }) })).toEqual([]);
  expect(refusals({ before: pod({ spec: GATED }), after: pod(), user: SCHEDULER })).toEqual([]);
});

test.each(['gantry.dev/queue', 'gantry.dev/gang'])('the label %s does not change once a pod has a node', (key) => {
  const labeled = (value: string, spec: JsonObject): JsonObject => pod({ labels: { [key]: value }, spec });
  const bound = { nodeName: 'n-1' };
  const message = `the label ${key} must not change once the pod has a node`;
  expect(refusals({ before: labeled('a', bound), after: labeled('b', bound) })).toEqual([message]);
  expect(refusals({ before: labeled('a', bound), after: pod({ spec: bound }) })).toEqual([message]);
  expect(refusals({ before: labeled('a', {}), after: labeled('b', {}) })).toEqual([]);
});

test('only the node itself reports the devices of its pods', () => {
  const node = (report?: string): JsonObject => ({
    metadata: { name: 'n-1', ...(report !== undefined && { annotations: { 'gantry.dev/allocated-devices': report } }) },
  });
  const refused = [
    'the annotations gantry.dev/accelerator-capacity and gantry.dev/allocated-devices must be set by the node itself only',
  ];
  const NODE_NAME = 'authentication.kubernetes.io/node-name';
  const by = (change: Partial<AdmissionRequest>): readonly string[] =>
    refusals({ before: node(), after: node('{}'), ...change }, nodePolicy);
  expect(by({})).toEqual(refused);
  expect(by({ before: undefined })).toEqual(refused);
  expect(by({ before: node('{}'), after: node() })).toEqual(refused);
  expect(by({ before: node('{}') })).toEqual([]);
  expect(by({ after: node() })).toEqual([]);
  expect(by({ user: 'system:node:n-1' })).toEqual([]);
  expect(by({ user: 'system:node:n-2' })).toEqual(refused);
  expect(by({ user: 'system:serviceaccount:x:agent', extra: { [NODE_NAME]: ['n-1'] } })).toEqual([]);
  expect(by({ user: 'system:serviceaccount:x:agent', extra: { [NODE_NAME]: ['n-2'], other: ['n-1'] } })).toEqual(
    refused,
  );
  expect(nodePolicy.spec?.failurePolicy).toBe('Fail');
});

test('it covers every way to write a pod, refuses what cannot be evaluated, and is in force', () => {
  expect(policy.spec?.failurePolicy).toBe('Fail');
  expect(policy.spec?.matchConstraints?.resourceRules).toEqual([
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['pods', 'pods/status', 'pods/ephemeralcontainers', 'pods/resize'],
      operations: ['CREATE', 'UPDATE'],
    },
    { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/binding'], operations: ['CREATE'] },
  ]);
  const bindings = rendered().filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
  const names = [...[policy, nodePolicy].map(({ metadata }) => metadata?.name), 'gantry-scheduler-claims'];
  expect(new Set(bindings.map(({ spec }) => spec))).toEqual(
    new Set(names.map((policyName) => ({ policyName, validationActions: ['Deny'] }))),
  );
});

test('the configuration says whether it is there', () => {
  const configuration = (props: GantrySchedulerProps): string => {
    const [data] = rendered(props)
      .map((object) => asObject(object.data))
      .filter((one) => 'scheduler.yaml' in one);
    return asString(data['scheduler.yaml']) ?? '';
  };
  expect(configuration({})).toContain('guarded: true');
  expect(configuration({ fieldGuard: false })).toContain('guarded: false');
  const left = rendered({ fieldGuard: false }).filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  // The limits on what the scheduler itself writes to claims do not depend on it.
  expect(left.map(({ metadata }) => asObject(metadata).name)).toEqual(['gantry-scheduler-claims']);
});

test('a queue names the namespaces of teams and others', () => {
  const app = new App();
  const chart = new Chart(app, 'chart');
  new GantryScheduler(chart, 'scheduler', {
    queues: [{ name: 'shared', namespaces: ['a', { kind: 'Namespace', name: 'b' }] }],
  });
  const text = JSON.stringify(Testing.synth(app));
  expect(text).toContain('namespaces:\\n      - a\\n      - b');
});
