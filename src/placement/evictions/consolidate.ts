/**
 * Moves running pods so that a pending gang fits and no running pod is lost.
 *
 * Moves have a price: the device-seconds since the last checkpoint (or the start) of every gang that is interrupted. They happen only
 * where the gang gains more than that: its devices, times the seconds that it would wait otherwise. A decision moves at most
 * `Policy.moveLimit` pods, and no pod twice within `Policy.moveIntervalSeconds`.
 *
 * The smallest sets of pods are looked for first (`few-moves.ts`); where more than a few have to move, the nodes are cleared on which that
 * takes the fewest moves (`clear-rows.ts`); whole gangs, which may have to change their domain, go through the common method of
 * `make-room.ts`, refused if anybody is lost.
 */
import { clearRows } from './clear-rows';
import { type Cycle } from '../cycle/cycle';
import { commit, holds, type Outcome, type Places } from './carry-out';
import { evictFor } from './eviction-search';
import { fewMoves } from './few-moves';
import { isSurplus, rolesIn } from '../books/needs';
import { WHOLE } from '../nodes/node-table';
import { type PodClass } from '../nodes/pod-class';
import { type GangRecord, type PodRecord, type Portion, type Turn } from '../books/records';
import { reserve } from '../cycle/reserve';
import { portions } from './running';
import { classesOfTurn } from '../search/units';
import { evictable, victimOrder } from './victims';
import { podWorkLost, workLost } from './work-lost';

/** What a gang waits whose start is not known, seconds. */
const UNKNOWN_WAIT = 86_400;
/** Gangs for which a decision tries to move whole gangs. */
const MOST_WHOLE = 4;

export class Consolidation {
  private gain: number | undefined;

  constructor(
    private readonly cycle: Cycle,
    private readonly turn: Turn,
  ) {}

  run(claimants: ReadonlySet<PodClass>): boolean {
    const { cycle, turn } = this;
    if (cycle.moveTrials <= 0 || cycle.moveSets <= 0 || !cycle.mayHave(turn) || !this.enoughInAll(claimants)) {
      return false;
    }
    if (this.fitsAnyway()) {
      return true;
    }
    const movable = this.movable();
    if (movable.length === 0) {
      return false;
    }
    const accept = (moved: readonly PodRecord[], places: Places): boolean => this.accept(moved, places);
    return (
      fewMoves(cycle, turn, movable, accept) || clearRows(cycle, turn, movable, accept) || this.wholeGangs(claimants)
    );
  }

  /** What the decision has evicted before, or left waiting, may leave enough room: then nothing has to move. */
  private fitsAnyway(): boolean {
    const { cycle, turn } = this;
    if (!cycle.place(turn)) {
      return false;
    }
    commit(cycle, turn, 'consolidate', { moved: [], lost: [], places: new Map() });
    return true;
  }

  /** Pods that run and may be moved. */
  private movable(): readonly PodRecord[] {
    const { cycle, turn } = this;
    const all = cycle.kept('movable', () => movablePods(cycle));
    return turn.gang.placed === 0 ? all : all.filter(({ role }) => role!.gang !== turn.gang);
  }

  /** Called with the gang and the moved pods in place. */
  private accept(moved: readonly PodRecord[], places: Places): boolean {
    const { cycle, turn } = this;
    const moves = moved.filter(({ existed }) => existed).length;
    if (cycle.moves + moves > cycle.session.policy.moveLimit || cycle.moveTrials <= 0 || !this.pays(moved)) {
      return false;
    }
    cycle.moveTrials--;
    const outcome: Outcome = { moved: moved.map(asPortion), lost: [], places };
    if (!holds(cycle, turn, outcome)) {
      return false;
    }
    cycle.moves += moves;
    commit(cycle, turn, 'consolidate', outcome);
    return true;
  }

  /** Does the gang gain more than the moves lose? */
  private pays(moved: readonly PodRecord[]): boolean {
    const { now } = this.cycle.session;
    const interrupted = new Set<GangRecord>();
    let loss = 0;
    for (const pod of moved) {
      const { gang } = pod.role!;
      if (interrupted.has(gang)) {
        continue;
      }
      if (isSurplus(pod, new Set())) {
        loss += podWorkLost(now, gang, pod);
      } else {
        interrupted.add(gang);
        loss += workLost(now, gang);
      }
    }
    return loss === 0 || this.gained() > loss;
  }

  /** Device-seconds, or pod-seconds for work without devices. */
  private gained(): number {
    if (this.gain === undefined) {
      const { cycle, turn } = this;
      const devices = turn.pods.reduce((sum, { podClass }) => sum + Math.max(1, podClass.deviceCount), 0);
      const { ledger, now } = cycle.session;
      const mark = ledger.mark();
      turn.pods.forEach((pod) => pod.row >= 0 && ledger.remove(pod));
      const startAt = reserve(cycle, turn)?.startAt;
      ledger.rollback(mark);
      this.gain = devices * (startAt === undefined ? UNKNOWN_WAIT : (startAt - now) / 1000);
    }
    return this.gain;
  }

  /** Gangs that must stay in one domain can only move as a whole. */
  private wholeGangs(claimants: ReadonlySet<PodClass>): boolean {
    const { cycle, turn } = this;
    const { session } = cycle;
    const bound = session.gangs.filter(
      ({ placed, gang, root }) => placed > 0 && gang !== turn.gang.gang && root.topology?.required !== undefined,
    );
    if (bound.length === 0 || cycle.wholeMoves >= MOST_WHOLE) {
      return false;
    }
    cycle.wholeMoves++;
    const movable = new Set(this.movable());
    const others = session.gangs.filter(({ placed, gang }) => placed > 0 && gang !== turn.gang.gang);
    const list = portions(cycle, others.sort(victimOrder(cycle)), claimants);
    const allows = ({ lost, moved }: Outcome): boolean => {
      const pods = moved.flatMap((portion) => portion.pods);
      const moves = pods.filter(({ existed }) => existed).length;
      if (lost.length > 0 || cycle.moves + moves > session.policy.moveLimit || !this.pays(pods)) {
        return false;
      }
      cycle.moves += moves;
      return true;
    };
    return evictFor(
      { cycle, turn, action: 'consolidate', allows },
      list.filter(({ pods }) => pods.every((pod) => movable.has(pod))),
    );
  }

  /** Moving pods makes no room that was not there in all. */
  private enoughInAll(claimants: ReadonlySet<PodClass>): boolean {
    const { table } = this.cycle.session;
    const wanted = new Map<number, number>();
    let devices = 0;
    for (const [podClass, count] of classesOfTurn(this.turn)) {
      podClass.columns.forEach((column, i) =>
        wanted.set(column, (wanted.get(column) ?? 0) + count * podClass.amounts[i]),
      );
      devices += count * deviceMilli(podClass);
    }
    const free = this.cycle.freeInAll();
    return (
      claimants.size > 0 &&
      free.devices >= devices &&
      [...wanted].every(([column, amount]) => free.columns[column] >= amount) &&
      table.count > 1
    );
  }
}

function movablePods(cycle: Cycle): readonly PodRecord[] {
  const { gangs, now, policy } = cycle.session;
  const longAgo = now - policy.moveIntervalSeconds * 1000;
  const found: PodRecord[] = [];
  for (const { placed, root } of gangs) {
    if (placed > 0) {
      for (const { pods } of root.children.length === 0 ? root.roles : rolesIn(root)) {
        for (const pod of pods) {
          if (pod.row >= 0 && !pod.releasing && (!pod.existed || pod.startedAt <= longAgo) && evictable(cycle, pod)) {
            found.push(pod);
          }
        }
      }
    }
  }
  return found;
}

function asPortion(pod: PodRecord): Portion {
  const { gang } = pod.role!;
  return { gang, pods: [pod], core: !isSurplus(pod, new Set()) };
}

/** Thousandths of devices; none where the part depends on the device. */
function deviceMilli({ accelerator, deviceCount }: PodClass): number {
  switch (accelerator?.kind) {
    case 'whole':
      return deviceCount * WHOLE;
    case 'fraction':
      return deviceCount * accelerator.milli;
    case undefined:
    case 'mig':
    case 'memory':
    case 'shared':
      return 0;
  }
}
