/**
 * The status of a gang's PodGroup, in the format of the project that defines the PodGroup.
 *
 * Volcano's controllers wait for a phase before they make any pod, so the phase is more than a message there.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString } from '../../manifests/read';

/** Collections of the PodGroups whose status is written. */
export type PodGroupCollection = 'volcanoPodGroups' | 'schedulerPluginsPodGroups' | 'nativePodGroups';

/** How far a gang is. */
export interface GangProgress {
  readonly minimum: number;
  /** Pods with a node. */
  readonly placed: number;
  /** Pods whose containers run. */
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Why it waits; absent where it does not. */
  readonly message?: string;
}

/** A write to a PodGroup. */
export interface StatusWrite {
  /** Behind the object's path; Volcano's definition has no status of its own. */
  readonly subresource: '' | '/status';
  readonly body: JsonObject;
}

/**
 * The write that brings the status up to date; `undefined` where it is.
 *
 * @param now RFC 3339
 */
export function podGroupStatus(
  collection: PodGroupCollection,
  object: JsonObject,
  progress: GangProgress,
  now: string,
): StatusWrite | undefined {
  const status = asObject(object.status);
  const wanted = statusFor(collection, status, progress, now);
  if (Object.entries(wanted).every(([key, value]) => JSON.stringify(status[key] ?? null) === JSON.stringify(value))) {
    return undefined;
  }
  return { subresource: collection === 'volcanoPodGroups' ? '' : '/status', body: { status: wanted } };
}

function statusFor(
  collection: PodGroupCollection,
  status: JsonObject,
  progress: GangProgress,
  now: string,
): JsonObject {
  const { minimum, placed, running, succeeded, failed, message } = progress;
  const isWhole = placed + succeeded >= minimum && placed > 0;
  switch (collection) {
    case 'volcanoPodGroups':
      return {
        phase: isWhole ? 'Running' : 'Inqueue',
        ...counts({ running, succeeded, failed }),
        ...(message !== undefined || isWhole
          ? {
              conditions: withCondition(
                status,
                message === undefined
                  ? { type: 'Scheduled', status: 'True', reason: 'tasks in gang are ready to be scheduled' }
                  : { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message },
                now,
              ),
            }
          : {}),
      };
    case 'schedulerPluginsPodGroups':
      return {
        phase: running >= minimum && running > 0 ? 'Running' : isWhole ? 'Scheduled' : 'Pending',
        ...counts({ running, succeeded, failed }),
      };
    case 'nativePodGroups':
      return {
        conditions: withCondition(
          status,
          {
            type: 'PodGroupScheduled',
            status: isWhole ? 'True' : 'False',
            reason: isWhole ? 'Scheduled' : 'Unschedulable',
            message: message ?? '',
          },
          now,
        ),
      };
  }
}

/** Zeros are not written, as the projects themselves do not. */
function counts(numbers: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(numbers).filter(([, count]) => count > 0));
}

/** The conditions with this one in them; its time stays unless its status changes. */
function withCondition(status: JsonObject, condition: Readonly<Record<string, string>>, now: string): JsonValue {
  const others = asArray(status.conditions).filter((one) => asObject(one).type !== condition.type);
  const before = asArray(status.conditions)
    .map(asObject)
    .find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? (asString(before.lastTransitionTime) ?? now) : now;
  return [...others, { ...condition, lastTransitionTime: since }];
}

/** A Volcano PodGroup without pods: its job waits for the phase. */
export function enqueued(object: JsonObject): StatusWrite | undefined {
  const phase = asString(asObject(object.status).phase) ?? '';
  return phase === '' || phase === 'Pending' ? { subresource: '', body: { status: { phase: 'Inqueue' } } } : undefined;
}
