/**
 * What a mutation is: a manifest with one thing changed, and which thing.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { pointer } from '../../../src/manifests/pointer';
import { type Random } from '../../support/random';
import { type Path, type Site, withValue } from './sites';

export interface Mutation {
  readonly object: JsonObject;
  /** The manifest as JSON text, where the object does not say it all. */
  readonly text?: string;
  /** What was done, in a few words with the place: `/spec/weight: 1 -> "1"`. */
  readonly what: string;
}

/**
 * Makes one change of its kind; `undefined` where the manifest gives no occasion. It may leave the manifest valid: that is a question,
 * too.
 */
export interface Operator {
  readonly name: string;
  readonly apply: (object: JsonObject, sites: readonly Site[], random: Random) => Mutation | undefined;
}

export function replaced(object: JsonObject, path: Path, value: JsonValue): Mutation {
  return { object: withValue(object, path, value), what: `${placeOf(path)} -> ${short(value)}` };
}

export function removed(object: JsonObject, path: Path): Mutation {
  return { object: withValue(object, path, undefined), what: `${placeOf(path)} taken away` };
}

export function added(object: JsonObject, path: Path, key: string, value: JsonValue): Mutation {
  return {
    object: withValue(object, [...path, key], value),
    what: `${placeOf([...path, key])} added: ${short(value)}`,
  };
}

function placeOf(path: Path): string {
  return pointer('', ...path);
}

export function short(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 100)}… (${text.length} characters)` : text;
}

/** Sites that mutations of the shape may touch: not the identity, which has operators of its own, and not the root itself. */
export function innerSites(sites: readonly Site[]): readonly Site[] {
  const identity = new Set<string | number>(['apiVersion', 'kind']);
  return sites.filter(
    ({ path }) => path.length > 0 && !identity.has(path[0]) && !(path.length === 1 && path[0] === 'metadata'),
  );
}

export function objectSites(sites: readonly Site[]): readonly (Site & { readonly value: JsonObject })[] {
  return sites.filter((site): site is Site & { readonly value: JsonObject } => isObject(site.value));
}
