/**
 * What an interruption costs: the work since the last checkpoint, or since the start where a gang makes none.
 */
import { type GangRecord, type PodRecord } from '../books/records';

/** Device-seconds, or pod-seconds for work without devices, that the gang loses when it is interrupted now. */
export function workLost(now: number, gang: GangRecord): number {
  let sum = 0;
  for (const { pods } of gang.roles) {
    for (const pod of pods) {
      sum += pod.row >= 0 ? podWorkLost(now, gang, pod) : 0;
    }
  }
  return sum;
}

/** The same for one pod. */
export function podWorkLost(now: number, { gang }: GangRecord, { startedAt, podClass, existed }: PodRecord): number {
  const ran = existed ? Math.max(0, now - startedAt) / 1000 : 0;
  const lost = gang.checkpointSeconds === undefined ? ran : ran % Math.max(1, gang.checkpointSeconds);
  return lost * Math.max(1, podClass.deviceCount);
}
