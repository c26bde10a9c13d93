/**
 * What Kueue counts of a resource that pods request, as its configuration says, where the manifests contain that.
 *
 * Source: kueue, pkg/workload/workload.go (dropExcludedResources, applyResourceTransformations).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { readWholeYaml } from '../../../manifests/texts/yaml-text';

const CONFIGURATION = 'config.kueue.x-k8s.io/';

const resourcesOf = new WeakMap<ManifestSet, readonly JsonObject[]>();

/** The part about resources of each configuration of Kueue in a ConfigMap of the set. */
function configuredResources(set: ManifestSet): readonly JsonObject[] {
  let found = resourcesOf.get(set);
  if (found === undefined) {
    found = set
      .ofKind('ConfigMap')
      .flatMap(({ object }) => stringEntries(object.data))
      .filter(([, text]) => text.includes(CONFIGURATION))
      .flatMap(([, text]) => {
        const { value } = readWholeYaml(text);
        return isObject(value) && asString(value.apiVersion)?.startsWith(CONFIGURATION) === true
          ? [asObject(value.resources)]
          : [];
      });
    resourcesOf.set(set, found);
  }
  return found;
}

/** The names under which Kueue counts a resource that pods request. With several configurations, those that one of them leaves. */
export function countedNames(set: ManifestSet, resource: string): readonly string[] {
  const configurations = configuredResources(set);
  return configurations.length === 0 ? [resource] : namesUnder(configurations, resource);
}

function namesUnder(configurations: readonly JsonObject[], resource: string): readonly string[] {
  const each = configurations.map((resources) => {
    const excluded = stringsIn(resources.excludeResourcePrefixes).some((prefix) => resource.startsWith(prefix));
    if (excluded || resources.quotaCheckStrategy === 'IgnoreUndeclared') {
      return [];
    }
    const transformation = objectsAt(resources, '/transformations').find(
      ({ value }) => value.input === resource,
    )?.value;
    if (transformation === undefined) {
      return [resource];
    }
    const outputs = Object.keys(asObject(transformation.outputs));
    return transformation.strategy === 'Replace' ? outputs : [resource, ...outputs];
  });
  return each.reduce((fewest, names) => (names.length < fewest.length ? names : fewest));
}
