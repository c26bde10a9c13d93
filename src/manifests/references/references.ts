/**
 * What an object names: the place of each name, and the kind, namespace and name of the object that it means.
 *
 * The tables in `reference-places.ts` list the fields; this file follows them.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { addAll } from '../../facts/collections';
import { type SharedSpec } from '../equal-specs';
import { kindKey } from '../identity';
import { type Manifest } from '../manifest';
import { networksIn } from './network-annotation';
import { type PodTemplate } from '../pods/pod-template';
import { pointer } from '../pointer';
import { asObject, asString, isObject } from '../read';
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

/** A reference of any manifest with a given spec. */
interface SpecReference extends Omit<Reference, 'from' | 'namespace'> {
  /** Absent where it is that of the manifest. */
  readonly namespace?: string;
}

const referencesOfSpecs = new WeakMap<SharedSpec, readonly SpecReference[]>();

/**
 * All references of a manifest, its own and those of its pod templates.
 *
 * @param spec represents the spec of the manifest: what equal specs name is looked for once
 */
export function referencesIn(
  manifest: Manifest,
  templates: readonly PodTemplate[],
  spec?: SharedSpec,
): readonly Reference[] {
  const found: SpecReference[] = [];
  const { namespace } = manifest.id;
  if (namespace !== '') {
    found.push({
      path: '/metadata/namespace',
      kind: 'Namespace',
      namespace: '',
      name: namespace,
      optional: false,
    });
  }
  addAll(found, referencesAt(METADATA_PLACES, manifest.object.metadata, '/metadata'));
  const shared = spec !== undefined && areInSpec(manifest, templates) ? spec : undefined;
  let besideMetadata = shared && referencesOfSpecs.get(shared);
  if (besideMetadata === undefined) {
    besideMetadata = referencesBesideMetadata(manifest, templates);
    if (shared !== undefined) {
      referencesOfSpecs.set(shared, besideMetadata);
    }
  }
  addAll(found, besideMetadata);
  return found.map(({ path, kind, namespace: stated = namespace, name, optional }) => ({
    from: manifest,
    path,
    kind,
    namespace: stated,
    name,
    optional,
  }));
}

/** Whether the spec alone decides what the manifest names outside of its metadata. */
function areInSpec({ id }: Manifest, templates: readonly PodTemplate[]): boolean {
  const startsInSpec = ({ tokens }: ReferencePlace): boolean => tokens[0] === 'spec';
  return (
    templates.every(({ path }) => path.startsWith('/spec/')) &&
    (REFERENCE_PLACES.get(kindKey(id)) ?? []).every(startsInSpec) &&
    (PARTIAL_POD_SPECS.get(kindKey(id)) ?? []).every(startsInSpec)
  );
}

function referencesBesideMetadata(manifest: Manifest, templates: readonly PodTemplate[]): readonly SpecReference[] {
  const found: SpecReference[] = [];
  const follow = (places: readonly ReferencePlace[], root: JsonValue | undefined, base: string): void => {
    addAll(found, referencesAt(places, root, base));
  };
  follow(REFERENCE_PLACES.get(kindKey(manifest.id)) ?? [], manifest.object, '');
  for (const template of templates) {
    if (template.path !== '') {
      follow(METADATA_PLACES, template.metadata, `${template.path}/metadata`);
    }
    follow(POD_SPEC_PLACES, template.spec, `${template.path}/spec`);
    networksOf(template.metadata, `${template.path}/metadata`, found);
  }
  follow(PARTIAL_POD_SPECS.get(kindKey(manifest.id)) ?? [], manifest.object, '');
  return found;
}

/** Places with a common beginning, which is followed once for all of them. */
interface Branch {
  /** The places that end here, with their position in the table. */
  readonly ends: { readonly place: ReferencePlace; readonly row: number }[];
  readonly members: Map<string, Branch>;
}

const branches = new WeakMap<readonly ReferencePlace[], Branch>();

function branchOf(places: readonly ReferencePlace[]): Branch {
  let root = branches.get(places);
  if (root === undefined) {
    branches.set(places, (root = newBranch()));
    for (const [row, place] of places.entries()) {
      let branch = root;
      for (const token of place.tokens) {
        const next = branch.members.get(token) ?? newBranch();
        branch.members.set(token, next);
        branch = next;
      }
      branch.ends.push({ place, row });
    }
  }
  return root;
}

function newBranch(): Branch {
  return { ends: [], members: new Map() };
}

interface Found {
  readonly reference: SpecReference;
  readonly row: number;
}

/** The references at these places, in the order of the table. */
function referencesAt(
  places: readonly ReferencePlace[],
  root: JsonValue | undefined,
  base: string,
): readonly SpecReference[] {
  const found: Found[] = [];
  const visit = (branch: Branch, value: JsonValue | undefined, holder: JsonObject, path: string): void => {
    for (const { place, row } of branch.ends) {
      const reference = referenceOf(place, value, holder, path);
      if (reference !== undefined) {
        found.push({ reference, row });
      }
    }
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const inside = isObject(value) ? value : {};
    for (const [token, next] of branch.members) {
      if (token === '*') {
        for (const [key, member] of Object.entries(value)) {
          visit(next, member, inside, pointer(path, key));
        }
      } else if (Object.hasOwn(inside, token)) {
        visit(next, inside[token], inside, pointer(path, token));
      }
    }
  };
  visit(branchOf(places), root, {}, base);
  return found.sort((a, b) => a.row - b.row).map(({ reference }) => reference);
}

function referenceOf(
  place: ReferencePlace,
  name: JsonValue | undefined,
  holder: JsonObject,
  path: string,
): SpecReference | undefined {
  if (typeof name !== 'string' || name === '') {
    return undefined;
  }
  const kind = typeof place.kind === 'string' ? place.kind : place.kind(holder);
  if (kind === undefined) {
    return undefined;
  }
  const namespace =
    place.cluster === true || (typeof place.cluster === 'function' && place.cluster(holder))
      ? ''
      : place.namespaceKey === undefined
        ? undefined
        : asString(holder[place.namespaceKey]);
  return { path, kind, namespace, name, optional: holder.optional === true };
}

function networksOf(metadata: JsonObject, path: string, found: SpecReference[]): void {
  const text = asString(asObject(metadata.annotations)[NETWORKS_ANNOTATION]);
  if (text === undefined) {
    return;
  }
  for (const { name, namespace } of networksIn(text) ?? []) {
    const at = pointer(path, 'annotations', NETWORKS_ANNOTATION);
    found.push({
      path: at,
      kind: NETWORK_ATTACHMENT,
      namespace,
      name,
      optional: false,
    });
  }
}
