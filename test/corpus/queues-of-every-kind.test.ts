/**
 * Every way to name a queue is held to the queues of the set: a misspelled name is a warning, the right one is silent, and a queue with child
 * queues is what its system makes of it.
 */
import { type Severity } from '../../src/checks/report/finding';
import { check, readManifests } from '../../src/interfaces/checks';

const QUEUES = `
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {reclaimable: true}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research-a}
spec: {parent: research, reclaimable: true}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: shared}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 10}, {name: memory, nominalQuota: 10Gi}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: training, namespace: team}
spec: {clusterQueue: shared}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: department}
spec: {}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: department-a}
spec: {parentQueue: department}
`;

interface PodMetadata {
  readonly labels?: object;
  readonly annotations?: object;
}

interface Workload {
  readonly apiVersion: string;
  readonly spec: (podSpec: object, podMetadata: PodMetadata) => object;
  readonly container?: string;
}

const replica =
  (field: string, type: string) =>
  (spec: object, metadata: PodMetadata): object => ({
    [field]: { [type]: { replicas: 1, restartPolicy: 'OnFailure', template: { metadata, spec } } },
  });

const WORKLOADS = {
  Job: {
    apiVersion: 'batch/v1',
    spec: (spec, metadata) => ({ suspend: true, template: { metadata, spec: { ...spec, restartPolicy: 'Never' } } }),
  },
  Deployment: {
    apiVersion: 'apps/v1',
    spec: (spec, metadata) => ({
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { ...metadata, labels: { app: 'a', ...metadata.labels } },
        spec,
      },
    }),
  },
  PyTorchJob: {
    apiVersion: 'kubeflow.org/v1',
    spec: replica('pytorchReplicaSpecs', 'Master'),
    container: 'pytorch',
  },
  TFJob: { apiVersion: 'kubeflow.org/v1', spec: replica('tfReplicaSpecs', 'Worker'), container: 'tensorflow' },
  MPIJob: { apiVersion: 'kubeflow.org/v2beta1', spec: replica('mpiReplicaSpecs', 'Launcher') },
  RayCluster: {
    apiVersion: 'ray.io/v1',
    spec: (spec, metadata) => ({ headGroupSpec: { rayStartParams: {}, template: { metadata, spec } } }),
  },
  JobSet: {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    spec: (spec, metadata) => ({
      replicatedJobs: [
        { name: 'worker', template: { spec: { template: { metadata, spec: { ...spec, restartPolicy: 'Never' } } } } },
      ],
    }),
  },
  LeaderWorkerSet: {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    spec: (spec, metadata) => ({ leaderWorkerTemplate: { size: 2, workerTemplate: { metadata, spec } } }),
  },
  TrainJob: {
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    spec: () => ({ runtimeRef: { name: 'torch-distributed' } }),
  },
} satisfies Record<string, Workload>;

interface Named {
  readonly labels?: object;
  readonly podLabels?: object;
  readonly podAnnotations?: object;
  readonly scheduler?: string;
  readonly spec?: object;
}

function workload(
  kind: keyof typeof WORKLOADS,
  { labels, podLabels, podAnnotations, scheduler: schedulerName, spec: more }: Named,
): string {
  const { apiVersion, spec, container = 'main' }: Workload = WORKLOADS[kind];
  const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } };
  const pod = { schedulerName, containers: [{ name: container, image: 'registry.example.com/a:1', resources }] };
  const metadata = { labels: podLabels, annotations: podAnnotations };
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: { name: 'a', namespace: 'team', labels },
    spec: { ...spec(pod, metadata), ...more },
  });
}

const volcanoJob = (queue: string): string =>
  JSON.stringify({
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'Job',
    metadata: { name: 'a', namespace: 'team' },
    spec: {
      queue,
      schedulerName: 'volcano',
      minAvailable: 1,
      tasks: [
        {
          name: 'worker',
          replicas: 1,
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example.com/a:1' }] },
          },
        },
      ],
    },
  });

const kueue =
  (kind: keyof typeof WORKLOADS) =>
  (queue: string): string =>
    workload(kind, { labels: { 'kueue.x-k8s.io/queue-name': queue } });
const inPolicy =
  (kind: keyof typeof WORKLOADS) =>
  (queue: string): string =>
    workload(kind, { scheduler: 'volcano', spec: { runPolicy: { schedulingPolicy: { queue } } } });
const kai =
  (kind: keyof typeof WORKLOADS) =>
  (queue: string): string =>
    workload(kind, { scheduler: 'kai-scheduler', podLabels: { 'kai.scheduler/queue': queue } });

type Way = readonly [what: string, rule: string, named: (queue: string) => string, right: string, near: string];

const KUEUE = 'kueue/local-queue-of-namespace';
const REFERENCE = 'references/object-in-set';
const WAYS: readonly Way[] = [
  ['a Volcano Job', 'volcano/job-queue-known', volcanoJob, 'research-a', 'reserch-a'],
  ['a PyTorchJob, Volcano', REFERENCE, inPolicy('PyTorchJob'), 'research-a', 'reserch-a'],
  ['an MPIJob, Volcano', REFERENCE, inPolicy('MPIJob'), 'research-a', 'reserch-a'],
  [
    'a RayCluster, Volcano',
    REFERENCE,
    (queue) =>
      workload('RayCluster', { labels: { 'ray.io/scheduler-name': 'volcano', 'volcano.sh/queue-name': queue } }),
    'research-a',
    'reserch-a',
  ],
  [
    'the annotation of a Deployment, Volcano',
    REFERENCE,
    (queue) =>
      workload('Deployment', {
        scheduler: 'volcano',
        podAnnotations: { 'scheduling.volcano.sh/queue-name': queue },
      }),
    'research-a',
    'reserch-a',
  ],
  ...(['Job', 'Deployment', 'TFJob', 'RayCluster', 'JobSet', 'LeaderWorkerSet', 'TrainJob'] as const).map(
    (kind): Way => [`${kind}, Kueue`, KUEUE, kueue(kind), 'training', 'trainning'],
  ),
  ['a Deployment, KAI', REFERENCE, kai('Deployment'), 'department-a', 'deparment-a'],
];

function severities(rule: string, yaml: string): readonly Severity[] {
  return check(readManifests(`${QUEUES}---\n${yaml}\n`))
    .findings.filter((finding) => finding.rule === rule)
    .map(({ severity }) => severity);
}

test.each(WAYS)('%s is held to the queues of the set', (_, rule, named, right, near) => {
  expect(severities(rule, named(near))).toEqual(['warning']);
  expect(severities(rule, named(right))).toEqual([]);
});

test.each([
  ['the webhook of Volcano rejects a Job', 'volcano/job-queue-is-leaf', volcanoJob, 'research', 'research-a', 'error'],
  ['KAI may leave pods pending', 'references/queue-is-leaf', kai('Job'), 'department', 'department-a', 'warning'],
] as const)('a queue with child queues: %s', (_, rule, named, parent, leaf, severity) => {
  expect(severities(rule, named(parent))).toEqual([severity]);
  expect(severities(rule, named(leaf))).toEqual([]);
});
