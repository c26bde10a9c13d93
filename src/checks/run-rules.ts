/**
 * Runs semantic rules over a manifest set, each on what it asks for.
 */
import { type Manifest } from '../manifests/manifest';
import { type FindingCollector } from './collector';
import { type Rule, type RuleContext, type SetRule } from './rule';
import { RulesByField } from './rules-by-field';

export function runRules(rules: readonly Rule[], context: RuleContext, collector: FindingCollector): void {
  const byField = new RulesByField(rules);
  runObjectRules(byField, context, collector);
  if (rules.some((rule) => rule.on === 'pod-template')) runPodTemplateRules(byField, context, collector);
  runSetRules(rules.filter((rule): rule is SetRule => rule.on === 'set'), context, collector);
}

function runObjectRules(rules: RulesByField, context: RuleContext, collector: FindingCollector): void {
  for (const manifest of context.set.manifests) {
    for (const rule of rules.ofObject(manifest)) {
      try {
        for (const violation of rule.check(manifest, context)) collector.add(rule, manifest, violation);
      } catch (error) {
        reportFailure(error, rule, manifest, collector);
      }
    }
  }
}

function runPodTemplateRules(rules: RulesByField, context: RuleContext, collector: FindingCollector): void {
  for (const template of context.set.podTemplates) {
    for (const rule of rules.ofTemplates(template.manifest)) {
      try {
        for (const violation of rule.check(template, context)) {
          collector.add(rule, template.manifest, { ...violation, path: template.path + (violation.path ?? '') });
        }
      } catch (error) {
        reportFailure(error, rule, template.manifest, collector);
      }
    }
  }
}

function runSetRules(rules: readonly SetRule[], context: RuleContext, collector: FindingCollector): void {
  for (const rule of rules) {
    try {
      for (const violation of rule.check(context)) collector.add(rule, violation.manifest, violation);
    } catch (error) {
      reportFailure(error, rule, undefined, collector);
    }
  }
}

/** A rule that fails is a defect of Gantry, not of the manifest: it is said, and the other rules go on. */
function reportFailure(error: unknown, rule: Rule, manifest: Manifest | undefined, collector: FindingCollector): void {
  const why = `the rule ${rule.id} failed: ${error instanceof Error ? error.message : String(error)}`;
  if (manifest !== undefined) collector.addNotChecked(manifest, why);
  else collector.addNotCheckedAsAWhole(why);
}
