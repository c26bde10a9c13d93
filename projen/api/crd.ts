/**
 * Reads CustomResourceDefinitions: from YAML or JSON text of an upstream project, or from the compact files of `vendor/`.
 */
import { parseAllDocuments } from 'yaml';
import { type JsonObject, type JsonValue, type Schema } from '../../src/facts/api/schema';
import { keptSchema } from './kept-schema';
import { isVendored, readVendored, type VendoredProject, type WholeKind } from './vendored';

export interface CrdVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly hasStatusSubresource: boolean;
  /** Pointer to the replica count that the scale subresource writes, where the definition says it. */
  readonly scalePath?: string;
  readonly schema: Schema;
}

/** @throws Error where a document is a CRD and misses what every CRD has */
export function crdVersions(text: string, file: string): readonly CrdVersion[] {
  return definitionsIn(text, file).flatMap((object) => {
    if (object.kind === 'CustomResourceDefinition') {
      return fromDefinition(object, file);
    }
    return isVendored(object)
      ? readVendored(object as unknown as VendoredProject, file).flatMap((kind) => fromVendored(kind, file))
      : [];
  });
}

/** The objects of a file. @throws Error where the text is not YAML or JSON */
export function definitionsIn(text: string, file: string): readonly JsonObject[] {
  if (file.endsWith('.json')) {
    return [JSON.parse(text) as JsonObject];
  }
  return parseAllDocuments(text, { merge: true, uniqueKeys: false }).flatMap((document) => {
    if (document.errors.length > 0) {
      throw new Error(`${file}: ${document.errors[0].message}`);
    }
    const value = document.toJS({ maxAliasCount: -1 }) as JsonValue;
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? [value] : [];
  });
}

function fromDefinition(crd: JsonObject, file: string): readonly CrdVersion[] {
  const spec = crd.spec as JsonObject;
  const names = spec.names as JsonObject;
  const kind = names.kind as string;
  return (spec.versions as JsonObject[]).map((version) => {
    const raw = (version.schema as JsonObject | undefined)?.openAPIV3Schema as JsonObject | undefined;
    const subresources = (version.subresources ?? {}) as JsonObject;
    const scalePath = (subresources.scale as JsonObject | undefined)?.specReplicasPath;
    return {
      group: spec.group as string,
      version: version.name as string,
      kind,
      plural: names.plural as string,
      scope: spec.scope as CrdVersion['scope'],
      served: version.served === true,
      storage: version.storage === true,
      deprecated: version.deprecated === true,
      hasStatusSubresource: subresources.status !== undefined && subresources.status !== null,
      ...(typeof scalePath === 'string' ? { scalePath: scalePath.replaceAll('.', '/') } : {}),
      schema: keptSchema(
        raw ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        `${file} ${kind}/${version.name as string}`,
      ),
    };
  });
}

function fromVendored({ kind, group, plural, scope, versions }: WholeKind, file: string): readonly CrdVersion[] {
  return versions.map(({ name, served, storage, deprecated, subresources, schema }) => ({
    group,
    version: name,
    kind,
    plural,
    scope: scope as CrdVersion['scope'],
    served,
    storage,
    deprecated,
    hasStatusSubresource: subresources.includes('status'),
    schema: keptSchema(schema, `${file} ${kind}/${name}`),
  }));
}
