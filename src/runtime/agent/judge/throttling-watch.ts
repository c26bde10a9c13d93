/**
 * Which pods are throttled at their CPU limit, from the counters of two observations.
 */
import { type Throttling } from '../host/cgroups';
import { type Observation } from '../observation';
import { type Finding } from './finding';

/** Fewer periods than these say nothing: a second has ten. */
const FEWEST_PERIODS = 20;
const MOST_NAMED = 3;

export interface ThrottledPod {
  readonly uid: string;
  /** Part of the periods since the last observation, of the container that is throttled most. */
  readonly ratio: number;
}

export class ThrottlingWatch {
  private before = new Map<string, ReadonlyMap<string, Throttling>>();
  /** Of the last observation, pods with a CPU limit only. */
  pods: readonly ThrottledPod[] = [];

  constructor(private readonly limit: number) {}

  add({ cgroups, podNames }: Observation): Finding | 'fine' | 'none' {
    if (cgroups === undefined) {
      return 'none';
    }
    const pods = cgroups.pods.flatMap(({ uid, throttling }) => {
      const before = this.before.get(uid);
      const ratios = [...throttling].flatMap(([group, now]) => ratioBetween(before?.get(group), now) ?? []);
      return ratios.length === 0 ? [] : [{ uid, ratio: Math.max(...ratios) }];
    });
    this.before = new Map(cgroups.pods.map(({ uid, throttling }) => [uid, throttling]));
    this.pods = pods.sort((a, b) => b.ratio - a.ratio || (a.uid < b.uid ? -1 : 1));
    const throttled = this.pods.filter(({ ratio }) => ratio >= this.limit);
    if (throttled.length === 0) {
      return 'fine';
    }
    const named = throttled.slice(0, MOST_NAMED).map(({ uid, ratio }) => {
      const pod = podNames?.get(uid);
      return `${pod === undefined ? `pod ${uid}` : `${pod.namespace}/${pod.name}`} in ${Math.round(ratio * 100)}% of the periods`;
    });
    const more = throttled.length > MOST_NAMED ? ` and ${throttled.length - MOST_NAMED} more` : '';
    return { reason: 'CpuLimitReached', message: `CPU limits throttle containers: ${named.join(', ')}${more}` };
  }
}

/** A counter that went back is a container that was started again. */
function ratioBetween(before: Throttling | undefined, now: Throttling): number | undefined {
  const periods = now.periods - (before?.periods ?? now.periods);
  const throttled = now.throttled - (before?.throttled ?? now.throttled);
  return periods < FEWEST_PERIODS || throttled < 0 ? undefined : Math.min(1, throttled / periods);
}
