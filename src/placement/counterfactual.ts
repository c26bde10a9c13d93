/**
 * The smallest changes that would let a gang in, each enough by itself, and each of them tried on the books before it is said.
 */

import { type Cycle } from './cycle';
import { type Counterfactual, type PendingGang } from './decision';

import { type Turn, type UnitRecord } from './records';
import { reserve } from './reserve';

type Found = Pick<PendingGang, 'kind' | 'fits' | 'needed' | 'nearest'>;

export function counterfactuals(cycle: Cycle, turn: Turn, found: Found): Counterfactual[] {
  switch (found.kind) {
    case 'queue-capability':
      return [...raisedCapability(cycle, turn)];
    case 'quota-of-non-preemptible':
      return [{ kind: 'make-preemptible' }];
    case 'topology':
      return [...widerTopology(cycle, turn), ...fewerPods(cycle, turn, found), ...waiting(cycle, turn)];
    case 'no-fit':
      return [...moreOnNode(cycle, turn, found), ...fewerPods(cycle, turn, found), ...waiting(cycle, turn)];
    case 'reserved':
      return cycle.reservation === undefined ? [] : [{ kind: 'wait-until', at: cycle.reservation.startAt }];
    case 'unknown-queue':
    case 'queue-closed':
    case 'unknown-topology':
    case 'too-few-pods':
    case 'outranked':
      return [];
  }
}

/** All ceilings that are in the way, since raising some of them lets nothing in; said only where there is room for the gang then. */
function* raisedCapability(cycle: Cycle, turn: Turn): Generator<Counterfactual> {
  const { accounts } = cycle.session;
  const raises = [...cycle.queues.excesses(turn.gang.queue!, turn.asked)].map(({ queue, account, by }) => ({
    queue: queue.queue.name,
    resource: accounts[account],
    by: Math.round(by * 1000) / 1000,
  }));
  if (raises.length > 0 && tries(cycle, turn.gang.root, turn.pods)) {
    yield { kind: 'raise-capability', raises };
  }
}

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
  yield { kind: 'wider-topology', level: null };
}

/** The pods that fit are enough once the gang asks for no more; only where a part of the gang is of any use. */
function* fewerPods(cycle: Cycle, { gang, pods }: Turn, { fits, needed }: Found): Generator<Counterfactual> {
  const counted = needed > MANY && gang.gang.topology?.required === undefined && gang.root.children.length === 0;
  if (fits > 0 && fits < needed && (counted || tries(cycle, gang.root, pods.slice(0, fits)))) {
    yield { kind: 'fewer-pods', by: needed - fits };
  }
}

/** What the nearest node lacks for all pods that are left over, when it is one resource. */
function* moreOnNode(cycle: Cycle, turn: Turn, { nearest, fits }: Found): Generator<Counterfactual> {
  const { table, ledger } = cycle.session;
  const left = turn.pods.slice(fits);
  if (
    nearest?.missing === undefined ||
    turn.pods.length > MANY ||
    nearest.detail === undefined ||
    left.some(({ podClass }) => podClass !== left[0].podClass)
  ) {
    return;
  }
  const row = table.rows.get(nearest.node)!;
  const mark = ledger.mark();
  const placed = turn.pods.slice(0, fits).every((pod) => {
    const best = cycle.selector.best(pod.podClass);
    return best >= 0 && ledger.place(pod, best);
  });
  const { podClass } = left[0];
  const amount = placed ? shortage(cycle, left.length, row, nearest.detail) : undefined;
  ledger.rollback(mark);
  if (amount !== undefined && podClass.accelerator?.kind !== 'mig') {
    yield { kind: 'more-on-node', node: nearest.node, resource: nearest.detail, amount };
  }

  function shortage({ session }: Cycle, count: number, at: number, resource: string): number | undefined {
    const short = [...podClass.columns].flatMap((column, i) => {
      const missing = podClass.amounts[i] * count - session.table.free[column][at];
      return missing > 0 ? [{ resource: session.table.resources[column], missing }] : [];
    });
    if (podClass.accelerator !== undefined) {
      const free =
        podClass.accelerator.kind === 'whole'
          ? session.table.wholeFree[at]
          : session.ledger.capacity({ ...podClass, columns: NO_COLUMNS }, at, count);
      const missing = podClass.deviceCount * count - free;
      if (missing > 0) {
        short.push({ resource: session.table.deviceResource[at], missing });
      }
    }
    const has = session.table.nodes[at].allocatable[resource] ?? 0;
    const [only] = short;
    return short.length === 1 && only.resource === resource && (has === 0 || only.missing <= MOST_GROWTH * has)
      ? only.missing
      : undefined;
  }
}

/** Nobody builds a node of more than thrice the size to let a gang in. */
const MOST_GROWTH = 2;

/** Gangs of more pods than this do not get in by one node. */
const MANY = 64;

const NO_COLUMNS = new Int32Array();

function* waiting(cycle: Cycle, turn: Turn): Generator<Counterfactual> {
  const promised = cycle.reservation?.gang === turn.gang ? cycle.reservation : reserve(cycle, turn);
  if (promised !== undefined) {
    yield { kind: 'wait-until', at: promised.startAt };
  }
}

function tries(cycle: Cycle, root: UnitRecord, pods: Turn['pods']): boolean {
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const fits = cycle.placer.place(root, pods);
  ledger.rollback(mark);
  return fits;
}
