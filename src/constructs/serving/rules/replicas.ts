/**
 * How many pods a workload has: stated, as a share, or by an autoscaler.
 */
import { addTo } from '../../../facts/collections';
import { type JsonValue } from '../../../facts/api/schema';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asString } from '../../../manifests/read';

/** A count, or the share of `all` that a percentage represents. */
export function countOf(
  value: JsonValue | undefined,
  all: number,
  round: (value: number) => number,
): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  const match = /^(\d+)%$/.exec(asString(value) ?? '');
  return match === null ? undefined : round((Number(match[1]) * all) / 100);
}

/** How many pods a workload has, where nothing else decides that. */
export function settledCount(template: PodTemplate, set: ManifestSet): number | undefined {
  const { manifest } = template;
  return autoscalersOf(manifest, set).length > 0 ? undefined : template.count;
}

const AUTOSCALERS = ['autoscaling/HorizontalPodAutoscaler', 'keda.sh/ScaledObject'];

const scaledBySet = new WeakMap<ManifestSet, ReadonlyMap<Manifest, readonly Manifest[]>>();

/** The autoscalers of a set, by the manifest that they name as their target. */
function autoscalersIn(set: ManifestSet): ReadonlyMap<Manifest, readonly Manifest[]> {
  let autoscalers = scaledBySet.get(set);
  if (autoscalers === undefined) {
    const byTarget = new Map<Manifest, Manifest[]>();
    for (const reference of AUTOSCALERS.flatMap((kind) => set.ofKind(kind)).flatMap((one) => set.referencesFrom(one))) {
      const target = set.resolve(reference);
      if (target !== undefined) {
        addTo(byTarget, target, reference.from);
      }
    }
    scaledBySet.set(set, (autoscalers = byTarget));
  }
  return autoscalers;
}

/** The autoscalers that name a workload as their target. Several manifests of one workload have the same. */
export function autoscalersOf(manifest: Manifest, set: ManifestSet): readonly Manifest[] {
  const { name, namespace } = manifest.id;
  return autoscalersIn(set).get(set.get(kindKey(manifest.id), name, namespace) ?? manifest) ?? [];
}
