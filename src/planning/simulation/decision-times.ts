/**
 * When the placement core decides next: at the next multiple of the cycle after something changed, or when time alone changes the answer.
 */
import { type GangRun } from './gang-run';
import { nextMoment } from './next-moment';
import { type Scenario } from './scenario';

export class DecisionTimes {
  private next: number | undefined;

  constructor(private readonly scenario: Pick<Scenario, 'run' | 'policy'>) {}

  /** `undefined` where nothing asks for a decision. */
  get at(): number | undefined {
    return this.next;
  }

  clear(): void {
    this.next = undefined;
  }

  want(from: number): void {
    const { cycleSeconds } = this.scenario.run;
    const at = Math.max(from, Math.ceil(from / cycleSeconds - 1e-9) * cycleSeconds);
    if (this.next === undefined || at < this.next) {
      this.next = at;
    }
  }

  /** Nothing can be done now: the next moment at which time alone changes the answer. */
  wantLater(live: ReadonlySet<GangRun>, now: number): void {
    const next = nextMoment(live, now, this.scenario.policy);
    if (next !== undefined) {
      this.want(next);
    }
  }
}
