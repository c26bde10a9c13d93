/**
 * A set of manifests as the source of a stack, with an account of every object and field that the stack does not contain.
 */
import type * as TsMorph from 'ts-morph';
import { type Finding } from '../../../checks/report/finding';
import { nodeFileOwner } from '../../../manifests/documents/node-file';
import { describeId, type Manifest, type SourceProblem } from '../../../manifests/manifest';
import { ManifestSet } from '../../../manifests/manifest-set';
import { asObject } from '../../../manifests/read';
import { check } from '../../checks';
import { type Declaration } from './declaration';
import { authored, controllerOf, isLive } from '../../difference/server-fields';
import { type NotCarried, stackOf } from './stack';
import { writeStack } from './write';

export interface AdoptOptions {
  /** Whether the values of Secrets are written into the stack. */
  readonly secrets: boolean;
  /** Name of the class. */
  readonly className: string;
}

/** An object that the stack leaves out on purpose. */
export interface LeftOut {
  readonly manifest: Manifest;
  readonly reason: string;
}

export interface Adoption {
  /** The TypeScript source; empty where no object is left to write. */
  readonly source: string;
  readonly declarations: readonly Declaration[];
  readonly leftOut: readonly LeftOut[];
  /** Fields that the cluster had added, with the number of objects that had them. */
  readonly dropped: ReadonlyMap<string, number>;
  readonly notCarried: readonly NotCarried[];
  /** Documents that could not be read. */
  readonly problems: readonly SourceProblem[];
  /** What is wrong with the input. */
  readonly findings: readonly Finding[];
}

export function adopt(set: ManifestSet, options: AdoptOptions, tsMorph: typeof TsMorph): Adoption {
  const { findings } = check(set);
  const leftOut: LeftOut[] = [];
  const dropped = new Map<string, number>();
  const misshapen = new Set<Manifest>();
  const objectsWithWrongShape = new Set(
    findings.filter(({ tier }) => tier === 'schema').map(({ object, file = '' }) => `${file}\n${object}`),
  );
  const kept = set.manifests.flatMap((manifest): readonly Manifest[] => {
    const reason = reasonToLeaveOut(manifest, options);
    if (reason !== undefined) {
      leftOut.push({ manifest, reason });
      return [];
    }
    const { object, dropped: paths } = authored(manifest);
    paths.forEach((path) => dropped.set(path, (dropped.get(path) ?? 0) + 1));
    const own: Manifest = { ...manifest, object };
    if (objectsWithWrongShape.has(`${manifest.origin.file ?? ''}\n${describeId(manifest.id)}`)) {
      misshapen.add(own);
    }
    return [own];
  });
  const { declarations, notCarried } = stackOf(new ManifestSet(kept), { misshapen });
  return {
    source: declarations.length === 0 ? '' : writeStack(declarations, withComments(declarations, options), tsMorph),
    declarations,
    leftOut,
    dropped,
    notCarried,
    problems: set.problems,
    findings,
  };
}

function reasonToLeaveOut(manifest: Manifest, { secrets }: AdoptOptions): string | undefined {
  const controller = isLive(manifest) ? controllerOf(manifest) : undefined;
  if (controller !== undefined) {
    return `created by ${controller}, which creates it again`;
  }
  const owner = nodeFileOwner(manifest);
  if (owner !== undefined) {
    return `a configuration file of ${owner}, not an API object`;
  }
  const { apiVersion, kind } = manifest.id;
  if (apiVersion === '' || kind === '') {
    return `has no ${kind === '' ? 'kind' : 'apiVersion'}, so no API server accepts it`;
  }
  return hasSecretValues(manifest) && !secrets
    ? 'has secret values, which do not belong in source code; --secrets writes them'
    : undefined;
}

function hasSecretValues({ id, object }: Manifest): boolean {
  const { data, stringData } = object;
  return (
    id.kind === 'Secret' && id.group === '' && Object.keys({ ...asObject(data), ...asObject(stringData) }).length > 0
  );
}

function withComments(
  declarations: readonly Declaration[],
  { className }: AdoptOptions,
): { readonly className: string; readonly comments: ReadonlyMap<Declaration, string> } {
  const comments = new Map<Declaration, string>();
  for (const declaration of declarations) {
    if (hasSecretValues(declaration.manifest)) {
      comments.set(declaration, 'Contains secret values. Keep this file out of version control.');
    }
  }
  return { className, comments };
}
