/**
 * Tenants: quotas, limits, priorities, and access: a fault for each rule, made in an object that is otherwise valid.
 */
import { clusterObjects, recordObjects, tenantObjects } from '../valid-objects';
import { first, quota, limitRange, priorityClass, by, type ObjectFault } from './fault';

export const TENANTS_FAULTS: readonly ObjectFault[] = [
  ['resource-quota-name-valid', 'a bare name', quota, (spec) => (spec.hard = { gpus: '1' })],
  ['resource-quota-amount-valid', 'half a pod', quota, (spec) => (spec.hard = { pods: '500m' })],
  ['resource-quota-scope-valid', 'BestEffort for cpu', quota, (spec) => (spec.scopes = ['BestEffort'])],
  [
    'resource-quota-scope-valid',
    'scopes that exclude each other',
    quota,
    (spec) => Object.assign(spec, { hard: { pods: 1 }, scopes: ['BestEffort', 'NotBestEffort'] }),
  ],
  [
    'limit-range-type-valid',
    'one type twice',
    limitRange,
    (spec) =>
      (spec.limits = [
        { type: 'Pod', max: { cpu: 1 } },
        { type: 'Pod', max: { memory: 1 } },
      ]),
  ],
  [
    'limit-range-name-valid',
    'a bare name',
    limitRange,
    (spec) => (spec.limits = [{ type: 'Container', max: { gpu: 1 } }]),
  ],
  [
    'limit-range-order',
    'a default above the maximum',
    limitRange,
    (spec) => (spec.limits = [{ type: 'Container', default: { cpu: 2 }, max: { cpu: 1 } }]),
  ],
  [
    'limit-range-order',
    'a minimum above the default',
    limitRange,
    (spec) => (spec.limits = [{ type: 'Container', min: { cpu: 2 }, default: { cpu: 1 } }]),
  ],
  [
    'limit-range-order',
    'devices with two defaults',
    limitRange,
    (spec) =>
      (spec.limits = [
        { type: 'Container', default: { 'nvidia.com/gpu': 2 }, defaultRequest: { 'nvidia.com/gpu': 1 } },
      ]),
  ],
  [
    'limit-range-pod-without-defaults',
    'a default',
    limitRange,
    (spec) => (spec.limits = [{ type: 'Pod', default: { cpu: 1 } }]),
  ],
  [
    'limit-range-claim-has-storage',
    'no bound',
    limitRange,
    (spec) => (spec.limits = [{ type: 'PersistentVolumeClaim' }]),
  ],
  [
    'limit-range-ratio-valid',
    'below 1',
    limitRange,
    (spec) => (spec.limits = [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }]),
  ],
  ['priority-class-value-valid', 'too high', priorityClass, (_spec, object) => (object.value = 1_000_000_001)],
  [
    'priority-class-value-valid',
    'a name of the system',
    priorityClass,
    (_spec, object) => (object.metadata = { name: 'system-mine' }),
  ],
  [
    'priority-class-preemption-valid',
    'a wrong word',
    priorityClass,
    (_spec, object) => (object.preemptionPolicy = 'Sometimes'),
  ],
  ['namespace-finalizer-valid', 'a bare word', by(tenantObjects, 'Namespace'), (spec) => (spec.finalizers = ['mine'])],
  [
    'role-rule-valid',
    'no verbs',
    by(clusterObjects, 'Role'),
    (_spec, object) => (object.rules = [{ apiGroups: [''], resources: ['pods'] }]),
  ],
  [
    'role-binding-valid',
    'a role of the wrong kind',
    by(clusterObjects, 'RoleBinding'),
    (_spec, object) => (object.roleRef = { kind: 'User', name: 'r' }),
  ],
  ['flow-schema-valid', 'nobody', by(recordObjects, 'FlowSchema'), (spec) => (first(spec.rules).subjects = [])],
  [
    'flow-schema-valid',
    'a wildcard in the middle',
    by(recordObjects, 'FlowSchema'),
    (spec) => (first(first(spec.rules).nonResourceRules).nonResourceURLs = ['/a/*/b']),
  ],
  ['flow-schema-valid', 'precedence 1', by(recordObjects, 'FlowSchema'), (spec) => (spec.matchingPrecedence = 1)],
  [
    'priority-level-valid',
    'nothing limited',
    by(recordObjects, 'PriorityLevelConfiguration'),
    (spec) => delete spec.limited,
  ],
  [
    'priority-level-valid',
    'hands that are too large',
    by(recordObjects, 'PriorityLevelConfiguration'),
    (spec) => (spec.limited = { limitResponse: { type: 'Queue', queuing: { queues: 1024, handSize: 7 } } }),
  ],
  [
    'pod-security-labels-valid',
    'no level',
    by(tenantObjects, 'Namespace'),
    (_spec, object) =>
      (object.metadata = { name: 'team-a', labels: { 'pod-security.kubernetes.io/enforce': 'strict' } }),
  ],
];
