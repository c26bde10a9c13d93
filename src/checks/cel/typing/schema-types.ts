/**
 * What the CEL rules of a definition see: the types that a schema gives to an object (`apiserver/pkg/cel/common/schemas.go`).
 *
 * Each part of a schema is a type of its own, found when a rule selects it; a part without a type cannot be reached.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { escapedName } from '../escaped-names';
import { type Fields, type TypeEnvironment } from './check-types';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, readType, STRING, type CelType } from './types';

const METADATA: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

export class SchemaTypes {
  private readonly byName = new Map<string, { readonly schema: JsonObject; readonly isResource: boolean }>();
  private readonly names = new WeakMap<JsonObject, string>();
  private readonly fields = new Map<string, Fields>();

  /** @param minor of the Kubernetes version that is checked for; new rules use the functions of the one before it */
  constructor(
    private readonly root: JsonObject,
    private readonly minor: number,
  ) {}

  /** What the rules of a part of the schema see. */
  environmentOf(schema: JsonObject, hasOptionalOldSelf: boolean): TypeEnvironment {
    const self = this.typeOf(schema, schema === this.root || schema['x-kubernetes-embedded-resource'] === true) ?? DYN;
    return {
      minor: this.minor - 1,
      variables: { self, oldSelf: hasOptionalOldSelf ? optionalOf(self) : self },
      types: (name) => this.fieldsOf(name),
    };
  }

  private typeOf(schema: JsonObject, isResource: boolean): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) {
      return DYN;
    }
    switch (schema.type) {
      case 'array': {
        const item = isObject(schema.items) ? this.typeOfPart(schema.items) : undefined;
        return item === undefined ? undefined : listOf(item);
      }
      case 'object': {
        const values = schema.additionalProperties;
        if (isObject(values)) {
          const value = this.typeOfPart(values);
          return value === undefined ? undefined : mapOf(STRING, value);
        }
        return this.named(schema, isResource);
      }
      case 'string':
        return stringType(schema.format);
      case 'boolean':
        return BOOL;
      case 'integer':
        return INT;
      case 'number':
        return readType('double');
      default:
        return undefined;
    }
  }

  private typeOfPart(schema: JsonObject): CelType | undefined {
    return this.typeOf(schema, schema['x-kubernetes-embedded-resource'] === true);
  }

  private named(schema: JsonObject, isResource: boolean): CelType {
    let name = this.names.get(schema);
    if (name === undefined) {
      name = `object.${this.byName.size}`;
      this.names.set(schema, name);
      this.byName.set(name, { schema, isResource });
    }
    return { kind: 'named', name };
  }

  private fieldsOf(name: string): Fields | undefined {
    const known = this.fields.get(name);
    const type = this.byName.get(name);
    if (known !== undefined || type === undefined) {
      return known;
    }
    const { schema, isResource } = type;
    const fields = Object.create(null) as Record<string, CelType>;
    for (const [key, part] of Object.entries(asObject(schema.properties))) {
      const field = escapedName(key);
      const found = isObject(part) ? this.typeOfPart(part) : undefined;
      if (field !== undefined && found !== undefined) {
        fields[field] = found;
        // The server answers to the plain name too: rules say `metadata.namespace`.
        fields[key] ??= found;
      }
    }
    if (isResource) {
      Object.assign(fields, { apiVersion: STRING, kind: STRING, metadata: this.named(METADATA, false) });
    }
    this.fields.set(name, fields);
    return fields;
  }
}

function stringType(format: JsonValue | undefined): CelType {
  switch (format) {
    case 'byte':
      return readType('bytes');
    case 'duration':
      return readType('duration');
    case 'date':
    case 'date-time':
      return readType('timestamp');
    default:
      return STRING;
  }
}
