/**
 * A check in parts, which several threads do at the same time: each looks at some of the objects, beside all others, and one runs the rules on
 * the whole set. The report of the parts is equal to that of one check.
 */
import { ObjectNames } from '../facts/spelling';
import { type Manifest } from '../manifests/manifest';
import { type ManifestSet } from '../manifests/manifest-set';
import { checkShapes, questionOf, reportSourceProblems, type CheckOptions } from './engine';
import { Recording, replay, type Numbers, type Recorded } from './recording';
import { FindingCollector } from './report/collector';
import { type Report } from './report/report';
import { suppressionsOf } from './report/suppression';
import { reportUnknownSuppressions } from './rules/known-rules';
import { runStages } from './rules/run-rules';

/** What one part of a check looks at. */
export interface CheckPart {
  /** The objects that it looks at: from the first number up to the second, as in the order of the set. */
  readonly from: number;
  readonly to: number;
  /** Whether it runs the rules on the whole set: one part does. */
  readonly runsSetRules: boolean;
}

/** What a part found, stage by stage. */
export interface FoundInPart {
  /** The numbers of its objects with suppressions of their own, or with an annotation that was meant as one. */
  readonly suppressing: readonly number[];
  readonly shapes: readonly Recorded[];
  readonly objects: readonly Recorded[];
  readonly templates: readonly Recorded[];
  /** What the rules on the whole set found. */
  readonly sets: readonly Recorded[];
  /** The most work that the search for names near to misspelled ones did in one group of names. */
  readonly searching: number;
}

/**
 * Does one part of a check.
 *
 * @param locates whether findings get their places now, as they have to where the reporting thread did not read the texts
 */
export function checkPart(
  set: ManifestSet,
  options: CheckOptions,
  { from, to, runsSetRules }: CheckPart,
  locates: boolean,
): FoundInPart {
  const question = questionOf(set, options);
  const numbers: Numbers = new Map(set.manifests.map((manifest, number) => [manifest, number]));
  const recording = (): Recording => new Recording(options, numbers, locates);
  const [shapes, objects, templates, sets] = [recording(), recording(), recording(), recording()];
  const manifests = set.manifests.slice(from, to);
  ObjectNames.mostWork = 0;
  checkShapes(question, manifests, shapes);
  const onSet = runsSetRules ? sets : undefined;
  const stages = { manifests, onObjects: objects, onTemplates: templates, onSet };
  runStages(question.rules, question.context, stages, set, question.contents);
  return {
    suppressing: manifests.flatMap((manifest, index) => (hasSuppressions(manifest) ? [from + index] : [])),
    shapes: shapes.recorded,
    objects: objects.recorded,
    templates: templates.recorded,
    sets: sets.recorded,
    searching: ObjectNames.mostWork,
  };
}

/**
 * The report of a check that was done in parts, given in their order.
 *
 * @returns `undefined` if one check could have found something else: the search for near names has a limit for all objects together
 */
export function reportOfParts(
  set: ManifestSet,
  options: CheckOptions,
  parts: readonly FoundInPart[],
): Report | undefined {
  if (parts.reduce((sum, { searching }) => sum + searching, 0) >= ObjectNames.MOST_WORK) {
    return undefined;
  }
  const suppressing = parts.flatMap((part) => part.suppressing.map((number) => set.manifests[number]));
  const collector = new FindingCollector(set, options, suppressing);
  const question = questionOf(set, options);
  const report = (found: readonly Recorded[]): void => replay(found, set.manifests, collector);
  reportSourceProblems(question, collector);
  parts.forEach(({ shapes }) => report(shapes));
  reportUnknownSuppressions(suppressing, question.rules, collector);
  parts.forEach(({ objects }) => report(objects));
  parts.forEach(({ templates }) => report(templates));
  parts.forEach(({ sets }) => report(sets));
  return collector.report();
}

function hasSuppressions(manifest: Manifest): boolean {
  const { suppressions, violations } = suppressionsOf(manifest);
  return suppressions.length + violations.length > 0;
}
