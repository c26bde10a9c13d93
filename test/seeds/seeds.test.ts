/**
 * Manifests with the mistakes that guides for GPU platforms teach: a rule of its own finds each known defect, and the corrected files have
 * no error.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../src/checks/engine';
import { type Finding } from '../../src/checks/report/finding';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/interfaces/checks';

const MANIFESTS = resolve(__dirname, '../fixtures/manifests');
function read(folder: string): ManifestSet {
  const files = readdirSync(join(MANIFESTS, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  const parsed = files.map((file) => parseYaml(readFileSync(join(MANIFESTS, folder, file), 'utf8'), file));
  return new ManifestSet(
    parsed.flatMap(({ manifests }) => manifests),
    parsed.flatMap(({ problems }) => problems),
  );
}

/** Defects by file: what is wrong, and the rule that says so. */
const DEFECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'mesh-authentication.yaml': { 'the name of the project is no API group': 'schema/api-group-exists' },
  'volcano-queue.yaml': {
    'guaranteed is no field': 'schema/unknown-field',
    '500G is decimal': 'volcano/queue-memory-unit-intended',
  },
  'volcano-pod-group.yaml': {
    'minMember is not the sum of the tasks': 'volcano/pod-group-min-member-covers-tasks',
    'the priority class is defined nowhere': 'tenancy/priority-class-defined',
    'nothing links the group to the job': 'volcano/pod-group-is-named-by-pods',
  },
  'volcano-job.yaml': {
    'the API version does not exist': 'schema/api-version-served',
    'the pods restart for ever': 'volcano/task-restart-policy-lets-finish',
    'the pods cannot find each other': 'volcano/gang-pods-find-each-other',
    'no command': 'volcano/task-container-has-program',
    'no policies': 'volcano/gang-reacts-to-failure',
  },
  'volcano-scheduler-actions.yaml': {
    'the ConfigMap is not the one that is read': 'volcano/scheduler-config-map-read',
    'no plugin enforces queues': 'volcano/scheduler-enforces-queues',
    'no preempt or reclaim': 'volcano/scheduler-reclaims-resources',
    'binpack ignores GPUs': 'volcano/scheduler-binpack-counts-devices',
  },
  'pytorch-job-half-elastic.yaml': {
    'a mount without volume': 'core/volume-mount-has-volume',
    '${VAR} is not expanded': 'pods/variable-form-expanded',
    'NODE_RANK is never set': 'kubeflow/launch-variables-set-by-operator',
    'nnodes is not the number of pods': 'kubeflow/torchrun-nnodes-is-pod-count',
    'one GPU and eight processes': 'kubeflow/torchrun-nproc-is-device-count',
    "a port that is not the operator's": 'kubeflow/torchrun-port-is-operators',
    'elastic with a Master': 'kubeflow/elastic-is-workers-only',
    'only one role names the scheduler': 'kubeflow/roles-share-scheduler',
    'no gang is stated': 'kubeflow/gang-scheduling-stated',
  },
  'rdma-pod.yaml': {
    'the resource needs a plugin that names it': 'pods/rdma-name-configured',
    'no NetworkAttachmentDefinition': 'pods/network-attachment-known',
    'no IPC_LOCK': 'pods/rdma-may-lock-memory',
    'no /dev/shm': 'pods/shared-memory-for-several-gpus',
  },
  'placement-by-labels.yaml': {
    'anti-affinity is no network topology': 'pods/topology-by-network-distance',
    'no such product label': 'pods/node-label-set-by-something',
  },
  'dcgm-counters.yaml': { 'the exporter reads CSV': 'gpu-operator/dcgm-counters-are-csv' },
  'prometheus-scrape.yaml': {
    'no pod of the operator has that label': 'monitoring/scrape-job-finds-dcgm-exporter',
  },
  'resource-quota.yaml': {
    'limits of a GPU are never counted': 'tenancy/quota-key-counted',
    'limits become mandatory': 'tenancy/quota-with-defaults',
  },
  'priority-classes.yaml': { "the lowest class is everybody's": 'tenancy/global-default-deliberate' },
  'node-taints.yaml': { 'taints make no labels': 'pods/taint-makes-no-label' },
  'claim-by-class.yaml': {
    'deviceClassName is no field of a claim': 'schema/unknown-field',
    'the pod has no such claim': 'core/resource-claim-of-pod',
  },
  'knative-service.yaml': {
    'hpa without metric means CPU': 'serving/knative-hpa-metric-stated',
    'hpa does not scale to zero': 'serving/knative-hpa-not-to-zero',
  },
  'pods-by-tier.yaml': {
    'no image': 'core/container-image-required',
    'the taint is not set': 'pods/toleration-of-real-taint',
    'a bare Pod': 'pods/accelerator-pod-is-owned',
  },
  'volcano-scheduler-lists.yaml': {
    'no actions': 'volcano/scheduler-actions-known',
    'a list that is not read': 'volcano/scheduler-config-key-known',
  },
  'volcano-scheduler-flags.yaml': {
    'flags are no configuration': 'volcano/scheduler-config-holds-no-flags',
    'no namespace': 'volcano/scheduler-config-map-namespaced',
  },
  'pytorch-job-host-network.yaml': {
    'no container is named pytorch': 'kubeflow/default-container-present',
    'nnodes is not the number of pods': 'kubeflow/torchrun-nnodes-is-pod-count',
    '${VAR} is not expanded': 'pods/variable-form-expanded',
    'host network on one role only': 'kubeflow/roles-share-network',
    'host network without cluster DNS': 'pods/host-network-resolves-services',
    'the Worker lacks the data': 'kubeflow/roles-share-data',
    'the Worker requests nothing': 'kubeflow/roles-request-alike',
    'devices chosen by hand': 'pods/visible-devices-left-to-plugin',
    'no maxRestarts': 'kubeflow/elastic-max-restarts-stated',
    'NCCL_SOCKET_IFNAME does not choose the card': 'pods/nccl-interface-in-pod',
  },
  'keda-scaled-object.yaml': {
    'nothing reads metricName any more': 'keda/metric-name-ignored',
    'the query gives several values': 'keda/prometheus-query-gives-one-value',
    'the cooldown is for zero': 'keda/cooldown-has-effect',
  },
  'spot-pod.yaml': {
    'no image': 'core/container-image-required',
    'a bare Pod is lost': 'pods/spot-pod-is-replaced',
  },
};

describe('manifests with known defects', () => {
  let findings: readonly Finding[];
  beforeAll(() => {
    findings = check(read('defects'), { rules: allRules() }).findings;
  });

  const cases = Object.entries(DEFECTS).flatMap(([file, defects]) =>
    Object.entries(defects).map(([defect, rule]) => [file, defect, rule] as const),
  );

  test.each(cases)('%s: %s', (file, _defect, rule) => {
    expect(findings.filter((finding) => finding.file === file).map((finding) => finding.rule)).toContain(rule);
  });

  test('every finding has its line', () => {
    expect(findings.filter(({ line }) => line === undefined)).toEqual([]);
  });

  test('no error is left in the corrected files, whether they are checked together or one by one', () => {
    const fixed = read('corrected');
    const errorsOf = (set: ManifestSet): readonly Finding[] =>
      check(set, { rules: allRules() }).findings.filter(({ severity }) => severity === 'error');
    expect(errorsOf(fixed)).toEqual([]);
    for (const file of new Set(fixed.manifests.map(({ origin }) => origin.file))) {
      expect(errorsOf(new ManifestSet(fixed.manifests.filter(({ origin }) => origin.file === file)))).toEqual([]);
    }
  });
});
