/**
 * A record of what a part of a check found, in values that another thread can be sent. It is reported later, in the order in which a check
 * of the whole set would have found it.
 */
import { type Manifest, type Position } from '../manifests/manifest';
import { type RuleGroup, type Tier } from './report/finding';
import { type FindingSink, type ReportedFacts, wantsGroup, wantsTiers, type WantedFindings } from './report/sink';
import { type Violation } from './rules/rule';

/** One call of a sink; manifests are numbers, as in the order of the set. */
export type Recorded =
  | {
      readonly what: 'finding';
      readonly rule: ReportedFacts;
      readonly manifest: number;
      readonly said: Violation;
      readonly position: Position | undefined;
    }
  | {
      readonly what: 'not checked';
      readonly manifest: number;
      readonly why: string;
      readonly rule: ReportedFacts | undefined;
    }
  | { readonly what: 'not judged'; readonly rule: string; readonly manifest: number | undefined }
  | { readonly what: 'failure'; readonly why: string; readonly manifest: number | undefined };

/** The numbers of manifests in their set. */
export type Numbers = ReadonlyMap<Manifest, number>;

export class Recording implements FindingSink {
  readonly recorded: Recorded[] = [];

  /** @param locates whether places are looked up now, for a reader who does not have the texts */
  constructor(
    private readonly wanted: WantedFindings,
    private readonly numbers: Numbers,
    private readonly locates: boolean,
  ) {}

  wants(tiers: readonly Tier[]): boolean {
    return wantsTiers(this.wanted, tiers);
  }

  wantsGroup(group: RuleGroup | undefined): boolean {
    return wantsGroup(this.wanted, group);
  }

  add(rule: ReportedFacts, manifest: Manifest, said: Violation, position?: Position): void {
    if (!this.wants([said.tier ?? rule.tier])) {
      return;
    }
    this.recorded.push({
      what: 'finding',
      rule: factsOf(rule),
      manifest: this.numberOf(manifest),
      said: violationOf(said),
      position: position ?? (this.locates ? manifest.origin.locate?.(said.path ?? '') : undefined),
    });
  }

  addNotChecked(manifest: Manifest, why: string, rule?: ReportedFacts): void {
    this.recorded.push({
      what: 'not checked',
      manifest: this.numberOf(manifest),
      why,
      rule: rule === undefined ? undefined : factsOf(rule),
    });
  }

  addNotJudged(rule: string, manifest?: Manifest): void {
    this.recorded.push({ what: 'not judged', rule, manifest: this.optionalNumberOf(manifest) });
  }

  addFailure(why: string, manifest?: Manifest): void {
    this.recorded.push({ what: 'failure', why, manifest: this.optionalNumberOf(manifest) });
  }

  private optionalNumberOf(manifest: Manifest | undefined): number | undefined {
    return manifest === undefined ? undefined : this.numberOf(manifest);
  }

  private numberOf(manifest: Manifest): number {
    const number = this.numbers.get(manifest);
    if (number === undefined) {
      throw new Error(`a finding on an object that is not in the set: ${manifest.id.kind} ${manifest.id.name}`);
    }
    return number;
  }
}

/** Without the functions of a rule. */
function factsOf({ id, tier, severity, fix, group, yieldsTo }: ReportedFacts): ReportedFacts {
  return { id, tier, severity, fix, group, yieldsTo };
}

/** Every member of a violation, and nothing else that a rule or the engine knows of it. */
function violationOf(said: Violation): { readonly [Member in keyof Required<Violation>]: Violation[Member] } {
  const { path, message, found, expected, fix, severity, tier } = said;
  const absent = said.absent && { kind: said.absent.kind, name: said.absent.name };
  return { path, message, found, expected, fix, severity, tier, absent };
}

/** Calls the sink as it would have been called. */
export function replay(recorded: readonly Recorded[], manifests: readonly Manifest[], sink: FindingSink): void {
  const optional = (number: number | undefined): Manifest | undefined =>
    number === undefined ? undefined : manifests[number];
  for (const one of recorded) {
    switch (one.what) {
      case 'finding':
        sink.add(one.rule, manifests[one.manifest], one.said, one.position);
        break;
      case 'not checked':
        sink.addNotChecked(manifests[one.manifest], one.why, one.rule);
        break;
      case 'not judged':
        sink.addNotJudged(one.rule, optional(one.manifest));
        break;
      case 'failure':
        sink.addFailure(one.why, optional(one.manifest));
    }
  }
}
