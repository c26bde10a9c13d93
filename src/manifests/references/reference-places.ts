/**
 * Where objects name other objects, as data: one line for each field.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asString } from '../read';

export interface ReferencePlace {
  /** The path to the text that names; `*` represents each item of a list or each member of a map. */
  readonly tokens: readonly string[];
  /** `group/Kind` of what is named, or how the object that holds the name says it. */
  readonly kind: string | ((holder: JsonObject) => string | undefined);
  /** The named object is cluster-scoped. Default: it is in the namespace of the object that names it. */
  readonly cluster?: boolean | ((holder: JsonObject) => boolean);
  /** The field beside the name that gives another namespace. */
  readonly namespaceKey?: string;
}

export const NETWORK_ATTACHMENT = 'k8s.cni.cncf.io/NetworkAttachmentDefinition';
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';

const VOLCANO_QUEUE = 'scheduling.volcano.sh/Queue';
const PRIORITY_CLASS = 'scheduling.k8s.io/PriorityClass';
const STORAGE_CLASS = 'storage.k8s.io/StorageClass';
const CLAIM = 'PersistentVolumeClaim';

function at(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/'));
}

/** Names of objects in the same namespace. */
function local(kind: string, ...paths: readonly string[]): readonly ReferencePlace[] {
  return paths.map((path) => ({ tokens: at(path), kind }));
}

/** Names of objects that live in no namespace. */
function cluster(kind: string, ...paths: readonly string[]): readonly ReferencePlace[] {
  return paths.map((path) => ({ tokens: at(path), kind, cluster: true }));
}

/** `{ apiGroup | group, kind, name }` and `{ apiVersion, kind, name }`, with the defaults of missing parts. */
function typed(
  path: string,
  missing: { readonly group?: string; readonly kind?: string },
  clusterKinds: readonly string[] = [],
): ReferencePlace {
  const kindOf = (holder: JsonObject): string | undefined => asString(holder.kind) ?? missing.kind;
  const groupOf = (holder: JsonObject): string | undefined => {
    const apiVersion = asString(holder.apiVersion);
    if (apiVersion !== undefined) {
      return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    }
    return asString(holder.apiGroup) ?? asString(holder.group) ?? missing.group;
  };
  return {
    tokens: at(path),
    kind: (holder) => {
      const kind = kindOf(holder);
      const group = groupOf(holder);
      return kind === undefined || group === undefined ? undefined : group === '' ? kind : `${group}/${kind}`;
    },
    cluster: (holder) => clusterKinds.includes('*') || clusterKinds.includes(kindOf(holder) ?? ''),
  };
}

/** Labels and annotations by which any object joins a queue or a group. */
export const METADATA_PLACES: readonly ReferencePlace[] = [
  ...local('kueue.x-k8s.io/LocalQueue', '/labels/kueue.x-k8s.io~1queue-name'),
  ...cluster('kueue.x-k8s.io/WorkloadPriorityClass', '/labels/kueue.x-k8s.io~1priority-class'),
  ...cluster(VOLCANO_QUEUE, '/annotations/scheduling.volcano.sh~1queue-name'),
  ...local(
    'scheduling.volcano.sh/PodGroup',
    '/annotations/scheduling.k8s.io~1group-name',
    '/annotations/scheduling.volcano.sh~1group-name',
  ),
  ...local('scheduling.x-k8s.io/PodGroup', '/labels/scheduling.x-k8s.io~1pod-group'),
  ...cluster('scheduling.run.ai/Queue', '/labels/kai.scheduler~1queue'),
  // KubeRay puts it on the PodGroup of the cluster.
  ...cluster(VOLCANO_QUEUE, '/labels/volcano.sh~1queue-name'),
];

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

/** Relative to a pod's spec. */
export const POD_SPEC_PLACES: readonly ReferencePlace[] = [
  ...local('ServiceAccount', '/serviceAccountName'),
  ...cluster(PRIORITY_CLASS, '/priorityClassName'),
  ...cluster('node.k8s.io/RuntimeClass', '/runtimeClassName'),
  ...cluster('Node', '/nodeName'),
  ...local('resource.k8s.io/ResourceClaim', '/resourceClaims/*/resourceClaimName'),
  ...local('resource.k8s.io/ResourceClaimTemplate', '/resourceClaims/*/resourceClaimTemplateName'),
  ...local('scheduling.k8s.io/Workload', '/workloadRef/name'),
  ...local('scheduling.k8s.io/PodGroup', '/schedulingGroup/podGroupName'),
  ...local(CLAIM, '/volumes/*/persistentVolumeClaim/claimName'),
  ...cluster(STORAGE_CLASS, '/volumes/*/ephemeral/volumeClaimTemplate/spec/storageClassName'),
  ...local(
    'ConfigMap',
    '/volumes/*/configMap/name',
    '/volumes/*/projected/sources/*/configMap/name',
    ...CONTAINER_LISTS.flatMap((list) => [
      `/${list}/*/env/*/valueFrom/configMapKeyRef/name`,
      `/${list}/*/envFrom/*/configMapRef/name`,
    ]),
  ),
  ...local(
    'Secret',
    '/imagePullSecrets/*/name',
    '/volumes/*/secret/secretName',
    '/volumes/*/projected/sources/*/secret/name',
    '/volumes/*/csi/nodePublishSecretRef/name',
    ...CONTAINER_LISTS.flatMap((list) => [
      `/${list}/*/env/*/valueFrom/secretKeyRef/name`,
      `/${list}/*/envFrom/*/secretRef/name`,
    ]),
  ),
];

const volcanoJob = (base: string): readonly ReferencePlace[] => [
  ...cluster(VOLCANO_QUEUE, `${base}/queue`),
  ...cluster(PRIORITY_CLASS, `${base}/priorityClassName`),
  ...local(CLAIM, `${base}/volumes/*/volumeClaimName`),
];

/** training-operator v1 and mpi-operator: the policy that goes into the gang's PodGroup. */
const schedulingPolicy: readonly ReferencePlace[] = [
  ...cluster(VOLCANO_QUEUE, '/spec/runPolicy/schedulingPolicy/queue'),
  ...cluster(PRIORITY_CLASS, '/spec/runPolicy/schedulingPolicy/priorityClass'),
];

const deviceRequests = (base: string): readonly ReferencePlace[] =>
  cluster(
    'resource.k8s.io/DeviceClass',
    `${base}/devices/requests/*/deviceClassName`,
    `${base}/devices/requests/*/exactly/deviceClassName`,
    `${base}/devices/requests/*/firstAvailable/*/deviceClassName`,
  );

const scaleTarget = typed('/spec/scaleTargetRef/name', { group: 'apps', kind: 'Deployment' });
const triggerAuthentication = typed(
  '/spec/triggers/*/authenticationRef/name',
  { group: 'keda.sh', kind: 'TriggerAuthentication' },
  ['ClusterTriggerAuthentication'],
);
const secretsAndConfigMapsOfTriggers: readonly ReferencePlace[] = [
  ...local('Secret', '/spec/secretTargetRef/*/name'),
  ...local('ConfigMap', '/spec/configMapTargetRef/*/name'),
];
const roleBinding: readonly ReferencePlace[] = [
  typed('/roleRef/name', { group: 'rbac.authorization.k8s.io' }, ['ClusterRole']),
  {
    tokens: at('/subjects/*/name'),
    kind: (holder) => (holder.kind === 'ServiceAccount' ? 'ServiceAccount' : undefined),
    namespaceKey: 'namespace',
  },
];

/** Everything else, by `group/Kind`. */
export const REFERENCE_PLACES: ReadonlyMap<string, readonly ReferencePlace[]> = new Map([
  ['scheduling.volcano.sh/Queue', cluster(VOLCANO_QUEUE, '/spec/parent')],
  [
    'scheduling.volcano.sh/PodGroup',
    [...cluster(VOLCANO_QUEUE, '/spec/queue'), ...cluster(PRIORITY_CLASS, '/spec/priorityClassName')],
  ],
  ['batch.volcano.sh/Job', volcanoJob('/spec')],
  ['batch.volcano.sh/CronJob', volcanoJob('/spec/jobTemplate/spec')],
  ['flow.volcano.sh/JobTemplate', volcanoJob('/spec')],
  ['flow.volcano.sh/JobFlow', local('flow.volcano.sh/JobTemplate', '/spec/flows/*/name')],

  ...['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MPIJob'].map(
    (kind) => [`kubeflow.org/${kind}`, schedulingPolicy] as const,
  ),
  [
    'trainer.kubeflow.org/TrainJob',
    [
      typed('/spec/runtimeRef/name', { group: 'trainer.kubeflow.org', kind: 'ClusterTrainingRuntime' }, [
        'ClusterTrainingRuntime',
      ]),
      ...local('Secret', '/spec/initializer/dataset/secretRef/name', '/spec/initializer/model/secretRef/name'),
    ],
  ],

  ['keda.sh/ScaledObject', [scaleTarget, triggerAuthentication]],
  ['keda.sh/ScaledJob', [triggerAuthentication]],
  ['keda.sh/TriggerAuthentication', secretsAndConfigMapsOfTriggers],
  ['autoscaling/HorizontalPodAutoscaler', [scaleTarget]],

  ['kueue.x-k8s.io/LocalQueue', cluster('kueue.x-k8s.io/ClusterQueue', '/spec/clusterQueue')],
  [
    'kueue.x-k8s.io/ClusterQueue',
    [
      ...cluster('kueue.x-k8s.io/Cohort', '/spec/cohortName', '/spec/cohort'),
      ...cluster('kueue.x-k8s.io/ResourceFlavor', '/spec/resourceGroups/*/flavors/*/name'),
      ...cluster(
        'kueue.x-k8s.io/AdmissionCheck',
        '/spec/admissionChecks/*',
        '/spec/admissionChecksStrategy/admissionChecks/*/name',
      ),
    ],
  ],
  ['kueue.x-k8s.io/Cohort', cluster('kueue.x-k8s.io/Cohort', '/spec/parentName')],
  ['kueue.x-k8s.io/ResourceFlavor', cluster('kueue.x-k8s.io/Topology', '/spec/topologyName')],
  ['kueue.x-k8s.io/AdmissionCheck', [typed('/spec/parameters/name', {}, ['*'])]],
  ['kueue.x-k8s.io/MultiKueueConfig', cluster('kueue.x-k8s.io/MultiKueueCluster', '/spec/clusters/*')],
  ['kueue.x-k8s.io/Workload', local('kueue.x-k8s.io/LocalQueue', '/spec/queueName')],

  ['scheduling.run.ai/Queue', cluster('scheduling.run.ai/Queue', '/spec/parentQueue')],
  [
    'scheduling.run.ai/PodGroup',
    [...cluster('scheduling.run.ai/Queue', '/spec/queue'), ...cluster(PRIORITY_CLASS, '/spec/priorityClassName')],
  ],

  ['resource.k8s.io/ResourceClaim', deviceRequests('/spec')],
  ['resource.k8s.io/ResourceClaimTemplate', deviceRequests('/spec/spec')],

  ['rbac.authorization.k8s.io/RoleBinding', roleBinding],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', roleBinding],
  ['ServiceAccount', local('Secret', '/imagePullSecrets/*/name', '/secrets/*/name')],
  [CLAIM, [...cluster(STORAGE_CLASS, '/spec/storageClassName'), ...cluster('PersistentVolume', '/spec/volumeName')]],
  [
    'apps/StatefulSet',
    [
      ...local('Service', '/spec/serviceName'),
      ...cluster(STORAGE_CLASS, '/spec/volumeClaimTemplates/*/spec/storageClassName'),
    ],
  ],
  [
    'networking.k8s.io/Ingress',
    [
      ...local('Service', '/spec/defaultBackend/service/name', '/spec/rules/*/http/paths/*/backend/service/name'),
      ...local('Secret', '/spec/tls/*/secretName'),
      ...cluster('networking.k8s.io/IngressClass', '/spec/ingressClassName'),
    ],
  ],
  ...['HTTPRoute', 'GRPCRoute'].map((kind): [string, readonly ReferencePlace[]] => [
    `gateway.networking.k8s.io/${kind}`,
    [
      {
        ...typed('/spec/rules/*/backendRefs/*/name', { group: '', kind: 'Service' }),
        namespaceKey: 'namespace',
      },
      {
        ...typed('/spec/parentRefs/*/name', { group: 'gateway.networking.k8s.io', kind: 'Gateway' }),
        namespaceKey: 'namespace',
      },
    ],
  ]),
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map(
    (kind): [string, readonly ReferencePlace[]] => [
      `admissionregistration.k8s.io/${kind}`,
      [{ tokens: at('/webhooks/*/clientConfig/service/name'), kind: 'Service', namespaceKey: 'namespace' }],
    ],
  ),
  [
    'serving.knative.dev/Route',
    [
      ...local('serving.knative.dev/Configuration', '/spec/traffic/*/configurationName'),
      ...local('serving.knative.dev/Revision', '/spec/traffic/*/revisionName'),
    ],
  ],
  ['karpenter.sh/NodePool', [typed('/spec/template/spec/nodeClassRef/name', {}, ['*'])]],
  ['karpenter.sh/NodeClaim', [typed('/spec/nodeClassRef/name', {}, ['*'])]],
  ['autoscaling.x-k8s.io/CapacityBuffer', local('PodTemplate', '/spec/podTemplateRef/name')],
  [
    'amd.com/DeviceConfig',
    [
      ...local(
        'ConfigMap',
        '/spec/metricsExporter/config/name',
        '/spec/configManager/config/name',
        '/spec/testRunner/config/name',
      ),
      ...local('Secret', '/spec/driver/imageRegistrySecret/name', '/spec/devicePlugin/imageRegistrySecret/name'),
    ],
  ],
]);

/** Kinds with pod specs that are only parts of one, laid over a template elsewhere. */
export const PARTIAL_POD_SPECS: ReadonlyMap<string, readonly ReferencePlace[]> = new Map([
  [
    'trainer.kubeflow.org/TrainJob',
    below('/spec/runtimePatches/*/trainingRuntimeSpec/template/spec/replicatedJobs/*/template/spec/template/spec'),
  ],
  ['flow.volcano.sh/JobFlow', below('/spec/flows/*/patch/jobSpec/tasks/*/template/spec')],
]);

function below(path: string): readonly ReferencePlace[] {
  return POD_SPEC_PLACES.map((place) => ({ ...place, tokens: [...at(path), ...place.tokens] }));
}
