/**
 * Runs semantic rules over a manifest set, each on what it asks for.
 */
import { type Manifest } from '../manifests/manifest';
import { type FindingCollector } from './collector';
import { type ObjectRule, type PodTemplateRule, type Rule, type RuleContext, type SetRule } from './rule';

export function runRules(rules: readonly Rule[], context: RuleContext, collector: FindingCollector): void {
  runObjectRules(rules.filter((rule): rule is ObjectRule => rule.on === 'object'), context, collector);
  runPodTemplateRules(rules.filter((rule): rule is PodTemplateRule => rule.on === 'pod-template'), context, collector);
  runSetRules(rules.filter((rule): rule is SetRule => rule.on === 'set'), context, collector);
}

function runObjectRules(rules: readonly ObjectRule[], context: RuleContext, collector: FindingCollector): void {
  const byKind = groupByKind(rules);
  const everywhere = byKind.get('*') ?? [];
  for (const manifest of context.set.manifests) {
    const { group, kind } = manifest.id;
    for (const rule of [...everywhere, ...(byKind.get(group === '' ? kind : `${group}/${kind}`) ?? [])]) {
      guard(rule, manifest, collector, () => {
        for (const violation of rule.check(manifest, context)) collector.add(rule, manifest, violation);
      });
    }
  }
}

function runPodTemplateRules(rules: readonly PodTemplateRule[], context: RuleContext, collector: FindingCollector): void {
  if (rules.length === 0) return;
  for (const template of context.set.podTemplates) {
    for (const rule of rules) {
      guard(rule, template.manifest, collector, () => {
        for (const violation of rule.check(template, context)) {
          collector.add(rule, template.manifest, { ...violation, path: template.path + (violation.path ?? '') });
        }
      });
    }
  }
}

function runSetRules(rules: readonly SetRule[], context: RuleContext, collector: FindingCollector): void {
  for (const rule of rules) {
    guard(rule, undefined, collector, () => {
      for (const violation of rule.check(context)) collector.add(rule, violation.manifest, violation);
    });
  }
}

/** A rule that fails is a defect of Gantry, not of the manifest: it is said, and the other rules go on. */
function guard(rule: Rule, manifest: Manifest | undefined, collector: FindingCollector, run: () => void): void {
  try {
    run();
  } catch (error) {
    const why = `the rule ${rule.id} failed: ${error instanceof Error ? error.message : String(error)}`;
    if (manifest !== undefined) collector.addNotChecked(manifest, why);
    else collector.addNotCheckedAsAWhole(why);
  }
}

function groupByKind(rules: readonly ObjectRule[]): Map<string, ObjectRule[]> {
  const byKind = new Map<string, ObjectRule[]>();
  for (const rule of rules) {
    for (const kind of rule.kinds) {
      const list = byKind.get(kind);
      if (list === undefined) byKind.set(kind, [rule]);
      else list.push(rule);
    }
  }
  return byKind;
}
