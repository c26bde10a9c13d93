/**
 * Why each gang that waits does so: the rule or constraint that holds it, how many nodes each constraint excludes, the nearest miss, and
 * the smallest changes after which it would fit.
 *
 * The rules of queues are asked first, then the gang is tried again on the books after the decision: unchanged, without
 * its topology, and pod by pod until one does not fit. Identical gangs are explained once. O(nodes + one placement) for each kind.
 */
import { kindOf, secondsOf } from './alike';
import { blockage, notOffered } from './blocked';
import { counterfactuals, type KnownChanges } from './counterfactual';
import { type Cycle } from '../cycle/cycle';
import { type Counterfactual, type PendingGang } from '../model/decision';
import { inUse, unsatisfiable } from './claim-reasons';
import { type Finding } from './finding';
import { turnOf } from '../queues/turns';
import { runs } from '../books/needs';
import { leastChanges } from './least-changes';
import { obstacleText } from './obstacle-words';
import { limitOf } from './queue-limits';
import { addAll } from '../../facts/collections';
import { allOf, counted } from '../../facts/words';
import { classesOfTurn, turnHasClaims } from '../search/units';
import { type GangRecord, NOWHERE, type PodRecord, type Turn } from '../books/records';

/** What is said of a gang that waits: nothing, why it waits, or also the changes that would help, which cost more than all else. */
export type Detail = 'none' | 'reason' | 'changes';

/** How much is to be said of each gang. */
export type Asks = (gang: string) => Detail;

const EVERYTHING: Asks = () => 'changes';

/** Nothing is said of any gang. */
export const NOTHING: Asks = () => 'none';

interface Explained {
  /** Of the first gang of its kind. */
  readonly reason: PendingGang;
  readonly detail: Detail;
  /** It has the members of most reasons, in their order. */
  readonly isUsual: boolean;
}

/** What was found out for the first gang of a kind, as long as the books stay what they are. */
interface Known {
  readonly findings: Map<string, Finding>;
  readonly changes: KnownChanges;
}

/** Members of a reason why pods find no room. */
const USUAL_MEMBERS = 'gang,queue,kind,role,blocked,nearest,fits,needed,message,counterfactuals';

/** Reasons on the books after a decision, one gang at a time: until the next decision or the next change of the world. */
export class PendingReasons {
  /** By kind, then by the duration that counts. */
  private readonly kinds = new Map<number | string, Map<number | undefined, Explained>>();
  private readonly known: Known = { findings: new Map(), changes: new Map() };
  /** The kind that was asked for last: neighbors are mostly alike. */
  private lastKey: number | string | undefined;
  private lastOfKind = new Map<number | undefined, Explained>();

  constructor(private readonly cycle: Cycle) {}

  /** Does the gang have nothing, or less than it needs? */
  waits(name: string): boolean {
    const gang = this.cycle.session.gangNamed(name);
    return gang !== undefined && lacks(gang);
  }

  /** Why the gang waits; `undefined` where it does not. */
  of(name: string, detail: Detail = 'changes'): PendingGang | undefined {
    const gang = this.cycle.session.gangNamed(name);
    return gang === undefined || !lacks(gang) ? undefined : this.explained(gang, detail);
  }

  explained(gang: GangRecord, detail: Detail): PendingGang {
    const { cycle, kinds } = this;
    const awaited = cycle.awaited.size === 0 ? undefined : cycle.awaited.get(gang);
    if (awaited !== undefined) {
      return awaitsRepartition(cycle, gang, awaited, 'The gang starts when');
    }
    const heldBack = cycle.heldBack.get(gang);
    if (heldBack !== undefined) {
      return awaitsRepartition(cycle, gang, heldBack, 'The gang fits, but would be evicted for another gang when');
    }
    const key = kindOf(cycle, gang);
    let ofKind = this.lastOfKind;
    if (key !== this.lastKey) {
      ofKind = kinds.get(key) ?? new Map<number | undefined, Explained>();
      kinds.set(key, ofKind);
      this.lastKey = key;
      this.lastOfKind = ofKind;
    }
    const seconds = secondsOf(cycle, gang);
    let explained = ofKind.get(seconds);
    if (explained === undefined || (explained.detail === 'reason' && detail === 'changes')) {
      const reason = explain(cycle, gang, this.known, detail === 'changes');
      explained = { reason, detail, isUsual: Object.keys(reason).join() === USUAL_MEMBERS };
      ofKind.set(seconds, explained);
    }
    return ofOther(explained, gang.gang.name);
  }
}

/** The same for another gang of its kind. Thousands are copied, and members that are named take a fraction of the time. */
function ofOther({ reason, isUsual }: Explained, gang: string): PendingGang {
  if (!isUsual) {
    return { ...reason, gang };
  }
  const { queue, kind, role, blocked, nearest, fits, needed, message, counterfactuals: changes } = reason;
  return { gang, queue, kind, role, blocked, nearest, fits, needed, message, counterfactuals: changes };
}

/** Gangs with the detail `none` are left out. */
export function explainPending(
  cycle: Cycle,
  considered: readonly GangRecord[],
  asks: Asks = EVERYTHING,
): PendingGang[] {
  const reasons = new PendingReasons(cycle);
  const pending: PendingGang[] = [];
  for (const gang of waitingIn(cycle, considered)) {
    const detail = asks(gang.gang.name);
    if (detail !== 'none') {
      pending.push(reasons.explained(gang, detail));
    }
  }
  return pending;
}

/** The gang waits for nothing but the MIG configurations that these nodes get. */
function awaitsRepartition(
  cycle: Cycle,
  { gang, needed, placed }: GangRecord,
  nodes: readonly string[],
  what: string,
): PendingGang {
  const { table } = cycle.session;
  const decided = new Map(cycle.repartitions.map(({ node, config }) => [node, config]));
  const list = nodes.slice(0, MOST_NODES).map((node) => {
    const config = decided.get(node) ?? table.nodes[table.rows.get(node)!].migChange!;
    return `node "${node}" has the MIG configuration "${config}"`;
  });
  const others = nodes.length - list.length;
  return {
    gang: gang.name,
    queue: gang.queue,
    kind: 'repartition',
    message: `${what} ${allOf([...list, ...(others > 0 ? [`${counted(others, 'more node')} ${others === 1 ? 'is' : 'are'} changed`] : [])])}.`,
    blocked: [],
    fits: 0,
    needed: Math.max(0, needed - placed),
    counterfactuals: [],
  };
}

/** Gangs that have nothing, or less than they need: those that were considered first, in their order. */
function waitingIn(cycle: Cycle, considered: readonly GangRecord[]): readonly GangRecord[] {
  const found: GangRecord[] = [];
  const list = ++lists;
  // Thousands of them, each once: a number on the gang takes a fraction of the time of a set.
  for (const gang of considered) {
    if (gang.listed !== list && isBelow(gang)) {
      gang.listed = list;
      found.push(gang);
    }
  }
  // Thousands of gangs may have started, and only the others are put in order.
  addAll(
    found,
    cycle.shortOfPods((gang) => gang.listed !== list && lacks(gang)),
  );
  return found;
}

/** How many lists of gangs that wait were made. */
let lists = 0;

function isBelow(gang: GangRecord): boolean {
  return gang.size > 0 && (gang.placed === 0 || !runs(gang));
}

function lacks(gang: GangRecord): boolean {
  return isBelow(gang) && gang.placed < gang.size;
}

function explain(cycle: Cycle, gang: GangRecord, known: Known, suggests: boolean): PendingGang {
  const gone = evictedPods(gang);
  gone.forEach((pod) => (pod.waits = true));
  const turn = turnOf(cycle.session, gang);
  const { words, finding, changes } =
    turn === undefined ? nothingFor(find(cycle, gang, undefined, known)) : explainTurn(cycle, turn, known, suggests);
  gone.forEach((pod) => (pod.waits = false));
  return { gang: gang.gang.name, queue: gang.gang.queue, ...finding, message: words, counterfactuals: changes };
}

interface Said {
  readonly words: string;
  readonly finding: Omit<Finding, 'words'>;
  readonly changes: Counterfactual[];
}

function nothingFor({ words, ...finding }: Finding): Said {
  return { words, finding, changes: [] };
}

/**
 * What keeps the first choice of pods waiting, and the smallest changes of each kind, whichever of its pods the gang starts with. Where another
 * choice fits as it is, only what that choice waits for matters.
 */
function explainTurn(cycle: Cycle, turn: Turn, known: Known, suggests: boolean): Said {
  let choices: { readonly choice: Turn; readonly found: Finding }[] = [];
  cycle.withOwnChoices(() => {
    choices = [turn, ...cycle.otherChoices(turn)].map((choice) => ({
      choice,
      found: find(cycle, turn.gang, choice, known),
    }));
  });
  const fitting = choices.filter(({ found }) => found.kind === 'reserved' || found.kind === 'outranked');
  const relevant = fitting.length > 0 ? fitting : choices;
  const { words, ...finding } = relevant[0].found;
  const changes = suggests
    ? relevant.map(({ choice, found }) => counterfactuals(cycle, choice, found, known.changes))
    : [[]];
  if (changes.length === 1) {
    return { words, finding, changes: changes[0] };
  }
  const { topology } = turn.gang.gang;
  const tree = topology === undefined ? undefined : cycle.session.topologies.forConstraint(topology);
  const areMixed = relevant.some(({ choice }) => choice.podClass === undefined);
  const widthOf = (level: string | null): number =>
    level === null || tree === undefined ? Infinity : -tree.levelOf(level);
  return { words, finding, changes: leastChanges(changes, areMixed, widthOf) };
}

/** Pods that were evicted wait like new ones. Gangs of a kind have only new ones. */
function evictedPods({ kind, roles }: GangRecord): readonly PodRecord[] {
  return kind === undefined
    ? roles.flatMap(({ pods }) => pods.filter(({ row, waits }) => row === NOWHERE && !waits))
    : [];
}

function find(cycle: Cycle, gang: GangRecord, turn: Turn | undefined, known: Known): Finding {
  const { queue } = gang;
  const none = { blocked: [], fits: 0, needed: turn?.count ?? Math.max(0, gang.needed - gang.placed) };
  if (queue === undefined) {
    return { ...none, kind: 'unknown-queue', words: `Queue "${gang.gang.queue}" does not exist.` };
  }
  if (queue.queue.state === 'closed') {
    return { ...none, kind: 'queue-closed', words: `Queue "${queue.queue.name}" is closed and admits no gangs.` };
  }
  if (turn === undefined) {
    return {
      ...none,
      kind: 'too-few-pods',
      words: `The gang needs ${counted(gang.needed, 'pod')} to start, but has only ${gang.size}.`,
    };
  }
  const { accounts, policy, totals } = cycle.session;
  // What no node has is not the queue's to grant.
  if (turn.asked.some((amount, account) => amount > 0 && totals[account] === 0)) {
    return findRoomOnce(cycle, turn, known);
  }
  const limit = limitOf(cycle, queue, turn.asked);
  if (limit !== undefined) {
    return { ...none, ...limit };
  }
  const quota =
    gang.preemptible || !policy.nonPreemptibleWithinQuota ? undefined : cycle.queues.overQuota(queue, turn.asked);
  if (quota !== undefined) {
    const words =
      `The gang is not preemptible, so it must fit into the quota of queue "${quota.queue.queue.name}", which does not have enough ` +
      `${accounts[quota.account]} left.`;
    return { ...none, kind: 'quota-of-non-preemptible', words };
  }
  return findRoomOnce(cycle, turn, known);
}

/** Once for each kind of gangs of one role: what keeps them off nodes does not depend on their queues and durations. */
function findRoomOnce(cycle: Cycle, turn: Turn, { findings }: Known): Finding {
  const { kind, placed, roles } = turn.gang;
  if (kind === undefined || placed > 0 || roles.length > 1) {
    return findRoom(cycle, turn);
  }
  const key = `${kind} ${roles[0].role.name}`;
  const found = findings.get(key) ?? findRoom(cycle, turn);
  // What else is found depends on what is promised to which gang.
  if (found.kind === 'no-fit' || found.kind === 'topology') {
    findings.set(key, found);
  }
  return found;
}

/** A level that no topology has, or slices without a size. */
function unknownTopology({ session }: Cycle, { gang, count }: Turn): Finding | undefined {
  const { topology } = gang.gang;
  const none = { blocked: [], fits: 0, needed: count };
  if (
    topology !== undefined &&
    (topology.required ?? topology.sliceLevel) !== undefined &&
    session.topologies.forConstraint(topology) === undefined
  ) {
    return {
      ...none,
      fits: 0,
      kind: 'unknown-topology',
      words: `No topology has the level "${topology.required ?? topology.sliceLevel}".`,
    };
  }
  if (topology?.sliceLevel !== undefined && topology.sliceSize === undefined) {
    const words = `The topology names the slice level "${topology.sliceLevel}" without a slice size.`;
    return { ...none, kind: 'unknown-topology', words };
  }
  return undefined;
}

function findRoom(cycle: Cycle, turn: Turn): Finding {
  const { session } = cycle;
  const { gang, count } = turn;
  const { topology } = gang.gang;
  const none = { blocked: [], fits: count, needed: count };
  const unknown = unknownTopology(cycle, turn);
  if (unknown !== undefined) {
    return unknown;
  }
  const claims = unsatisfiable(cycle, turn);
  if (claims !== undefined) {
    return claims;
  }
  for (const podClass of classesOfTurn(turn).keys()) {
    const missing = notOffered(session, podClass);
    if (missing !== undefined) {
      const words = sentence(obstacleText(missing, session.table.count));
      const { role } = turn.pods.find((pod) => pod.podClass === podClass)!.role!;
      return { kind: 'not-offered', role: role.name, blocked: [missing], fits: 0, needed: count, words };
    }
  }
  const mark = session.ledger.mark();
  const asItIs = !cycle.placer.room.lacks(turn, {}) && cycle.placer.place(gang.root, turn.pods);
  session.ledger.rollback(mark);
  if (asItIs) {
    const head = cycle.reservation;
    return head !== undefined && head.gang !== gang
      ? {
          ...none,
          kind: 'reserved',
          words: `The gang fits, but would delay gang "${head.gang.gang.name}", for which the nodes are reserved.`,
        }
      : {
          ...none,
          kind: 'outranked',
          words: 'The gang fits into the free capacity and is considered again in the next cycle.',
        };
  }
  if (turnHasClaims(turn)) {
    return inUse(cycle, turn, bestDomain(cycle, turn));
  }
  const fits = podByPod(cycle, turn);
  if (fits.count === count) {
    const where =
      topology?.required === undefined
        ? 'not within the domains that the topology requires'
        : `no domain of "${topology.required}" fits ${count === 1 ? 'it' : 'all of them'}`;
    const words = `${count === 1 ? 'The pod fits' : `All ${count} pods fit`} into the cluster, but ${where}.`;
    return { ...none, kind: 'topology', words, fits: bestDomain(cycle, turn) };
  }
  const stuck = gang.roles.length === 1 ? gang.roles[0] : turn.pods[fits.count].role!;
  const { blocked, nearest } = fits.blockage!;
  const obstacle = blocked[0] === undefined ? 'the cluster has no node' : obstacleText(blocked[0], session.table.count);
  const words =
    fits.count === 0 && gang.roles.length === 1
      ? sentence(obstacle)
      : `${fits.count} of ${count} pods fit; for the next pod of role "${stuck.role.name}", ${obstacle}.`;
  return {
    kind: 'no-fit',
    role: stuck.role.name,
    blocked,
    nearest,
    fits: fits.count,
    needed: count,
    words,
  };
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** Places one pod after another, without any topology, until one does not fit; many pods of one kind are counted instead. */
function podByPod(cycle: Cycle, turn: Turn): { count: number; blockage: ReturnType<typeof blockage> | undefined } {
  const { ledger } = cycle.session;
  const { podClass } = turn;
  if (turn.count > MANY && podClass?.dynamic === false) {
    const room = cycle.placer.room.capacity(podClass, {}, turn.count);
    const all = room >= turn.count;
    return { count: Math.min(room, turn.count), blockage: all ? undefined : blockage(cycle.session, podClass, true) };
  }
  const { pods } = turn;
  const mark = ledger.mark();
  let count = 0;
  for (; count < pods.length; count++) {
    const row = cycle.selector.best(pods[count].podClass);
    if (row < 0 || !ledger.place(pods[count], row)) {
      break;
    }
  }
  const found = count < pods.length ? blockage(cycle.session, pods[count].podClass) : undefined;
  ledger.rollback(mark);
  return { count, blockage: found };
}

/** The most pods of the gang that one domain of its required level takes: by halving. */
function bestDomain(cycle: Cycle, { gang, pods }: Turn): number {
  const { ledger } = cycle.session;
  let low = 0;
  let high = pods.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const mark = ledger.mark();
    const fits = cycle.placer.place(gang.root, pods.slice(0, middle));
    ledger.rollback(mark);
    if (fits) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Nodes that a message names. */
const MOST_NODES = 3;

/** More pods than this are counted and not placed. */
const MANY = 64;
