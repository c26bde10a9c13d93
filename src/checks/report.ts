/**
 * What a check of a manifest set came to.
 */
import { type Finding, type NotChecked } from './finding';

/** A finding that somebody answered for. */
export interface SuppressedFinding extends Finding {
  readonly reason: string;
}

export interface Report {
  /** How many documents were looked at, those that could not be read included. */
  readonly documents: number;
  /** In the order of the documents, then by path and rule. */
  readonly findings: readonly Finding[];
  readonly notChecked: readonly NotChecked[];
  readonly suppressed: readonly SuppressedFinding[];
}

/** True where something would be refused, or would certainly not do what was written. */
export function hasErrors(report: Report): boolean {
  return report.findings.some((finding) => finding.severity === 'error');
}
