/**
 * Reads CustomResourceDefinition objects (apiextensions.k8s.io/v1) into kinds and schemas, as the generated API has them.
 */
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../../facts/api/schema';
import { asObject, asString, isObject, objectsAt } from '../../manifests/read';
import { readSchema } from './crd-schema';

/** A kind that a CRD defines, in one version. */
export interface DefinedKind {
  readonly info: KindInfo;
  readonly schema: Schema;
  /** Pointer of the replicas of the scale subresource. */
  readonly scale?: string;
}

/** What a CRD that cannot be read lacks. */
export class UnreadableCrd extends Error {}

/**
 * The kinds of a definition, one per version.
 *
 * @throws UnreadableCrd where group, names or versions are missing; the message says which
 */
export function kindsOfCrd(crd: JsonObject): readonly DefinedKind[] {
  const name = asString(asObject(crd.metadata).name) ?? '(no name)';
  const spec = asObject(crd.spec);
  const names = asObject(spec.names);
  const group = asString(spec.group);
  const kind = asString(names.kind);
  const missing = [group === undefined ? 'spec.group' : '', kind === undefined ? 'spec.names.kind' : ''].filter(
    (field) => field !== '',
  );
  const versions = objectsAt(crd, '/spec/versions');
  if (versions.length === 0) {
    missing.push('spec.versions');
  }
  if (group === undefined || kind === undefined || missing.length > 0) {
    throw new UnreadableCrd(`CustomResourceDefinition ${name} cannot be read: ${missing.join(', ')} missing`);
  }
  return versions.map(({ value }) => {
    const version = asString(value.name) ?? '';
    const plural = asString(names.plural);
    return {
      info: {
        group,
        version,
        apiVersion: `${group}/${version}`,
        kind,
        ...(plural === undefined ? {} : { plural }),
        scope: spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
        builtIn: false,
        source: `CustomResourceDefinition ${name}`,
        served: value.served === true,
        storage: value.storage === true,
        deprecated: value.deprecated === true,
        hasStatusSubresource: isObject(asObject(value.subresources).status),
      },
      schema: schemaOf(asObject(value.schema).openAPIV3Schema),
      ...scaleOf(asObject(asObject(value.subresources).scale)),
    };
  });
}

function scaleOf(scale: JsonObject): { readonly scale?: string } {
  const path = asString(scale.specReplicasPath);
  return path === undefined ? {} : { scale: path.replaceAll('.', '/') };
}

/** A version without a schema keeps whatever it is given. */
function schemaOf(value: JsonValue | undefined): Schema {
  return isObject(value) ? readSchema(value) : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}
