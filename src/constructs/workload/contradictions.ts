/**
 * Compares the scheduler of a rendered workload with the chosen one. Labels, overrides, and templates that were written by hand can name
 * another scheduler or another queue; no scheduler would then schedule the pods.
 */
import {
  KAI_QUEUE_LABEL,
  KUEUE_QUEUE_LABEL,
  type Scheduling,
  type SchedulingEngine,
  VOLCANO_QUEUE_ANNOTATION,
} from '../pods';
import { GANTRY_QUEUE_LABEL } from '../../facts/catalog';
import { pointer } from '../../manifests/pointer';

/** Labels and annotations by which an engine reads the queue. */
const QUEUE_KEYS: Readonly<Record<string, SchedulingEngine>> = {
  [VOLCANO_QUEUE_ANNOTATION]: 'volcano',
  'volcano.sh/queue-name': 'volcano',
  [KUEUE_QUEUE_LABEL]: 'kueue',
  [KAI_QUEUE_LABEL]: 'kai',
  'runai/queue': 'kai',
  [GANTRY_QUEUE_LABEL]: 'gantry',
};

/** Name of the cluster's own scheduler. */
const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Compares every scheduler name and every queue that is written in `value` with the choice.
 *
 * @param value any part of the object, as plain JSON or as it will be rendered
 * @param at JSON pointer of `value`, for the message
 * @throws if something written contradicts the choice, with both
 */
export function requireAgreement(value: unknown, scheduling: Scheduling, at: string): void {
  if (Array.isArray(value)) {
    value.forEach((member, index) => requireAgreement(member, scheduling, `${at}/${index}`));
    return;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const path = pointer(at, key);
    if (key === 'schedulerName' && typeof member === 'string') {
      requireScheduler(member, scheduling, path);
    } else if (key === 'labels' || key === 'annotations') {
      requireQueueKeys(member, scheduling, path);
    } else {
      requireAgreement(member, scheduling, path);
    }
  }
}

/** @throws if labels or annotations name another queue than the choice */
export function requireQueueKeys(labels: unknown, scheduling: Scheduling, at: string): void {
  if (typeof labels !== 'object' || labels === null) {
    return;
  }
  const { engine, queue } = scheduling;
  for (const [key, value] of Object.entries(labels)) {
    if (!Object.hasOwn(QUEUE_KEYS, key) || (QUEUE_KEYS[key] === engine && value === queue?.name)) {
      continue;
    }
    throw new Error(
      `${pointer(at, key)} "${String(value)}" contradicts ${scheduling.title}. Remove one of the two: submitTo and scheduling write the fields that the engine reads.`,
    );
  }
}

function requireScheduler(name: string, scheduling: Scheduling, at: string): void {
  const expected = expectedSchedulers(scheduling);
  if (expected !== undefined && !expected.includes(name)) {
    throw new Error(
      `${at} "${name}" contradicts ${scheduling.title}, whose pods have the scheduler ${expected[0]}. Remove one of the two.`,
    );
  }
}

/** The names that pods of a choice may have; `undefined` where any will do. */
function expectedSchedulers(scheduling: Scheduling): readonly string[] | undefined {
  const { schedulerName } = scheduling.toScheduling();
  switch (scheduling.engine) {
    case 'kueue':
      // Kueue admits, and any scheduler places.
      return undefined;
    case 'default':
    case 'pod-group':
      return [DEFAULT_SCHEDULER];
    case 'volcano':
    case 'kai':
    case 'scheduler-plugins':
    case 'gantry':
      // With handOver, the cluster's own scheduler binds what Gantry has placed.
      return [schedulerName ?? DEFAULT_SCHEDULER];
  }
}
