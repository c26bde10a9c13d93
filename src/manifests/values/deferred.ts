/**
 * Values that a program carries into manifests and does not know at synthesis: the `Output` of Pulumi, by its shape, so that nothing here
 * depends on Pulumi. Constructs pass them through; `cdk8s-gantry/pulumi` gives them their values.
 */

/** A value that is known later, such as an `Output<T>` of Pulumi. */
export interface Deferred<T> {
  /** Returns a deferred value that is computed from this one. */
  apply<U>(func: (value: T) => U): unknown;
  /** Throws during a deployment; part of the shape. */
  get(): T;
}

/**
 * A value that a construct passes through without looking at it: the value, an `Output` of Pulumi, or a promise, so that an
 * `Input` of Pulumi is one. They have values in `GantryStack` of `cdk8s-gantry/pulumi`; any other app cannot render them.
 */
export type Carried<T> = T | Deferred<T> | Promise<T>;

/** A map whose values are carried, or a whole map that is an Output. Constructs add members to maps, which a promise would lose. */
export type CarriedMap<T> = Readonly<Record<string, Carried<T>>> | Deferred<Readonly<Record<string, Carried<T>>>>;

/** A list whose items are carried, or a whole list that is. */
export type CarriedList<T> = Carried<readonly Carried<T>[]>;

/** `T`, in which every member at any depth may be carried. */
export type CarriedDeep<T> = Carried<CarriedWithin<T>>;

/** `T`, in which every member at any depth may be carried, and which is not carried itself. */
export type CarriedWithin<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? readonly CarriedDeep<Item>[]
    : T extends object
      ? { readonly [Member in keyof T]: CarriedDeep<T[Member]> }
      : T;

/**
 * A carried value as the type that it has once it is known: for code that puts it into an object and does not look at it.
 */
export function passed<T>(value: Carried<T>): T {
  return value as T;
}

/** A carried list as the type that it has once it is known; see `passed`. */
export function passedList<T>(list: CarriedList<T>): readonly T[];
export function passedList<T>(list: CarriedList<T> | undefined): readonly T[] | undefined;
export function passedList<T>(list: CarriedList<T> | undefined): readonly T[] | undefined {
  return list as readonly T[] | undefined;
}

/** Whether the value is deferred: an Output, or a promise of any realm. */
export function isDeferred(value: unknown): value is Deferred<unknown> | Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    ((value as { readonly __pulumiOutput?: unknown }).__pulumiOutput === true || isPromise(value))
  );
}

/** Whether the value is a promise of any realm. */
export function isPromise(value: object): value is Promise<unknown> {
  return typeof (value as { readonly then?: unknown }).then === 'function';
}

/**
 * The members of a map to which a construct adds others. Those of a whole Output are recognized when the object is rendered.
 *
 * @throws if the map is a promise, which has no members
 */
export function membersOf<T>(prop: string, map: CarriedMap<T> | undefined): Readonly<Record<string, T>> {
  if (typeof map === 'object' && isPromise(map)) {
    throw new Error(`${prop}: must not be a promise, because members are added to the map. Wrap it in pulumi.output.`);
  }
  return (map ?? {}) as Readonly<Record<string, T>>;
}

/** A string that is written from values that are partly deferred, such as a configuration file in a ConfigMap. */
export class DeferredText {
  constructor(
    /** Plain data, with deferred values in it. */
    readonly source: unknown,
    /** Writes the string when all values are known. */
    readonly write: (source: never) => string,
  ) {}

  /** @throws always: the string is not known yet */
  toString(): never {
    throw new Error('a value that depends on an Output is not known at synthesis, and the construct computes with it.');
  }

  toJSON(): never {
    return this.toString();
  }
}

/** What represents deferred values in strings during a synthesis; set by the bridge that gives them their values. */
const TOKEN = /pulumi-output-\d+-[0-9a-f]{8}/;

/** Whether deferred values occur in plain data at any depth, as they are or by their token. */
export function containsDeferred(value: unknown): boolean {
  if (typeof value === 'string') {
    return TOKEN.test(value);
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return isDeferred(value) || value instanceof DeferredText || Object.values(value).some(containsDeferred);
}

/** A document that is embedded as a string: written now, or once the deferred values in it are known. */
export function embedded<T>(source: T, write: (source: T) => string): string {
  return containsDeferred(source) ? (new DeferredText(source, write) as unknown as string) : write(source);
}

/** An image with its tag; both may be deferred. */
export function taggedImage(image: Carried<string>, tag: Carried<string>): string {
  return embedded([image, tag], ([name, version]) => `${name as string}:${version as string}`);
}

/**
 * The value of a prop that a construct computes with.
 *
 * @param alternative what to write instead, as an imperative clause
 * @throws if it is deferred
 */
export function known<T>(
  prop: string,
  value: T,
  alternative = 'Pass the value itself, for example from pulumi.Config',
): Exclude<T, Deferred<unknown> | Promise<unknown>> {
  if (isDeferred(value)) {
    throw new Error(
      `${prop}: must not be an Output, because its value decides what is rendered at synthesis. ${alternative}.`,
    );
  }
  return value as Exclude<T, Deferred<unknown> | Promise<unknown>>;
}
