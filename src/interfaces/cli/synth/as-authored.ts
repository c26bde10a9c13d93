/**
 * Manifests at the places where their author can change them.
 */
import { type Manifest } from '../../../manifests/manifest';
import { ManifestSet } from '../../../manifests/manifest-set';

/**
 * The manifests with the construct that made them as their place, since that is where their author can change them. cdk8s records
 * constructs by the object's name alone; where two objects share a name, the place stays the file.
 */
export function asAuthored(
  set: ManifestSet,
  fileOf: (draft: string) => string,
  constructs: ReadonlyMap<string, string>,
): ManifestSet {
  const times = new Map<string, number>();
  for (const { id } of set.manifests) {
    times.set(id.name, (times.get(id.name) ?? 0) + 1);
  }
  const manifests = set.manifests.map((manifest): Manifest => {
    const construct = times.get(manifest.id.name) === 1 ? constructs.get(manifest.id.name) : undefined;
    if (construct !== undefined) {
      return { ...manifest, origin: { construct } };
    }
    return { ...manifest, origin: { ...manifest.origin, file: fileOf(manifest.origin.file ?? '') } };
  });
  return new ManifestSet(manifests, set.problems, set.skipped);
}
