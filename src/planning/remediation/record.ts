/**
 * The record of what remediation did to a node, which the node carries as an annotation. Each write of a mark and of its record is one patch,
 * and an eviction begins after its record is written: a program that starts again knows what it may undo, and what it has not finished.
 */
import { type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, isObject } from '../../manifests/read';

/** A change of a node that lasts until it is undone. */
export type Mark = 'taint' | 'cordon' | 'request-driver-upgrade' | 'request-repair';

export const MARKS: readonly Mark[] = ['taint', 'cordon', 'request-driver-upgrade', 'request-repair'];

/** A gang that is being evicted because of the node. */
export interface Clearing {
  readonly rule: string;
  /** Key of the gang. */
  readonly gang: string;
  /** Pods that were created later belong to the gang's next start and are not evicted, milliseconds since the epoch. */
  readonly before: number;
  readonly graceSeconds?: number;
}

export interface RemediationRecord {
  /** Marks that are on the node because of remediation. */
  readonly marks: readonly Mark[];
  /** `RULE/ACTION` of everything that was done since the node was healthy; none of it is done again. */
  readonly done: readonly string[];
  /** Gangs whose eviction is not complete. */
  readonly clearing: readonly Clearing[];
  /** UIDs of device plugin pods that are not recreated yet. */
  readonly plugins: readonly string[];
  /** When remediation began to act on the node, seconds since the epoch, the oldest first; only of the last day. */
  readonly episodes: readonly number[];
  /** Why, one sentence for each rule that acted since the node was healthy. */
  readonly why: readonly string[];
}

export const NO_RECORD: RemediationRecord = { marks: [], done: [], clearing: [], plugins: [], episodes: [], why: [] };

const MOST_LENGTH = 65_536;
const MOST_DONE = 1000;
export const MOST_CLEARING = 256;
const MOST_PLUGINS = 16;
export const MOST_EPISODES = 8;
export const MOST_WHY = 16;
export const MOST_SENTENCE = 400;
const MOST_GRACE = 7 * 24 * 3600;

/** What the annotation says; what it cannot say is ignored. */
export function readRecord(text: string | undefined): RemediationRecord {
  if (text === undefined || text.length > MOST_LENGTH) {
    return NO_RECORD;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return NO_RECORD;
  }
  const { marks, done, clearing, plugins, episodes, why } = isObject(value) ? asObject(value) : {};
  const named = asArray(marks);
  return {
    marks: MARKS.filter((mark) => named.includes(mark)),
    done: texts(done, MOST_DONE, 127),
    clearing: asArray(clearing)
      .slice(0, MOST_CLEARING)
      .flatMap((entry) => readClearing(entry) ?? []),
    plugins: texts(plugins, MOST_PLUGINS, 127),
    episodes: asArray(episodes)
      .filter((one): one is number => typeof one === 'number' && Number.isSafeInteger(one) && one >= 0)
      .slice(-MOST_EPISODES),
    why: texts(why, MOST_WHY, MOST_SENTENCE),
  };
}

function texts(value: JsonValue | undefined, most: number, length: number): readonly string[] {
  return asArray(value)
    .filter((one): one is string => typeof one === 'string' && one.length <= length)
    .slice(0, most);
}

function readClearing(value: JsonValue): Clearing | undefined {
  const { rule, gang, before, graceSeconds } = asObject(value);
  const isGrace =
    graceSeconds === undefined ||
    (typeof graceSeconds === 'number' &&
      Number.isInteger(graceSeconds) &&
      graceSeconds >= 0 &&
      graceSeconds <= MOST_GRACE);
  return typeof rule === 'string' &&
    rule.length < 128 &&
    typeof gang === 'string' &&
    gang.length < 1024 &&
    typeof before === 'number' &&
    Number.isFinite(before) &&
    isGrace
    ? { rule, gang, before, ...(graceSeconds === undefined ? {} : { graceSeconds }) }
    : undefined;
}

/** @returns `undefined` if there is nothing to remember */
export function recordText(record: RemediationRecord): string | undefined {
  const lists = Object.entries(record).filter(([, list]: [string, readonly unknown[]]) => list.length > 0);
  return lists.length === 0 ? undefined : JSON.stringify(Object.fromEntries(lists));
}

/** Whether remediation acts on the node, or has acted since it was healthy. */
export function isActing({ marks, done, clearing, plugins }: RemediationRecord): boolean {
  return marks.length + done.length + clearing.length + plugins.length > 0;
}
