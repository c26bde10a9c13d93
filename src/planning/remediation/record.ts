/**
 * The record of what remediation did to a node, which the node carries as an annotation. Each write of a mark and of its record is one patch,
 * so a restarted program knows what it may undo.
 */
import { type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, isObject } from '../../manifests/read';

/** A change of a node that lasts until it is undone. */
export type Mark = 'taint' | 'cordon' | 'request-driver-upgrade' | 'request-repair';

export const MARKS: readonly Mark[] = ['taint', 'cordon', 'request-driver-upgrade', 'request-repair'];

export interface RemediationRecord {
  /** Marks that are on the node because of remediation. */
  readonly marks: readonly Mark[];
  /** `RULE/ACTION` of everything that was done since the node was healthy; none of it is done again. */
  readonly done: readonly string[];
}

export const NO_RECORD: RemediationRecord = { marks: [], done: [] };

const MOST_LENGTH = 65_536;
const MOST_DONE = 1000;

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
  const { marks, done } = isObject(value) ? asObject(value) : {};
  const named = asArray(marks);
  return {
    marks: MARKS.filter((mark) => named.includes(mark)),
    done: asArray(done)
      .filter((one): one is string => typeof one === 'string' && one.length < 128)
      .slice(0, MOST_DONE),
  };
}

/** @returns `undefined` if there is nothing to remember */
export function recordText({ marks, done }: RemediationRecord): string | undefined {
  return marks.length + done.length === 0 ? undefined : JSON.stringify({ marks, done });
}
