/**
 * Jobs, pod groups and pods in queues: what the set itself contradicts is an error, what it does not know a hint.
 */
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { oneOf } from '../../../facts/words';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type ObjectRule, type PodTemplateRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { nearObject } from '../../../checks/server/near-object';
import { DEFAULT_QUEUE, QueueTree, ROOT_QUEUE } from '../queue-tree';
import { schedulesWithVolcano } from '../volcano-pods';
import { JOB_WEBHOOK, jobRule } from './job-rule';

const QUEUE_KIND = 'scheduling.volcano.sh/Queue';
const QUEUE_NAME_ANNOTATION = 'scheduling.volcano.sh/queue-name';
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
  const { names } = tree;
  const nearest = names.nearest(queue);
  return [
    {
      path,
      message: `Queue "${queue}" not found in these manifests`,
      found: queue,
      expected:
        names.size > 8
          ? 'a queue in these manifests or in the cluster'
          : `${[...names].join(', ')}, or a queue in the cluster`,
      fix: `Set ${fieldOf(path)} to ${names.size > 8 ? 'a queue in these manifests' : oneOf([...names])}, or make sure that the queue "${queue}" exists in the cluster before you apply the object.`,
      // Beside a queue with nearly the same name, the name is most likely misspelled.
      ...(nearest === undefined ? {} : nearObject(set, { kind: QUEUE_KIND, name: queue, path, value: queue }, nearest)),
    },
  ];
}

function notALeaf(set: ManifestSet, queue: string, path: string): readonly Violation[] {
  if (queue === ROOT_QUEUE) {
    return [
      {
        path,
        message: 'the queue must not be root: jobs can be submitted only to leaf queues',
        found: queue,
        expected: 'a leaf queue',
        fix: `Set ${fieldOf(path)} to a leaf queue, such as default.`,
      },
    ];
  }
  const children = QueueTree.of(set).children(queue);
  if (queue === '' || children.length === 0) {
    return [];
  }
  const leaf = children.find(({ name }) => QueueTree.of(set).children(name).length === 0);
  const names = children
    .slice(0, 4)
    .map(({ name }) => `"${name}"`)
    .join(', ');
  return [
    {
      path,
      message: `the queue "${queue}" must be a leaf queue, but has child queues: ${names}${children.length > 4 ? `, and ${children.length - 4} more` : ''}`,
      found: queue,
      expected: 'a leaf queue',
      fix: `Set ${fieldOf(path)} to a leaf queue below "${queue}"${leaf === undefined ? '' : `, such as "${leaf.name}"`}.`,
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
    summary: 'A job must be submitted to a leaf queue, and not to `root`.',
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Set spec.queue to a leaf queue below this queue.',
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
    summary: 'The queue of a job must be in the manifests or exist in the cluster.',
    why: 'The webhook rejects a job if its queue does not exist or is not open yet; a new queue takes a moment to open.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Set spec.queue to a queue in these manifests, or make sure that the queue exists in the cluster before you apply the job.',
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
  summary: 'The queue of a PodGroup must be in the manifests or exist in the cluster.',
  why: 'The webhook rejects a PodGroup if its queue does not exist or is not open yet.',
  source: POD_GROUP_WEBHOOK,
  fix: 'Set spec.queue to a queue in these manifests, or make sure that the queue exists in the cluster.',
  check: (manifest, { set }) => unknownQueue(set, podGroupQueue(manifest), '/spec/queue'),
};

const podGroupQueueIsLeaf: ObjectRule = {
  id: 'volcano/pod-group-queue-is-leaf',
  row: 'VP1',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'The queue of a PodGroup must be a leaf queue.',
  why: 'The webhook does not check this, but in a queue hierarchy only leaf queues give resources to pods: the pods stay pending.',
  source: `${cite('volcano')}, pkg/scheduler/plugins/capacity/capacity.go, isLeafQueue`,
  fix: 'Set spec.queue to a leaf queue below this queue.',
  check: (manifest, { set }) => notALeaf(set, podGroupQueue(manifest), '/spec/queue'),
};

const podQueue: PodTemplateRule = {
  id: 'volcano/pod-queue-is-leaf',
  concerns: [QUEUE_NAME_ANNOTATION],
  row: 'VP1',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  summary: `The queue in the annotation ${QUEUE_NAME_ANNOTATION} must be a leaf queue.`,
  why: "Volcano puts the pods' PodGroup into that queue, where the pods stay pending.",
  source: `${cite('volcano')}, pkg/controllers/podgroup/pg_controller_handler.go, buildPodGroupFromPod`,
  fix: `Set the annotation ${QUEUE_NAME_ANNOTATION} to a leaf queue below this queue.`,
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
  summary: `The namespace annotation ${QUEUE_NAME_ANNOTATION} has an effect only if Volcano's webhook podgroups/mutate is enabled.`,
  why: 'The chart does not enable that webhook by default, and the webhook replaces only the queue `default`.',
  source: `${cite('volcano')}, pkg/webhooks/admission/podgroups/mutate/mutate_podgroup.go; chart default of enabled admissions`,
  fix: 'Add /podgroups/mutate to custom.enabled_admissions in the values of the Volcano chart, or set the queue in each workload.',
  *check({ object }) {
    for (const [key, queue] of stringEntries(asObject(object.metadata).annotations)) {
      if (key !== QUEUE_NAME_ANNOTATION) {
        continue;
      }
      yield {
        path: pointer('/metadata/annotations', key),
        message: `the queue "${queue}" applies to the pods in the namespace only if the Volcano webhook /podgroups/mutate is enabled`,
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
