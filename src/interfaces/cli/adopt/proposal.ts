/**
 * What a construct could say of an object: its class, and its props without name, namespace, labels, and annotations.
 */
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { at, type Expression, type Fields, fieldsOf, listOf, present, referenceTo, textOf } from './expression';
import { type Pods } from './pods';

/** A call of a method on the construct, after it was made. */
export interface MethodCall {
  readonly method: string;
  readonly args: readonly Expression[];
}

export interface Proposal {
  readonly className: string;
  readonly props: Fields;
  readonly calls?: readonly MethodCall[];
  /** Whether the construct has the property `metadata` for fields of the metadata that have none of their own. @default false */
  readonly hasMetadata?: boolean;
  /** Labels and annotations that a property says. @default - none */
  readonly taken?: readonly string[];
  /** Whether `overrides` are of the spec (`true`), of the object itself (`false`), or not there. */
  readonly overrides: 'spec' | 'object' | 'none';
}

/** Proposes a construct for an object whose names of other objects are references; `undefined` where none fits. */
export type Inverse = (object: Fields) => Proposal | undefined;

/** A construct that renders several objects of the set, which the first of them leads. */
export interface Composite {
  readonly className: string;
  /** The objects that a first object leads, by what they are of it; `undefined` where it leads none. */
  membersOf(first: Manifest, set: ManifestSet): Readonly<Record<string, Manifest>> | undefined;
  /** The construct, which must render all of them as they are; `undefined` where it does not fit. */
  propose(first: Fields, members: Readonly<Record<string, Fields>>): Proposal | undefined;
  /** Members of the construct by which others refer to objects, by what they are of it; `first` is the first object. */
  readonly parts: Readonly<Record<string, { readonly member: string; readonly className: string }>>;
}

/** The workload constructs: they take `metadata`, and are sent to a queue. */
export function workload(className: string, props: Fields, more: Partial<Proposal> = {}): Proposal {
  return { className, props, hasMetadata: true, overrides: 'spec', ...more };
}

/** The class that all templates name, as the property of the workload. */
export function priorityOf(pods: readonly Pods[], ...also: readonly Expression[]): Fields {
  const [name, ...others] = [...pods.map(({ priorityClassName }) => priorityClassName), ...also];
  const text = textOf(name);
  return text === undefined || others.some((other) => textOf(other) !== text)
    ? {}
    : { priorityClass: referenceTo(name, 'PriorityClass') };
}

/** A value where it is one of these; otherwise nothing, and the overrides say it. */
export function oneOf(value: Expression, ...choices: readonly string[]): string | undefined {
  return typeof value === 'string' && choices.includes(value) ? value : undefined;
}

export function whole(value: Expression): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export function flag(value: Expression): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** All of a list, or nothing where one item has no value. */
export function all<T>(list: Expression, make: (item: Expression, index: number) => T | undefined): T[] | undefined {
  const made = listOf(list).map(make);
  return made.every((item): item is Awaited<T> & T => item !== undefined) ? made : undefined;
}

export { at, fieldsOf, listOf, present };
