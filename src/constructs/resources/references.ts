/**
 * What a pod may refer to, as the least that has to be known of it. The constructs of other folders satisfy these by their shape,
 * and so do the values of `fromName`, so that nothing here imports them.
 */
import { type Deferred, isDeferred } from '../../manifests/values/deferred';

/**
 * An object of the cluster, by its kind and name. The kind keeps references apart: a namespace is not accepted where a priority class is
 * meant, although both have a name.
 */
export interface ObjectReference<Kind extends string> {
  /** Kind of the object. */
  readonly kind: Kind;
  /** Name of the object. */
  readonly name: string;
}

/** An object that another library made, for example cdk8s-plus. */
export interface ForeignObject {
  /** Kind of the object. */
  readonly kind: string;
  /** API group of the object. */
  readonly apiGroup: string;
  /** Name of the object. */
  readonly name: string;
}

/** An object by its name, which may be an Output of Pulumi, or the object itself: a construct of this library or of cdk8s-plus, or the value of a `fromName`. */
export type NamedReference<Kind extends string> = string | Deferred<string> | ObjectReference<Kind> | ForeignObject;

/** A PriorityClass: `PriorityClass`, or `PriorityClass.fromName(…)` for one that exists in the cluster. */
export type PriorityClassReference = ObjectReference<'PriorityClass'>;

/** A WorkloadPriorityClass of Kueue, which orders workloads in its queues. It is not the priority of pods. */
export type WorkloadPriorityClassReference = ObjectReference<'WorkloadPriorityClass'>;

/**
 * The name of a referenced object.
 *
 * @throws if the value is not a name and has none, or if it is an object of another kind
 */
export function nameOf<Kind extends string>(reference: NamedReference<Kind>, kind?: Kind): string {
  const value: unknown = reference;
  if (typeof value === 'string') {
    return value;
  }
  if (isDeferred(value)) {
    return value as unknown as string;
  }
  const { name, kind: found } = typeof value === 'object' && value !== null ? (value as Partial<ForeignObject>) : {};
  if (typeof name !== 'string' || (kind !== undefined && typeof found === 'string' && found !== kind)) {
    const what = kind ?? 'object';
    throw new Error(
      `must be a ${what} or its name, got ${typeof name === 'string' ? `the ${String(found)} "${name}"` : String(value)}`,
    );
  }
  return name;
}

/** The reference itself where it is more than a name: a workload depends on those that are constructs. */
export function referencesIn(...references: readonly (object | string | undefined)[]): readonly object[] {
  return references.filter((reference): reference is object => typeof reference === 'object' && !isDeferred(reference));
}
