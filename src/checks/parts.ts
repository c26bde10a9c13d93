/**
 * A check in parts, which several threads do at the same time: each has the whole set, and looks at some of its objects and at some of the
 * rules on the whole set. The report of the parts is equal to that of one check.
 */
import { ObjectNames } from '../facts/spelling';
import { type ManifestSet } from '../manifests/manifest-set';
import { checkShapes, questionOf, reportSourceProblems, type CheckOptions } from './engine';
import { Recording, replay, type Numbers, type Recorded } from './recording';
import { FindingCollector } from './report/collector';
import { type Report } from './report/report';
import { reportUnknownSuppressions } from './rules/known-rules';
import { runStages } from './rules/run-rules';

/** What one part of a check looks at. */
export interface CheckPart {
  /** Its number, from 0, and how many parts there are. */
  readonly part: number;
  readonly parts: number;
  /** The objects that it looks at: from the first number up to the second, as in the order of the set. */
  readonly from: number;
  readonly to: number;
}

/** What a part found, stage by stage. */
export interface FoundInPart {
  readonly shapes: readonly Recorded[];
  readonly objects: readonly Recorded[];
  readonly templates: readonly Recorded[];
  /** By the number of the rule. */
  readonly sets: ReadonlyMap<number, readonly Recorded[]>;
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
  { part, parts, from, to }: CheckPart,
  locates: boolean,
): FoundInPart {
  const question = questionOf(set, options);
  const numbers: Numbers = new Map(set.manifests.map((manifest, number) => [manifest, number]));
  const recording = (): Recording => new Recording(options, numbers, locates);
  const [shapes, objects, templates] = [recording(), recording(), recording()];
  const sets = new Map<number, Recording>();
  const manifests = set.manifests.slice(from, to);
  ObjectNames.mostWork = 0;
  checkShapes(question, manifests, shapes);
  const onSet = (rule: number): Recording | undefined => {
    if (rule % parts !== part) {
      return undefined;
    }
    const found = recording();
    sets.set(rule, found);
    return found;
  };
  const stages = { manifests, onObjects: objects, onTemplates: templates, onSet };
  runStages(question.rules, question.context, stages, set, question.contents);
  return {
    shapes: shapes.recorded,
    objects: objects.recorded,
    templates: templates.recorded,
    sets: new Map([...sets].map(([rule, found]) => [rule, found.recorded])),
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
  const collector = new FindingCollector(set, options);
  const question = questionOf(set, options);
  const report = (found: readonly Recorded[]): void => replay(found, set.manifests, collector);
  reportSourceProblems(question, collector);
  parts.forEach(({ shapes }) => report(shapes));
  reportUnknownSuppressions(set, question.rules, collector);
  parts.forEach(({ objects }) => report(objects));
  parts.forEach(({ templates }) => report(templates));
  const sets = parts.flatMap((part) => [...part.sets]).sort(([one], [other]) => one - other);
  sets.forEach(([, found]) => report(found));
  return collector.report();
}
