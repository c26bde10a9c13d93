/**
 * Jobs, pod groups and pods in queues: what the set itself contradicts is an error, what it does not know a hint.
 */
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { pointer } from '../../../manifests/pointer';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type ObjectRule, type PodTemplateRule, type Rule, type Violation } from '../../../checks/rule';
import { DEFAULT_QUEUE, QueueTree, ROOT_QUEUE } from '../queue-tree';
import { schedulesWithVolcano } from '../volcano-pods';
import { JOB_WEBHOOK, jobRule } from './job-rule';

export const QUEUE_NAME_ANNOTATION = 'scheduling.volcano.sh/queue-name';
export const POD_GROUP_KIND = 'scheduling.volcano.sh/PodGroup';
const POD_GROUP_WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/podgroups/validate/validate_podgroup.go, checkQueueState`;

/** A queue that the set can say nothing bad of: the default queue, or one of its own. Where the set holds no queue at all, any. */
function unknownQueue(set: ManifestSet, queue: string, path: string): readonly Violation[] {
  const tree = QueueTree.of(set);
  if (
    tree.isEmpty ||
    queue === '' ||
    queue === DEFAULT_QUEUE ||
    queue === ROOT_QUEUE ||
    tree.get(queue) !== undefined
  ) {
    return [];
  }
  const names = tree.queues.map(({ name }) => name);
  return [
    {
      path,
      message: `the queue "${queue}" is not among these manifests`,
      found: queue,
      expected:
        names.length > 8
          ? 'a queue of these manifests, or one that the cluster has'
          : `${names.join(', ')}, or a queue that the cluster has`,
    },
  ];
}

function notALeaf(set: ManifestSet, queue: string, path: string): readonly Violation[] {
  if (queue === ROOT_QUEUE) {
    return [
      {
        path,
        message: 'nothing can be submitted to the root queue',
        found: queue,
        expected: 'a queue without children',
      },
    ];
  }
  const children = QueueTree.of(set).children(queue);
  if (queue === '' || children.length === 0) {
    return [];
  }
  const names = children
    .slice(0, 4)
    .map(({ name }) => name)
    .join(', ');
  return [
    {
      path,
      message: `the queue "${queue}" has children (${names})`,
      found: queue,
      expected: 'a queue without children',
    },
  ];
}

const jobQueueIsLeaf = jobRule(
  {
    id: 'volcano/job-queue-is-leaf',
    concerns: ['queue'],
    row: 'VJ12',
    tier: 'webhook',
    severity: 'error',
    summary: 'A job goes to a queue without children, and not to `root`.',
    why: 'The webhook refuses the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: "Name one of the queue's children.",
  },
  (job, { set }) => notALeaf(set, asString(job.spec.queue) ?? '', `${job.path}/queue`),
);

const jobQueueKnown = jobRule(
  {
    id: 'volcano/job-queue-known',
    concerns: ['queue'],
    row: 'VJ12',
    tier: 'webhook',
    severity: 'info',
    summary: 'The queue of a job is among the queues that are applied with it, or stands in the cluster already.',
    why: 'The webhook refuses a job whose queue does not exist, or is not open yet: a queue opens a moment after it was made.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Correct the name, or make sure that the cluster has the queue. Apply jobs a moment after their queue.',
  },
  (job, { set }) => unknownQueue(set, asString(job.spec.queue) ?? '', `${job.path}/queue`),
);

function podGroupQueue(manifest: Manifest): string {
  return asString(asObject(manifest.object.spec).queue) ?? '';
}

const podGroupQueueKnown: ObjectRule = {
  id: 'volcano/pod-group-queue-known',
  row: 'VP1',
  tier: 'webhook',
  severity: 'info',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'The queue of a PodGroup is among the queues that are applied with it, or stands in the cluster already.',
  why: 'The webhook refuses a PodGroup whose queue does not exist or is not open yet.',
  source: POD_GROUP_WEBHOOK,
  fix: 'Correct the name, or make sure that the cluster has the queue.',
  check: (manifest, { set }) => unknownQueue(set, podGroupQueue(manifest), '/spec/queue'),
};

const podGroupQueueIsLeaf: ObjectRule = {
  id: 'volcano/pod-group-queue-is-leaf',
  row: 'VP1',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'A PodGroup goes to a queue without children.',
  why: 'The webhook does not look, but a queue with children gives no resources to pods when queues form a tree: the pods stay pending.',
  source: `${cite('volcano')}, pkg/scheduler/plugins/capacity/capacity.go, isLeafQueue`,
  fix: "Name one of the queue's children.",
  check: (manifest, { set }) => notALeaf(set, podGroupQueue(manifest), '/spec/queue'),
};

const podQueue: PodTemplateRule = {
  id: 'volcano/pod-queue-is-leaf',
  concerns: [QUEUE_NAME_ANNOTATION],
  row: 'VP1',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  summary: `The queue of the annotation ${QUEUE_NAME_ANNOTATION} has no children.`,
  why: "Volcano puts the pods' PodGroup there, where they stay pending.",
  source: `${cite('volcano')}, pkg/controllers/podgroup/pg_controller_handler.go, buildPodGroupFromPod`,
  fix: "Name one of the queue's children.",
  check: ({ metadata, spec }, { set }) => {
    const queue = asString(asObject(metadata.annotations)[QUEUE_NAME_ANNOTATION]);
    if (queue === undefined || !schedulesWithVolcano(spec)) {
      return [];
    }
    return notALeaf(set, queue, pointer('/metadata/annotations', QUEUE_NAME_ANNOTATION));
  },
};

const namespaceQueue: ObjectRule = {
  id: 'volcano/namespace-queue-takes-effect',
  concerns: [QUEUE_NAME_ANNOTATION],
  row: 'VP5',
  tier: 'advice',
  severity: 'info',
  on: 'object',
  kinds: ['Namespace'],
  summary: `The namespace annotation ${QUEUE_NAME_ANNOTATION} is read only where Volcano's webhook podgroups/mutate is on.`,
  why: 'The chart leaves that webhook off, and it only replaces the queue `default`.',
  source: `${cite('volcano')}, pkg/webhooks/admission/podgroups/mutate/mutate_podgroup.go; chart default of enabled admissions`,
  fix: 'Turn /podgroups/mutate on in the chart, or name the queue in each workload.',
  *check({ object }) {
    for (const [key, queue] of stringEntries(asObject(object.metadata).annotations)) {
      if (key !== QUEUE_NAME_ANNOTATION) {
        continue;
      }
      yield {
        path: pointer('/metadata/annotations', key),
        message: `pods of the namespace go to "${queue}" only with the webhook podgroups/mutate`,
        found: queue,
      };
    }
  },
};

export const jobQueueRules: readonly Rule[] = [
  jobQueueIsLeaf,
  jobQueueKnown,
  podGroupQueueKnown,
  podGroupQueueIsLeaf,
  podQueue,
  namespaceQueue,
];
