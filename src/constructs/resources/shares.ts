/**
 * The shares of accelerators that quotas and queues state, whichever engine counts them. Rules read them; they import no construct.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { GANTRY_PRODUCTS, isAcceleratorResource } from '../../facts/catalog';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { pointer } from '../../manifests/pointer';
import { parseQuantity } from '../../manifests/values/quantity';
import { asArray, asObject, asString, objectsAt } from '../../manifests/read';
import { parseValue } from '../../manifests/yaml';
import { CONFIGURATION_KEY, NAME_LABEL, SCHEDULER_NAME } from '../../planning/scheduler-settings/deployment-names';

/** An amount of an accelerator resource, greater than 0. */
export interface DeviceShare {
  readonly manifest: Manifest;
  /** JSON pointer of the amount. */
  readonly path: string;
  /** The resource as pods request it. */
  readonly resource: string;
  /** The queue that states it, where one object states several. */
  readonly queue?: string;
}

const cache = new WeakMap<ManifestSet, readonly DeviceShare[]>();

/** Every share of accelerators in a set. Worked out once, since several rules ask. */
export function deviceSharesIn(set: ManifestSet): readonly DeviceShare[] {
  let shares = cache.get(set);
  if (shares === undefined) {
    shares = Object.entries(READERS).flatMap(([kind, read]) => set.ofKind(kind).flatMap((manifest) => read(manifest)));
    cache.set(set, shares);
  }
  return shares;
}

/** The accelerators that the shares of an object are for, as its annotation says. */
export function productsOf({ object }: Manifest): readonly string[] {
  const text = asString(asObject(asObject(object.metadata).annotations)[GANTRY_PRODUCTS]) ?? '';
  return text.split(',').flatMap((name) => name.trim() || []);
}

/** Kinds of objects that may carry the annotation of `productsOf`. */
export const KINDS_WITH_PRODUCTS: readonly string[] = ['ResourceQuota', 'scheduling.volcano.sh/Queue'];

type Reader = (manifest: Manifest) => readonly DeviceShare[];

const READERS: Readonly<Record<string, Reader>> = {
  ResourceQuota: (manifest) =>
    amountsAt(manifest, asObject(manifest.object.spec).hard, '/spec/hard')
      .flatMap((share) =>
        share.resource.startsWith('requests.') ? { ...share, resource: share.resource.slice('requests.'.length) } : [],
      )
      .filter(isOfDevice),
  'scheduling.volcano.sh/Queue': (manifest) => {
    const spec = asObject(manifest.object.spec);
    return [
      ...amountsAt(manifest, spec.capability, '/spec/capability'),
      ...amountsAt(manifest, spec.deserved, '/spec/deserved'),
      ...amountsAt(manifest, asObject(spec.guarantee).resource, '/spec/guarantee/resource'),
    ].filter(isOfDevice);
  },
  'kueue.x-k8s.io/ClusterQueue': flavorShares,
  'kueue.x-k8s.io/Cohort': flavorShares,
  ConfigMap: schedulerShares,
};

function isOfDevice({ resource }: DeviceShare): boolean {
  return isAcceleratorResource(resource);
}

function flavorShares(manifest: Manifest): readonly DeviceShare[] {
  return objectsAt(manifest.object, '/spec/resourceGroups').flatMap((group) =>
    objectsAt(manifest.object, `${group.path}/flavors`).flatMap((flavor) =>
      objectsAt(manifest.object, `${flavor.path}/resources`)
        .map(({ value, path }) => ({
          manifest,
          path,
          resource: asString(value.name) ?? '',
          amount: value.nominalQuota,
        }))
        .filter((share) => isOfDevice(share) && isPositive(share.amount)),
    ),
  );
}

/** The queues of Gantry's scheduler are in its configuration. */
function schedulerShares(manifest: Manifest): readonly DeviceShare[] {
  const { metadata, data } = manifest.object;
  const text = asString(asObject(data)[CONFIGURATION_KEY]);
  if (asObject(asObject(metadata).labels)[NAME_LABEL] !== SCHEDULER_NAME || text === undefined) {
    return [];
  }
  const parsed = parseValue(text, CONFIGURATION_KEY);
  const queues = 'value' in parsed ? asArray(asObject(parsed.value).queues).map(asObject) : [];
  const path = pointer('/data', CONFIGURATION_KEY);
  return queues.flatMap((queue: JsonObject) =>
    ['deserved', 'guarantee', 'capability'].flatMap((share) =>
      amountsAt(manifest, queue[share], path)
        .filter(isOfDevice)
        .map(({ resource }) => ({ manifest, path, resource, queue: asString(queue.name) ?? '' })),
    ),
  );
}

function amountsAt(manifest: Manifest, amounts: JsonValue | undefined, path: string): readonly DeviceShare[] {
  return Object.entries(asObject(amounts))
    .filter(([, amount]) => amount === 'unlimited' || isPositive(amount))
    .map(([resource]) => ({ manifest, path: pointer(path, resource), resource }));
}

function isPositive(amount: JsonValue | undefined): boolean {
  const isAmount = typeof amount === 'string' || typeof amount === 'number';
  return isAmount && parseQuantity(amount)?.isPositive() === true;
}
