/**
 * Which rule ids exist. A suppression of a rule that does not exist has no effect, and nothing else would report it.
 */
import { nearestName } from '../../facts/spelling';
import { type Manifest } from '../../manifests/manifest';
import { pointer } from '../../manifests/pointer';
import { type FindingCollector } from '../report/collector';
import { defaultRules } from './registry';
import { type Rule, type RuleFacts } from './rule';
import { shapeRuleFacts } from '../schema/check-shape';
import { sourceRules } from './source-rules';
import { IGNORE_ANNOTATION, suppressionNeedsReason, suppressionsOf } from '../report/suppression';

const suppressionNamesRule: RuleFacts = {
  id: 'gantry/suppression-names-rule',
  tier: 'advice',
  severity: 'warning',
  summary: `Each line of the annotation ${IGNORE_ANNOTATION} should name a rule that exists.`,
  why: 'A suppression of an unknown rule has no effect.',
  source: 'Gantry',
  fix: `Replace the id in the annotation ${IGNORE_ANNOTATION} with one that "gantry rules" lists, or remove the line.`,
};

/** What the engine itself reports: about shape, syntax, and suppressions. */
export const ENGINE_RULES: readonly RuleFacts[] = [
  ...shapeRuleFacts,
  ...Object.values(sourceRules),
  suppressionNeedsReason,
  suppressionNamesRule,
];

/**
 * What is wrong with the id of a rule, as a clause; `undefined` where it is known, or may be a rule of an organization: one of another
 * domain than the rules that are known, and not nearly one of them.
 *
 * @param rules that run beside those of Gantry
 */
export function unknownRule(id: string, rules: readonly Rule[] = []): string | undefined {
  const known = new Set([...ENGINE_RULES, ...defaultRules(), ...rules].map((rule) => rule.id));
  if (known.has(id)) {
    return undefined;
  }
  const domains = new Set([...known].map(domainOf));
  const near = [...known].find((rule) => rule.endsWith(`/${id}`)) ?? nearestName(id, known);
  if (near === undefined && id.includes('/') && !domains.has(domainOf(id))) {
    return undefined;
  }
  return `unknown rule "${id}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}

function domainOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

/** Reports the suppressions of objects that suppress nothing, because no rule has the id. */
export function reportUnknownSuppressions(
  manifests: readonly Manifest[],
  rules: readonly Rule[],
  collector: FindingCollector,
): void {
  for (const manifest of manifests) {
    for (const { rule } of suppressionsOf(manifest).suppressions) {
      const problem = unknownRule(rule, rules);
      if (problem !== undefined) {
        collector.add(suppressionNamesRule, manifest, {
          path: pointer('/metadata/annotations', IGNORE_ANNOTATION),
          message: `${problem}: its line in the annotation has no effect`,
          found: rule,
          expected: 'the id of a rule',
        });
      }
    }
  }
}
