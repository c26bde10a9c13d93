/**
 * Random changes of a manifest, as people make them: fields removed and set, list items added, removed, and exchanged, other labels.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, isObject } from '../../../src/manifests/read';
import { type Random } from '../../support/random';

/** A container of values, and the key of one of them. */
interface Place {
  readonly parent: Record<string, JsonValue> | JsonValue[];
  readonly key: string | number;
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** The manifest with one to three changes. */
export function changedManifest(manifest: JsonObject, random: Random): JsonObject {
  const object = structuredClone(manifest);
  const changes = 1 + Math.floor(random.next() * 3);
  for (let count = 0; count < changes; count++) {
    changeOnce(object, random);
  }
  return object;
}

function changeOnce(object: JsonObject, random: Random): void {
  const places = Object.keys(object)
    .filter((key) => !IDENTITY.has(key))
    .flatMap((key) => [{ parent: object, key }, ...placesIn(object[key])]);
  if (places.length === 0 || random.chance(0.1)) {
    const metadata = asObject(object.metadata);
    metadata.labels = { ...asObject(metadata.labels), changed: `v${Math.floor(random.next() * 3)}` };
    return;
  }
  const { parent, key } = random.pick(places);
  const value = (parent as Record<string | number, JsonValue>)[key];
  if (random.chance(0.3)) {
    if (Array.isArray(parent)) {
      parent.splice(Number(key), 1);
    } else {
      delete parent[key];
    }
  } else {
    (parent as Record<string | number, JsonValue>)[key] = otherValue(value, random);
  }
}

function placesIn(value: JsonValue): readonly Place[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, key) => [{ parent: value, key }, ...placesIn(item)]);
  }
  return isObject(value) ? Object.keys(value).flatMap((key) => [{ parent: value, key }, ...placesIn(value[key])]) : [];
}

function otherValue(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value)) {
    return listChange(value, random);
  }
  if (typeof value === 'string') {
    return /^\d+[A-Za-z]*$/.test(value) ? value.replace(/^\d+/, (digits) => String(Number(digits) + 1)) : `${value}x`;
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return typeof value === 'number' ? value + 1 : !value;
  }
  return isObject(value) && random.chance(0.5) ? { ...value, further: 'one' } : value;
}

function listChange(list: readonly JsonValue[], random: Random): JsonValue {
  const [first] = list;
  if (first === undefined || random.chance(0.3)) {
    return [...list].reverse();
  }
  if (isObject(first) && typeof first.name === 'string') {
    return [...list, { ...first, name: `${first.name}-more` }];
  }
  return typeof first === 'string' ? [...list, `${first}x`] : list.slice(1);
}
