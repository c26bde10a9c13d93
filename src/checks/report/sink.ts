/**
 * What takes the findings of a check: the collector of a report, or a record of a part of the check.
 */
import { type Manifest, type Position } from '../../manifests/manifest';
import { type RuleFacts, type Violation, type Yields } from '../rules/rule';
import { TIERS, type RuleGroup, type Tier } from './finding';

/** The facts of its rule that a finding has. */
export interface ReportedFacts extends Pick<RuleFacts, 'id' | 'tier' | 'severity' | 'fix' | 'group'> {
  /** @internal */
  readonly yieldsTo?: Yields;
}

/** What was asked for. */
export interface WantedFindings {
  /** @default - all tiers */
  readonly tiers?: readonly Tier[];
  /** @default - only rules of no group */
  readonly groups?: readonly RuleGroup[];
}

export interface FindingSink {
  /** Whether any of these tiers was requested. */
  wants(tiers: readonly Tier[]): boolean;
  /** Whether rules of this group run; those of no group always do. */
  wantsGroup(group: RuleGroup | undefined): boolean;
  add(rule: ReportedFacts, manifest: Manifest, said: Violation, position?: Position): void;
  /** @param rule the rule that a suppression names to accept that the object is not checked; without it, no suppression does */
  addNotChecked(manifest: Manifest, why: string, rule?: ReportedFacts): void;
  /** A rule that read a value which is not known yet, on a manifest or on the whole set. */
  addNotJudged(rule: string, manifest?: Manifest): void;
  /** A rule that failed, on a manifest or on the whole set. */
  addFailure(why: string, manifest?: Manifest): void;
}

export function wantsTiers({ tiers = TIERS }: WantedFindings, wanted: readonly Tier[]): boolean {
  return wanted.some((tier) => tiers.includes(tier));
}

export function wantsGroup({ groups }: WantedFindings, group: RuleGroup | undefined): boolean {
  return group === undefined || groups?.includes(group) === true;
}
