/**
 * Gives nodes whose devices are free another MIG configuration, for gangs that wait and would start with it.
 *
 * Comes last in a decision, so nothing that runs or starts is disturbed: a node qualifies only if no pod holds or is about to get any of
 * its devices. The nodes for a gang are chosen by how many of its pods each would take (the tightest that takes the rest, otherwise the
 * largest), tried in the world after the decision, and given back one by one while the gangs start without them, as the next decision as a
 * whole starts them. At most `Policy.repartitionLimit` nodes change at the same time. O(trials × everything), where the policy is on and such a gang waits.
 */
import { type GangRecord, type Turn } from '../../books/records';
import { runs } from '../../books/needs';
import { type Cycle } from '../cycle';
import { turnOf } from '../../queues/turns';
import { classesOfTurn } from '../../search/units';
import { classesOf } from '../../search/units';
import { bestOffer, freeRows, isDivisible, type Offer } from './offers';
import { type Decides, RepartitionTrials, type Starts } from './trials';

interface Choice extends Offer {
  /** For which it is chosen. */
  readonly gang: GangRecord;
}

/**
 * @param passed gangs that did not get what they want, in the order of their claims
 * @param wholly makes a decision in another world, without MIG configurations
 */
export function repartition(cycle: Cycle, passed: () => readonly GangRecord[], wholly: Decides): void {
  if (cycle.session.policy.repartitionLimit > 0 && cycle.session.table.nodes.some(({ migConfigs }) => migConfigs)) {
    const turns = passed().flatMap((gang) => claimOf(cycle, gang) ?? []);
    if (turns.length > 0) {
      new Repartitioning(cycle, wholly).run(turns);
    }
  }
}

/** What a gang below its minimum asks for, if devices are a part of it and its queues let it have them. */
function claimOf(cycle: Cycle, gang: GangRecord): Turn | undefined {
  const turn = gang.placed > 0 && runs(gang) ? undefined : turnOf(cycle.session, gang);
  const asksForDevices = turn !== undefined && [...classesOfTurn(turn).keys()].some(isDivisible);
  return asksForDevices && cycle.mayHave(turn) ? turn : undefined;
}

class Repartitioning {
  private readonly trials: RepartitionTrials;
  /** Configurations that are being applied already, by node. */
  private readonly changing: ReadonlyMap<string, string>;
  private chosen: readonly Choice[] = [];
  private readonly free: ReadonlySet<number>;
  /** With what is being applied, and what is chosen. */
  private starts: Starts = new Map();
  /** Some of them only by a decision as a whole. */
  private byWhole = false;
  /** Gangs for which nothing was found since the last choice, by what they have in common with others; see `likeness`. */
  private readonly vain = new Set<string>();

  constructor(
    private readonly cycle: Cycle,
    wholly: Decides,
  ) {
    const { nodes } = cycle.session.table;
    this.trials = new RepartitionTrials(cycle, wholly);
    this.changing = new Map(
      nodes.flatMap(({ name, migChange }) => (migChange === undefined ? [] : [[name, migChange]])),
    );
    this.free = freeRows(cycle.session);
  }

  run(turns: readonly Turn[]): void {
    if (this.changing.size > 0) {
      this.starts = this.trials.allocatedWith(this.changing) ?? this.starts;
    }
    // Gangs for which nodes change already come before others, whatever the order of the queues is by now.
    const awaiting = turns.map(({ gang }) => gang).filter(({ gang }) => this.starts.has(gang.name));
    const early = new Set(awaiting);
    for (const turn of turns.filter(({ gang }) => !early.has(gang))) {
      const { gang } = turn;
      if (!this.starts.has(gang.gang.name) && !this.vain.has(likeness(gang))) {
        this.choose(turn, awaiting);
      }
      if (this.starts.has(gang.gang.name)) {
        awaiting.push(gang);
      }
    }
    const configs = this.configsWith(this.chosen);
    for (const gang of awaiting) {
      const own = this.starts.get(gang.gang.name)!.filter((node) => configs.has(node));
      this.cycle.awaited.set(gang, own.length > 0 ? [...new Set(own)] : [...configs.keys()]);
    }
    for (const { node, config, gang } of this.chosen) {
      this.cycle.repartitions.push({ node, config, beneficiary: gang.gang.name });
    }
  }

  /** @param awaiting gangs that start with what is chosen so far, and have to with more */
  private choose(turn: Turn, awaiting: readonly GangRecord[]): void {
    const { gang } = turn;
    const served = [...awaiting, gang];
    let tried = 0;
    for (let factor = 1; ; factor *= 2) {
      const choices = this.choicesFor(turn, factor);
      if (choices.length <= tried) {
        break;
      }
      tried = choices.length;
      if (this.settles([...this.chosen, ...choices], served)) {
        this.leaveOut(served);
        this.vain.clear();
        return;
      }
    }
    this.vain.add(likeness(gang));
  }

  /** Leaves out nodes without which the gangs start as well. Where none is left, the last gang only waits for pods to terminate. */
  private leaveOut(served: readonly GangRecord[]): void {
    for (const choice of [...this.chosen].reverse()) {
      const others = this.chosen.filter((other) => other !== choice);
      if (!this.settles(others, served) && !this.byWhole) {
        this.settles(others, served, true);
      }
    }
    if (this.changing.size + this.chosen.length === 0) {
      this.starts = new Map();
    }
  }

  /**
   * Chooses these nodes if all of the gangs then start.
   *
   * @param wholly by the next decision as a whole. @default false
   */
  private settles(choices: readonly Choice[], served: readonly GangRecord[], wholly = false): boolean {
    const configs = this.configsWith(choices);
    const starts = wholly || this.byWhole ? this.trials.decidedWith(configs) : this.trials.allocatedWith(configs);
    if (starts === undefined || !served.every(({ gang }) => starts.has(gang.name))) {
      return false;
    }
    this.chosen = choices;
    this.starts = starts;
    this.byWhole ||= wholly;
    return true;
  }

  private configsWith(choices: readonly Choice[]): ReadonlyMap<string, string> {
    return new Map([...this.changing, ...choices.map(({ node, config }) => [node, config] as const)]);
  }

  /** Nodes that take `factor` times the pods of the turn, as far as the limit allows. */
  private choicesFor({ gang, pods }: Turn, factor: number): readonly Choice[] {
    const { reservation, session } = this.cycle;
    const promised = reservation === undefined || reservation.gang === gang ? undefined : reservation.rows;
    const taken = new Set(this.chosen.map(({ row }) => row));
    const rows = new Set([...this.free].filter((row) => promised?.[row] !== 1 && !taken.has(row)));
    const left = session.policy.repartitionLimit - this.changing.size - this.chosen.length;
    const choices: Choice[] = [];
    for (const [podClass, count] of classesOf(pods)) {
      let missing = isDivisible(podClass) ? count * factor : 0;
      while (missing > 0 && choices.length < left) {
        const best = bestOffer(session, rows, podClass, missing);
        if (best === undefined) {
          break;
        }
        choices.push({ ...best, gang });
        rows.delete(best.row);
        missing -= best.takes;
      }
    }
    return choices;
  }
}

/** Equal for gangs that have the same requirements and the same claim. */
function likeness({ gang, kind, priority }: GangRecord): string {
  return kind === undefined ? gang.name : JSON.stringify([kind, gang.queue, priority]);
}
