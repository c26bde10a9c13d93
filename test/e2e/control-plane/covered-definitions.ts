/**
 * The CustomResourceDefinitions of every covered project, from the same pinned files that the API is generated from, but read on their
 * own: a mistake of the generator must not reach the judge.
 */
import { parseAllDocuments } from 'yaml';
import { readEntry, readLock } from '../../../projen/api/lock';
import { readVendored, type VendoredProject, type WholeKind } from '../../../projen/api/vendored';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';

/**
 * Definitions in the order of the lock file.
 * @throws where a pinned file cannot be had
 */
export function coveredDefinitions(): readonly JsonObject[] {
  const projects = readLock().entries.filter(({ minor, project }) => minor === undefined && project !== 'keda-scalers');
  return projects.flatMap((entry) => [...readEntry(entry)].flatMap(([path, text]) => definitionsIn(path, text)));
}

function definitionsIn(path: string, text: string): readonly JsonObject[] {
  if (path.endsWith('.json')) {
    return readVendored(JSON.parse(text) as VendoredProject, path).map(fromVendored);
  }
  return parseAllDocuments(text, { uniqueKeys: false })
    .map((document) => withoutProse(document.toJS({ maxAliasCount: -1 }) as JsonValue))
    .filter((object): object is JsonObject => isObject(object) && object.kind === 'CustomResourceDefinition');
}

/** A definition from a file of `vendor/`, which has the names and schemas alone. */
function fromVendored({ group, kind, plural, scope, versions }: WholeKind): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: versions.map(({ name, served, storage, subresources, schema }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema: schema },
        subresources: subresourcesNamed(subresources),
      })),
    },
  };
}

/** The files name the subresources, not the paths of `scale`; every definition with one has its numbers at these paths. */
function subresourcesNamed(names: readonly string[]): JsonObject {
  return {
    ...(names.includes('status') ? { status: {} } : {}),
    ...(names.includes('scale')
      ? { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } }
      : {}),
  };
}

/** Half of a definition's text is prose that decides nothing, and the server would parse it all. */
function withoutProse(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(withoutProse);
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      key === 'description' && typeof item === 'string' ? [] : [[key, withoutProse(item)]],
    ),
  );
}
