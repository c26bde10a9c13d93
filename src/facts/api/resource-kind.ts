/**
 * A kind as a value that knows its type: what `new Resource(scope, id, Queue, { … })` takes.
 */
declare const type: unique symbol;

/**
 * A kind of objects as a value: `Queue` of `cdk8s-gantry/api/scheduling.volcano.sh/v1beta1`, for example. `Resource`
 * takes it.
 * @typeParam T the shape of the whole object, as the generated interface of the same name states it
 */
export interface ResourceKind<T> {
  /** `group/version`, or `version` alone for the core group. */
  readonly apiVersion: string;
  /** Kind as in manifests, for example `Queue`. */
  readonly kind: string;
  /** Never there at run time; it makes `ResourceKind<Queue>` and `ResourceKind<Job>` different types. */
  readonly [type]?: T;
}

/** The shape of the objects of a kind: `ObjectOf<typeof Queue>` is `Queue`. */
export type ObjectOf<K extends ResourceKind<unknown>> = K extends ResourceKind<infer T> ? T : never;
