/**
 * One place, one answer: where a finding says to remove a field, the others at the same place say so too. What they would have set is removed.
 */
import { fieldBelow, tokensOf } from '../../manifests/pointer';
import { type Manifest } from '../../manifests/manifest';
import { type Finding } from './finding';

interface Located {
  readonly finding: Finding;
  readonly manifest?: Manifest;
}

/** A fix that removes one thing and does nothing else. */
const REMOVAL = /^Remove (?!.* or )(\S+)(?: from [^,]+)?(?:, because .+|: the API server sets it)?\.$/;

/** Whether the fix removes what is at the path of the finding. */
function removesItsPlace({ path, fix = '', found, severity }: Finding): boolean {
  const [, removed = ''] = REMOVAL.exec(fix) ?? [];
  const token = tokensOf(path).at(-1) ?? '';
  const last = /^\d+$/.test(token) ? `[${token}]` : fieldBelow('', token);
  return severity !== 'info' && path !== '' && removed !== '' && (removed === found || isNamed(removed, last));
}

/** @param last the name of the field, or its index in brackets */
function isNamed(removed: string, last: string): boolean {
  return removed === last || removed.endsWith(last.startsWith('[') ? last : `.${last}`);
}

/** The findings with one fix for each field that has to be removed. */
export function withOneRemoval(all: readonly Located[]): readonly Located[] {
  const removals = new Map<Manifest, Map<string, Finding>>();
  for (const { finding, manifest } of all) {
    if (manifest !== undefined && removesItsPlace(finding)) {
      const ofManifest = removals.get(manifest) ?? new Map<string, Finding>();
      removals.set(manifest, ofManifest);
      if (!ofManifest.has(finding.path)) {
        ofManifest.set(finding.path, finding);
      }
    }
  }
  return removals.size === 0
    ? all
    : all.map((one) => {
        const removal = one.manifest && removals.get(one.manifest)?.get(one.finding.path);
        return removal === undefined || one.finding.omitted !== undefined || removesItsPlace(one.finding)
          ? one
          : { ...one, finding: withFixOf(one.finding, removal) };
      });
}

function withFixOf({ expected: _, ...finding }: Finding, { fix, expected }: Finding): Finding {
  return {
    ...finding,
    ...(expected === undefined ? {} : { expected }),
    ...(fix === undefined ? {} : { fix }),
  };
}
