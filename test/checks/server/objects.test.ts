/**
 * Rules over built-in objects: each fires on its fault, and valid objects of every kind stay silent.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { type Json, cronJob, daemonSet, deployment, indexedJob, job, statefulSet, yaml } from './valid';
import {
  admissionObjects,
  clusterObjects,
  deviceObjects,
  recordObjects,
  serviceObjects,
  storageObjects,
  tenantObjects,
} from './valid-objects';

type Make = () => Json;
type Change = (spec: Json, object: Json) => void;

const template = (spec: Json): Json => (spec.template as Json).spec as Json;
const first = (list: unknown): Json => (list as Json[])[0];
const by =
  (objects: () => readonly Json[], kind: string, name?: string): Make =>
  () =>
    objects().find(
      (object) => object.kind === kind && (name === undefined || (object.metadata as Json).name === name),
    ) as Json;

const quota = by(tenantObjects, 'ResourceQuota');
const limitRange = by(tenantObjects, 'LimitRange');
const priorityClass = by(tenantObjects, 'PriorityClass');
const service = by(serviceObjects, 'Service', 'web');
const claim = by(deviceObjects, 'ResourceClaim');
const crd = by(admissionObjects, 'CustomResourceDefinition');
const schemaOf = (spec: Json): Json => (first(spec.versions).schema as Json).openAPIV3Schema as Json;

const FAULTS: readonly (readonly [string, string, Make, Change])[] = [
  [
    'workload-selector-valid',
    'an empty selector',
    deployment,
    (spec) => {
      spec.selector = {};
    },
  ],
  [
    'workload-selector-matches-template',
    'another label',
    deployment,
    (spec) => {
      spec.selector = { matchLabels: { app: 'other' } };
    },
  ],
  [
    'workload-restarts-always',
    'Never',
    deployment,
    (spec) => {
      template(spec).restartPolicy = 'Never';
    },
  ],
  [
    'workload-counts-not-negative',
    'a negative count',
    deployment,
    (spec) => {
      spec.replicas = -1;
    },
  ],
  [
    'deployment-strategy-valid',
    'nothing to update with',
    deployment,
    (spec) => {
      spec.strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } };
    },
  ],
  [
    'deployment-strategy-valid',
    'a short deadline',
    deployment,
    (spec) => {
      Object.assign(spec, { minReadySeconds: 60, progressDeadlineSeconds: 60 });
    },
  ],
  [
    'daemon-set-strategy-valid',
    'surge and unavailable',
    daemonSet,
    (spec) => {
      spec.updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
    },
  ],
  [
    'stateful-set-spec-valid',
    'a claim without a size',
    statefulSet,
    (spec) => {
      first(spec.volumeClaimTemplates).spec = { accessModes: ['ReadWriteOnce'] };
    },
  ],
  [
    'job-restart-policy',
    'the default',
    job,
    (spec) => {
      delete template(spec).restartPolicy;
    },
  ],
  [
    'job-restart-policy',
    'OnFailure beside a failure policy',
    indexedJob,
    (spec) => {
      template(spec).restartPolicy = 'OnFailure';
    },
  ],
  [
    'job-counts-not-negative',
    'a negative limit',
    job,
    (spec) => {
      spec.backoffLimit = -1;
    },
  ],
  [
    'job-indexed-settings',
    'no completions',
    indexedJob,
    (spec) => {
      delete spec.completions;
    },
  ],
  [
    'job-indexed-settings',
    'a limit per index of no index',
    job,
    (spec) => {
      spec.backoffLimitPerIndex = 1;
    },
  ],
  [
    'job-success-policy',
    'indexes beyond the last',
    indexedJob,
    (spec) => {
      spec.successPolicy = { rules: [{ succeededIndexes: '0-4' }] };
    },
  ],
  [
    'job-pod-failure-policy',
    'codes out of order',
    indexedJob,
    (spec) => {
      spec.podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42, 1] } }] };
    },
  ],
  [
    'job-choices-valid',
    'a manager without a domain',
    job,
    (spec) => {
      spec.managedBy = 'me';
    },
  ],
  [
    'job-selector-generated',
    'a selector by hand',
    job,
    (spec) => {
      spec.selector = { matchLabels: { app: 'x' } };
    },
  ],
  [
    'job-name-leaves-room-for-index',
    'a long name',
    indexedJob,
    (_spec, object) => {
      object.metadata = { name: 'x'.repeat(62) };
    },
  ],
  [
    'cron-job-valid',
    'six fields',
    cronJob,
    (spec) => {
      spec.schedule = '0 0 * * * *';
    },
  ],
  [
    'cron-job-valid',
    'a time zone in the schedule',
    cronJob,
    (spec) => {
      spec.schedule = 'TZ=UTC 0 0 * * *';
    },
  ],
  [
    'cron-job-valid',
    'a zone that is none',
    cronJob,
    (spec) => {
      spec.timeZone = 'Mars/Olympus';
    },
  ],
  [
    'cron-job-valid',
    'a zone in lower case',
    cronJob,
    (spec) => {
      spec.timeZone = 'europe/berlin';
    },
  ],
  [
    'cron-job-valid',
    'a zone with other capitals',
    cronJob,
    (spec) => {
      spec.timeZone = 'Us/Pacific';
    },
  ],
  [
    'job-name-fits-pod-label',
    'a name of 64 characters',
    job,
    (_spec, object) => {
      object.metadata = { name: 'x'.repeat(64) };
    },
  ],
  [
    'cron-job-valid',
    'a name of 53 characters',
    cronJob,
    (_spec, object) => {
      object.metadata = { name: 'x'.repeat(53) };
    },
  ],

  [
    'resource-quota-name-valid',
    'a bare name',
    quota,
    (spec) => {
      spec.hard = { gpus: '1' };
    },
  ],
  [
    'resource-quota-amount-valid',
    'half a pod',
    quota,
    (spec) => {
      spec.hard = { pods: '500m' };
    },
  ],
  [
    'resource-quota-scope-valid',
    'BestEffort for cpu',
    quota,
    (spec) => {
      spec.scopes = ['BestEffort'];
    },
  ],
  [
    'resource-quota-scope-valid',
    'scopes that exclude each other',
    quota,
    (spec) => {
      Object.assign(spec, { hard: { pods: 1 }, scopes: ['BestEffort', 'NotBestEffort'] });
    },
  ],
  [
    'limit-range-type-valid',
    'one type twice',
    limitRange,
    (spec) => {
      spec.limits = [
        { type: 'Pod', max: { cpu: 1 } },
        { type: 'Pod', max: { memory: 1 } },
      ];
    },
  ],
  [
    'limit-range-name-valid',
    'a bare name',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Container', max: { gpu: 1 } }];
    },
  ],
  [
    'limit-range-order',
    'a default above the maximum',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Container', default: { cpu: 2 }, max: { cpu: 1 } }];
    },
  ],
  [
    'limit-range-order',
    'a minimum above the default',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Container', min: { cpu: 2 }, default: { cpu: 1 } }];
    },
  ],
  [
    'limit-range-order',
    'devices with two defaults',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Container', default: { 'nvidia.com/gpu': 2 }, defaultRequest: { 'nvidia.com/gpu': 1 } }];
    },
  ],
  [
    'limit-range-pod-without-defaults',
    'a default',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Pod', default: { cpu: 1 } }];
    },
  ],
  [
    'limit-range-claim-has-storage',
    'no bound',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'PersistentVolumeClaim' }];
    },
  ],
  [
    'limit-range-ratio-valid',
    'below 1',
    limitRange,
    (spec) => {
      spec.limits = [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }];
    },
  ],
  [
    'priority-class-value-valid',
    'too high',
    priorityClass,
    (_spec, object) => {
      object.value = 1_000_000_001;
    },
  ],
  [
    'priority-class-value-valid',
    'a name of the system',
    priorityClass,
    (_spec, object) => {
      object.metadata = { name: 'system-mine' };
    },
  ],
  [
    'priority-class-preemption-valid',
    'a wrong word',
    priorityClass,
    (_spec, object) => {
      object.preemptionPolicy = 'Sometimes';
    },
  ],

  [
    'service-type-valid',
    'a wrong type',
    service,
    (spec) => {
      spec.type = 'Internal';
    },
  ],
  [
    'service-has-ports',
    'no ports',
    service,
    (spec) => {
      spec.ports = [];
    },
  ],
  [
    'service-port-valid',
    'two ports without names',
    service,
    (spec) => {
      spec.ports = [{ port: 80 }, { port: 81 }];
    },
  ],
  [
    'service-port-valid',
    'a node port inside',
    service,
    (spec) => {
      Object.assign(spec, { type: 'ClusterIP', ports: [{ port: 80, nodePort: 30000 }] });
    },
  ],
  [
    'service-external-name-valid',
    'no name',
    service,
    (spec) => {
      Object.assign(spec, { type: 'ExternalName' });
    },
  ],
  [
    'service-address-valid',
    'no address',
    service,
    (spec) => {
      spec.clusterIP = 'here';
    },
  ],
  [
    'service-selector-valid',
    'a blank',
    service,
    (spec) => {
      spec.selector = { app: 'a b' };
    },
  ],
  [
    'service-load-balancer-settings',
    'ranges inside',
    service,
    (spec) => {
      spec.loadBalancerSourceRanges = ['10.0.0.0/8'];
    },
  ],
  [
    'endpoints-valid',
    'a loopback address',
    by(serviceObjects, 'Endpoints'),
    (_spec, object) => {
      object.subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 1 }] }];
    },
  ],
  [
    'endpoint-slice-valid',
    'an address of the other family',
    by(serviceObjects, 'EndpointSlice'),
    (_spec, object) => {
      object.addressType = 'IPv6';
    },
  ],
  [
    'network-policy-valid',
    'a peer that is nothing',
    by(serviceObjects, 'NetworkPolicy'),
    (spec) => {
      spec.ingress = [{ from: [{}] }];
    },
  ],
  [
    'network-policy-valid',
    'an exception outside',
    by(serviceObjects, 'NetworkPolicy'),
    (spec) => {
      spec.egress = [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['192.168.0.0/16'] } }] }];
    },
  ],
  [
    'ingress-valid',
    'a relative path',
    by(serviceObjects, 'Ingress'),
    (spec) => {
      spec.rules = [
        {
          http: {
            paths: [{ path: 'x', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ];
    },
  ],
  [
    'ingress-class-valid',
    'no controller',
    by(serviceObjects, 'IngressClass'),
    (spec) => {
      spec.controller = 'nginx';
    },
  ],
  [
    'service-cidr-valid',
    'no range',
    by(serviceObjects, 'ServiceCIDR'),
    (spec) => {
      spec.cidrs = [];
    },
  ],

  [
    'config-key-valid',
    'a slash',
    by(tenantObjects, 'ConfigMap'),
    (_spec, object) => {
      object.data = { 'a/b': 'c' };
    },
  ],
  [
    'config-size-within-limit',
    'more than a mebibyte',
    by(tenantObjects, 'ConfigMap'),
    (_spec, object) => {
      object.data = { a: 'x'.repeat(1024 * 1024 + 1) };
    },
  ],
  [
    'secret-type-complete',
    'no key',
    by(tenantObjects, 'Secret'),
    (_spec, object) => {
      object.data = { 'tls.crt': 'aGk=' };
    },
  ],
  [
    'namespace-finalizer-valid',
    'a bare word',
    by(tenantObjects, 'Namespace'),
    (spec) => {
      spec.finalizers = ['mine'];
    },
  ],
  [
    'node-taints-valid',
    'no effect',
    by(clusterObjects, 'Node'),
    (spec) => {
      spec.taints = [{ key: 'a' }];
    },
  ],
  [
    'node-taints-valid',
    'one taint twice',
    by(clusterObjects, 'Node'),
    (spec) => {
      spec.taints = [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ];
    },
  ],
  [
    'node-resources-valid',
    'half a GPU',
    by(clusterObjects, 'Node'),
    (_spec, object) => {
      object.status = { capacity: { 'nvidia.com/gpu': '500m' } };
    },
  ],
  [
    'runtime-class-valid',
    'no handler',
    by(clusterObjects, 'RuntimeClass'),
    (_spec, object) => {
      delete object.handler;
    },
  ],
  [
    'lease-valid',
    'no time',
    by(clusterObjects, 'Lease'),
    (spec) => {
      spec.leaseDurationSeconds = 0;
    },
  ],
  [
    'pod-group-valid',
    'no policy',
    by(clusterObjects, 'PodGroup'),
    (spec) => {
      spec.schedulingPolicy = {};
    },
  ],
  [
    'pod-group-valid',
    'a gang of none',
    by(clusterObjects, 'PodGroup'),
    (spec) => {
      spec.schedulingPolicy = { gang: { minCount: 0 } };
    },
  ],
  [
    'workload-valid',
    'no groups',
    by(clusterObjects, 'Workload'),
    (spec) => {
      spec.podGroupTemplates = [];
    },
  ],
  [
    'autoscaler-bounds',
    'max below min',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => {
      Object.assign(spec, { minReplicas: 5, maxReplicas: 2 });
    },
  ],
  [
    'autoscaler-target-valid',
    'no kind',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => {
      spec.scaleTargetRef = { name: 'web' };
    },
  ],
  [
    'autoscaler-metric-valid',
    'the source of another type',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => {
      first(spec.metrics).type = 'Pods';
    },
  ],
  [
    'autoscaler-behavior-valid',
    'no policies',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => {
      spec.behavior = { scaleUp: { policies: [] } };
    },
  ],
  [
    'disruption-budget-valid',
    'both bounds',
    by(clusterObjects, 'PodDisruptionBudget'),
    (spec) => {
      spec.maxUnavailable = 1;
    },
  ],
  [
    'role-rule-valid',
    'no verbs',
    by(clusterObjects, 'Role'),
    (_spec, object) => {
      object.rules = [{ apiGroups: [''], resources: ['pods'] }];
    },
  ],
  [
    'role-binding-valid',
    'a role of the wrong kind',
    by(clusterObjects, 'RoleBinding'),
    (_spec, object) => {
      object.roleRef = { kind: 'User', name: 'r' };
    },
  ],

  [
    'claim-valid',
    'no access mode',
    by(storageObjects, 'PersistentVolumeClaim'),
    (spec) => {
      delete spec.accessModes;
    },
  ],
  [
    'claim-valid',
    'no size',
    by(storageObjects, 'PersistentVolumeClaim'),
    (spec) => {
      spec.resources = {};
    },
  ],
  [
    'volume-valid',
    'two sources',
    by(storageObjects, 'PersistentVolume'),
    (spec) => {
      spec.hostPath = { path: '/x' };
    },
  ],
  [
    'storage-class-valid',
    'a wrong binding mode',
    by(storageObjects, 'StorageClass'),
    (_spec, object) => {
      object.volumeBindingMode = 'Late';
    },
  ],
  [
    'volume-attributes-class-valid',
    'no parameters',
    by(storageObjects, 'VolumeAttributesClass'),
    (_spec, object) => {
      object.parameters = {};
    },
  ],
  [
    'csi-driver-valid',
    'a wrong mode',
    by(storageObjects, 'CSIDriver'),
    (spec) => {
      spec.volumeLifecycleModes = ['Forever'];
    },
  ],
  [
    'csi-node-valid',
    'no node id',
    by(storageObjects, 'CSINode'),
    (spec) => {
      spec.drivers = [{ name: 'd.io' }];
    },
  ],

  [
    'device-request-valid',
    'no class',
    claim,
    (spec) => {
      spec.devices = { requests: [{ name: 'gpu', exactly: {} }] };
    },
  ],
  [
    'device-request-valid',
    'the shape of v1beta1 in v1',
    claim,
    (spec) => {
      spec.devices = { requests: [{ name: 'gpu', deviceClassName: 'gpu.nvidia.com' }] };
    },
  ],
  [
    'device-count-valid',
    'a count of all',
    claim,
    (spec) => {
      spec.devices = {
        requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', allocationMode: 'All', count: 2 } }],
      };
    },
  ],
  [
    'device-selector-valid',
    'no expression',
    claim,
    (spec) => {
      spec.devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', selectors: [{ cel: {} }] } }] };
    },
  ],
  [
    'device-constraint-valid',
    'a request that is none',
    claim,
    (spec) => {
      (spec.devices as Json).constraints = [{ requests: ['other'], matchAttribute: 'a.b/c' }];
    },
  ],
  [
    'device-config-valid',
    'no driver',
    claim,
    (spec) => {
      (spec.devices as Json).config = [{ opaque: { parameters: {} } }];
    },
  ],
  [
    'claim-template-metadata-valid',
    'a name',
    by(deviceObjects, 'ResourceClaimTemplate'),
    (spec) => {
      spec.metadata = { name: 'x' };
    },
  ],
  [
    'device-class-valid',
    'a bare resource name',
    by(deviceObjects, 'DeviceClass'),
    (spec) => {
      spec.extendedResourceName = 'gpu';
    },
  ],
  [
    'resource-slice-valid',
    'no choice of nodes',
    by(deviceObjects, 'ResourceSlice'),
    (spec) => {
      delete spec.nodeName;
    },
  ],

  [
    'webhook-valid',
    'a short name',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => {
      first(object.webhooks).name = 'mine';
    },
  ],
  [
    'webhook-valid',
    'side effects',
    by(admissionObjects, 'MutatingWebhookConfiguration'),
    (_spec, object) => {
      first(object.webhooks).sideEffects = 'Some';
    },
  ],
  [
    'admission-policy-valid',
    'nothing to validate',
    by(admissionObjects, 'ValidatingAdmissionPolicy'),
    (spec) => {
      Object.assign(spec, { validations: [], auditAnnotations: [] });
    },
  ],
  [
    'admission-policy-valid',
    'no patch type',
    by(admissionObjects, 'MutatingAdmissionPolicy'),
    (spec) => {
      spec.mutations = [{}];
    },
  ],
  [
    'admission-policy-binding-valid',
    'Deny and Warn',
    by(admissionObjects, 'ValidatingAdmissionPolicyBinding'),
    (spec) => {
      spec.validationActions = ['Deny', 'Warn'];
    },
  ],
  [
    'crd-names-valid',
    'a capital letter',
    crd,
    (spec) => {
      (spec.names as Json).singular = 'Widget';
    },
  ],
  [
    'crd-versions-valid',
    'nothing stored',
    crd,
    (spec) => {
      first(spec.versions).storage = false;
    },
  ],
  [
    'flow-schema-valid',
    'nobody',
    by(recordObjects, 'FlowSchema'),
    (spec) => {
      first(spec.rules).subjects = [];
    },
  ],
  [
    'flow-schema-valid',
    'a wildcard in the middle',
    by(recordObjects, 'FlowSchema'),
    (spec) => {
      first(first(spec.rules).nonResourceRules).nonResourceURLs = ['/a/*/b'];
    },
  ],
  [
    'flow-schema-valid',
    'precedence 1',
    by(recordObjects, 'FlowSchema'),
    (spec) => {
      spec.matchingPrecedence = 1;
    },
  ],
  [
    'priority-level-valid',
    'nothing limited',
    by(recordObjects, 'PriorityLevelConfiguration'),
    (spec) => {
      delete spec.limited;
    },
  ],
  [
    'priority-level-valid',
    'hands that are too large',
    by(recordObjects, 'PriorityLevelConfiguration'),
    (spec) => {
      spec.limited = { limitResponse: { type: 'Queue', queuing: { queues: 1024, handSize: 7 } } };
    },
  ],
  [
    'api-service-valid',
    'no namespace',
    by(recordObjects, 'APIService'),
    (spec) => {
      spec.service = { name: 'x' };
    },
  ],
  [
    'api-service-valid',
    'too much priority',
    by(recordObjects, 'APIService'),
    (spec) => {
      spec.versionPriority = 1001;
    },
  ],
  [
    'certificate-request-valid',
    'no PEM',
    by(recordObjects, 'CertificateSigningRequest'),
    (spec) => {
      spec.request = 'aGk=';
    },
  ],
  [
    'certificate-request-valid',
    'a signer without a domain',
    by(recordObjects, 'CertificateSigningRequest'),
    (spec) => {
      spec.signerName = 'kubelet/serving';
    },
  ],
  [
    'controller-revision-valid',
    'a list',
    by(recordObjects, 'ControllerRevision'),
    (_spec, object) => {
      object.data = [];
    },
  ],
  [
    'event-valid',
    'an object elsewhere',
    by(recordObjects, 'Event', 'e'),
    (_spec, object) => {
      object.involvedObject = { kind: 'Pod', name: 'x', namespace: 'other' };
    },
  ],
  [
    'event-valid',
    'no reporter',
    by(recordObjects, 'Event', 'e2'),
    (_spec, object) => {
      delete object.reportingController;
    },
  ],
  [
    'lease-candidate-valid',
    'no version',
    by(recordObjects, 'LeaseCandidate'),
    (spec) => {
      delete spec.binaryVersion;
    },
  ],
  [
    'lease-candidate-valid',
    'an unknown strategy',
    by(recordObjects, 'LeaseCandidate'),
    (spec) => {
      spec.strategy = 'Mine';
    },
  ],
  [
    'ip-address-valid',
    'nobody',
    by(recordObjects, 'IPAddress'),
    (spec) => {
      delete spec.parentRef;
    },
  ],
  [
    'storage-capacity-valid',
    'less than nothing',
    by(recordObjects, 'CSIStorageCapacity'),
    (_spec, object) => {
      object.capacity = '-1';
    },
  ],
  [
    'volume-attachment-valid',
    'no volume',
    by(recordObjects, 'VolumeAttachment'),
    (spec) => {
      spec.source = {};
    },
  ],
  [
    'resource-slice-valid',
    'a set without counters',
    by(deviceObjects, 'ResourceSlice'),
    (spec) => {
      first(spec.devices).consumesCounters = [{ counterSet: 'memory', counters: {} }];
    },
  ],
  [
    'device-taint-rule-valid',
    'a wrong effect',
    by(recordObjects, 'DeviceTaintRule'),
    (spec) => {
      spec.taint = { key: 'a', effect: 'Sometimes' };
    },
  ],
  [
    'pod-template-given',
    'no template',
    by(recordObjects, 'PodTemplate'),
    (_spec, object) => {
      delete object.template;
    },
  ],
  [
    'pod-security-labels-valid',
    'no level',
    by(tenantObjects, 'Namespace'),
    (_spec, object) => {
      object.metadata = { name: 'team-a', labels: { 'pod-security.kubernetes.io/enforce': 'strict' } };
    },
  ],
  [
    'webhook-valid',
    'an expression about nothing',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => {
      first(object.webhooks).matchConditions = [{ name: 'a', expression: 'thing.spec' }];
    },
  ],
  [
    'webhook-valid',
    'an expression that says a number',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => {
      first(object.webhooks).matchConditions = [{ name: 'a', expression: '1' }];
    },
  ],
  [
    'webhook-valid',
    'half an expression',
    by(admissionObjects, 'ValidatingWebhookConfiguration'),
    (_spec, object) => {
      first(object.webhooks).matchConditions = [{ name: 'a', expression: 'object.spec ==' }];
    },
  ],
  [
    'device-selector-valid',
    'an expression that says a number',
    claim,
    (spec) => {
      spec.devices = {
        requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', selectors: [{ cel: { expression: '1' } }] } }],
      };
    },
  ],
  [
    'crd-schema-structural',
    'a part without a type',
    crd,
    (spec) => {
      schemaOf(spec).properties = { spec: {} };
    },
  ],
  [
    'crd-schema-structural',
    'a type in a branch',
    crd,
    (spec) => {
      schemaOf(spec).properties = { a: { type: 'string', anyOf: [{ type: 'string' }] } };
    },
  ],
  [
    'crd-schema-structural',
    'a default of another type',
    crd,
    (spec) => {
      schemaOf(spec).properties = { a: { type: 'integer', default: 'one' } };
    },
  ],
  [
    'crd-schema-structural',
    'a default that lacks a field',
    crd,
    (spec) => {
      schemaOf(spec).properties = {
        a: { type: 'object', required: ['b'], properties: { b: { type: 'string' } }, default: {} },
      };
    },
  ],
  [
    'crd-schema-structural',
    'a rule about nothing',
    crd,
    (spec) => {
      schemaOf(spec).properties = { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'size > 3' }] } };
    },
  ],
  [
    'crd-schema-structural',
    'a kind that is no text',
    crd,
    (spec) => {
      schemaOf(spec).properties = { kind: { type: 'object' } };
    },
  ],
  [
    'crd-schema-structural',
    'metadata with labels',
    crd,
    (spec) => {
      schemaOf(spec).properties = { metadata: { type: 'object', properties: { labels: { type: 'object' } } } };
    },
  ],
  [
    'crd-names-valid',
    'a group of Kubernetes',
    crd,
    (spec) => {
      spec.group = 'things.k8s.io';
    },
  ],
  [
    'crd-schema-structural',
    'a key that is not required',
    crd,
    (spec) => {
      schemaOf(spec).properties = {
        list: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      };
    },
  ],
];

const VALID: readonly Json[] = [
  deployment(),
  statefulSet(),
  daemonSet(),
  job(),
  cronJob(),
  ...tenantObjects(),
  ...serviceObjects(),
  ...clusterObjects(),
  ...storageObjects(),
  ...deviceObjects(),
  ...admissionObjects(),
  ...recordObjects(),
];

describe('rules over built-in objects', () => {
  it.each(VALID.map((object) => [object.kind as string, object] as const))('take a valid %s', (_kind, object) => {
    expect(findingsOf(yaml(object), coreRules, { kubernetes: '1.36' })).toEqual([]);
  });

  it.each(FAULTS)('core/%s fires on %s', (rule, _what, make, change) => {
    const object = make();
    change((object.spec ?? {}) as Json, object);
    expect(rulesFiring(yaml(object), coreRules, { kubernetes: '1.36' })).toContain(`core/${rule}`);
  });

  it('have a fault in this table, each of them', () => {
    // Composite groups have a table of their own, native-gangs.test.ts.
    const covered = new Set(['core/composite-pod-group-valid', ...FAULTS.map(([rule]) => `core/${rule}`)]);
    expect(coreRules.filter((rule) => rule.on === 'object' && !covered.has(rule.id)).map(({ id }) => id)).toEqual([]);
  });
});

describe('rules over the whole set', () => {
  it('core/object-once names the second of two equal objects', () => {
    const found = findingsOf(`${yaml(deployment())}\n---\n${yaml(deployment())}`, coreRules);
    expect(found).toMatchObject([{ rule: 'core/object-once', tier: 'advice', path: '/metadata/name' }]);
  });

  it('core/object-once takes equal names in different namespaces and of different kinds', () => {
    const other = { ...deployment(), metadata: { name: 'web', namespace: 'other' } };
    expect(findingsOf([deployment(), other, service()].map(yaml).join('\n---\n'), coreRules)).toEqual([]);
  });

  it('core/one-global-default-priority-class refuses the second', () => {
    const classes = ['low', 'high'].map((name) => ({ ...priorityClass(), metadata: { name }, globalDefault: true }));
    expect(findingsOf(classes.map(yaml).join('\n---\n'), coreRules)).toMatchObject([
      { rule: 'core/one-global-default-priority-class', tier: 'server' },
    ]);
  });
});

describe('core/service-cluster-ip-in-range', () => {
  const range = (name: string, ...cidrs: readonly string[]): Json => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name },
    spec: { cidrs: [...cidrs] },
  });
  const fixed = (clusterIP: string): Json => ({ ...service(), spec: { ...(service().spec as Json), clusterIP } });
  const found = (...objects: readonly Json[]): readonly unknown[] =>
    findingsOf(objects.map(yaml).join('\n---\n'), coreRules).map(({ rule, severity }) => [rule, severity]);

  it('rejects an address outside of the ranges of the cluster', () => {
    const error = [['core/service-cluster-ip-in-range', 'error']];
    expect(found(range('kubernetes', '10.96.0.0/16'), fixed('10.97.0.1'))).toEqual(error);
    expect(found(range('kubernetes', '10.96.0.0/16'), fixed('fd00::1'))).toEqual(error);
  });

  it('warns where the range of the server is not known', () => {
    expect(found(range('more', '10.98.0.0/16'), fixed('10.97.0.1'))).toEqual([
      ['core/service-cluster-ip-in-range', 'warning'],
    ]);
  });

  it('takes an address in any range, and none', () => {
    const ranges = [range('kubernetes', '10.96.0.0/16', 'fd00::/112'), range('more', '10.98.0.0/24')];
    for (const address of ['10.96.255.1', '10.98.0.7', 'fd00::7', '']) {
      expect(found(...ranges, fixed(address))).toEqual([]);
    }
    expect(found(fixed('192.168.1.1'))).toEqual([]);
  });
});

describe('what the server was seen to take', () => {
  it.each<[string, Json]>([
    ...['US/Pacific', 'Etc/GMT+1', 'GMT0', 'America/Port-au-Prince', 'Africa/Dar_es_Salaam', 'posix/Europe/Berlin'].map(
      (timeZone): [string, Json] => [
        `the time zone ${timeZone}`,
        { ...cronJob(), spec: { ...(cronJob().spec as Json), timeZone } },
      ],
    ),
    [
      'a Job whose pods have labels of their own, and a name of 64 characters',
      {
        ...job(),
        metadata: { name: 'x'.repeat(64) },
        spec: {
          ...(job().spec as Json),
          manualSelector: true,
          selector: { matchLabels: { a: 'b' } },
          template: { ...((job().spec as Json).template as Json), metadata: { labels: { a: 'b' } } },
        },
      },
    ],
    [
      'a field that is in a branch only',
      (() => {
        const object = crd();
        schemaOf(object.spec as Json).properties = {
          spec: { type: 'object', oneOf: [{ properties: { b: { minimum: 1 } } }] },
        };
        return object;
      })(),
    ],
    ['a quota of a vendor\'s resource without "requests."', { ...quota(), spec: { hard: { 'nvidia.com/gpu': '1' } } }],
    ['a PriorityClass without a value', { ...priorityClass(), value: null }],
    ['a schedule that never comes', { ...cronJob(), spec: { ...(cronJob().spec as Json), schedule: '0 0 31 2 *' } }],
    ['a pod failure policy without rules', { ...job(), spec: { ...(job().spec as Json), podFailurePolicy: {} } }],
    [
      'a claim for devices without a spec',
      { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'none' } },
    ],
  ])('%s', (_what, object) => {
    expect(findingsOf(yaml(object), coreRules, { kubernetes: '1.36' })).toEqual([]);
  });
});
