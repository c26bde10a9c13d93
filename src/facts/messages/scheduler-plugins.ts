/**
 * Messages of the plugins of scheduler-plugins: coscheduling, capacity scheduling, and NUMA alignment.
 */
import { cite } from '../upstream';
import { type KnownMessage, messagesOf } from './known-message';

export const SCHEDULER_PLUGIN_MESSAGES: readonly KnownMessage[] = messagesOf(cite('scheduler-plugins'), [
  {
    id: 'scheduler-plugins/siblings',
    file: 'pkg/coscheduling/core/core.go',
    format: 'pre-filter pod %v cannot find enough sibling pods, current pods number: %v, minMember of group: %v',
    cause: 'Fewer pods with the label of the PodGroup exist than its minMember demands.',
    verify: 'kubectl get pods -n NAMESPACE -l scheduling.x-k8s.io/pod-group=NAME',
    remedy: 'Create the missing pods, correct the label in all pod templates, or lower minMember.',
  },
  {
    id: 'scheduler-plugins/group-backoff',
    file: 'pkg/coscheduling/core/core.go',
    format: 'podGroup %v failed recently',
    cause: 'The PodGroup was rejected, and is not tried again before podGroupBackoffSeconds have passed.',
    verify: 'kubectl describe pods of the group: the events before this one',
    remedy: 'Act on the reason of the earlier events; the scheduler retries the group automatically.',
  },
  {
    id: 'scheduler-plugins/group-rejected',
    file: 'pkg/coscheduling/coscheduling.go',
    format: 'PodGroup %v gets rejected due to Pod %v is unschedulable even after PostFilter',
    cause: 'One pod of the group fits no node, so its other pods were released again.',
    verify: 'kubectl describe pod POD: why the named pod does not fit',
    remedy: 'Free devices for the whole group, or lower minMember.',
  },
  {
    id: 'scheduler-plugins/numa',
    file: 'pkg/noderesourcetopology/filter.go',
    format: 'cannot align container',
    also: ['cannot align pod'],
    cause: 'No NUMA node has enough free CPUs and devices for the container or pod, and the kubelet would reject it.',
    verify: 'kubectl get noderesourcetopologies NODE -o yaml',
    remedy: 'Request less per pod, or use nodes whose topology manager policy is restricted or best-effort.',
  },
  {
    id: 'scheduler-plugins/quota-max',
    file: 'pkg/capacityscheduling/capacity_scheduling.go',
    format: 'Pod %v/%v is rejected in PreFilter because ElasticQuota %v is more than Max',
    cause: 'The pod would exceed spec.max of the ElasticQuota of its namespace.',
    verify: 'kubectl get elasticquota -n NAMESPACE -o yaml: spec.max, status.used',
    remedy: 'Raise spec.max, lower the request, or wait until pods of the namespace end.',
  },
  {
    id: 'scheduler-plugins/quota-min',
    file: 'pkg/capacityscheduling/capacity_scheduling.go',
    format: 'Pod %v/%v is rejected in PreFilter because total ElasticQuota used is more than min',
    cause: 'All namespaces together use what the minima of all ElasticQuotas add up to, so nothing is left to borrow.',
    verify: 'kubectl get elasticquotas -A',
    remedy: 'Wait, raise spec.min of a quota, or let a namespace below its minimum preempt.',
  },
]);
