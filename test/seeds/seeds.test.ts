/**
 * Real manifests, most of them wrong, which lie beside the project: each known defect is found by a rule of its own, and in the
 * corrected files no error is left.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../src/checks/engine';
import { type Finding } from '../../src/checks/finding';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/interfaces/checks';

const SEEDS = resolve(__dirname, '../../../shared/seeds');
const here = existsSync(SEEDS);
if (!here) {
  console.log('no ../shared/seeds beside the project: the tests of real manifests are skipped');
}

function read(folder: string): ManifestSet {
  const files = readdirSync(join(SEEDS, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  const parsed = files.map((file) => parseYaml(readFileSync(join(SEEDS, folder, file), 'utf8'), file));
  return new ManifestSet(
    parsed.flatMap(({ manifests }) => manifests),
    parsed.flatMap(({ problems }) => problems),
  );
}

/** Defects by file: what is wrong, and the rule that says so. */
const DEFECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '000-10-istio-peerauthentication.yaml': { 'the name of the project is no API group': 'schema/api-group-exists' },
  '001-05-volcano-queue.yaml': {
    'guaranteed is no field': 'schema/unknown-field',
    '500G is decimal': 'volcano/queue-memory-unit-intended',
  },
  '001-06-volcano-podgroup.yaml': {
    'minMember is not the sum of the tasks': 'volcano/pod-group-min-member-covers-tasks',
    'the priority class is defined nowhere': 'tenancy/priority-class-defined',
    'nothing links the group to the job': 'volcano/pod-group-is-named-by-pods',
  },
  '001-07-volcano-job.yaml': {
    'the API version does not exist': 'schema/api-version-served',
    'the pods restart for ever': 'volcano/task-restart-policy-lets-finish',
    'the pods cannot find each other': 'volcano/gang-pods-find-each-other',
    'no command': 'volcano/task-container-has-program',
    'no policies': 'volcano/gang-reacts-to-failure',
  },
  '001-08-volcano-scheduler-config.yaml': {
    'the ConfigMap is not the one that is read': 'volcano/scheduler-config-map-read',
    'no plugin enforces queues': 'volcano/scheduler-enforces-queues',
    'no preempt or reclaim': 'volcano/scheduler-takes-back',
    'binpack ignores GPUs': 'volcano/scheduler-binpack-counts-devices',
  },
  '001-10-pytorchjob-distributed.yaml': {
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
  '001-11-rdma-pod.yaml': {
    'the resource needs a plugin that names it': 'pods/rdma-name-configured',
    'no NetworkAttachmentDefinition': 'pods/network-attachment-known',
    'no IPC_LOCK': 'pods/rdma-may-lock-memory',
    'no /dev/shm': 'pods/shared-memory-for-several-gpus',
  },
  '001-12-affinity-fragment.yaml': {
    'anti-affinity is no network topology': 'pods/topology-by-network-distance',
    'no such product label': 'pods/node-label-set-by-something',
  },
  '001-13-dcgm-exporter-config.yaml': { 'the exporter reads CSV': 'gpu-operator/dcgm-counters-are-csv' },
  '001-14-prometheus-config.yaml': {
    'no pod of the operator has that label': 'monitoring/scrape-job-finds-dcgm-exporter',
  },
  '001-15-resourcequota.yaml': {
    'limits of a GPU are never counted': 'tenancy/quota-key-counted',
    'limits become mandatory': 'tenancy/quota-with-defaults',
  },
  '001-16-priorityclasses.yaml': { "the lowest class is everybody's": 'tenancy/global-default-deliberate' },
  '001-17b-tolerations-fragment.yaml': { 'taints make no labels': 'pods/taint-makes-no-label' },
  '001-18-dra-fragment.yaml': {
    'deviceClassName is no field of a claim': 'schema/unknown-field',
    'the pod has no such claim': 'core/resource-claim-of-pod',
  },
  '001-19-knative-service.yaml': {
    'hpa without metric means CPU': 'serving/knative-hpa-metric-stated',
    'hpa does not scale to zero': 'serving/knative-hpa-not-to-zero',
  },
  '001-20-heterogeneous-pods.yaml': {
    'no image': 'core/container-image-required',
    'nobody sets that taint': 'pods/toleration-of-real-taint',
    'a bare Pod': 'pods/accelerator-pod-is-owned',
  },
  '001-21-volcano-nodeorder-config.yaml': {
    'no actions': 'volcano/scheduler-actions-known',
    'a list that nobody reads': 'volcano/scheduler-config-key-known',
  },
  '001-23-volcano-perf-config.yaml': {
    'flags are no configuration': 'volcano/scheduler-config-holds-no-flags',
    'no namespace': 'volcano/scheduler-config-map-namespaced',
  },
  '001-25-pytorchjob-llm-70b.yaml': {
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
  '001-26-keda-scaledobject.yaml': {
    'nobody reads metricName any more': 'keda/metric-name-ignored',
    'the query gives several values': 'keda/prometheus-query-gives-one-value',
    'the cooldown is for zero': 'keda/cooldown-has-effect',
  },
  '001-27-spot-pod.yaml': {
    'no image': 'core/container-image-required',
    'a bare Pod is lost': 'pods/spot-pod-is-replaced',
  },
};

(here ? describe : describe.skip)('real manifests', () => {
  let findings: readonly Finding[];
  beforeAll(() => {
    findings = check(read('snippets'), { rules: allRules() }).findings;
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
    const fixed = read('fixed');
    const errorsOf = (set: ManifestSet): readonly Finding[] =>
      check(set, { rules: allRules() }).findings.filter(({ severity }) => severity === 'error');
    expect(errorsOf(fixed)).toEqual([]);
    for (const file of new Set(fixed.manifests.map(({ origin }) => origin.file))) {
      expect(errorsOf(new ManifestSet(fixed.manifests.filter(({ origin }) => origin.file === file)))).toEqual([]);
    }
  });
});
