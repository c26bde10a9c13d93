/**
 * The smallest changes with which a gang fits, each sufficient by itself.
 *
 * Every one of them is tried on the books before it is reported, and is the smallest of its kind; what cannot be shown to help is not
 * reported. One change of each kind: the fewest pods less, the least more on one node, the fewest nodes of one pool, the narrowest wider
 * domain, the earliest moment.
 */
import { type Cycle } from '../cycle/cycle';
import { type Counterfactual } from '../model/decision';
import { type Finding } from './finding';
import { earliestStart } from '../cycle/earliest-start';
import { MoreRoom } from './more-room';
import { loweredGuarantees, raisedCapabilities } from './queue-limits';
import { type PodRecord, type RoleRecord, type Turn, type UnitRecord } from '../books/records';
import { otherConstraints } from './relaxed';

type Found = Pick<Finding, 'kind' | 'fits' | 'needed' | 'blocked'>;

/** What would help gangs of a kind whatever their queues and durations are, by kind: as long as the books stay what they are. */
export type KnownChanges = Map<number, readonly Counterfactual[]>;

export function counterfactuals(cycle: Cycle, turn: Turn, found: Found, known: KnownChanges): Counterfactual[] {
  switch (found.kind) {
    case 'queue-capability':
      return [...ofQueues(cycle, turn, raisedCapabilities(cycle, turn))];
    case 'queue-guarantees':
      return [...ofQueues(cycle, turn, loweredGuarantees(cycle, turn))];
    case 'quota-of-non-preemptible':
      return tries(cycle, turn.gang.root, turn.pods) ? [{ kind: 'make-preemptible' }] : [];
    case 'topology':
    case 'no-fit':
      return [...ofNodes(cycle, turn, found, known), ...waiting(cycle, turn)];
    case 'reserved':
      return [...waiting(cycle, turn)];
    case 'unknown-queue':
    case 'queue-closed':
    case 'unknown-topology':
    case 'too-few-pods':
    case 'not-offered':
    case 'outranked':
      return [];
  }
}

/** Worked out once for each kind of gangs of one role: such changes name no role. */
function ofNodes(cycle: Cycle, turn: Turn, found: Found, known: KnownChanges): readonly Counterfactual[] {
  const { kind, placed, roles } = turn.gang;
  const isAlike = kind !== undefined && placed === 0 && roles.length === 1;
  const changes = (isAlike ? known.get(kind) : undefined) ?? [
    ...(found.kind === 'topology' ? widerTopology(cycle, turn) : otherConstraints(cycle, turn)),
    ...capacity(cycle, turn, found),
  ];
  if (isAlike) {
    known.set(kind, changes);
  }
  return changes;
}

function* capacity(cycle: Cycle, turn: Turn, found: Found): Generator<Counterfactual> {
  const room = new MoreRoom(cycle, turn);
  yield* room.onNode();
  yield* fewerPods(cycle, turn, found);
  yield* room.nodes();
}

/** A change of queues is reported only if the gang then fits the nodes. */
function* ofQueues(cycle: Cycle, turn: Turn, change: Counterfactual | undefined): Generator<Counterfactual> {
  if (change !== undefined && tries(cycle, turn.gang.root, turn.pods)) {
    yield change;
  }
}

/** The narrowest wider level that takes the gang, or none at all. */
function* widerTopology(cycle: Cycle, { gang, pods }: Turn): Generator<Counterfactual> {
  const { topology } = gang.gang;
  const tree = topology === undefined ? undefined : cycle.session.topologies.forConstraint(topology);
  if (topology === undefined || topology.required === undefined || tree === undefined) {
    return;
  }
  for (let level = tree.levelOf(topology.required) - 1; level >= 0; level--) {
    if (tries(cycle, { ...gang.root, topology: { ...topology, required: tree.levels[level] } }, pods)) {
      yield { kind: 'wider-topology', level: tree.levels[level] };
      return;
    }
  }
  if (tries(cycle, { ...gang.root, topology: { ...topology, required: undefined } }, pods)) {
    yield { kind: 'wider-topology', level: null };
  }
}

/** As few pods less as let it in; of a gang whose pods differ, pods of one role. */
function* fewerPods(cycle: Cycle, turn: Turn, { fits, kind }: Found): Generator<Counterfactual> {
  const { gang, podClass } = turn;
  if (podClass !== undefined) {
    // Where the constraint is of nodes alone, the pods that fit were counted; else by trying one pod less at a time.
    const counted = gang.gang.topology?.required === undefined || kind === 'topology';
    const most = counted && plain(gang.root) && !podClass.dynamic ? fits : mostPods(cycle, gang.root, turn.pods);
    if (most > 0 && most < turn.count && tries(cycle, gang.root, turn.pods.slice(0, most))) {
      yield { kind: 'fewer-pods', by: turn.count - most };
    }
    return;
  }
  const { pods } = turn;
  const roles = [...new Set(pods.map(({ role }) => role!))].filter(({ role }) => role.leader !== true);
  const most = Math.max(...roles.map((role) => pods.filter((pod) => pod.role === role).length));
  for (let by = 1; by <= most && by <= MOST_FEWER && by < pods.length; by++) {
    const role = roles.find((one) => {
      const left = withoutLast(pods, one, by);
      return left !== undefined && tries(cycle, gang.root, left);
    });
    if (role !== undefined) {
      // Where the gang may leave out pods of any role, its minimum is what is lower.
      yield { kind: 'fewer-pods', by, ...(isFree(role) ? {} : { role: role.role.name }) };
      return;
    }
  }
}

/** Does only the minimum of the whole gang ask for pods of the role? */
function isFree({ gang, unit, minimum }: RoleRecord): boolean {
  return minimum === 0 && unit === gang.root && unit.minimum !== undefined;
}

/** Pods of one role that are taken away at most, where the gang's pods differ. */
const MOST_FEWER = 16;

function withoutLast(pods: readonly PodRecord[], role: RoleRecord, by: number): readonly PodRecord[] | undefined {
  const own = pods.filter((pod) => pod.role === role);
  const gone = new Set(own.slice(own.length - by));
  return own.length < by ? undefined : pods.filter((pod) => !gone.has(pod));
}

/** By halving, as fewer pods of one kind need less. */
function mostPods(cycle: Cycle, root: UnitRecord, pods: readonly PodRecord[]): number {
  let low = 0;
  let high = pods.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (tries(cycle, root, pods.slice(0, middle))) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

function plain({ children, roles, topology }: UnitRecord): boolean {
  return (
    children.length === 0 &&
    topology?.sliceLevel === undefined &&
    roles.every(({ role }) => role.topology === undefined)
  );
}

function* waiting(cycle: Cycle, turn: Turn): Generator<Counterfactual> {
  const at = earliestStart(cycle, turn);
  if (at !== undefined) {
    yield { kind: 'wait-until', at };
  }
}

function tries(cycle: Cycle, root: UnitRecord, pods: readonly PodRecord[]): boolean {
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const fits = cycle.placer.place(root, pods);
  ledger.rollback(mark);
  return fits;
}
