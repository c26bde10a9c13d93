import { deployment, job, podGroup, type RuleCases } from './world';

const inGroup = (name: string, extra: { readonly [key: string]: string } = {}) => ({
  annotations: { 'scheduling.k8s.io/group-name': name, ...extra },
});

export const podGroupCases: readonly RuleCases[] = [
  {
    rule: 'volcano/pod-group-network-topology-names-one-tier',
    fires: {
      'number and name': [podGroup('g', { networkTopology: { highestTierAllowed: 1, highestTierName: 'rack' } })],
      'number and name in a sub group': [
        podGroup('g', { subGroupPolicy: [{ networkTopology: { highestTierAllowed: 0, highestTierName: 'rack' } }] }),
      ],
    },
    silent: { 'a number': [podGroup('g', { networkTopology: { highestTierAllowed: 1, highestTierName: '' } })] },
  },
  {
    rule: 'volcano/pod-group-min-member-covers-tasks',
    fires: {
      'more than the tasks': [podGroup('g', { minMember: 8, minTaskMember: { master: 1, worker: 4 } })],
      'less than the tasks': [podGroup('g', { minMember: 2, minTaskMember: { master: 1, worker: 4 } })],
    },
    silent: {
      'the sum': [podGroup('g', { minMember: 5, minTaskMember: { master: 1, worker: 4 } })],
      'no tasks': [podGroup('g', { minMember: 5 })],
    },
  },
  {
    rule: 'volcano/pod-group-has-enough-pods',
    fires: {
      'fewer pods than minMember': [podGroup('g', { minMember: 3 }), deployment(2, inGroup('g'))],
      'pods that do not say their task': [
        podGroup('g', { minMember: 2, minTaskMember: { worker: 2 } }),
        deployment(2, inGroup('g')),
      ],
    },
    silent: {
      'as many pods': [podGroup('g', { minMember: 2 }), deployment(2, inGroup('g'))],
      'pods that say their task': [
        podGroup('g', { minMember: 2, minTaskMember: { worker: 2 } }),
        deployment(2, inGroup('g', { 'volcano.sh/task-spec': 'worker' })),
      ],
      'a check per task that Volcano skips': [
        podGroup('g', { minMember: 1, minTaskMember: { worker: 2 } }),
        deployment(2, inGroup('g')),
      ],
      'no pods known': [podGroup('g', { minMember: 3 })],
    },
  },
  {
    rule: 'volcano/pod-group-is-named-by-pods',
    fires: {
      'a group beside a Volcano Job, which makes its own': [podGroup('g', { minMember: 4 }), job()],
      'pods of another namespace': [podGroup('g', {}, { namespace: 'elsewhere' }), deployment(2, inGroup('g'))],
    },
    silent: {
      'pods that name it': [podGroup('g'), deployment(2, inGroup('g'))],
      'a group that a controller owns': [podGroup('g', {}, { ownerReferences: [{ kind: 'Job', name: 'x' }] }), job()],
    },
  },
  {
    rule: 'volcano/pod-group-annotation-read',
    fires: {
      'the annotation that is not read': [deployment(2, { annotations: { 'scheduling.volcano.sh/group-name': 'g' } })],
    },
    silent: {
      'the one that is read': [deployment(2, inGroup('g'))],
      'another scheduler': [deployment(2, { annotations: { 'scheduling.volcano.sh/group-name': 'g' } }, {}, 'x')],
    },
  },
  {
    rule: 'volcano/pod-group-known',
    fires: {
      'a group that the set does not hold': [podGroup('g'), deployment(2, inGroup('h'))],
      'a group of another namespace': [podGroup('g', {}, { namespace: 'elsewhere' }), deployment(2, inGroup('g'))],
    },
    silent: {
      'a group of the namespace': [podGroup('g'), deployment(2, inGroup('g'))],
      'a group without a namespace, which may be created in that of the pods': [
        { ...podGroup('g'), metadata: { name: 'g' } },
        deployment(2, inGroup('g')),
      ],
      'no groups in the set': [deployment(2, inGroup('g'))],
    },
  },
  {
    rule: 'volcano/group-min-member-on-workload',
    fires: {
      'the annotation on the pods': [deployment(2, { annotations: { 'scheduling.volcano.sh/group-min-member': '2' } })],
    },
    silent: {
      'the annotation on the workload': [deployment(2, {}, { 'scheduling.volcano.sh/group-min-member': '2' })],
    },
  },
  {
    rule: 'volcano/group-min-member-within-replicas',
    fires: {
      'more than the replicas': [deployment(2, {}, { 'scheduling.volcano.sh/group-min-member': '3' })],
      'no number': [deployment(2, {}, { 'scheduling.volcano.sh/group-min-member': 'all' })],
    },
    silent: { 'as many as the replicas': [deployment(2, {}, { 'scheduling.volcano.sh/group-min-member': '2' })] },
  },
  {
    rule: 'volcano/annotation-value-read',
    fires: {
      'a word for preemptable': [podGroup('g', {}, { annotations: { 'volcano.sh/preemptable': 'yes' } })],
      'a waiting time without unit': [job({}, { annotations: { 'volcano.sh/sla-waiting-time': '30' } })],
    },
    silent: {
      'values that Volcano reads': [
        job({}, { annotations: { 'volcano.sh/preemptable': 'true', 'volcano.sh/sla-waiting-time': '1h30m' } }),
      ],
    },
  },
  {
    rule: 'volcano/pod-annotation-value-read',
    fires: {
      'a topology mode that does not exist': [
        deployment(1, { annotations: { 'volcano.sh/network-topology-mode': 'strict' } }),
      ],
      'a tier that is no number': [
        deployment(1, { annotations: { 'volcano.sh/network-topology-highest-tier': 'rack' } }),
      ],
    },
    silent: {
      'a mode in capitals': [deployment(1, { annotations: { 'volcano.sh/network-topology-mode': 'Hard' } })],
      'pods of another scheduler': [deployment(1, { annotations: { 'volcano.sh/preemptable': 'yes' } }, {}, 'x')],
    },
  },
  {
    rule: 'volcano/pod-disruption-budget-valid',
    fires: {
      'both budgets': [
        deployment(3, { annotations: { 'volcano.sh/jdb-min-available': '1', 'volcano.sh/jdb-max-unavailable': '1' } }),
      ],
      zero: [deployment(3, { annotations: { 'volcano.sh/jdb-min-available': '0' } })],
      'all of them': [deployment(3, { annotations: { 'volcano.sh/jdb-max-unavailable': '100%' } })],
    },
    silent: {
      'a share': [deployment(3, { annotations: { 'volcano.sh/jdb-min-available': '50%' } })],
      'a number': [deployment(3, { annotations: { 'volcano.sh/jdb-max-unavailable': '1' } })],
    },
  },
];
