/**
 * One valid object of each built-in kind that core validation knows, by neighborhood.
 */
import { type Json } from './valid';

const object = (apiVersion: string, kind: string, name: string, rest: Json): Json => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});

export const tenantObjects = (): readonly Json[] => [
  object('v1', 'ResourceQuota', 'quota', {
    spec: { hard: { 'requests.cpu': '5', 'requests.nvidia.com/gpu': '8', 'count/jobs.batch': '4', pods: 10 } },
  }),
  object('v1', 'LimitRange', 'limits', {
    spec: {
      limits: [
        {
          type: 'Container',
          min: { cpu: '100m' },
          defaultRequest: { cpu: '200m' },
          default: { cpu: '1' },
          max: { cpu: '4' },
          maxLimitRequestRatio: { cpu: 10 },
        },
        { type: 'Pod', max: { cpu: 8 } },
        { type: 'PersistentVolumeClaim', max: { storage: '10Gi' } },
      ],
    },
  }),
  object('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 1000, preemptionPolicy: 'Never' }),
  object('v1', 'ConfigMap', 'settings', { data: { 'a.b': 'c' }, binaryData: { d: 'aGk=' } }),
  object('v1', 'Secret', 'tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'aGk=', 'tls.key': 'aGk=' } }),
  object('v1', 'Namespace', 'team-a', { spec: { finalizers: ['kubernetes'] } }),
];

export const serviceObjects = (): readonly Json[] => [
  object('v1', 'Service', 'web', {
    spec: {
      type: 'NodePort',
      selector: { app: 'x' },
      sessionAffinity: 'ClientIP',
      ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30080 }],
    },
  }),
  object('v1', 'Service', 'headless', { spec: { clusterIP: 'None', selector: { app: 'x' } } }),
  object('v1', 'Service', 'elsewhere', { spec: { type: 'ExternalName', externalName: 'db.example.com' } }),
  object('v1', 'Endpoints', 'web', { subsets: [{ addresses: [{ ip: '10.0.0.9' }], ports: [{ port: 80 }] }] }),
  object('discovery.k8s.io/v1', 'EndpointSlice', 'web-1', {
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 80 }],
    endpoints: [{ addresses: ['10.0.0.9'] }],
  }),
  object('networking.k8s.io/v1', 'NetworkPolicy', 'only-own', {
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { app: 'x' } } }],
          ports: [{ port: 80, endPort: 90 }, { port: 'http' }],
        },
      ],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }],
    },
  }),
  object('networking.k8s.io/v1', 'Ingress', 'web', {
    spec: {
      rules: [
        {
          host: '*.example.com',
          http: {
            paths: [{ path: '/x', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } }],
          },
        },
      ],
    },
  }),
  object('networking.k8s.io/v1', 'IngressClass', 'nginx', { spec: { controller: 'k8s.io/ingress-nginx' } }),
  object('networking.k8s.io/v1', 'ServiceCIDR', 'more', { spec: { cidrs: ['10.8.0.0/16', 'fd00::/64'] } }),
];

export const clusterObjects = (): readonly Json[] => [
  object('v1', 'Node', 'node-1', {
    spec: { podCIDRs: ['10.0.1.0/24'], taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] },
    status: { capacity: { 'nvidia.com/gpu': 8 } },
  }),
  object('node.k8s.io/v1', 'RuntimeClass', 'nvidia', {
    handler: 'nvidia',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { tolerations: [{ operator: 'Exists' }] },
  }),
  object('coordination.k8s.io/v1', 'Lease', 'leader', { spec: { leaseDurationSeconds: 15 } }),
  object('scheduling.k8s.io/v1alpha2', 'PodGroup', 'gang', { spec: { schedulingPolicy: { gang: { minCount: 2 } } } }),
  object('scheduling.k8s.io/v1alpha2', 'Workload', 'train', {
    spec: { podGroupTemplates: [{ name: 'workers', schedulingPolicy: { basic: {} } }] },
  }),
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
    spec: {
      minReplicas: 1,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
      behavior: { scaleDown: { policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] } },
    },
  }),
  object('policy/v1', 'PodDisruptionBudget', 'web', {
    spec: { minAvailable: '50%', selector: { matchLabels: { app: 'x' } } },
  }),
  object('rbac.authorization.k8s.io/v1', 'Role', 'reader', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'readers', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [
      { kind: 'ServiceAccount', name: 'train' },
      { kind: 'Group', name: 'team-a' },
    ],
  }),
];

export const storageObjects = (): readonly Json[] => [
  object('v1', 'PersistentVolumeClaim', 'data', {
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
  }),
  object('v1', 'PersistentVolume', 'data', {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, nfs: { server: 's', path: '/x' } },
  }),
  object('storage.k8s.io/v1', 'StorageClass', 'fast', {
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
  }),
  object('storage.k8s.io/v1', 'VolumeAttributesClass', 'gold', { driverName: 'd.io', parameters: { iops: '1' } }),
  object('storage.k8s.io/v1', 'CSIDriver', 'd.io', {
    spec: { volumeLifecycleModes: ['Persistent'], fsGroupPolicy: 'File' },
  }),
  object('storage.k8s.io/v1', 'CSINode', 'node-1', {
    spec: { drivers: [{ name: 'd.io', nodeID: 'x', topologyKeys: ['zone'] }] },
  }),
];

const devices = (): Json => ({
  requests: [
    {
      name: 'gpu',
      exactly: {
        deviceClassName: 'gpu.nvidia.com',
        count: 2,
        selectors: [{ cel: { expression: 'device.driver == "gpu.nvidia.com"' } }],
      },
    },
    {
      name: 'any',
      firstAvailable: [
        { name: 'big', deviceClassName: 'a' },
        { name: 'small', deviceClassName: 'b', count: 2 },
      ],
    },
  ],
  constraints: [{ requests: ['gpu', 'any/big'], matchAttribute: 'gpu.nvidia.com/numa' }],
  config: [{ requests: ['gpu'], opaque: { driver: 'gpu.nvidia.com', parameters: { kind: 'GpuConfig' } } }],
});

export const deviceObjects = (): readonly Json[] => [
  object('resource.k8s.io/v1', 'ResourceClaim', 'gpus', { spec: { devices: devices() } }),
  object('resource.k8s.io/v1', 'ResourceClaimTemplate', 'gpus', {
    spec: { metadata: { labels: { a: 'b' } }, spec: { devices: devices() } },
  }),
  object('resource.k8s.io/v1beta1', 'ResourceClaimTemplate', 'flat', {
    spec: { spec: { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu.nvidia.com' }] } } },
  }),
  object('resource.k8s.io/v1', 'DeviceClass', 'gpu.example.com', {
    spec: { selectors: [{ cel: { expression: 'true' } }], extendedResourceName: 'example.com/gpu' },
  }),
  object('resource.k8s.io/v1', 'ResourceSlice', 'node-1', {
    spec: {
      driver: 'gpu.nvidia.com',
      nodeName: 'node-1',
      pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0', attributes: { uuid: { string: 'x' } } }],
    },
  }),
];

const rule = (): Json => ({ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] });
const webhook = (): Json => ({
  name: 'check.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule()],
  clientConfig: { service: { name: 'check', namespace: 'system', path: '/validate' } },
  matchConditions: [{ name: 'always', expression: 'true' }],
});

export const admissionObjects = (): readonly Json[] => [
  object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'check', { webhooks: [webhook()] }),
  object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'change', {
    webhooks: [{ ...webhook(), clientConfig: { url: 'https://check.example.com/x' } }],
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'few-replicas.example.com', {
    spec: {
      matchConstraints: { resourceRules: [rule()] },
      validations: [{ expression: 'object.spec.replicas <= 5' }],
      auditAnnotations: [{ key: 'k', valueExpression: '"x"' }],
    },
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'few-replicas', {
    spec: { policyName: 'few-replicas.example.com', validationActions: ['Deny', 'Audit'] },
  }),
  object('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy', 'label', {
    spec: {
      matchConstraints: { resourceRules: [rule()] },
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels", value: {}}]' },
        },
      ],
    },
  }),
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'queues.example.com', {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'queues', kind: 'Queue' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    size: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                  },
                },
              },
            },
          },
        },
      ],
    },
  }),
];

/** What has the shape of a request; whether it is signed is not looked at. */
/** Of `openssl req -new`, with a key of P-256. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1ITUNBUUF3RVRFUE1BMEdBMVVFQXd3R2JtOWtaUzB4TUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowRApBUWNEUWdBRUNrNFcya3VzcUg5TUkwZFdMOHBMTS80SUpNMGYwWHpQOXFuVERRQU1UelRiSzduMGF4Z3dyVURYCjliRHJqdGkyVXpzYWxoNWtFR1dVTC85MU9NaDdiYUFBTUFvR0NDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFEYy9WcEcKdW1JM3l0eGFRckM5M3FtWk1tdGI3cGxIS3RPRlpQN1JqUGdZQWdJaEFQMGsyK2JaNXFOQllHUThSdXcvekRGZwpCdkFoa1hseXF2dUJKaXVRc3pHRAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';

export const recordObjects = (): readonly Json[] => [
  object('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'jobs', {
    spec: {
      matchingPrecedence: 500,
      distinguisherMethod: { type: 'ByUser' },
      priorityLevelConfiguration: { name: 'jobs' },
      rules: [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'volcano-system' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['batch'], resources: ['jobs'], namespaces: ['*'] }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez/*'] }],
        },
      ],
    },
  }),
  object('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', 'jobs', {
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 20, limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6 } } },
    },
  }),
  object('apiregistration.k8s.io/v1', 'APIService', 'v1beta1.metrics.k8s.io', {
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: 'metrics', namespace: 'kube-system' },
    },
  }),
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'node-1', {
    spec: {
      request,
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      expirationSeconds: 3600,
    },
  }),
  object('apps/v1', 'ControllerRevision', 'web-1', { data: { spec: {} }, revision: 1 }),
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'team-a' },
    involvedObject: { kind: 'Pod', name: 'x', namespace: 'team-a' },
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e2', namespace: 'default' },
    regarding: { kind: 'Node', name: 'n' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'c-0',
    action: 'Drain',
    reason: 'Spot',
    type: 'Normal',
  },
  object('networking.k8s.io/v1', 'IPAddress', '10.0.0.9', {
    spec: { parentRef: { resource: 'services', namespace: 'team-a', name: 'web' } },
  }),
  object('storage.k8s.io/v1', 'CSIStorageCapacity', 'here', {
    storageClassName: 'fast',
    capacity: '1Ti',
    nodeTopology: { matchLabels: { zone: 'a' } },
  }),
  object('storage.k8s.io/v1', 'VolumeAttachment', 'a', {
    spec: { attacher: 'd.io', nodeName: 'node-1', source: { persistentVolumeName: 'data' } },
  }),
  object('resource.k8s.io/v1beta2', 'DeviceTaintRule', 'broken', {
    spec: {
      deviceSelector: { driver: 'gpu.nvidia.com', pool: 'node-1', device: 'gpu-0' },
      taint: { key: 'example.com/broken', effect: 'NoExecute' },
    },
  }),
  object('v1', 'PodTemplate', 'spare', { template: { spec: { containers: [{ name: 'main', image: 'img' }] } } }),
  object('coordination.k8s.io/v1beta1', 'LeaseCandidate', 'c', {
    spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.36.0', strategy: 'OldestEmulationVersion' },
  }),
];
