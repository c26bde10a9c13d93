/**
 * What a gang asks for next: the pods of its next turn, and their sum.
 */
import { missingPods, optionalPods, otherChoices, type RoomFor, runs } from '../books/needs';
import { type GangRecord, type PodRecord, type Turn } from '../books/records';
import { type Session } from '../books/session';
import { type PodClass, type SharedCharge } from '../nodes/pod-class';

/** The pods a gang is to get next; undefined when there are none. */
export function turnOf(session: Session, gang: GangRecord): Turn | undefined {
  if (gang.placed > 0 || (gang.kind === undefined && !(gang.start === 'same-pods' && gang.claimPods === undefined))) {
    return turnNow(session, gang);
  }
  // It starts with the same pods, whenever that is.
  return (gang.firstTurn ??= turnNow(session, gang));
}

function turnNow(session: Session, gang: GangRecord): Turn | undefined {
  const { fresh } = gang.roles.length === 1 ? gang.roles[0] : NO_ROLE;
  if (fresh !== undefined && gang.kind !== undefined && gang.placed === 0 && gang.root.children.length === 0) {
    return gang.needed > gang.roles[0].size ? undefined : new FirstTurn(session, gang, fresh);
  }
  const below = !runs(gang);
  const roomFor: RoomFor = (podClass) => roomOf(session, podClass);
  const pods = below ? missingPods(gang, roomFor) : optionalPods(gang, roomFor).slice(0, 1);
  return pods === undefined || pods.length === 0 ? undefined : turnWith(session, gang, pods, !below);
}

const NO_ROLE: { readonly fresh: PodClass | undefined } = { fresh: undefined };

/** What a gang of one role starts with that has no pods yet: the first of its pods, which are made when they are asked for. */
class FirstTurn implements Turn {
  readonly asked: Float64Array;
  readonly optional = false;
  private list: readonly PodRecord[] | undefined;

  constructor(
    session: Session,
    readonly gang: GangRecord,
    readonly podClass: PodClass,
  ) {
    // What pods share is not charged for each of them.
    this.asked = session.firstAsked[gang.kind!] ??=
      podClass.shared.length > 0 ? askedFor(session, this.pods) : chargedFor(session, podClass, gang.needed);
  }

  get count(): number {
    return this.gang.needed;
  }

  get pods(): readonly PodRecord[] {
    return (this.list ??= firstOf(this.gang.roles[0].pods, this.gang.needed));
  }
}

function firstOf(pods: readonly PodRecord[], count: number): readonly PodRecord[] {
  return pods.length === count ? pods : pods.slice(0, count);
}

function turnWith(session: Session, gang: GangRecord, pods: readonly PodRecord[], optional: boolean): Turn {
  const [{ podClass }] = pods;
  return {
    gang,
    pods,
    count: pods.length,
    podClass: pods.every((pod) => pod.podClass === podClass) ? podClass : undefined,
    asked:
      gang.kind !== undefined && gang.placed === 0 ? askedFirst(session, gang.kind, pods) : askedFor(session, pods),
    optional,
  };
}

/** Gangs of one kind ask for the same. */
function askedFirst(session: Session, kind: number, pods: readonly PodRecord[]): Float64Array {
  return (session.firstAsked[kind] ??= askedFor(session, pods));
}

/** Can there be other turns of the gang? Those of a kind start with the same pods, and may then grow with any. */
export function hasChoices({ gang, optional }: Turn): boolean {
  return gang.roles.length > 1 && (optional || gang.kind === undefined);
}

/**
 * What the gang may get instead of the turn: where it needs only some of its pods, those of other roles. Whether a choice fits depends on more
 * than the room for each of its pods: on the required topology, and on the limits of queues for each resource.
 */
export function* otherTurns(session: Session, { gang, pods, optional }: Turn): Generator<Turn> {
  const [{ podClass }] = pods;
  const choices = optional
    ? optionalPods(gang, (other) => roomOf(session, other)).flatMap((pod) => (pod.podClass === podClass ? [] : [[pod]]))
    : otherChoices(gang, pods);
  for (const choice of choices) {
    yield turnWith(session, gang, choice, optional);
  }
}

/** How many pods of the class the cluster takes as it is. */
function roomOf(session: Session, podClass: PodClass): ReturnType<RoomFor> {
  const { table, ledger } = session;
  const fixed = session.staticRow(podClass);
  let now = 0;
  for (let row = 0; row < table.count; row++) {
    now += fixed[row] === 0 && session.allowed(podClass, row) ? ledger.capacity(podClass, row, 1_000_000) : 0;
  }
  return { now, ever: fixed.includes(0) };
}

export function askedFor(session: Session, pods: readonly PodRecord[]): Float64Array {
  const asked = new Float64Array(session.accounts.length);
  for (let from = 0, to = 0; from < pods.length; from = to) {
    const { podClass } = pods[from];
    while (to < pods.length && pods[to].podClass === podClass) {
      to++;
    }
    addCharge(session, podClass, to - from, asked);
  }
  for (const [shared, times] of repeatedIn(pods)) {
    const { ids, amounts } = session.ledger.chargeOfShared(shared);
    ids.forEach((account, i) => (asked[account] -= times * amounts[i]));
  }
  return asked;
}

/** The same for pods of one class that share nothing. */
function chargedFor(session: Session, podClass: PodClass, count: number): Float64Array {
  const asked = new Float64Array(session.accounts.length);
  addCharge(session, podClass, count, asked);
  return asked;
}

function addCharge({ ledger }: Session, podClass: PodClass, count: number, asked: Float64Array): void {
  const { ids, amounts } = ledger.charge(podClass);
  for (let i = 0; i < ids.length; i++) {
    asked[ids[i]] = plus(asked[ids[i]], amounts[i], count);
  }
}

/** Claims that pods of a gang share are charged once: how often they are among what is asked for these pods beyond that. */
export function repeatedIn(pods: readonly PodRecord[]): ReadonlyMap<SharedCharge, number> {
  const seen = new Set<string>();
  const repeated = new Map<SharedCharge, number>();
  for (const { podClass, role } of pods) {
    for (const shared of podClass.shared) {
      const isCharged = seen.has(shared.key) || (role?.gang.claimPods?.get(shared.key)?.all ?? 0) > 0;
      if (isCharged) {
        repeated.set(shared, (repeated.get(shared) ?? 0) + 1);
      }
      seen.add(shared.key);
    }
  }
  return repeated;
}

/** The sum as if the amount were added time after time: parts of devices are rounded each time, whole numbers never. */
function plus(sum: number, amount: number, times: number): number {
  if (Number.isInteger(amount) && Number.isInteger(sum)) {
    return sum + amount * times;
  }
  for (let i = 0; i < times; i++) {
    sum += amount;
  }
  return sum;
}
