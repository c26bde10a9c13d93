/**
 * Whether a mix keeps the targets, by independent replications of the simulation.
 *
 * A mix meets a target if the upper limit of the confidence interval of the mean percentile does. A replication ends as soon as all measured
 * gangs have started, or as soon as it is certain that the mix misses a target: waits are not negative, so that the mean over all
 * replications is at least the sum so far, divided by their number. A gang that never starts makes the mix fail.
 */
import { simulate, type ScenarioGang } from '../simulation';
import { percentile } from '../simulation/statistics';
import { intervalOf, type Interval } from './confidence';
import { type DrawnWork, drawWork, isRandom } from './draw';
import { type Mix, type Sizing, type WaitTarget } from './sizing';
import { type World, worldOf } from './world';

export interface Evaluation {
  readonly mix: Mix;
  readonly meets: boolean;
  /** Replications that were run. */
  readonly replications: number;
  /** For each target; absent if the mix was rejected before all replications had been run. */
  readonly waits?: readonly Interval[];
}

/** Simulates mixes of one sizing; the work of each replication is drawn once. */
export class Evaluator {
  readonly replications: number;
  private readonly works = new Map<number, DrawnWork>();

  constructor(readonly sizing: Sizing) {
    this.replications = isRandom(sizing) ? sizing.search.replications : 1;
  }

  work(replication: number): DrawnWork {
    const work = this.works.get(replication) ?? drawWork(this.sizing, replication);
    this.works.set(replication, work);
    return work;
  }

  evaluate(mix: Mix): Evaluation {
    const { targets, search } = this.sizing;
    const found: number[][] = targets.map(() => []);
    for (let replication = 0; replication < this.replications; replication++) {
      const work = this.work(replication);
      const measured = measuredOf(work, this.sizing);
      const watch = new WaitWatch(
        measured,
        targets.map((target, i) => ({ target, budget: target.seconds * this.replications - sumOf(found[i]) })),
      );
      const { scenario } = worldOf(this.sizing, mix, replication, work);
      simulate(scenario, { explain: false, observer: watch });
      if (watch.misses || watch.unstarted > 0) {
        return { mix, meets: false, replications: replication + 1 };
      }
      targets.forEach((target, i) => found[i].push(watch.percentileOf(target)));
    }
    const waits = found.map((values) => intervalOf(values, search.confidence));
    const meets = waits.every(({ high }, i) => high <= targets[i].seconds);
    return { mix, meets, replications: this.replications, waits };
  }

  world(mix: Mix, replication: number): World {
    return worldOf(this.sizing, mix, replication, this.work(replication));
  }
}

/** Gangs that arrive after the warm-up. */
export function measuredOf({ gangs }: DrawnWork, { run }: Sizing): readonly ScenarioGang[] {
  return gangs.filter(({ arrivesAt }) => arrivesAt >= run.warmupSeconds);
}

interface Budget {
  readonly target: WaitTarget;
  /** A percentile above this makes the mix miss the target, whatever the other replications say. */
  readonly budget: number;
}

interface Counter extends Budget {
  readonly gangs: readonly ScenarioGang[];
  /** Gangs that may wait longer than the budget. */
  readonly tolerated: number;
  late: number;
  /** Gangs of which it is known whether they are late. */
  next: number;
}

/** Follows the waits of the measured gangs, and stops the simulation when nothing more is to be learned. */
class WaitWatch {
  misses = false;
  private readonly startedAt = new Map<string, number>();
  private readonly awaited: Set<string>;
  private readonly counters: readonly Counter[];

  constructor(
    private readonly measured: readonly ScenarioGang[],
    budgets: readonly Budget[],
  ) {
    this.awaited = new Set(measured.map(({ gang }) => gang.name));
    this.counters = budgets.map(({ target, budget }) => {
      const gangs = measured.filter((gang) => isMeant(target, gang));
      const tolerated = gangs.length - Math.ceil((gangs.length * target.percentile) / 100);
      return { target, budget, gangs, tolerated, late: 0, next: 0 };
    });
  }

  /** Measured gangs that did not start. */
  get unstarted(): number {
    return this.awaited.size;
  }

  readonly started = (gang: string, at: number): void => {
    this.startedAt.set(gang, at);
    this.awaited.delete(gang);
  };

  readonly stops = (at: number): boolean => {
    for (const counter of this.counters) {
      this.count(counter, at);
      this.misses ||= counter.late > counter.tolerated;
    }
    return this.misses || this.awaited.size === 0;
  };

  percentileOf(target: WaitTarget): number {
    const waits = this.measured
      .filter((gang) => isMeant(target, gang))
      .map(({ gang, arrivesAt }) => this.startedAt.get(gang.name)! - arrivesAt);
    return percentile(
      waits.sort((a, b) => a - b),
      target.percentile,
    );
  }

  private count(counter: Counter, at: number): void {
    const { gangs, budget } = counter;
    for (; counter.next < gangs.length; counter.next++) {
      const { gang, arrivesAt } = gangs[counter.next];
      const latest = arrivesAt + budget;
      if (latest >= at) {
        break;
      }
      counter.late += (this.startedAt.get(gang.name) ?? Infinity) > latest ? 1 : 0;
    }
  }
}

function isMeant({ queue }: WaitTarget, { gang }: ScenarioGang): boolean {
  return queue === undefined || gang.queue === queue;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
