/**
 * Where and how long pods run: a fault for each rule, made in a pod that is otherwise valid.
 */
import { type PodFault } from './pod-fault';

export const POD_SCHEDULING_FAULTS: readonly PodFault[] = [
  ['pod-policy-valid', 'a wrong restartPolicy', (spec) => (spec.restartPolicy = 'Sometimes')],
  ['pod-deadline-valid', 'a deadline of 0', (spec) => (spec.activeDeadlineSeconds = 0)],
  [
    'node-selector-labels-valid',
    'a blank in a value',
    (spec) => (spec.nodeSelector = { 'nvidia.com/gpu.memory': '80 GB' }),
  ],
  ['pod-gate-valid', 'one gate twice', (spec) => (spec.schedulingGates = [{ name: 'a.b/c' }, { name: 'a.b/c' }])],
  ['scheduling-gate-without-node', 'a node beside a gate', (spec) => (spec.nodeName = 'node-1')],
  [
    'mirror-pod-has-node',
    'no node',
    (_spec, pod) => (pod.metadata = { name: 'rich', annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  ],
  [
    'pod-deletion-cost-valid',
    'a word',
    (_spec, pod) =>
      (pod.metadata = { name: 'rich', annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'low' } }),
  ],
  [
    'node-affinity-valid',
    'In without values',
    (spec) =>
      (spec.affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }],
          },
        },
      }),
  ],
  [
    'pod-affinity-valid',
    'no topology key',
    (spec) =>
      (spec.affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } }),
  ],
  [
    'pod-affinity-valid',
    'weight 0',
    (spec) =>
      (spec.affinity = {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      }),
  ],
  [
    'topology-spread-valid',
    'maxSkew 0',
    (spec) =>
      (spec.topologySpreadConstraints = [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }]),
  ],
  [
    'toleration-valid',
    'a value with Exists',
    (spec) => (spec.tolerations = [{ key: 'a', operator: 'Exists', value: 'b' }]),
  ],
  ['toleration-valid', 'Gt, which is gated', (spec) => (spec.tolerations = [{ key: 'a', operator: 'Gt', value: '1' }])],
  ['toleration-valid', 'a key of nothing', (spec) => (spec.tolerations = [{ operator: 'Equal', value: 'b' }])],
];
