/**
 * Checks a construct tree: what its objects render to, with the options that `Checks.of` was given in the tree.
 */
import { ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type RenderedObject, renderedObjects } from '../../manifests/constructs';
import { ManifestSet } from '../../manifests/manifest-set';
import { checkOptionsOf, silencedAt } from './check-settings';
import { check } from '../engine';
import { type Report } from '../report/report';
import { formatSuppressions, IGNORE_ANNOTATION, type Suppression } from '../report/suppression';

/** A report, with the manifests that it is about. */
export interface CheckedTree {
  readonly report: Report;
  readonly rendered: readonly RenderedObject[];
  readonly set: ManifestSet;
}

/**
 * Checks all objects below a construct.
 *
 * Suppressions that constructs state are written to the objects first, so that they also hold when the YAML is checked later.
 */
export function checkRendered(scope: IConstruct): CheckedTree {
  const rendered = renderedWithSuppressions(scope);
  const set = new ManifestSet(rendered.map(({ manifest }) => manifest));
  return { report: check(set, checkOptionsOf(scope)), rendered, set };
}

/** The objects of a tree as they are written, with the suppressions that constructs state. */
export function renderedWithSuppressions(scope: IConstruct): readonly RenderedObject[] {
  annotateSuppressions(scope);
  return renderedObjects(scope);
}

/** The report alone. */
export function checkTree(scope: IConstruct): Report {
  return checkRendered(scope).report;
}

function annotateSuppressions(scope: IConstruct): void {
  const known = new Map<IConstruct, readonly Suppression[]>();
  const suppressionsAt = (construct: IConstruct): readonly Suppression[] => {
    let suppressions = known.get(construct);
    if (suppressions === undefined) {
      const parent = construct.node.scope;
      suppressions = [...(parent === undefined ? [] : suppressionsAt(parent)), ...silencedAt(construct)];
      known.set(construct, suppressions);
    }
    return suppressions;
  };
  for (const construct of scope.node.findAll()) {
    if (!ApiObject.isApiObject(construct)) {
      continue;
    }
    const suppressions = suppressionsAt(construct);
    if (suppressions.length > 0) {
      construct.metadata.addAnnotation(IGNORE_ANNOTATION, formatSuppressions(suppressions));
    }
  }
}
