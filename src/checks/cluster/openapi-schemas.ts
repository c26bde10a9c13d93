/**
 * Schemas of built-in kinds from the OpenAPI v3 definitions of a server, in the form of the bundled ones: references are resolved, and what
 * the OpenAPI says less exactly than the decoder is replaced.
 *
 * `projen/api/openapi.ts` does the same for the bundled schemas, strictly; here nothing is trusted, and what is not understood is dropped.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { isZeroDefault, specialDefinition } from './definition-facts';
import { readSchema } from '../schema/crd-schema';

const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Definitions of one server. */
export class OpenApiSchemas {
  private readonly byKind = new Map<string, string>();
  private readonly read = new Map<string, Schema>();

  constructor(private readonly definitions: JsonObject) {
    for (const [name, definition] of Object.entries(definitions)) {
      const kinds = asArray(asObject(definition)['x-kubernetes-group-version-kind']).filter(isObject);
      // A definition that is a kind says so once; shared ones (DeleteOptions) list every group.
      if (kinds.length === 1) {
        const { group, version, kind } = kinds[0];
        const prefix = asString(group) ?? '';
        this.byKind.set(`${prefix === '' ? '' : `${prefix}/`}${asString(version) ?? ''}/${asString(kind) ?? ''}`, name);
      }
    }
  }

  /** The schema of a kind; `undefined` where the definitions do not contain it. */
  of(apiVersion: string, kind: string): Schema | undefined {
    const name = this.byKind.get(`${apiVersion}/${kind}`);
    return name === undefined ? undefined : this.definition(name);
  }

  private definition(name: string): Schema {
    const known = this.read.get(name);
    if (known !== undefined) {
      return known;
    }
    // Entered before it is filled: a definition that reaches itself finds this very node.
    const schema: Schema = {};
    this.read.set(name, schema);
    const raw = Object.hasOwn(this.definitions, name) ? this.definitions[name] : undefined;
    Object.assign(schema, specialDefinition(name) ?? (isObject(raw) ? this.schema(raw) : ANYTHING));
    return schema;
  }

  private schema(raw: JsonValue): Schema {
    if (!isObject(raw)) {
      return ANYTHING;
    }
    if (typeof raw.$ref === 'string') {
      return this.definition(raw.$ref.slice(raw.$ref.lastIndexOf('/') + 1));
    }
    const all = asArray(raw.allOf);
    // OpenAPI v3 wraps a reference in allOf to be able to write a default beside it.
    if (all.length === 1 && isObject(all[0]) && typeof all[0].$ref === 'string') {
      return this.schema(all[0]);
    }
    const { properties, items, additionalProperties, default: fallback, ...rest } = raw;
    const schema: Record<string, unknown> = { ...readSchema(rest) };
    if (fallback !== undefined && !isZeroDefault(fallback)) {
      schema.default = fallback;
    }
    if (isObject(properties)) {
      schema.properties = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, this.schema(property)]),
      );
    }
    if (items !== undefined) {
      schema.items = this.schema(items);
    }
    if (additionalProperties !== undefined && additionalProperties !== false) {
      schema.additionalProperties = additionalProperties === true ? true : this.schema(additionalProperties);
    }
    return schema;
  }
}
