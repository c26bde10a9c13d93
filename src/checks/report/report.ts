/**
 * What a check of a manifest set came to.
 */
import { type SkippedSource } from '../../manifests/manifest';
import {
  occurrencesOf,
  RULE_GROUPS,
  SEVERITIES,
  type Finding,
  type NotChecked,
  type NotJudged,
  type RuleGroup,
  type Severity,
} from './finding';
import { sourceRules } from '../rules/source-rules';

/** A finding that the manifest suppresses, with the reason. */
export interface SuppressedFinding extends Finding {
  /** Why the finding does not matter, in the words of the user that suppressed it. */
  readonly reason: string;
  /** What suppresses it: `the baseline`, `.gantry.yaml`, or `--ignore`. @default - the manifest, or the app */
  readonly by?: string;
}

/** The result of a check. */
export interface Report {
  /** How many documents were looked at, those that could not be read included. */
  readonly documents: number;
  /** In the order of the documents, then by path and rule. */
  readonly findings: readonly Finding[];
  /** Objects that were not checked, each with the reason. */
  readonly notChecked: readonly NotChecked[];
  /** Findings that the manifests suppress. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Files and documents that are something else than manifests, or that were excluded. */
  readonly skipped: readonly SkippedSource[];
  /** Rules that depend on values which are not known yet, in a preview of Pulumi. Absent where there are none. */
  readonly notJudged?: readonly NotJudged[];
}

/** How many findings a report has by severity; those of a group are counted apart. */
export function countsOf({ findings }: Report): Readonly<Record<Severity | RuleGroup, number>> {
  const counts = Object.fromEntries([...SEVERITIES, ...RULE_GROUPS].map((name) => [name, 0]));
  for (const finding of findings) {
    counts[finding.group ?? finding.severity] += occurrencesOf(finding);
  }
  return counts as Record<Severity | RuleGroup, number>;
}

/**
 * True where the check is not complete: a file could not be read, or a rule failed. The findings about everything else are valid.
 */
export function isIncomplete({ findings, notChecked }: Report): boolean {
  return (
    findings.some(({ rule }) => rule === sourceRules.syntax.id) || notChecked.some(({ failed }) => failed === true)
  );
}

/** True where something would be refused, or would certainly not do what was written. */
export function hasErrors(report: Report): boolean {
  return report.findings.some((finding) => finding.severity === 'error');
}
