/**
 * The pods that a ScaledObject scales or a ScaledJob creates, and the environment variables that a trigger can read from them.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { type Target, targetOf } from './target';
import { type ScaledView } from './view';

/** The pod spec of the target, where the target is in the set and has one template. */
export function podSpecOf(
  view: ScaledView,
  set: ManifestSet,
): { readonly target: Target; readonly spec: JsonObject } | undefined {
  if (view.manifest.id.kind === 'ScaledJob') {
    const spec = asObject(asObject(asObject(view.spec.jobTargetRef).template).spec);
    const { id } = view.manifest;
    // The name is read by the rules that report it alone.
    const target: Target = {
      kind: 'ScaledJob',
      namespace: id.namespace,
      get name() {
        return id.name;
      },
    };
    return { target, spec };
  }
  const target = targetOf(view.manifest, view.spec.scaleTargetRef);
  const manifest = target && set.get(target.kind, target.name, target.namespace);
  if (target === undefined || manifest === undefined) {
    return undefined;
  }
  const spec = asObject(asObject(manifest.object.spec).template).spec;
  return isObject(spec) ? { target, spec } : undefined;
}

export function containersIn(spec: JsonObject): readonly JsonObject[] {
  return objectsAt({ spec }, '/spec/containers').map(({ value }) => value);
}

/** What may have `envSourceContainerName`. */
export function environmentSourceOf({ manifest, spec }: ScaledView): {
  readonly holder: JsonObject;
  readonly path: string;
} {
  return manifest.id.kind === 'ScaledJob'
    ? { holder: spec, path: '/spec' }
    : { holder: asObject(spec.scaleTargetRef), path: '/spec/scaleTargetRef' };
}

/** The container whose variables a trigger reads: `envSourceContainerName`, or the first one. */
export function environmentContainer(view: ScaledView, spec: JsonObject): JsonObject | undefined {
  const source = asString(environmentSourceOf(view).holder.envSourceContainerName) ?? '';
  const containers = containersIn(spec);
  return source === '' ? containers[0] : containers.find(({ name }) => name === source);
}

/** The value of a variable that a trigger reads, where the manifests state it and it refers to no other variable. */
export function variableOfTarget(view: ScaledView, set: ManifestSet, name: string): string | undefined {
  const pods = podSpecOf(view, set);
  const container = pods && environmentContainer(view, pods.spec);
  const variable = asArray(container?.env)
    .map(asObject)
    .findLast((candidate) => candidate.name === name);
  const value = variable?.valueFrom === undefined ? asString(variable?.value) : undefined;
  return value?.includes('$(') === true ? undefined : value;
}
