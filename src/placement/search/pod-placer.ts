/**
 * Places pods one by one, or pods of one kind on the fewest nodes, where the policy keeps gangs together. Knows nothing of the units of a gang.
 */
import { type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { type PodClass } from '../nodes/pod-class';
import { type ClaimSearch } from './claim-search';
import { fewestRows } from './fewest-rows';
import { type Room } from './room';
import { RoomIndex } from './room-index';
import { type Selector, type Within } from './select';
import { classesOf, haveClaims } from './units';

export class PodPlacer {
  private readonly index: RoomIndex;

  constructor(
    private readonly session: Session,
    private readonly selector: Selector,
    private readonly room: Room,
    private readonly claims: ClaimSearch,
  ) {
    this.index = session.index(RoomIndex);
  }

  /** Pods of one kind on the fewest nodes where the policy keeps gangs together, others one by one. */
  placeEach(pods: readonly PodRecord[], within: Within): boolean {
    if (haveClaims(pods)) {
      return this.claims.place(pods, within);
    }
    if (
      pods.length > 1 &&
      this.isPacked(pods[0].podClass) &&
      pods.every(({ podClass }) => podClass === pods[0].podClass)
    ) {
      if (this.session.ledger.attempt(() => this.packed(pods, within))) {
        return true;
      }
    }
    return pods.every((pod) => this.placeOne(pod, within));
  }

  placeOne(pod: PodRecord, within: Within): boolean {
    const row = this.selector.best(pod.podClass, within);
    return row >= 0 && this.session.ledger.place(pod, row);
  }

  /** Are pods of the class placed on the fewest nodes? */
  isPacked(podClass: PodClass): boolean {
    const { policy, others, table } = this.session;
    return (
      policy.gangSpread === 'together' &&
      policy.nodeScore !== 'spread' &&
      policy.nodeScore !== 'spread-devices' &&
      policy.nodeScore !== 'first-fit' &&
      podClass.deviceCount > 0 &&
      !podClass.dynamic &&
      !others.active &&
      (policy.affinityWeight === 0 || (!table.softTaints && (podClass.template.preferredNodeTerms ?? []).length === 0))
    );
  }

  private packed(pods: readonly PodRecord[], { rows, without, wishless = false }: Within): boolean {
    const { ledger } = this.session;
    const [{ podClass }] = pods;
    const room = (row: number): number => (without?.[row] === 1 ? 0 : this.room.onRow(podClass, row));
    const among = rows ?? this.index.openRows(podClass);
    const score = this.selector.scoresOf(podClass, wishless, among.length);
    const parts = fewestRows(among, pods.length, room, score);
    let next = 0;
    return (
      parts !== undefined &&
      parts.every(({ row, pods: here }) =>
        pods.slice(next, (next += here)).every((pod) => ledger.fits(podClass, row) && ledger.place(pod, row)),
      )
    );
  }

  /** Do constraints between pods concern any of them? */
  concerns(pods: readonly PodRecord[]): boolean {
    const { others } = this.session;
    return others.active && [...classesOf(pods).keys()].some((podClass) => others.concerns(podClass));
  }
}
