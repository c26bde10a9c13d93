/**
 * Events that say what was tried for work that waits. Users that may create events may write anything into them: they are of any form and length,
 * and what they say is shown, but decides nothing.
 *
 * Only events of schedulers, queues, and autoscalers are kept, by their reason: other events can quote what a container or a volume was given.
 */
import { type JsonObject } from '../../facts/api/schema';
import { compareNames } from '../../placement/model/names';
import { asInteger, asObject, asString } from '../read';

/** Reasons of kube-scheduler, Volcano, KAI, Gantry, Kueue, cluster-autoscaler, and Karpenter; of Kueue also what begins with the last. */
const REASONS: ReadonlySet<string> = new Set([
  'FailedScheduling',
  'Unschedulable',
  'Preempted',
  'Evict',
  'Evicted',
  'FailedBinding',
  'HandOverTimedOut',
  'Pending',
  'QuotaReserved',
  'AdmissionCheckRejected',
  'AdmissionGated',
  'SecondPassFailed',
  'PreemptedWorkload',
  'TriggeredScaleUp',
  'NotTriggerScaleUp',
  'Nominated',
]);
const EVICTED_BY_KUEUE = 'EvictedDueTo';
/** Kinds whose events are kept. */
const REGARDED: ReadonlySet<string> = new Set([
  'Pod',
  'PodGroup',
  'Workload',
  'Job',
  'Queue',
  'ClusterQueue',
  'LocalQueue',
  'ProvisioningRequest',
]);
const LONGEST_MESSAGE = 1024;
const LONGEST_WORD = 253;
/** The newest events of one object, and of all objects. */
const MOST_OF_OBJECT = 5;
const MOST = 10_000;

/** An event as it is shown. Times are in milliseconds since the epoch. */
export interface WorkEvent {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** The program that says it, as the event names it. */
  readonly source: string;
  readonly count: number;
  readonly first?: number;
  readonly last?: number;
}

/** `undefined` for an event about something else. Reads both `v1` and `events.k8s.io/v1`. */
export function workEventOf(object: JsonObject): WorkEvent | undefined {
  const regarding = asObject(object.involvedObject ?? object.regarding);
  const reason = asString(object.reason) ?? '';
  const kind = asString(regarding.kind) ?? '';
  const name = asString(regarding.name) ?? '';
  if (!REGARDED.has(kind) || name === '' || !(REASONS.has(reason) || reason.startsWith(EVICTED_BY_KUEUE))) {
    return undefined;
  }
  return {
    kind,
    namespace: asString(regarding.namespace) ?? '',
    name: name.slice(0, LONGEST_WORD),
    reason: reason.slice(0, LONGEST_WORD),
    message: (asString(object.message) ?? asString(object.note) ?? '').slice(0, LONGEST_MESSAGE),
    source: sourceOf(object).slice(0, LONGEST_WORD),
    ...timesOf(object),
  };
}

function sourceOf({ reportingComponent, reportingController, source }: JsonObject): string {
  const named = [reportingComponent, reportingController, asObject(source).component].map(asString);
  return named.find((text) => text !== undefined && text !== '') ?? '';
}

function timesOf(object: JsonObject): Pick<WorkEvent, 'count' | 'first' | 'last'> {
  const series = asObject(object.series);
  const made = asObject(object.metadata).creationTimestamp;
  const first = timeOf(object.firstTimestamp, object.deprecatedFirstTimestamp, object.eventTime, made);
  const last =
    timeOf(series.lastObservedTime, object.lastTimestamp, object.deprecatedLastTimestamp, object.eventTime) ?? first;
  const count = asInteger(series.count) ?? asInteger(object.count) ?? asInteger(object.deprecatedCount) ?? 1;
  return {
    count: Math.max(1, count),
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
  };
}

/** The event as a snapshot keeps it, in the form of `v1`. */
export function reducedEvent(object: JsonObject): JsonObject | undefined {
  const event = workEventOf(object);
  const { name, namespace } = asObject(object.metadata);
  if (event === undefined) {
    return undefined;
  }
  return {
    metadata: { name: asString(name) ?? '', namespace: asString(namespace) ?? '' },
    involvedObject: { kind: event.kind, name: event.name, namespace: event.namespace },
    reason: event.reason,
    message: event.message,
    count: event.count,
    reportingComponent: event.source,
    ...(event.first !== undefined && { firstTimestamp: timeText(event.first) }),
    ...(event.last !== undefined && { lastTimestamp: timeText(event.last) }),
  };
}

/** The newest of reduced events: a few of each object, and a bounded number in all. */
export function newestEvents(items: readonly JsonObject[]): readonly JsonObject[] {
  const counts = new Map<string, number>();
  const lastOf = ({ lastTimestamp }: JsonObject): string => asString(lastTimestamp) ?? '';
  const nameOf = ({ metadata }: JsonObject): string => asString(asObject(metadata).name) ?? '';
  return [...items]
    .sort((a, b) => compareNames(lastOf(b), lastOf(a)) || compareNames(nameOf(a), nameOf(b)))
    .filter(({ involvedObject }) => {
      const key = JSON.stringify(involvedObject);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= MOST_OF_OBJECT;
    })
    .slice(0, MOST);
}

function timeOf(...values: readonly JsonObject[string][]): number | undefined {
  const times = values.map((value) => Date.parse(asString(value) ?? ''));
  return times.find((time) => Number.isFinite(time));
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
