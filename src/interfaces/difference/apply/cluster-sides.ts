/**
 * The two sides of a diff against a running cluster: the objects as the server has them, and as they are after an apply.
 *
 * Nothing is sent to the server: what an apply does follows from the object, its managed fields, and the schema. The tests hold this against
 * a server-side dry run.
 */
import { findKind, DEFAULT_MINOR } from '../../../facts/api/kinds';
import { type JsonObject, type Schema } from '../../../facts/api/schema';
import { loadSchema } from '../../../facts/api/schemas';
import { type TargetCluster } from '../../../checks/cluster/target-cluster';
import { KnownKinds } from '../../../checks/schema/known-kinds';
import { idOf, kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString } from '../../../manifests/read';
import { type LiveObject } from '../../../manifests/snapshot/live-object';
import { fieldName } from '../fields';
import { type Consequence } from '../updates/consequences';
import { asStored } from './stored-object';
import { type Applied, appliedTo, emptiedPlaces } from './server-side-apply';

/** An object that the server did not show. */
export interface UnreadObject {
  readonly manifest: Manifest;
  readonly why: string;
}

export interface ClusterSides {
  readonly old: ManifestSet;
  readonly now: ManifestSet;
  readonly unread: readonly UnreadObject[];
  /** What an apply of these objects of `now` does beside what follows from their fields. */
  readonly further: ReadonlyMap<Manifest, readonly Consequence[]>;
  /** Schemas of the cluster. */
  readonly schemaOf: (object: JsonObject) => Schema | undefined;
}

const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';
const METADATA_OF = { apiVersion: 'v1', kind: 'ConfigMap' };

/**
 * @param answers the answer of the server for each manifest of the set, in the same order
 * @param manager who applies
 */
export function clusterSides(
  set: ManifestSet,
  answers: readonly LiveObject[],
  { cluster, manager }: { readonly cluster: TargetCluster; readonly manager: string },
): ClusterSides {
  const schemaOf = schemasOf(set, cluster);
  const old: Manifest[] = [];
  const now: Manifest[] = [];
  const unread: UnreadObject[] = [];
  const further = new Map<Manifest, readonly Consequence[]>();
  const missing = missingParts(set, cluster);
  set.manifests.forEach((manifest, index) => {
    const answer = answers[index];
    if (answer?.answer === 'unread') {
      unread.push({ manifest, why: answer.why });
      return;
    }
    const object = inNamespace(manifest.object, answer?.namespace ?? '');
    if (answer?.answer !== 'found') {
      const added = manifestOf(object, manifest);
      now.push(added);
      further.set(added, missing(added, answer?.answer === 'not-served'));
      return;
    }
    const live = manifestOf({ ...answer.object, apiVersion: object.apiVersion, kind: object.kind }, manifest);
    const applied = appliedTo(live.object, object, schemaOf(object), manager);
    const after = manifestOf(asStored(applied.object, live.object), manifest);
    old.push(live);
    now.push(after);
    further.set(after, [...emptied(applied, schemaOf(object), cluster), ...conflictsOf(applied)]);
  });
  return { old: new ManifestSet(old), now: new ManifestSet(now, set.problems, set.skipped), unread, further, schemaOf };
}

function manifestOf(object: JsonObject, { origin }: Manifest): Manifest {
  return { id: idOf(object), object, origin };
}

function inNamespace(object: JsonObject, namespace: string): JsonObject {
  const metadata = Object.entries(asObject(object.metadata)).filter(([name]) => name !== 'namespace');
  return { ...object, metadata: { ...Object.fromEntries(metadata), ...(namespace !== '' && { namespace }) } };
}

/** The metadata of every kind is divided alike; definitions of custom kinds do not say how. */
function schemasOf(set: ManifestSet, cluster: TargetCluster): ClusterSides['schemaOf'] {
  const written = set.ofKind(DEFINITION).map(({ object }) => object);
  const installed = cluster.itemsOf('CustomResourceDefinition');
  const kinds = new KnownKinds(cluster.kubernetes, [], [...installed, ...written], cluster);
  const info = findKind(METADATA_OF.apiVersion, METADATA_OF.kind);
  const metadata = info === undefined ? undefined : loadSchema(info, DEFAULT_MINOR).properties?.metadata;
  return ({ apiVersion, kind }) => {
    const known = kinds.lookUp(asString(apiVersion) ?? '', asString(kind) ?? '');
    const schema = 'schema' in known ? known.schema : undefined;
    return { ...schema, properties: { ...schema?.properties, ...(metadata !== undefined && { metadata }) } };
  };
}

/** Why an object cannot be created: its kind, or its namespace, is neither in the cluster nor in the set. */
function missingParts(
  set: ManifestSet,
  cluster: TargetCluster,
): (manifest: Manifest, isNotServed: boolean) => readonly Consequence[] {
  const namespaces = new Set(set.ofKind('Namespace').map(({ id }) => id.name));
  const defined = new Set(
    set.ofKind(DEFINITION).map(({ object }) => {
      const { group, names } = asObject(object.spec);
      return kindKey({ group: asString(group) ?? '', kind: asString(asObject(names).kind) ?? '' });
    }),
  );
  return ({ id }, isNotServed) => {
    if (isNotServed && !defined.has(kindKey(id))) {
      const others = cluster.versionsOf(id.group, id.kind) ?? [];
      return [
        {
          effect: 'rejected',
          text: `the server does not serve ${id.kind} of ${id.apiVersion}`,
          fix:
            others.length > 0
              ? `Set apiVersion: ${others[0]}.`
              : `Install the CustomResourceDefinition of ${id.kind}, or add it to the manifests.`,
        },
      ];
    }
    const isMissing =
      id.namespace !== '' && !namespaces.has(id.namespace) && cluster.has('Namespace', '', id.namespace) === false;
    return isMissing
      ? [
          {
            effect: 'rejected',
            text: `namespace ${id.namespace} not found`,
            fix: `Create the namespace, or add it to the manifests.`,
          },
        ]
      : [];
  };
}

/** A built-in kind takes null as unset; the schema of a custom kind takes it only where it says so. */
function emptied({ object }: Applied, schema: Schema | undefined, cluster: TargetCluster): readonly Consequence[] {
  const { group, kind } = idOf(object);
  const isCustom = cluster.itemsOf('CustomResourceDefinition').some(({ spec }) => {
    const { group: own, names } = asObject(spec);
    return own === group && asObject(names).kind === kind;
  });
  const fields = isCustom ? emptiedPlaces(object, schema).map((place) => fieldName(object, place)) : [];
  return fields.map((field) => ({
    effect: 'rejected',
    text: `the API server rejects the update: ${field} is required, but would be unset`,
    fix: `Set ${field}, or remove the empty value from the manifest if the field is optional.`,
  }));
}

function conflictsOf({ object, conflicts }: Applied): readonly Consequence[] {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  return managers.map((manager) => {
    const fields = conflicts.filter((one) => one.manager === manager).map(({ place }) => fieldName(object, place));
    return {
      effect: 'conflict',
      text: `${[...new Set(fields)].join(', ')} ${fields.length === 1 ? 'is' : 'are'} managed by ${manager}; kubectl apply --server-side fails, and kubectl apply overwrites ${fields.length === 1 ? 'it' : 'them'}`,
      fix: 'Remove the fields from the manifest, or apply with --server-side --force-conflicts.',
    };
  });
}
