/**
 * Runs semantic rules over a manifest set, each on what it asks for.
 */
import { addAll } from '../../facts/collections';
import { type Manifest } from '../../manifests/manifest';
import { Contents, type SaidOfTemplates } from '../contents';
import { RULE_GROUPS, TIERS } from '../report/finding';
import { type FindingSink } from '../report/sink';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type PodTemplate } from '../../manifests/pods/pod-template';
import { neighborhoodOf } from '../server/admission/cluster-contents';
import { inTemplate } from './template-fields';
import { judging, unknownReads, unlessUnknown } from '../../manifests/values/unknown';
import { Remembered, type Said, WatchedTemplate } from '../remembered';
import {
  type ObjectRule,
  type PodTemplateRule,
  type Rule,
  type RuleContext,
  type SetRule,
  type Violation,
} from './rule';
import { type AskingRules, RulesByField, type SortedByAsking } from './rules-by-field';

/** Where the rules of each kind report, and which of the manifests they look at. */
export interface Stages {
  /** What rules on objects and on pod templates look at. */
  readonly manifests: readonly Manifest[];
  readonly onObjects: FindingSink;
  readonly onTemplates: FindingSink;
  /** `undefined` if rules on the whole set are not run. */
  readonly onSet: FindingSink | undefined;
}

/**
 * Runs the rules of the requested tiers.
 *
 * @param own what is checked, where the set of the context also contains what a cluster has: only this is reported on
 * @param contents the contents of the set, where something else needs them too
 */
export function runRules(
  rules: readonly Rule[],
  context: RuleContext,
  sink: FindingSink,
  own: ManifestSet = context.set,
  contents = new Contents(context.set),
): void {
  const stages = { manifests: own.manifests, onObjects: sink, onTemplates: sink, onSet: sink };
  runStages(rules, context, stages, own, contents);
}

/** The same, with a sink for each kind of rule. */
export function runStages(
  rules: readonly Rule[],
  context: RuleContext,
  { manifests, onObjects, onTemplates, onSet }: Stages,
  own: ManifestSet,
  contents: Contents,
): void {
  const { byField, hasTemplateRules, setRules } = sorted(rules, onObjects);
  runObjectRules(byField, contents, context, onObjects, manifests);
  if (hasTemplateRules) {
    runPodTemplateRules(byField, contents, context, onTemplates, manifests);
  }
  if (onSet !== undefined) {
    runSetRules(setRules, context, onSet, own);
  }
}

/** Rules as they are run: by what they look at. */
interface SortedRules {
  readonly byField: RulesByField;
  readonly hasTemplateRules: boolean;
  readonly setRules: readonly SetRule[];
}

/** A program that checks many small sets passes the same rules each time. */
const sortedBefore = new WeakMap<readonly Rule[], Map<string, SortedRules>>();

function sorted(rules: readonly Rule[], sink: FindingSink): SortedRules {
  const before = sortedBefore.get(rules) ?? new Map<string, SortedRules>();
  sortedBefore.set(rules, before);
  const tiers = TIERS.filter((tier) => sink.wants([tier]));
  const key = [...tiers, ...RULE_GROUPS.filter((group) => sink.wantsGroup(group))].join();
  let result = before.get(key);
  if (result === undefined) {
    const wanted = rules.filter(
      ({ tier, otherTiers = [], group }) => sink.wantsGroup(group) && sink.wants([tier, ...otherTiers]),
    );
    result = {
      byField: new RulesByField(wanted),
      hasTemplateRules: wanted.some((rule) => rule.on === 'pod-template'),
      setRules: wanted.filter((rule): rule is SetRule => rule.on === 'set'),
    };
    before.set(key, result);
  }
  return result;
}

function runObjectRules(
  rules: RulesByField,
  contents: Contents,
  context: RuleContext,
  sink: FindingSink,
  manifests: readonly Manifest[],
): void {
  for (const manifest of manifests) {
    const content = contents.ofSpec(manifest);
    const found = rules.ofObject(manifest, content);
    const saidOfSpec = (): readonly Said<ObjectRule>[] => said(found.ofSpec, manifest, context);
    reportObject(content === undefined ? saidOfSpec() : content.saidBy(found, saidOfSpec), manifest, sink);
    const { unnamed } = found;
    if (unnamed.others.length + unnamed.asking.length > 0) {
      const saidOfUnnamed = (): readonly Said<ObjectRule>[] => saidIfApplying(unnamed, manifest, context);
      const known = content && contents.ofUnnamed(manifest, content);
      reportObject(known === undefined ? saidOfUnnamed() : known.saidBy(unnamed, saidOfUnnamed), manifest, sink);
    }
    reportObject(saidIfApplying(found, manifest, context), manifest, sink);
  }
}

/** What rules find, of which some ask first whether they apply. */
function saidIfApplying(
  { others, asking }: SortedByAsking,
  manifest: Manifest,
  context: RuleContext,
): readonly Said<ObjectRule>[] {
  let all = said(others, manifest, context);
  for (const { applyTo, rules } of asking) {
    if (mayApply(applyTo, manifest, context)) {
      const found = said(rules, manifest, context);
      all = all.length === 0 ? found : found.length === 0 ? all : [...all, ...found];
    }
  }
  return all;
}

/** Where the answer is not known, or there is none, each rule says so itself. */
function mayApply(applyTo: AskingRules['applyTo'], manifest: Manifest, context: RuleContext): boolean {
  try {
    return unlessUnknown(() => applyTo(manifest, context), true);
  } catch {
    return true;
  }
}

function reportObject(all: readonly Said<ObjectRule>[], manifest: Manifest, sink: FindingSink): void {
  for (const one of all) {
    if ('error' in one) {
      reportFailure(one.error, one.rule, manifest, sink);
    } else if ('notJudged' in one) {
      sink.addNotJudged(one.rule.id, manifest);
    } else {
      sink.add(one.rule, manifest, one.violation);
    }
  }
}

function runPodTemplateRules(
  rules: RulesByField,
  contents: Contents,
  context: RuleContext,
  sink: FindingSink,
  manifests: readonly Manifest[],
): void {
  for (const template of manifests.flatMap((manifest) => context.set.podTemplatesOf(manifest))) {
    const { manifest } = template;
    const { alone, inNamespace, others } = rules.ofTemplates(manifest, contents.ofSpec(manifest));
    const content = contents.ofTemplate(template);
    if (content === undefined) {
      reportTemplate(said([...alone, ...inNamespace], template, context), template, sink);
    } else {
      for (const [seeing, namespace] of [
        [alone, ''],
        [inNamespace, neighborhoodOf(context.set, manifest)],
      ] as const) {
        const known = content.saidBy(seeing, namespace, () => watched(seeing, template, context));
        reportTemplate(known.said, template, sink);
        reportTemplate(ofMetadata(known, template, context), template, sink);
      }
    }
    reportTemplate(said(others, template, context), template, sink);
  }
}

/** Runs the rules, and finds out which of them read the metadata. What they found is kept for equal metadata alone. */
function watched(rules: readonly PodTemplateRule[], template: PodTemplate, context: RuleContext): SaidOfTemplates {
  const watchedTemplate = new WatchedTemplate(template);
  const readMetadata: PodTemplateRule[] = [];
  const found: Said<PodTemplateRule>[] = [];
  for (const rule of rules) {
    watchedTemplate.metadataWasRead = false;
    const violations = said([rule], watchedTemplate, context);
    if (watchedTemplate.metadataWasRead) {
      readMetadata.push(rule);
    } else {
      addAll(found, violations);
    }
  }
  return { said: found, ofMetadata: readMetadata, byMetadata: new Remembered() };
}

/** What the rules find that read the metadata of the template. */
function ofMetadata(
  { ofMetadata: rules, byMetadata }: SaidOfTemplates,
  template: PodTemplate,
  context: RuleContext,
): readonly Said<PodTemplateRule>[] {
  if (rules.length === 0) {
    return NOTHING;
  }
  const judge = (): readonly Said<PodTemplateRule>[] => said(rules, template, context);
  const metadata = unlessUnknown(() => JSON.stringify(template.metadata), undefined);
  return metadata === undefined ? judge() : byMetadata.get(metadata, judge);
}

/** What these rules find in a manifest or a template, one after the other. */
function said<S extends Manifest | PodTemplate, R extends (ObjectRule | PodTemplateRule) & { check: Check<S> }>(
  rules: readonly R[],
  subject: S,
  context: RuleContext,
): readonly Said<R>[] {
  let all: Said<R>[] | undefined;
  for (const rule of rules) {
    // As `judging`, without a closure for each rule and object: nearly all of these calls find nothing.
    const before = unknownReads();
    try {
      const violations = listOf(rule.check(subject, context));
      if (unknownReads() !== before) {
        (all ??= []).push({ rule, notJudged: true });
        continue;
      }
      for (const violation of violations) {
        (all ??= []).push({ rule, violation });
      }
    } catch (error) {
      (all ??= []).push(unknownReads() === before ? { rule, error } : { rule, notJudged: true });
    }
  }
  return all ?? NOTHING;
}

type Check<S> = (subject: S, context: RuleContext) => Iterable<Violation>;

const NOTHING: readonly never[] = [];

/** Most rules return a list, and most lists are empty. */
function listOf<T>(items: Iterable<T>): readonly T[] {
  return Array.isArray(items) ? (items as readonly T[]) : [...items];
}

function reportTemplate(all: readonly Said<PodTemplateRule>[], template: PodTemplate, sink: FindingSink): void {
  for (const one of all) {
    if ('error' in one) {
      reportFailure(one.error, one.rule, template.manifest, sink);
    } else if ('notJudged' in one) {
      sink.addNotJudged(one.rule.id, template.manifest);
    } else {
      const { path = '', fix } = one.violation;
      const rule = { ...one.rule, fix: inTemplate(one.rule.fix, template.path) };
      sink.add(rule, template.manifest, {
        ...one.violation,
        path: template.path + path,
        ...(fix === undefined ? {} : { fix: inTemplate(fix, template.path) }),
      });
    }
  }
}

function runSetRules(rules: readonly SetRule[], context: RuleContext, sink: FindingSink, own: ManifestSet): void {
  const checked = new Set(own.manifests);
  for (const rule of rules) {
    try {
      const judgment = judging(() => listOf(rule.check(context)));
      if (!judgment.known) {
        sink.addNotJudged(rule.id);
        continue;
      }
      for (const violation of judgment.value.filter(({ manifest }) => checked.has(manifest))) {
        sink.add(rule, violation.manifest, violation);
      }
    } catch (error) {
      reportFailure(error, rule, undefined, sink);
    }
  }
}

/** A rule that fails is a defect of Gantry, not of the manifest: it is said, and the other rules go on. */
function reportFailure(error: unknown, rule: Rule, manifest: Manifest | undefined, sink: FindingSink): void {
  sink.addFailure(`the rule ${rule.id} failed: ${error instanceof Error ? error.message : String(error)}`, manifest);
}
