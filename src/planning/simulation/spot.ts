/**
 * Interruptions of spot nodes: a notice, at which pods are evicted, the end of the node, and the node that replaces it.
 */
import { randomNumbers } from './arrivals';
import { type ScenarioEvent } from './scenario';

export interface SpotTerms {
  /** Interruptions of one node per hour in which it runs. */
  readonly interruptionsPerHour: number;
  /** From the notice to the end of the node. */
  readonly noticeSeconds: number;
  /** From the end of a node to the start of the node that replaces it. */
  readonly replacedAfterSeconds: number;
}

/** A time in which a spot node does not run. */
export interface Outage {
  readonly notice: number;
  /** The node ends. */
  readonly from: number;
  /** The node that replaces it starts; `undefined` if there is none. */
  readonly to: number | undefined;
}

/** Interruptions of one spot node: times between them are exponential. */
export function drawOutages(
  { interruptionsPerHour, noticeSeconds, replacedAfterSeconds }: SpotTerms,
  seed: number,
  until: number,
): readonly Outage[] {
  const outages: Outage[] = [];
  if (interruptionsPerHour === 0) {
    return outages;
  }
  const random = randomNumbers(seed);
  let at = 0;
  for (;;) {
    const notice = Math.round(at + (-Math.log(1 - random()) * 3600) / interruptionsPerHour);
    if (notice >= until) {
      return outages;
    }
    const from = notice + noticeSeconds;
    const to = from + replacedAfterSeconds;
    outages.push({ notice, from, to });
    at = Math.max(to, notice + 1);
  }
}

export function reclaimEvents(nodes: readonly string[], { notice, from, to }: Outage): readonly ScenarioEvent[] {
  return [
    { at: notice, kind: 'reclaim', nodes },
    { at: from, kind: 'leave', nodes },
    ...(to === undefined ? [] : [{ at: to, kind: 'join', nodes } as const]),
  ];
}

/** Equal on every machine for equal parts (FNV-1a). */
export function seedOf(...parts: readonly (string | number)[]): number {
  let hash = 2_166_136_261;
  for (const character of parts.join('/')) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619);
  }
  return hash >>> 0;
}
