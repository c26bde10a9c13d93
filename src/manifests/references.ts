/**
 * What an object names: the place of each name, and the kind, namespace and name of the object that it means.
 *
 * The tables in `reference-places.ts` list the fields; this file follows them.
 */
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { kindKey } from './identity';
import { type Manifest } from './manifest';
import { networksIn } from './network-annotation';
import { type PodTemplate } from './pod-template';
import { pointer } from './pointer';
import { asObject, asString, isObject } from './read';
import {
  METADATA_PLACES,
  NETWORK_ATTACHMENT,
  NETWORKS_ANNOTATION,
  PARTIAL_POD_SPECS,
  POD_SPEC_PLACES,
  REFERENCE_PLACES,
  type ReferencePlace,
} from './reference-places';

/** A field of a manifest that names another object. */
export interface Reference {
  /** The manifest that contains the field. */
  readonly from: Manifest;
  /** JSON pointer, within `from`, of the text that names. */
  readonly path: string;
  /** `group/Kind`, or `Kind` alone for the core group. */
  readonly kind: string;
  /** Empty for cluster-scoped kinds, and where `from` names no namespace. */
  readonly namespace: string;
  /** Name of the object that is referred to. */
  readonly name: string;
  /** The field says that the object may be missing. */
  readonly optional: boolean;
}

/** All references of a manifest, its own and those of its pod templates. */
export function referencesIn(manifest: Manifest, templates: readonly PodTemplate[]): readonly Reference[] {
  const found: Reference[] = [];
  const { namespace } = manifest.id;
  if (namespace !== '') {
    found.push({
      from: manifest,
      path: '/metadata/namespace',
      kind: 'Namespace',
      namespace: '',
      name: namespace,
      optional: false,
    });
  }
  const follow = (places: readonly ReferencePlace[], root: JsonValue | undefined, base: string): void => {
    if (typeof root !== 'object' || root === null) {
      return;
    }
    for (const place of places) {
      // Most places are not in most objects.
      const [first = ''] = place.tokens;
      if (first === '*' || Object.hasOwn(root, first)) {
        follower(manifest, place, found)(root, place.tokens, base, 0);
      }
    }
  };
  follow(METADATA_PLACES, manifest.object.metadata, '/metadata');
  follow(REFERENCE_PLACES.get(kindKey(manifest.id)) ?? [], manifest.object, '');
  for (const template of templates) {
    if (template.path !== '') {
      follow(METADATA_PLACES, template.metadata, `${template.path}/metadata`);
    }
    follow(POD_SPEC_PLACES, template.spec, `${template.path}/spec`);
    networksOf(manifest, template.metadata, `${template.path}/metadata`, found);
  }
  follow(PARTIAL_POD_SPECS.get(kindKey(manifest.id)) ?? [], manifest.object, '');
  return found;
}

type Follow = (value: JsonValue | undefined, tokens: readonly string[], path: string, at: number) => void;

function follower(from: Manifest, place: ReferencePlace, found: Reference[]): Follow {
  const add = (name: JsonValue | undefined, holder: JsonObject, path: string): void => {
    if (typeof name !== 'string' || name === '') {
      return;
    }
    const kind = typeof place.kind === 'string' ? place.kind : place.kind(holder);
    if (kind === undefined) {
      return;
    }
    const namespace =
      place.cluster === true || (typeof place.cluster === 'function' && place.cluster(holder))
        ? ''
        : namespaceFor(place, holder, from);
    found.push({ from, path, kind, namespace, name, optional: holder.optional === true });
  };
  const follow: Follow = (value, tokens, path, at) => {
    const token = tokens[at];
    if (token === undefined || typeof value !== 'object' || value === null) {
      return;
    }
    const last = at === tokens.length - 1;
    if (token === '*') {
      const members = Array.isArray(value)
        ? value.map((item, index) => [String(index), item] as const)
        : Object.entries(value);
      for (const [key, member] of members) {
        const here = pointer(path, key);
        if (last) {
          add(member, isObject(value) ? value : {}, here);
        } else {
          follow(member, tokens, here, at + 1);
        }
      }
    } else if (isObject(value)) {
      if (!Object.prototype.hasOwnProperty.call(value, token)) {
        return;
      }
      const here = pointer(path, token);
      if (last) {
        add(value[token], value, here);
      } else {
        follow(value[token], tokens, here, at + 1);
      }
    }
  };
  return follow;
}

function namespaceFor(place: ReferencePlace, holder: JsonObject, from: Manifest): string {
  return (place.namespaceKey === undefined ? undefined : asString(holder[place.namespaceKey])) ?? from.id.namespace;
}

function networksOf(from: Manifest, metadata: JsonObject, path: string, found: Reference[]): void {
  const text = asString(asObject(metadata.annotations)[NETWORKS_ANNOTATION]);
  if (text === undefined) {
    return;
  }
  for (const { name, namespace } of networksIn(text) ?? []) {
    const at = pointer(path, 'annotations', NETWORKS_ANNOTATION);
    found.push({
      from,
      path: at,
      kind: NETWORK_ATTACHMENT,
      namespace: namespace ?? from.id.namespace,
      name,
      optional: false,
    });
  }
}
