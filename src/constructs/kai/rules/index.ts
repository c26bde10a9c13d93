/**
 * Pods for the KAI scheduler: the queue, the scheduler, and the node pool go together.
 */
import { cite } from '../../../facts/upstream';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asObject, asString } from '../../../manifests/read';
import { type PodTemplateRule, type Rule, type Violation } from '../../../checks/rules/rule';

const QUEUE_LABEL = 'kai.scheduler/queue';
const OLD_QUEUE_LABEL = 'runai/queue';
const NODE_POOL_LABEL = 'kai.scheduler/node-pool';
const SCHEDULER = 'kai-scheduler';
const QUEUE_KIND = 'scheduling.run.ai/Queue';
const SOURCE = `${cite('kai-scheduler')}, docs/queues, cmd/scheduler (--scheduler-name, --nodepool-label-key)`;

/** A label of the pods, or of the workload, from which KAI's grouper takes it as well. */
function labelOf({ metadata, manifest }: PodTemplate, key: string): string | undefined {
  return asString(asObject(metadata.labels)[key]) ?? asString(asObject(asObject(manifest.object.metadata).labels)[key]);
}

type Facts = Pick<PodTemplateRule, 'severity' | 'summary' | 'why' | 'fix' | 'concerns'>;

function kaiRule(
  id: string,
  facts: Facts,
  check: (template: PodTemplate, set: ManifestSet) => Iterable<Violation>,
): PodTemplateRule {
  return {
    id: `kai/${id}`,
    tier: 'advice',
    source: SOURCE,
    ...facts,
    on: 'pod-template',
    check: (template, { set }) => check(template, set),
  };
}

const currentLabel = kaiRule(
  'queue-label-current',
  {
    severity: 'warning',
    concerns: [OLD_QUEUE_LABEL],
    summary: `Pods of the KAI scheduler should name their queue in the label ${QUEUE_LABEL}.`,
    why: `Current versions do not read ${OLD_QUEUE_LABEL}, unless they are started with --queue-label-key: the pods have no queue and stay pending.`,
    fix: `Rename the label ${OLD_QUEUE_LABEL} to ${QUEUE_LABEL}.`,
  },
  function* (template) {
    if (
      template.spec.schedulerName === SCHEDULER &&
      labelOf(template, OLD_QUEUE_LABEL) !== undefined &&
      labelOf(template, QUEUE_LABEL) === undefined
    ) {
      yield {
        path: pointer('/metadata/labels', OLD_QUEUE_LABEL),
        message: `the KAI scheduler does not read the label ${OLD_QUEUE_LABEL}, so the pods have no queue and stay pending`,
        found: OLD_QUEUE_LABEL,
        expected: QUEUE_LABEL,
      };
    }
  },
);

const schedulerNamed = kaiRule(
  'queue-label-with-scheduler',
  {
    severity: 'warning',
    concerns: [QUEUE_LABEL],
    summary: `Pods with the label ${QUEUE_LABEL} should have schedulerName ${SCHEDULER}.`,
    why: 'The default scheduler ignores the label: the pods start without regard to the quota of the queue.',
    fix: `Set schedulerName: ${SCHEDULER} in the spec of the pods.`,
  },
  function* (template) {
    const { schedulerName } = template.spec;
    // With --batch-scheduler=kai-scheduler, KubeRay sets the scheduler of the pods itself.
    if (
      template.manifest.id.group !== 'ray.io' &&
      labelOf(template, QUEUE_LABEL) !== undefined &&
      (schedulerName === undefined || schedulerName === 'default-scheduler')
    ) {
      yield {
        path: '/spec/schedulerName',
        message: `the default scheduler ignores the label ${QUEUE_LABEL}, so the quota of the queue does not apply to the pods`,
        found: schedulerName,
        expected: SCHEDULER,
      };
    }
  },
);

const samePool = kaiRule(
  'queue-in-node-pool',
  {
    severity: 'warning',
    concerns: [NODE_POOL_LABEL, QUEUE_LABEL],
    summary: 'A pod and its queue should be in the same node pool of the KAI scheduler.',
    why: 'The scheduler of a node pool considers only the queues and pods that have its label: a pod whose queue is in another pool stays pending.',
    fix: `Set the label ${NODE_POOL_LABEL} of the pods and of the queue to the same value.`,
  },
  function* (template, set) {
    const queueName = labelOf(template, QUEUE_LABEL);
    const queue = queueName === undefined ? undefined : set.get(QUEUE_KIND, queueName);
    if (queueName === undefined || queue === undefined) {
      return;
    }
    const pool = labelOf(template, NODE_POOL_LABEL) ?? '';
    const queuePool = asString(asObject(asObject(queue.object.metadata).labels)[NODE_POOL_LABEL]) ?? '';
    if (pool !== queuePool) {
      yield {
        path: pointer('/metadata/labels', NODE_POOL_LABEL),
        message: `the pods are in ${shown(pool)}, but the queue "${queueName}" is in ${shown(queuePool)}, so the pods stay pending`,
        found: pool,
        expected: queuePool === '' ? 'no node pool' : queuePool,
      };
    }
  },
);

function shown(pool: string): string {
  return pool === '' ? 'no node pool' : `the node pool "${pool}"`;
}

/** Rules on pods for the KAI scheduler. */
export const kaiRules: readonly Rule[] = [currentLabel, schedulerNamed, samePool];
