/**
 * Updates of objects, and whether the API server rejects them. The e2e suite asks a live server the same.
 */
import { parse } from 'yaml';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { idOf } from '../../../src/manifests/identity';

export interface UpdateCase {
  /** `apps/Deployment spec.selector` */
  readonly name: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly rejected: boolean;
}

const CONTAINERS = '[{name: main, image: "example.com/a:1"}]';
const TEMPLATE = `{metadata: {labels: {app: a}}, spec: {containers: ${CONTAINERS}}}`;
const JOB_TEMPLATE = `{spec: {restartPolicy: Never, containers: ${CONTAINERS}}}`;
const IMAGE = { 'spec.template.spec.containers.0.image': 'example.com/a:2' };

/** An object, the updates that the server takes, and those that it rejects; each sets fields by path, `null` removes. */
interface Row {
  readonly object: string;
  readonly taken?: readonly Readonly<Record<string, JsonValue>>[];
  readonly rejected?: readonly Readonly<Record<string, JsonValue>>[];
}

const ROWS: readonly Row[] = [
  {
    object: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "1"}}`,
    taken: [{ 'data.a': '2' }, { 'data.b': '2' }, { immutable: true }],
  },
  {
    object: `{apiVersion: v1, kind: ConfigMap, metadata: {name: frozen}, immutable: true, data: {a: "1"}}`,
    taken: [{ 'metadata.labels': { a: 'b' } }],
    rejected: [{ 'data.a': '2' }, { 'data.b': '2' }, { immutable: null }],
  },
  {
    object: `{apiVersion: v1, kind: Secret, metadata: {name: a}, type: Opaque, stringData: {a: "1"}}`,
    taken: [{ 'stringData.a': '2' }],
    rejected: [{ type: 'example.com/other' }],
  },
  {
    object: `{apiVersion: v1, kind: Secret, metadata: {name: frozen}, immutable: true, stringData: {a: "1"}}`,
    rejected: [{ 'stringData.a': '2' }],
  },
  {
    object: `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: None, selector: {a: b}, ports: [{port: 80}]}}`,
    taken: [{ 'spec.selector.a': 'c' }, { 'spec.ports.0.port': 81 }],
    rejected: [{ 'spec.clusterIP': '10.0.0.77' }],
  },
  {
    object: `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}}`,
    rejected: [
      { 'spec.accessModes': ['ReadWriteMany'] },
      { 'spec.storageClassName': 'slow' },
      { 'spec.volumeMode': 'Block' },
      { 'spec.resources.requests.storage': '5Gi' },
    ],
  },
  {
    object: `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: ${CONTAINERS}}}`,
    taken: [
      { 'spec.containers.0.image': 'example.com/a:2' },
      { 'spec.activeDeadlineSeconds': 600 },
      { 'metadata.labels': { a: 'b' } },
    ],
    rejected: [
      { 'spec.containers.0.command': ['sleep'] },
      { 'spec.nodeSelector': { a: 'b' } },
      { 'spec.restartPolicy': 'Never' },
      { 'spec.priorityClassName': 'system-node-critical' },
    ],
  },
  {
    object: `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce], csi: {driver: example.com, volumeHandle: a}}}`,
    taken: [
      { 'spec.persistentVolumeReclaimPolicy': 'Delete' },
      {
        'spec.nodeAffinity': {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        },
      },
    ],
    rejected: [{ 'spec.csi.volumeHandle': 'b' }, { 'spec.volumeMode': 'Block' }],
  },
  {
    object: `{apiVersion: v1, kind: Pod, metadata: {name: gated}, spec: {schedulingGates: [{name: example.com/a}, {name: example.com/b}], containers: ${CONTAINERS}}}`,
    taken: [{ 'spec.schedulingGates': [{ name: 'example.com/a' }] }],
    rejected: [
      { 'spec.schedulingGates': [{ name: 'example.com/a' }, { name: 'example.com/b' }, { name: 'example.com/c' }] },
      { 'spec.containers.0.resources': { requests: { cpu: '1' } } },
    ],
  },
  {
    object: `{apiVersion: v1, kind: ResourceQuota, metadata: {name: selected}, spec: {hard: {pods: "5"}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}}}`,
    taken: [{ 'spec.scopeSelector': null }],
  },
  {
    object: `{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: a}, revision: 1, data: {a: b}}`,
    taken: [{ revision: 2 }],
    rejected: [{ 'data.a': 'c' }],
  },
  {
    object: `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a}, spec: {attachRequired: true, podInfoOnMount: false}}`,
    taken: [{ 'spec.podInfoOnMount': true }],
    rejected: [{ 'spec.attachRequired': false }, { 'spec.volumeLifecycleModes': ['Ephemeral'] }],
  },
  {
    object: `{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {pods: "5"}, scopes: [BestEffort]}}`,
    taken: [{ 'spec.hard.pods': '6' }],
    rejected: [{ 'spec.scopes': ['Terminating'] }],
  },
  {
    object: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1, selector: {matchLabels: {app: a}}, template: ${TEMPLATE}}}`,
    taken: [{ 'spec.replicas': 2 }, IMAGE],
    rejected: [
      { 'spec.strategy': { type: 'Recreate' } },
      { 'spec.selector.matchLabels': { app: 'b' }, 'spec.template.metadata.labels': { app: 'b' } },
    ],
  },
  {
    object: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: rolling}, spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}, selector: {matchLabels: {app: a}}, template: ${TEMPLATE}}}`,
    taken: [{ 'spec.strategy': { type: 'Recreate' } }],
  },
  {
    object: `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {matchLabels: {app: a}}, template: ${TEMPLATE}}}`,
    taken: [IMAGE, { 'spec.updateStrategy': { type: 'OnDelete' } }],
    rejected: [{ 'spec.selector.matchLabels': { app: 'b' }, 'spec.template.metadata.labels': { app: 'b' } }],
  },
  {
    object: `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a}, spec: {selector: {matchLabels: {app: a}}, template: ${TEMPLATE}}}`,
    taken: [IMAGE],
    rejected: [{ 'spec.selector.matchLabels': { app: 'b' }, 'spec.template.metadata.labels': { app: 'b' } }],
  },
  {
    object: `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {serviceName: a, replicas: 1, selector: {matchLabels: {app: a}}, template: ${TEMPLATE}}}`,
    taken: [
      { 'spec.replicas': 2 },
      IMAGE,
      { 'spec.minReadySeconds': 5 },
      { 'spec.revisionHistoryLimit': 5 },
      { 'spec.ordinals': { start: 1 } },
      { 'spec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'Delete', whenScaled: 'Delete' } },
    ],
    rejected: [
      { 'spec.updateStrategy': { type: 'OnDelete' } },
      { 'spec.serviceName': 'b' },
      { 'spec.podManagementPolicy': 'Parallel' },
      { 'spec.selector.matchLabels': { app: 'b' }, 'spec.template.metadata.labels': { app: 'b' } },
      {
        'spec.volumeClaimTemplates': [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    ],
  },
  {
    object: `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 1, completions: 2, template: ${JOB_TEMPLATE}}}`,
    taken: [
      { 'spec.parallelism': 2 },
      { 'spec.backoffLimit': 3 },
      { 'spec.activeDeadlineSeconds': 600 },
      { 'spec.ttlSecondsAfterFinished': 60 },
      { 'spec.suspend': true },
    ],
    rejected: [
      IMAGE,
      { 'spec.completions': 3 },
      { 'spec.completionMode': 'Indexed' },
      { 'spec.template.spec.nodeSelector': { a: 'b' } },
      { 'spec.managedBy': 'example.com/other' },
      { 'spec.podFailurePolicy': { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
    ],
  },
  {
    object: `{apiVersion: batch/v1, kind: Job, metadata: {name: indexed}, spec: {completionMode: Indexed, parallelism: 2, completions: 2, template: ${JOB_TEMPLATE}}}`,
    taken: [{ 'spec.completions': 3, 'spec.parallelism': 3 }],
    rejected: [{ 'spec.completions': 3 }, { 'spec.backoffLimitPerIndex': 1 }],
  },
  {
    object: `{apiVersion: batch/v1, kind: Job, metadata: {name: suspended}, spec: {suspend: true, template: ${JOB_TEMPLATE}}}`,
    taken: [
      { 'spec.template.spec.nodeSelector': { a: 'b' } },
      { 'spec.template.spec.tolerations': [{ key: 'a', operator: 'Exists' }] },
      { 'spec.template.metadata.labels': { a: 'b' } },
    ],
    rejected: [IMAGE],
  },
  {
    object: `{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "0 * * * *", jobTemplate: {spec: {template: ${JOB_TEMPLATE}}}}}`,
    taken: [{ 'spec.schedule': '1 * * * *' }, { 'spec.jobTemplate.spec.template.spec.containers.0.image': 'b:1' }],
  },
  {
    object: `{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: a}, spec: {controller: example.com/a}}`,
    rejected: [{ 'spec.controller': 'example.com/b' }],
  },
  {
    object: `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: a}, handler: a}`,
    taken: [{ scheduling: { nodeSelector: { a: 'b' } } }],
    rejected: [{ handler: 'b' }],
  },
  {
    object: `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}, subjects: []}`,
    taken: [{ subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }] }],
    rejected: [{ 'roleRef.name': 'b' }],
  },
  {
    object: `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: a}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}, subjects: []}`,
    rejected: [{ 'roleRef.name': 'b' }],
  },
  {
    object: `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: a}}]}}}`,
    rejected: [{ 'spec.devices.requests.0.exactly.deviceClassName': 'b' }],
  },
  {
    object: `{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: a}, spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: a}}]}}}}`,
    rejected: [{ 'spec.spec.devices.requests.0.exactly.deviceClassName': 'b' }],
  },
  {
    object: `{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}, spec: {}}`,
    taken: [{ 'spec.extendedResourceName': 'example.com/a' }],
  },
  {
    object: `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 1000}`,
    taken: [{ description: 'b' }],
    rejected: [{ value: 2000 }, { preemptionPolicy: 'Never' }],
  },
  {
    object: `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: example.com/a, reclaimPolicy: Delete, volumeBindingMode: Immediate}`,
    taken: [{ allowVolumeExpansion: true }],
    rejected: [
      { provisioner: 'example.com/b' },
      { parameters: { a: 'b' } },
      { reclaimPolicy: 'Retain' },
      { volumeBindingMode: 'WaitForFirstConsumer' },
    ],
  },
  {
    object: `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}`,
    taken: [{ 'spec.minAvailable': 2 }, { 'spec.selector.matchLabels.a': 'c' }],
  },
  {
    object: `{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: a}, spec: {runtimeRef: {name: torch}, trainer: {numNodes: 2}}}`,
    taken: [{ 'metadata.labels': { a: 'b' } }],
    rejected: [{ 'spec.runtimeRef.name': 'other' }],
  },
  {
    object: `{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: a}, spec: {nodeLabels: {a: b}}}`,
    taken: [{ 'spec.nodeLabels.a': 'c' }],
  },
];

/** One case for each update of the table. */
export function updateCases(): readonly UpdateCase[] {
  return ROWS.flatMap(({ object, taken = [], rejected = [] }) => {
    const before = parse(object) as JsonObject;
    const { apiVersion, kind } = idOf(before);
    const cases = (updates: NonNullable<Row['taken']>, isRejected: boolean): readonly UpdateCase[] =>
      updates.map((fields) => ({
        name: `${apiVersion} ${kind} ${Object.keys(fields).join(', ')}`,
        before,
        after: Object.entries(fields).reduce(withField, before),
        rejected: isRejected,
      }));
    return [...cases(taken, false), ...cases(rejected, true)];
  });
}

function withField(object: JsonObject, [path, value]: readonly [string, JsonValue]): JsonObject {
  const copy = structuredClone(object);
  const tokens = path.split('.');
  const last = tokens.pop() ?? '';
  let parent: Record<string, JsonValue> = copy;
  for (const token of tokens) {
    parent = (parent[token] ??= {}) as Record<string, JsonValue>;
  }
  if (value === null) {
    delete parent[last];
  } else {
    parent[last] = value;
  }
  return copy;
}
