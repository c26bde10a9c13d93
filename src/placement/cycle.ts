/**
 * What one decision has come to so far: the session with its order, its searches, and everything that was decided.
 */
import { type Binding, type Eviction, type Reservation } from './decision';
import { askedFor, type Turn } from './gang-order';
import { GangPlacer } from './place-gang';
import { Queues } from './queues';
import { type GangRecord, type PodRecord } from './records';
import { type Selector, type Within } from './select';
import { type Session } from './session';

export interface Evicted {
  readonly pod: PodRecord;
  readonly row: number;
  readonly action: Eviction['action'];
  readonly beneficiary: GangRecord | undefined;
}

/** Room that is promised to the gang at the head. */
export interface HeadReservation {
  readonly gang: GangRecord;
  readonly startAt: number;
  /** 1 for the rows where the gang will be. */
  readonly rows: Uint8Array;
}

export class Cycle {
  readonly queues: Queues;
  readonly placer: GangPlacer;
  readonly bound: PodRecord[] = [];
  readonly nominated: PodRecord[] = [];
  readonly evicted: Evicted[] = [];
  /** Pods that this decision has evicted or moved already. */
  readonly disturbed = new Set<PodRecord>();
  reservation: HeadReservation | undefined;
  /** True once everything that is on its way out counts as gone: what is placed from then on waits for it. */
  releasesCount = false;

  constructor(
    readonly session: Session,
    readonly selector: Selector,
  ) {
    this.queues = new Queues(session);
    this.placer = new GangPlacer(session, selector);
  }

  /** Do the rules of its queues let the gang have these pods at all? */
  mayHave({ gang, asked }: Turn): boolean {
    const { queue } = gang;
    if (queue === undefined || queue.queue.state === 'closed' || this.queues.isOverCapability(queue, asked)) {
      return false;
    }
    return (
      gang.preemptible ||
      !this.session.policy.nonPreemptibleWithinQuota ||
      this.queues.overQuota(queue, asked) === undefined
    );
  }

  /** Do the ceilings of its queues leave room for pods that ran before? */
  mayReturn({ queue }: GangRecord, pods: readonly PodRecord[]): boolean {
    return queue === undefined || !this.queues.isOverCapability(queue, askedFor(this.session, pods));
  }

  /** Places the pods of the turn, beside what is promised to the gang at the head. */
  place({ gang, pods }: Turn): boolean {
    return this.placer.place(gang.root, pods, this.besideReservation(gang));
  }

  /** Pods that are on their way out, and still hold their room. */
  releasing(): readonly PodRecord[] {
    return this.releasesCount ? [] : this.session.leaving.filter(({ row }) => row >= 0);
  }

  private besideReservation({ gang }: GangRecord): Within {
    if (this.reservation === undefined || this.reservation.gang.gang === gang) {
      return {};
    }
    const ends = gang.expectedSeconds === undefined ? Infinity : this.session.now + gang.expectedSeconds * 1000;
    return ends <= this.reservation.startAt ? {} : { without: this.reservation.rows };
  }

  binding(pod: PodRecord): Binding {
    const { table } = this.session;
    const start = table.deviceStart[pod.row];
    return {
      pod: pod.name,
      gang: pod.role!.gang.gang.name,
      role: pod.role!.role.name,
      node: table.nodes[pod.row].name,
      devices: pod.devices.map((slot) => slot - start),
    };
  }

  eviction({ pod, row, action, beneficiary }: Evicted): Eviction {
    const { nodes } = this.session.table;
    return {
      pod: pod.name,
      gang: pod.role!.gang.gang.name,
      node: nodes[row].name,
      action,
      ...(beneficiary === undefined ? {} : { beneficiary: beneficiary.gang.name }),
      ...(pod.row >= 0 ? { movesTo: nodes[pod.row].name } : {}),
    };
  }

  reservations(): readonly Reservation[] {
    if (this.reservation === undefined) {
      return [];
    }
    const { gang, startAt, rows } = this.reservation;
    return [
      {
        gang: gang.gang.name,
        startAt,
        nodes: this.session.table.nodes.filter((_, row) => rows[row] === 1).map(({ name }) => name),
      },
    ];
  }
}
