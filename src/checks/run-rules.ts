/**
 * Runs semantic rules over a manifest set, each on what it asks for.
 */
import { type Manifest } from '../manifests/manifest';
import { type FindingCollector } from './collector';
import { RULE_GROUPS, TIERS } from './finding';
import { type ManifestSet } from '../manifests/manifest-set';
import { type PodTemplate } from '../manifests/pod-template';
import { judging, unlessUnknown } from '../manifests/unknown';
import { type PodTemplateRule, type Rule, type RuleContext, type SetRule, type Violation } from './rule';
import { RulesByField } from './rules-by-field';
import { addedVolumes } from './server/pod-view';

/**
 * Runs the rules of the requested tiers.
 *
 * @param own what is checked, where the set of the context also contains what a cluster has: only this is reported on
 */
export function runRules(
  rules: readonly Rule[],
  context: RuleContext,
  collector: FindingCollector,
  own: ManifestSet = context.set,
): void {
  const { byField, onTemplates, onSets } = sorted(rules, collector);
  runObjectRules(byField, context, collector, own);
  if (onTemplates) {
    runPodTemplateRules(byField, context, collector, own);
  }
  runSetRules(onSets, context, collector, own);
}

/** Rules as they are run: by what they look at. */
interface SortedRules {
  readonly byField: RulesByField;
  readonly onTemplates: boolean;
  readonly onSets: readonly SetRule[];
}

/** A program that checks many small sets passes the same rules each time. */
const sortedBefore = new WeakMap<readonly Rule[], Map<string, SortedRules>>();

function sorted(rules: readonly Rule[], collector: FindingCollector): SortedRules {
  const before = sortedBefore.get(rules) ?? new Map<string, SortedRules>();
  sortedBefore.set(rules, before);
  const tiers = TIERS.filter((tier) => collector.wants([tier]));
  const key = [...tiers, ...RULE_GROUPS.filter((group) => collector.wantsGroup(group))].join();
  let result = before.get(key);
  if (result === undefined) {
    const wanted = rules.filter(
      ({ tier, otherTiers = [], group }) => collector.wantsGroup(group) && collector.wants([tier, ...otherTiers]),
    );
    result = {
      byField: new RulesByField(wanted),
      onTemplates: wanted.some((rule) => rule.on === 'pod-template'),
      onSets: wanted.filter((rule): rule is SetRule => rule.on === 'set'),
    };
    before.set(key, result);
  }
  return result;
}

function runObjectRules(
  rules: RulesByField,
  context: RuleContext,
  collector: FindingCollector,
  own: ManifestSet,
): void {
  for (const manifest of own.manifests) {
    for (const rule of rules.ofObject(manifest)) {
      try {
        const judgment = judging(() => [...rule.check(manifest, context)]);
        if (!judgment.known) {
          collector.addNotJudged(rule.id, manifest);
          continue;
        }
        for (const violation of judgment.value) {
          collector.add(rule, manifest, violation);
        }
      } catch (error) {
        reportFailure(error, rule, manifest, collector);
      }
    }
  }
}

/** What a rule found in a template: the location in the template, or why the rule failed. */
type Said =
  | { readonly rule: PodTemplateRule; readonly violation: Violation }
  | { readonly rule: PodTemplateRule; readonly error: unknown }
  | { readonly rule: PodTemplateRule; readonly notJudged: true };

/** Contents of templates that are remembered at a time. */
const MOST_CONTENTS = 1000;

function runPodTemplateRules(
  rules: RulesByField,
  context: RuleContext,
  collector: FindingCollector,
  own: ManifestSet,
): void {
  const ofContent = new Remembered();
  const ofContentInNamespace = new Remembered();
  for (const template of own.manifests.flatMap((manifest) => context.set.podTemplatesOf(manifest))) {
    const { alone, inNamespace, others } = rules.ofTemplates(template.manifest);
    // Templates with unknown values are not equal to any other.
    const content = unlessUnknown(() => contentOf(template), undefined);
    const saidBy = (some: readonly PodTemplateRule[]) => (): readonly Said[] =>
      some.flatMap((rule) => say(rule, template, context));
    report(ofContent.get(content, saidBy(alone)), template, collector);
    report(
      ofContentInNamespace.get(
        content === undefined ? undefined : `${template.manifest.id.namespace} ${content}`,
        saidBy(inNamespace),
      ),
      template,
      collector,
    );
    for (const rule of others) {
      report(say(rule, template, context), template, collector);
    }
  }
}

/** What was said of contents, as long as there are not too many of them. */
class Remembered {
  private readonly said = new Map<string, readonly Said[]>();

  get(content: string | undefined, say: () => readonly Said[]): readonly Said[] {
    if (content === undefined) {
      return say();
    }
    let said = this.said.get(content);
    if (said === undefined) {
      said = say();
      if (this.said.size >= MOST_CONTENTS) {
        this.said.clear();
      }
      this.said.set(content, said);
    }
    return said;
  }
}

/** All that rules see which see the template alone. */
function contentOf(template: PodTemplate): string {
  const { apiVersion, kind } = template.manifest.id;
  return JSON.stringify([apiVersion, kind, template.isPod, addedVolumes(template), template.metadata, template.spec]);
}

const NOTHING: readonly Said[] = [];

function say(rule: PodTemplateRule, template: PodTemplate, context: RuleContext): readonly Said[] {
  let said: Said[] | undefined;
  try {
    const judgment = judging(() => [...rule.check(template, context)]);
    if (!judgment.known) {
      return [{ rule, notJudged: true }];
    }
    for (const violation of judgment.value) {
      (said ??= []).push({ rule, violation });
    }
  } catch (error) {
    (said ??= []).push({ rule, error });
  }
  return said ?? NOTHING;
}

function report(said: readonly Said[], template: PodTemplate, collector: FindingCollector): void {
  for (const one of said) {
    if ('error' in one) {
      reportFailure(one.error, one.rule, template.manifest, collector);
    } else if ('notJudged' in one) {
      collector.addNotJudged(one.rule.id, template.manifest);
    } else {
      collector.add(one.rule, template.manifest, {
        ...one.violation,
        path: template.path + (one.violation.path ?? ''),
      });
    }
  }
}

function runSetRules(
  rules: readonly SetRule[],
  context: RuleContext,
  collector: FindingCollector,
  own: ManifestSet,
): void {
  const checked = new Set(own.manifests);
  for (const rule of rules) {
    try {
      const judgment = judging(() => [...rule.check(context)]);
      if (!judgment.known) {
        collector.addNotJudged(rule.id);
        continue;
      }
      for (const violation of judgment.value.filter(({ manifest }) => checked.has(manifest))) {
        collector.add(rule, violation.manifest, violation);
      }
    } catch (error) {
      reportFailure(error, rule, undefined, collector);
    }
  }
}

/** A rule that fails is a defect of Gantry, not of the manifest: it is said, and the other rules go on. */
function reportFailure(error: unknown, rule: Rule, manifest: Manifest | undefined, collector: FindingCollector): void {
  collector.addFailure(
    `the rule ${rule.id} failed: ${error instanceof Error ? error.message : String(error)}`,
    manifest,
  );
}
