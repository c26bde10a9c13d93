/**
 * The CustomResourceDefinitions of every covered project, from the same pinned files that the API is generated from, but read on their
 * own: a mistake of the generator must not reach the judge.
 */
import { parseAllDocuments } from 'yaml';
import { readEntry, readLock } from '../../../projen/api/lock';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../../src/manifests/read';

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
    const file = JSON.parse(text) as JsonObject;
    // Other files of facts have no plural.
    return file.plural === undefined ? [] : [fromSchemaFile(file)];
  }
  return parseAllDocuments(text, { uniqueKeys: false })
    .map((document) => withoutProse(document.toJS({ maxAliasCount: -1 }) as JsonValue))
    .filter((object): object is JsonObject => isObject(object) && object.kind === 'CustomResourceDefinition');
}

/** Where only the schemas are kept: group, kind and versions, from which a definition is made. */
function fromSchemaFile(file: JsonObject): JsonObject {
  const kind = asString(file.kind) ?? '';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${asString(file.plural)}.${asString(file.group)}` },
    spec: {
      group: file.group!,
      scope: file.scope!,
      names: { kind, listKind: `${kind}List`, plural: file.plural!, singular: kind.toLowerCase() },
      versions: asArray(file.versions)
        .map(asObject)
        .map(({ name, served, storage, subresources, schema }) => ({
          name: name!,
          served: served!,
          storage: storage!,
          schema: { openAPIV3Schema: schema! },
          subresources: subresourcesNamed(asArray(subresources)),
        })),
    },
  };
}

/** The files name the subresources; where `scale` finds its numbers they do not say, and every definition in question has them here. */
function subresourcesNamed(names: readonly JsonValue[]): JsonObject {
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
