/**
 * Silencing a rule: on one object by annotation, or for a whole check. Both need a reason; a silence without one does not count
 * and is itself a finding.
 */
import { asObject, asString } from '../../manifests/read';
import { type Manifest } from '../../manifests/manifest';
import { pointer } from '../../manifests/pointer';
import { unguarded } from '../../manifests/values/unknown';
import { type RuleFacts, type Violation } from '../rules/rule';

/** One rule per line, `rule-id: reason`. */
export const IGNORE_ANNOTATION = 'gantry.dev/ignore';

/** A rule that an object ignores, with the reason. */
export interface Suppression {
  /** Id of the rule. */
  readonly rule: string;
  /** Why it does not matter here. */
  readonly reason: string;
  /** What states it, such as `.gantry.yaml`. @default - the manifest, or the app */
  readonly by?: string;
}

export const suppressionNeedsReason: RuleFacts = {
  id: 'gantry/suppression-needs-reason',
  tier: 'advice',
  severity: 'error',
  summary: `Each line of the annotation ${IGNORE_ANNOTATION} must be a rule id, a colon, and a reason.`,
  why: 'A suppression without a reason cannot be reviewed, so it is not applied.',
  source: 'Gantry',
  fix: `Set each line of the annotation ${IGNORE_ANNOTATION} to the id of a rule, a colon, and the reason for the suppression.`,
};

interface OwnSuppressions {
  readonly suppressions: readonly Suppression[];
  /** The lines that silence nothing. */
  readonly violations: readonly Violation[];
}

/** The suppressions that an object carries in its annotation. */
export function suppressionsOf(manifest: Manifest): OwnSuppressions {
  const text = asString(asObject(asObject(unguarded(manifest.object).metadata).annotations)[IGNORE_ANNOTATION]);
  if (text === undefined) {
    return NONE;
  }
  const suppressions: Suppression[] = [];
  const violations: Violation[] = [];
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '') {
      continue;
    }
    const suppression = parseSuppression(line, ':');
    if (suppression !== undefined) {
      suppressions.push(suppression);
    } else {
      violations.push({
        path: pointer('/metadata/annotations', IGNORE_ANNOTATION),
        message: `the line "${line}" of the annotation has no effect: it is not a rule id, a colon, and a reason`,
        found: line,
        expected: 'rule-id: reason',
      });
    }
  }
  return { suppressions, violations };
}

const NONE: OwnSuppressions = { suppressions: [], violations: [] };

/** Reads `rule<separator>reason`; `undefined` where either part is missing. */
export function parseSuppression(text: string, separator: ':' | '='): Suppression | undefined {
  const at = text.indexOf(separator);
  if (at < 0) {
    return undefined;
  }
  const rule = text.slice(0, at).trim();
  const reason = text.slice(at + 1).trim();
  return rule === '' || reason === '' ? undefined : { rule, reason };
}

/** The annotation's text for these suppressions. */
export function formatSuppressions(suppressions: readonly Suppression[]): string {
  return suppressions.map(({ rule, reason }) => `${rule}: ${reason.replace(/(?<!\s)\s*\n\s*/g, ' ')}`).join('\n');
}
