/**
 * What fixes propose for a mistake in the middle of a value: the part that is wrong, where it is, and what is valid there.
 */
import { type Rule } from '../../../src/checks/rules/rule';
import { coreRules } from '../../../src/checks/server/rules';
import { gpuOperatorRules } from '../../../src/constructs/gpu-operator/rules';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { kueueRules } from '../../../src/constructs/kueue/rules';
import { networkingRules } from '../../../src/constructs/networking/rules';
import { podRules } from '../../../src/constructs/pods/rules';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { findingsOf } from '../../support/findings';

function fixesOf(rule: string, rules: readonly Rule[], manifest: object): readonly (string | undefined)[] {
  return findingsOf(JSON.stringify(manifest), rules)
    .filter((finding) => finding.rule === rule)
    .map(({ fix }) => fix);
}

const scaled = (kind: string, length: number, advanced: object = {}): object => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind,
  metadata: { name: 'n'.repeat(length), namespace: 'a' },
  spec: { advanced, scaleTargetRef: { name: 'a' }, triggers: [] },
});
const named = { horizontalPodAutoscalerConfig: { name: 'short' } };

test.each<readonly [string, object, string]>([
  [
    'a ScaledObject beyond the name of its autoscaler',
    scaled('ScaledObject', 55),
    'Shorten metadata.name to at most 54 characters, or set advanced.horizontalPodAutoscalerConfig.name.',
  ],
  [
    'a ScaledObject beyond a label',
    scaled('ScaledObject', 64),
    'Shorten metadata.name to at most 54 characters, or to at most 63 and set advanced.horizontalPodAutoscalerConfig.name.',
  ],
  [
    'a ScaledObject with a name for its autoscaler',
    scaled('ScaledObject', 64, named),
    'Shorten metadata.name to at most 63 characters.',
  ],
  ['a ScaledJob', scaled('ScaledJob', 64), 'Shorten metadata.name to at most 63 characters.'],
])('the name of %s', (_what, manifest, fix) => {
  expect(fixesOf('keda/name-fits-label', kedaRules, manifest)).toEqual([fix]);
});

test.each([
  [
    '15 2 * ** 1-5',
    'Set field 4 (month) in spec.schedule to "*", a number from 1 to 12, a name such as jan, or a range or list of them.',
  ],
  ['0 24 * * *', 'Set field 2 (hour) in spec.schedule to "*", a number from 0 to 23, or a range or list of them.'],
  ['CRON_TZ=UTC 0 2 * * *', 'Remove the time zone from spec.schedule, and set spec.timeZone to it.'],
  ['@every 1x', 'Set spec.schedule to "@every 1h30m", for example.'],
  [
    '0 2 * *',
    'Set spec.schedule to five fields: minute, hour, day of month, month, and day of week, such as "30 2 * * 1-5".',
  ],
])('the schedule %s', (schedule, fix) => {
  const manifest = {
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'CronJob',
    metadata: { name: 'a', namespace: 'a' },
    spec: { schedule, jobTemplate: {} },
  };
  expect(fixesOf('volcano/cron-job-schedule-valid', volcanoRules, manifest)).toEqual([fix]);
});

const configMap = (key: string, text: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'volcano-scheduler-configmap', namespace: 'a' },
  data: { [key]: text },
});

test.each([
  [
    'volcano/scheduler-config-key-known',
    'actions: allocate\ntiers: [{plugins: [{name: predicates, predicate.CacheEnable: true}]}]',
    'Move "predicate.CacheEnable" to tiers[0].plugins[0].arguments.',
  ],
  [
    'volcano/scheduler-config-key-known',
    'actions: allocate\ntiers: [{plugins: [{name: gang, nam: other}]}]',
    'Remove the key "nam" from tiers[0].plugins[0].',
  ],
  [
    'volcano/scheduler-config-key-known',
    'actions: allocate\ntiers: [{plugins: [{name: deviceshare, arguments: {binpack.cpu: 1}}]}]',
    'Move tiers[0].plugins[0].arguments["binpack.cpu"] to the arguments of the binpack plugin.',
  ],
  [
    'volcano/scheduler-config-key-known',
    'actions: allocate\ntiers: [{plugins: [{name: gang, arguments: {other.cpu: 1}}]}]',
    'Remove tiers[0].plugins[0].arguments["other.cpu"].',
  ],
  [
    'volcano/scheduler-config-key-known',
    'actions: allocate\ntiers: [{plugins: [{name: predicates, arguments: {predicate.GPUSharingEnable: true}}]}]',
    'Replace tiers[0].plugins[0].arguments["predicate.GPUSharingEnable"] with deviceshare.GPUSharingEnable in the arguments of the deviceshare plugin.',
  ],
  [
    'volcano/scheduler-actions-known',
    'actions: "allocate, backfill-me"',
    'Replace "backfill-me" with "backfill" in actions.',
  ],
  [
    'volcano/scheduler-actions-known',
    'actions: "allocate, xyz"',
    'Remove "xyz" from actions, or replace it with enqueue, allocate, backfill, preempt, reclaim, gangpreempt, gangreclaim, or shuffle.',
  ],
])('%s of %s', (rule, text, fix) => {
  expect(fixesOf(rule, volcanoRules, configMap('volcano-scheduler.conf', text))).toEqual([fix]);
});

test.each([
  ['sharing: {oneshot: {}, mps: {}}', 'Move the key "oneshot" from sharing to flags.gfd, or remove it.'],
  ['sharing: {time-slicing: {}, mps: {}}', 'Rename the key "time-slicing" in sharing to timeSlicing.'],
  ['sharing: {time-slicing: {}, timeSlicing: {}}', 'Remove the key "time-slicing" from sharing.'],
])('a key of the device plugin that is set already is not proposed: %s', (text, fix) => {
  const manifest = configMap('config', `version: v1\n${text}\nflags: {migStrategy: none}`);
  expect(fixesOf('gpu-operator/device-plugin-config-key-known', gpuOperatorRules, manifest)).toEqual([fix]);
});

test('the key of a node label is what was found', () => {
  const manifest = {
    apiVersion: 'sriovnetwork.openshift.io/v1',
    kind: 'SriovNetworkNodePolicy',
    metadata: { name: 'a', namespace: 'a' },
    spec: { nodeSelector: { 'EXAMPLE.COM/FABRIC': 'roce' }, nicSelector: {}, resourceName: 'a', numVfs: 1 },
  };
  const rule = 'networking/sriov-node-selector-valid';
  const [finding] = findingsOf(JSON.stringify(manifest), networkingRules).filter((one) => one.rule === rule);
  expect(finding).toMatchObject({
    found: 'EXAMPLE.COM/FABRIC',
    fix: 'Rename the key "EXAMPLE.COM/FABRIC" in spec.nodeSelector to a name such as "example.com/FABRIC".',
  });
});

test.each([
  [
    1,
    'Set kueue.x-k8s.io/podset-slice-required-topology-constraints[0].size to 1, or raise spec.parallelism to at least 8.',
  ],
  [
    4,
    'Set kueue.x-k8s.io/podset-slice-required-topology-constraints[0].size to at most 4, or raise spec.parallelism to at least 8.',
  ],
])('a slice of 8 in %s pods', (parallelism, fix) => {
  const annotations = {
    'kueue.x-k8s.io/podset-required-topology': 'a',
    'kueue.x-k8s.io/podset-slice-required-topology-constraints': '[{"topology":"a","size":8}]',
  };
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a', namespace: 'a', labels: { 'kueue.x-k8s.io/queue-name': 'q' } },
    spec: { parallelism, template: { metadata: { annotations }, spec: { containers: [{ name: 'a' }] } } },
  };
  expect(fixesOf('kueue/topology-layers-valid', kueueRules, manifest)).toEqual([fix]);
});

test.each([
  ['v1', 'PodTemplate', (template: object): object => ({ template }), 'template.spec'],
  ['apps/v1', 'Deployment', (template: object): object => ({ spec: { template } }), 'template.spec'],
  ['v1', 'Pod', (template: object): object => template, 'spec'],
])('a field of the pod in a %s %s', (apiVersion, kind, within, spec) => {
  const template = { spec: { priorityClassName: 'A', containers: [{ name: 'a', image: 'b' }] } };
  const manifest = { apiVersion, kind, metadata: { name: 'a', namespace: 'a' }, ...within(template) };
  expect(fixesOf('core/pod-reference-name-valid', coreRules, manifest)).toEqual([
    `Set ${spec}.priorityClassName to a name such as "a".`,
  ]);
});

test.each([
  ['/a', 'Set coveredResources[1] to a valid name such as nvidia.com/gpu.'],
  ['a b', 'Set coveredResources[1] to a name such as "a-b".'],
])('the name of a covered resource, %j', (name, fix) => {
  const manifest = {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name: 'a' },
    spec: { resourceGroups: [{ coveredResources: ['cpu', name], flavors: [] }] },
  };
  expect(fixesOf('kueue/covered-resource-name-valid', kueueRules, manifest)).toEqual([fix]);
});

test('a network that is not in the manifests, by its namespace', () => {
  const pod = (networks: string, namespace: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace, annotations: { 'k8s.v1.cni.cncf.io/networks': networks } },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  });
  const fixOf = (manifest: object): unknown => fixesOf('pods/network-attachment-known', podRules, manifest)[0];
  const exists =
    'Add the NetworkAttachmentDefinition "rdma" to the manifests, or make sure that it exists in the namespace';
  expect(fixOf(pod('other/rdma', 'ml'))).toBe(`${exists} "other".`);
  expect(fixOf(pod('rdma', 'ml'))).toBe(`${exists} "ml".`);
});
