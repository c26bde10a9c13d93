/**
 * Places pods with claims, all or none: nodes and devices are chosen together.
 *
 * Depth first over the pods: each may go to any node that it fits on, with each choice of devices there, and what leads nowhere is taken
 * back, also the choices of earlier pods. Pods that have the fewest nodes come first; nodes with the fewest suitable devices are tried first,
 * so that whole nodes stay free. Of pods that are alike, a later one never goes to an earlier node of that order, and of devices that are
 * alike only the first is tried: neither loses a solution.
 *
 * The bound is `TRIES` and `TRIES_PER_ITEM` for each pod and node, counted in nodes and choices that are tried. Within half of it, a search that
 * has tried everything knows that the pods do not fit. Otherwise the other half is spent with the last alternative of each request first,
 * which takes the least where alternatives are listed from the largest to the smallest; then the pods count as not fitting.
 */
import { type DeviceClaim } from '../model/claims';
import { type PodClass } from '../nodes/pod-class';
import { type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { type CandidateLists, stillFree } from '../claims/candidates';
import { preferenceRow } from './score/static-preference';
import { type Selector, type Within } from './select';

const TRIES = 10_000;
const TRIES_PER_ITEM = 4;

/** Pods of one class with the nodes that are left for them, in the order in which they are tried. */
interface Group {
  readonly pods: readonly PodRecord[];
  readonly rows: readonly number[];
  /** Pods that the nodes have devices for at most. */
  readonly most: number;
}

/** A pod that is being placed: the place of its node in the order of its group, and what is left to try. */
interface Step {
  at: number;
  readonly left: Iterator<void>;
  mark: number;
}

interface Tries {
  left: number;
}

export class ClaimSearch {
  /** Candidates by the claims that are chosen together, and node. */
  private readonly lists = new Map<string, Map<string, CandidateLists>>();
  private readonly claimNumbers = new Map<DeviceClaim, number>();

  constructor(
    private readonly session: Session,
    private readonly selector: Selector,
  ) {}

  /** Changes nothing where it finds no places for all of them. */
  place(pods: readonly PodRecord[], within: Within): boolean {
    const { claims } = this.session.ledger;
    if (pods.some((pod) => claims.neededBy(pod).some(({ facts }) => facts.problem !== undefined))) {
      return false;
    }
    const listsAt = this.listsFor(claims.claimsOf(pods));
    const groups = groupsOf(pods).map((group) => this.group(group, within, listsAt));
    if (groups.some(({ pods: { length }, most }) => most < length)) {
      return false;
    }
    groups.sort((a, b) => a.most / a.pods.length - b.most / b.pods.length || a.pods[0].index - b.pods[0].index);
    const order = groups.flatMap((group) => group.pods.map((pod) => ({ pod, group })));
    const tries = (TRIES + TRIES_PER_ITEM * (order.length + this.session.table.count)) / 2;
    const found = this.search(order, listsAt, false, { left: tries });
    return found ?? this.search(order, listsAt, true, { left: tries }) ?? false;
  }

  /** `undefined` where the tries are used up. */
  private search(
    order: readonly { readonly pod: PodRecord; readonly group: Group }[],
    listsAt: (node: string) => CandidateLists,
    frugal: boolean,
    tries: Tries,
  ): boolean | undefined {
    const { ledger } = this.session;
    const steps: Step[] = [];
    while (steps.length < order.length) {
      const { pod, group } = order[steps.length];
      const before = steps.at(-1);
      const isSame = before !== undefined && order[steps.length - 1].group === group;
      const step = this.step(pod, group, isSame ? before.at : 0, { listsAt, frugal, tries });
      steps.push(step);
      // Takes back choices until one of the pods has another one.
      for (let last: Step | undefined = step; last !== undefined; last = steps.at(-1)) {
        if (last.left.next().done !== true) {
          break;
        }
        steps.pop();
      }
      if (tries.left < 0) {
        for (let last = steps.pop(); last !== undefined; last = steps.pop()) {
          ledger.rollback(last.mark);
        }
        return undefined;
      }
      if (steps.length === 0) {
        return false;
      }
    }
    steps.forEach(() => ledger.keep());
    return true;
  }

  private step(
    pod: PodRecord,
    { rows }: Group,
    from: number,
    options: {
      readonly listsAt: (node: string) => CandidateLists;
      readonly frugal: boolean;
      readonly tries: Tries;
    },
  ): Step {
    const step: Step = { at: from, left: this.places(pod, rows, options, () => step), mark: 0 };
    return step;
  }

  /** Each place of the pod, on the books until the next is asked for. */
  private *places(
    pod: PodRecord,
    rows: readonly number[],
    {
      listsAt,
      frugal,
      tries,
    }: { readonly listsAt: (node: string) => CandidateLists; readonly frugal: boolean; readonly tries: Tries },
    stepOf: () => Step,
  ): Generator<void, void> {
    const { ledger, table } = this.session;
    const step = stepOf();
    for (; step.at < rows.length && tries.left >= 0; step.at++) {
      const row = rows[step.at];
      tries.left--;
      if (!ledger.fits(pod.podClass, row) || !this.session.allowed(pod.podClass, row)) {
        continue;
      }
      for (const claimed of ledger.claims.choices(pod, table.nodes[row].name, listsAt, frugal)) {
        tries.left--;
        step.mark = ledger.mark();
        if (ledger.placeWith(pod, row, claimed) && tries.left >= 0) {
          yield;
        }
        ledger.rollback(step.mark);
        if (tries.left < 0) {
          return;
        }
      }
    }
  }

  private group(pods: readonly PodRecord[], within: Within, listsAt: (node: string) => CandidateLists): Group {
    const { session } = this;
    const { table, ledger } = session;
    const [pod] = pods;
    const { podClass } = pod;
    const least = this.leastDevices(pod);
    const preference = within.wishless === true ? undefined : preferenceRow(table, podClass);
    const score = this.selector.scoresOf(podClass, within.wishless ?? false);
    const found: { row: number; wish: number; free: number; score: number }[] = [];
    let most = 0;
    const count = within.rows?.length ?? table.count;
    for (let i = 0; i < count; i++) {
      const row = within.rows === undefined ? i : within.rows[i];
      if (within.without?.[row] === 1 || session.staticRow(podClass)[row] !== 0 || !ledger.fits(podClass, row)) {
        continue;
      }
      const { name } = table.nodes[row];
      if (ledger.claims.openOn(pod, name) === undefined) {
        continue;
      }
      const free = this.freeDevices(pod, listsAt(name));
      const room = least === 0 || free.sharable ? Infinity : Math.floor(free.count / least);
      most += Math.min(room, ledger.capacity(podClass, row, pods.length));
      if (room > 0) {
        found.push({ row, wish: preference?.[row] ?? 0, free: free.count, score: score(row) });
      }
    }
    const rows = found
      .sort((a, b) => b.wish - a.wish || a.free - b.free || b.score - a.score || a.row - b.row)
      .map(({ row }) => row);
    return { pods, rows, most };
  }

  /** Devices that each pod takes for itself at least. */
  private leastDevices(pod: PodRecord): number {
    const { claims } = this.session.ledger;
    let sum = 0;
    for (const needed of claims.neededBy(pod)) {
      if (needed.facts.shared || claims.devicesOf(needed) !== undefined) {
        continue;
      }
      for (const { alternatives } of needed.facts.claim?.requests ?? []) {
        sum += Math.min(
          ...alternatives.map(({ count, adminAccess }) => (adminAccess ? 0 : count === 'all' ? 1 : count)),
        );
      }
    }
    return sum;
  }

  /** Devices that are free and that any request of the pod can have. */
  private freeDevices(pod: PodRecord, lists: CandidateLists): { count: number; sharable: boolean } {
    const { claims } = this.session.ledger;
    const free = stillFree(lists, claims.holdings);
    const keys = new Set<string>();
    let sharable = false;
    for (const { facts } of claims.neededBy(pod)) {
      for (const { alternatives } of facts.claim?.requests ?? []) {
        for (const alternative of alternatives) {
          for (const { key, device } of free.get(alternative) ?? []) {
            keys.add(key);
            sharable ||= device.shareable;
          }
        }
      }
    }
    return { count: keys.size, sharable };
  }

  private listsFor(claims: readonly DeviceClaim[]): (node: string) => CandidateLists {
    const numbers = claims.map((claim) => {
      const number = this.claimNumbers.get(claim) ?? this.claimNumbers.size;
      this.claimNumbers.set(claim, number);
      return number;
    });
    const key = numbers.sort((a, b) => a - b).join();
    const byNode = this.lists.get(key) ?? new Map<string, CandidateLists>();
    this.lists.set(key, byNode);
    const { world } = this.session.ledger.claims;
    return (node) => {
      let lists = byNode.get(node);
      if (lists === undefined) {
        lists = world.candidatesAt(node, claims);
        byNode.set(node, lists);
      }
      return lists;
    };
  }
}

/** Pods that are alike, in their order; one with claims of its own is like no other. */
function groupsOf(pods: readonly PodRecord[]): readonly (readonly PodRecord[])[] {
  const groups = new Map<PodClass | PodRecord, PodRecord[]>();
  for (const pod of pods) {
    const key = pod.claims === undefined ? pod.podClass : pod;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [pod]);
    } else {
      group.push(pod);
    }
  }
  return [...groups.values()];
}
