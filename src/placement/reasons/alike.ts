/**
 * Gangs that wait for the same reason, so that it is found out once for thousands of them.
 */
import { type GangRecord, type PodRecord } from '../books/records';
import { type Cycle } from '../cycle/cycle';
import { canonicalText } from '../model/canonical-text';

/** The duration of the gang, where what is said of it may depend on that: does it run before what is promised to another gang? */
export function secondsOf(cycle: Cycle, gang: GangRecord): number | undefined {
  return cycle.reservation === undefined || cycle.keepsOff(gang) ? undefined : gang.gang.expectedSeconds;
}

/**
 * Equal for gangs of one duration that wait for the same reason; a number where that is enough, since thousands of gangs are asked for it.
 */
export function kindOf(cycle: Cycle, gang: GangRecord): number | string {
  const keepsOff = cycle.keepsOff(gang);
  const isHead = cycle.reservation !== undefined && cycle.reservation.gang === gang;
  if (gang.kind !== undefined && gang.placed === 0) {
    if (gang.queue !== undefined) {
      const right = (gang.preemptible ? 4 : 0) + (keepsOff ? 2 : 0) + (isHead ? 1 : 0);
      return (gang.kind * cycle.session.queues.length + gang.queue.index) * 8 + right;
    }
    return `${gang.kind} ${gang.preemptible} ${keepsOff} ${isHead} ${gang.gang.queue}`;
  }
  return textOf(gang, keepsOff, isHead);
}

function textOf(gang: GangRecord, keepsOff: boolean, isHead: boolean): string {
  const { queue, minimum, subgroups, topology } = gang.gang;
  const roles = gang.roles.map((role) => [
    role.minimum,
    role.placed,
    role.role.topology,
    role.role.subgroup,
    runsOfPods(role.pods),
  ]);
  return canonicalText([queue, gang.preemptible, minimum, subgroups, topology, keepsOff, roles, isHead]);
}

/** Neighbors that are alike as one entry: class, row, how many. */
function runsOfPods(pods: readonly PodRecord[]): number[] {
  const runsOf: number[] = [];
  for (const { podClass, row } of pods) {
    const at = runsOf.length - 3;
    if (at >= 0 && runsOf[at] === podClass.id && runsOf[at + 1] === row) {
      runsOf[at + 2]++;
    } else {
      runsOf.push(podClass.id, row, 1);
    }
  }
  return runsOf;
}
