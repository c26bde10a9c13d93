/**
 * Workloads and what belongs to them: a fault for each rule, made in an object that is otherwise valid.
 */
import { cronJob, daemonSet, deployment, indexedJob, job, statefulSet } from '../valid';
import { clusterObjects, recordObjects } from '../valid-objects';
import { template, first, by, type ObjectFault } from './fault';

export const WORKLOADS_FAULTS: readonly ObjectFault[] = [
  ['workload-selector-valid', 'an empty selector', deployment, (spec) => (spec.selector = {})],
  [
    'workload-selector-matches-template',
    'another label',
    deployment,
    (spec) => (spec.selector = { matchLabels: { app: 'other' } }),
  ],
  ['workload-restarts-always', 'Never', deployment, (spec) => (template(spec).restartPolicy = 'Never')],
  ['workload-counts-not-negative', 'a negative count', deployment, (spec) => (spec.replicas = -1)],
  [
    'deployment-strategy-valid',
    'nothing to update with',
    deployment,
    (spec) => (spec.strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } }),
  ],
  [
    'deployment-strategy-valid',
    'a short deadline',
    deployment,
    (spec) => Object.assign(spec, { minReadySeconds: 60, progressDeadlineSeconds: 60 }),
  ],
  [
    'daemon-set-strategy-valid',
    'surge and unavailable',
    daemonSet,
    (spec) => (spec.updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }),
  ],
  [
    'stateful-set-spec-valid',
    'a claim without a size',
    statefulSet,
    (spec) => (first(spec.volumeClaimTemplates).spec = { accessModes: ['ReadWriteOnce'] }),
  ],
  ['job-restart-policy', 'the default', job, (spec) => delete template(spec).restartPolicy],
  [
    'job-restart-policy',
    'OnFailure beside a failure policy',
    indexedJob,
    (spec) => (template(spec).restartPolicy = 'OnFailure'),
  ],
  ['job-counts-not-negative', 'a negative limit', job, (spec) => (spec.backoffLimit = -1)],
  ['job-indexed-settings', 'no completions', indexedJob, (spec) => delete spec.completions],
  ['job-indexed-settings', 'a limit per index of no index', job, (spec) => (spec.backoffLimitPerIndex = 1)],
  [
    'job-success-policy',
    'indexes beyond the last',
    indexedJob,
    (spec) => (spec.successPolicy = { rules: [{ succeededIndexes: '0-4' }] }),
  ],
  [
    'job-pod-failure-policy',
    'codes out of order',
    indexedJob,
    (spec) =>
      (spec.podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42, 1] } }] }),
  ],
  ['job-choices-valid', 'a manager without a domain', job, (spec) => (spec.managedBy = 'me')],
  ['job-selector-generated', 'a selector by hand', job, (spec) => (spec.selector = { matchLabels: { app: 'x' } })],
  ['job-name-fits-index', 'a long name', indexedJob, (_spec, object) => (object.metadata = { name: 'x'.repeat(62) })],
  ['cron-job-valid', 'six fields', cronJob, (spec) => (spec.schedule = '0 0 * * * *')],
  ['cron-job-valid', 'a time zone in the schedule', cronJob, (spec) => (spec.schedule = 'TZ=UTC 0 0 * * *')],
  ['cron-job-valid', 'a zone that is none', cronJob, (spec) => (spec.timeZone = 'Mars/Olympus')],
  ['cron-job-valid', 'a zone in lower case', cronJob, (spec) => (spec.timeZone = 'europe/berlin')],
  ['cron-job-valid', 'a zone with other capitals', cronJob, (spec) => (spec.timeZone = 'Us/Pacific')],
  [
    'job-name-fits-pod-label',
    'a name of 64 characters',
    job,
    (_spec, object) => (object.metadata = { name: 'x'.repeat(64) }),
  ],
  [
    'cron-job-valid',
    'a name of 53 characters',
    cronJob,
    (_spec, object) => (object.metadata = { name: 'x'.repeat(53) }),
  ],
  ['pod-group-valid', 'no policy', by(clusterObjects, 'PodGroup'), (spec) => (spec.schedulingPolicy = {})],
  [
    'pod-group-valid',
    'a gang of none',
    by(clusterObjects, 'PodGroup'),
    (spec) => (spec.schedulingPolicy = { gang: { minCount: 0 } }),
  ],
  ['workload-valid', 'no groups', by(clusterObjects, 'Workload'), (spec) => (spec.podGroupTemplates = [])],
  [
    'autoscaler-bounds',
    'max below min',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => Object.assign(spec, { minReplicas: 5, maxReplicas: 2 }),
  ],
  [
    'autoscaler-target-valid',
    'no kind',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => (spec.scaleTargetRef = { name: 'web' }),
  ],
  [
    'autoscaler-metric-valid',
    'the source of another type',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => (first(spec.metrics).type = 'Pods'),
  ],
  [
    'autoscaler-behavior-valid',
    'no policies',
    by(clusterObjects, 'HorizontalPodAutoscaler'),
    (spec) => (spec.behavior = { scaleUp: { policies: [] } }),
  ],
  [
    'disruption-budget-valid',
    'both bounds',
    by(clusterObjects, 'PodDisruptionBudget'),
    (spec) => (spec.maxUnavailable = 1),
  ],
  [
    'controller-revision-valid',
    'a list',
    by(recordObjects, 'ControllerRevision'),
    (_spec, object) => (object.data = []),
  ],
  ['pod-template-given', 'no template', by(recordObjects, 'PodTemplate'), (_spec, object) => delete object.template],
];
