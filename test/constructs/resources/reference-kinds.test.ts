/**
 * What references of each kind mean: which ones have rules of their own, what every cluster has, and which labels controllers add.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { referenceRules } from '../../../src/constructs/resources/rules';
import { findingsOf } from '../../support/findings';

const object = (apiVersion: string, kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'ai' },
  ...more,
});
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ai', ...metadata },
  spec: { containers: [{ name: 'a', image: 'i' }], ...spec },
});
const template = { spec: { containers: [{ name: 'a', image: 'i' }] } };

/** The rule, the severity, and the value of each finding. */
function found(...manifests: readonly JsonObject[]): readonly string[] {
  return findingsOf(manifests.map((one) => JSON.stringify(one)).join('\n---\n'), referenceRules).map(
    ({ rule, severity, found: value, expected }) =>
      [rule.replace('references/', ''), severity, JSON.stringify(value), expected].join(' ').trim(),
  );
}

describe('a name like that of another object', () => {
  const clusterQueue = (spec: JsonObject): JsonObject =>
    object('kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'q', { spec });
  const scaled = (authenticationRef: JsonObject): JsonObject =>
    object('keda.sh/v1alpha1', 'ScaledJob', 's', { spec: { triggers: [{ authenticationRef }] } });
  const trainJob = (runtimeRef: JsonObject): JsonObject =>
    object('trainer.kubeflow.org/v1alpha1', 'TrainJob', 't', { spec: { runtimeRef } });

  test.each<readonly [string, string, JsonObject]>([
    ['v1', 'Node', pod({ nodeName: 'golden' })],
    [
      'flow.volcano.sh/v1alpha1',
      'JobTemplate',
      object('flow.volcano.sh/v1alpha1', 'JobFlow', 'f', { spec: { flows: [{ name: 'golden' }] } }),
    ],
    [
      'k8s.cni.cncf.io/v1',
      'NetworkAttachmentDefinition',
      pod({}, { annotations: { 'k8s.v1.cni.cncf.io/networks': 'golden' } }),
    ],
    [
      'keda.sh/v1alpha1',
      'ClusterTriggerAuthentication',
      scaled({ kind: 'ClusterTriggerAuthentication', name: 'golden' }),
    ],
    ['keda.sh/v1alpha1', 'TriggerAuthentication', scaled({ name: 'golden' })],
    ['kueue.x-k8s.io/v1beta2', 'AdmissionCheck', clusterQueue({ admissionChecks: ['golden'] })],
    [
      'kueue.x-k8s.io/v1beta2',
      'ClusterQueue',
      object('kueue.x-k8s.io/v1beta2', 'LocalQueue', 'l', { spec: { clusterQueue: 'golden' } }),
    ],
    ['kueue.x-k8s.io/v1beta2', 'LocalQueue', pod({}, { labels: { 'kueue.x-k8s.io/queue-name': 'golden' } })],
    ['kueue.x-k8s.io/v1beta2', 'ResourceFlavor', clusterQueue({ resourceGroups: [{ flavors: [{ name: 'golden' }] }] })],
    [
      'kueue.x-k8s.io/v1beta2',
      'Topology',
      object('kueue.x-k8s.io/v1beta2', 'ResourceFlavor', 'f', { spec: { topologyName: 'golden' } }),
    ],
    [
      'kueue.x-k8s.io/v1beta2',
      'WorkloadPriorityClass',
      pod({}, { labels: { 'kueue.x-k8s.io/priority-class': 'golden' } }),
    ],
    [
      'resource.k8s.io/v1',
      'DeviceClass',
      object('resource.k8s.io/v1', 'ResourceClaim', 'c', {
        spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'golden' } }] } },
      }),
    ],
    ['scheduling.k8s.io/v1alpha1', 'PodGroup', pod({ schedulingGroup: { podGroupName: 'golden' } })],
    ['scheduling.k8s.io/v1', 'PriorityClass', pod({ priorityClassName: 'golden' })],
    ['scheduling.k8s.io/v1alpha1', 'Workload', pod({ workloadRef: { name: 'golden' } })],
    [
      'scheduling.volcano.sh/v1beta1',
      'PodGroup',
      pod({}, { annotations: { 'scheduling.k8s.io/group-name': 'golden' } }),
    ],
    ['scheduling.x-k8s.io/v1alpha1', 'PodGroup', pod({}, { labels: { 'scheduling.x-k8s.io/pod-group': 'golden' } })],
    ['trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime', trainJob({ name: 'golden' })],
    ['trainer.kubeflow.org/v1alpha1', 'TrainingRuntime', trainJob({ kind: 'TrainingRuntime', name: 'golden' })],
  ])('%s %s is left to the rules of its domain', (apiVersion, kind, referring) => {
    expect(found(object(apiVersion, kind, 'goldn'), referring)).toEqual([]);
  });

  const nearOnly: readonly (readonly [string, string, (name: string) => JsonObject])[] = [
    ['v1', 'Secret', (name) => pod({ imagePullSecrets: [{ name }] })],
    [
      'storage.k8s.io/v1',
      'StorageClass',
      (name) => object('v1', 'PersistentVolumeClaim', 'c', { spec: { storageClassName: name } }),
    ],
  ];
  test.each(nearOnly)('%s %s is reported, and any other name is not', (apiVersion, kind, referring) => {
    const golden = object(apiVersion, kind, 'golden');
    expect(found(golden, referring('goldn'))).toEqual(['object-in-set warning "goldn" golden']);
    expect(found(golden, referring('another'))).toEqual([]);
    expect(found(golden, referring('golden'))).toEqual([]);
  });

  test('the Service of a StatefulSet may be absent, and may be misspelled', () => {
    const set = (serviceName: string): JsonObject => object('apps/v1', 'StatefulSet', 's', { spec: { serviceName } });
    const service = object('v1', 'Service', 'workers', { spec: {} });
    expect(found(service, set('headless'))).toEqual([]);
    expect(found(service, set('worker'))).toEqual(['object-in-set warning "worker" workers']);
  });
});

describe('what to write for a name that nearly matches another', () => {
  const queue = (name: string): JsonObject => object('scheduling.volcano.sh/v1beta1', 'Queue', name, { spec: {} });
  const queued = (name: string): JsonObject =>
    object('kubeflow.org/v1', 'PyTorchJob', 'j', { spec: { runPolicy: { schedulingPolicy: { queue: name } } } });
  const binding = (name: string): JsonObject =>
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind: 'ClusterRole', name } });

  test.each<readonly [string, readonly JsonObject[], string | undefined, string]>([
    [
      'the near name',
      [queue('research'), queued('reserch')],
      'research',
      'Set schedulingPolicy.queue to "research", or add the Queue "reserch" to the manifests.',
    ],
    [
      'to rename an object with an invalid name',
      [queue('RESEARCH'), queued('research')],
      'a Queue with the name "research"',
      'Rename the Queue "RESEARCH" to "research".',
    ],
    [
      'no name where both are invalid',
      [queue('RESEARCH'), queued('Research')],
      undefined,
      'Add the Queue "Research" to the manifests, or make sure that it exists in the cluster.',
    ],
    [
      'a name that is valid for its kind',
      [object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'Golden', { rules: [] }), binding('golden')],
      'Golden',
      'Set roleRef.name to "Golden", or add the ClusterRole "golden" to the manifests.',
    ],
  ])('%s', (_what, objects, expected, fix) => {
    const text = objects.map((one) => JSON.stringify(one)).join('\n---\n');
    const findings = findingsOf(text, referenceRules).filter(({ rule }) => rule === 'references/object-in-set');
    expect(findings.map((finding) => [finding.expected, finding.fix])).toEqual([[expected, fix]]);
  });
});

describe('objects that every cluster has', () => {
  const binding = (kind: string, name: string): JsonObject =>
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind, name } });
  const backend = (name: string): JsonObject =>
    object('networking.k8s.io/v1', 'Ingress', 'i', { spec: { defaultBackend: { service: { name } } } });
  const mounted = (name: string): JsonObject => pod({ volumes: [{ name: 'v', configMap: { name } }] });
  const account = (serviceAccountName: string): JsonObject => pod({ serviceAccountName });
  const queued = (name: string): JsonObject => pod({}, { annotations: { 'scheduling.volcano.sh/queue-name': name } });
  const role = (name: string): JsonObject => binding('Role', name);
  const clusterRole = (name: string): JsonObject => binding('ClusterRole', name);
  const RBAC = 'rbac.authorization.k8s.io/v1';

  test.each<readonly [string, string, (name: string) => JsonObject, readonly string[]]>([
    ['v1', 'ConfigMap', mounted, ['kube-root-ca.crt', 'extension-apiserver-authentication']],
    ['v1', 'ServiceAccount', account, ['default']],
    [RBAC, 'ClusterRole', clusterRole, ['system:node', 'cluster-admin', 'admin', 'edit', 'view']],
    [RBAC, 'Role', role, ['system:any', 'extension-apiserver-authentication-reader']],
    ['v1', 'Service', backend, ['kubernetes']],
    ['scheduling.volcano.sh/v1beta1', 'Queue', queued, ['default', 'root']],
  ])('%s %s', (apiVersion, kind, referring, names) => {
    const another = object(apiVersion, kind, 'unlike-any-of-them', kind === 'Service' ? { spec: {} } : {});
    for (const name of names) {
      expect(found(another, referring(name))).toEqual([]);
      for (const longer of [`my-${name}`, `${name.replace('system:', 'not-system:')}-2`]) {
        expect(found(another, referring(longer))).toEqual([`object-in-set info ${JSON.stringify(longer)}`]);
      }
    }
  });

  test.each(['default', 'kube-system', 'kube-public', 'kube-node-lease'])('the namespace %s', (namespace) => {
    const inNamespace = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: name },
    });
    const near = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}z` } };
    expect(found(near, inNamespace(namespace))).toEqual([]);
    expect(found(near, inNamespace(`${namespace}y`))).toEqual([`object-in-set warning "${namespace}y" ${namespace}z`]);
  });
});

describe('queues of Volcano', () => {
  const queue = (name: string, parent?: string): JsonObject => ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name },
    spec: parent === undefined ? {} : { parent },
  });
  const inSpec = (apiVersion: string, kind: string, name: string): JsonObject =>
    object(apiVersion, kind, 'w', { spec: { queue: name } });

  test.each([
    ['batch.volcano.sh/v1alpha1', 'Job'],
    ['flow.volcano.sh/v1alpha1', 'JobTemplate'],
    ['scheduling.volcano.sh/v1beta1', 'PodGroup'],
  ])('in the spec of a %s %s are left to the rules of Volcano', (apiVersion, kind) => {
    expect(found(queue('research'), inSpec(apiVersion, kind, 'reserch'))).toEqual([]);
    expect(found(queue('research'), queue('nlp', 'research'), inSpec(apiVersion, kind, 'research'))).toEqual([]);
  });

  test('in an annotation are checked, and must be leaves where the annotation is that of a workload', () => {
    const annotations = (name: string): JsonObject => ({ annotations: { 'scheduling.volcano.sh/queue-name': name } });
    const deployment = (name: string, ofPods: boolean): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'ai', ...(ofPods ? {} : annotations(name)) },
      spec: { template: { metadata: ofPods ? annotations(name) : {}, ...template } },
    });
    expect(found(queue('research'), pod({}, annotations('reserch')))).toEqual([
      'object-in-set warning "reserch" research',
    ]);
    const tree = [queue('research'), queue('nlp', 'research'), queue('vision', 'research')];
    expect(found(...tree, deployment('research', false))).toEqual(['queue-is-leaf warning "research" nlp or vision']);
    expect(found(...tree, deployment('research', true))).toEqual([]);
    expect(found(...tree, deployment('nlp', false))).toEqual([]);
  });
});

describe('labels that controllers add', () => {
  const replicas = (field: string): JsonObject => ({ [field]: { Worker: { template } } });
  const selecting = (key: string, value: string): JsonObject =>
    object('v1', 'Service', 's', { spec: { selector: { [key]: value }, ports: [{ port: 80 }] } });

  test.each<readonly [string, string, string, JsonObject]>([
    ['batch/v1', 'Job', 'batch.kubernetes.io/job-name', { template }],
    ['batch/v1', 'Job', 'job-name', { template }],
    [
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      'jobset.sigs.k8s.io/jobset-name',
      { replicatedJobs: [{ name: 'a', template: { spec: { template } } }] },
    ],
    [
      'leaderworkerset.x-k8s.io/v1',
      'LeaderWorkerSet',
      'leaderworkerset.sigs.k8s.io/name',
      { leaderWorkerTemplate: { workerTemplate: template } },
    ],
    ['batch.volcano.sh/v1alpha1', 'Job', 'volcano.sh/job-name', { tasks: [{ template }] }],
    ['ray.io/v1', 'RayCluster', 'ray.io/cluster', { headGroupSpec: { template } }],
    ['serving.knative.dev/v1', 'Service', 'serving.knative.dev/service', { template }],
    ['kubeflow.org/v1', 'PyTorchJob', 'training.kubeflow.org/job-name', replicas('pytorchReplicaSpecs')],
    ['kubeflow.org/v1', 'TFJob', 'training.kubeflow.org/job-name', replicas('tfReplicaSpecs')],
    ['kubeflow.org/v1', 'XGBoostJob', 'training.kubeflow.org/job-name', replicas('xgbReplicaSpecs')],
    ['kubeflow.org/v1', 'PaddleJob', 'training.kubeflow.org/job-name', replicas('paddleReplicaSpecs')],
    ['kubeflow.org/v1', 'JAXJob', 'training.kubeflow.org/job-name', replicas('jaxReplicaSpecs')],
    ['kubeflow.org/v1', 'MPIJob', 'training.kubeflow.org/job-name', replicas('mpiReplicaSpecs')],
  ])('%s %s: %s is its name', (apiVersion, kind, label, spec) => {
    const workload = object(apiVersion, kind, 'trainer', { spec });
    expect(found(workload, selecting(label, 'trainer'))).toEqual([]);
    expect(found(workload, selecting(label, 'trianer'))).toEqual(['selector-matches warning "trianer" trainer']);
    // Another kind of workload has none of this name.
    expect(found(pod({}), selecting(label, 'trainer'))).toEqual([]);
  });
});
