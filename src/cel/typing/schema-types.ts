/**
 * What the CEL rules of a definition see: the types that a schema gives to an object (`apiserver/pkg/cel/common/schemas.go`).
 *
 * Each part of a schema is a type of its own, found when a rule selects it; a part without a type cannot be reached.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asObject, isObject } from '../../manifests/read';
import { escapedName } from '../escaped-names';
import { type Fields, type TypeEnvironment } from './check-types';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, readType, STRING, type CelType } from './types';

const METADATA: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

const SCALARS: ReadonlyMap<string, CelType> = new Map([
  ['boolean', BOOL],
  ['integer', INT],
  ['number', readType('double')],
]);
const STRING_FORMATS: ReadonlyMap<string, CelType> = new Map([
  ['byte', readType('bytes')],
  ['duration', readType('duration')],
  ['date', readType('timestamp')],
  ['date-time', readType('timestamp')],
]);

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
    const scalar = typeof schema.type === 'string' ? SCALARS.get(schema.type) : undefined;
    if (scalar !== undefined) {
      return scalar;
    }
    if (schema.type === 'string') {
      return (typeof schema.format === 'string' ? STRING_FORMATS.get(schema.format) : undefined) ?? STRING;
    }
    if (schema.type === 'array') {
      const item = isObject(schema.items) ? this.typeOfPart(schema.items) : undefined;
      return item === undefined ? undefined : listOf(item);
    }
    return schema.type === 'object' ? this.typeOfObject(schema, isResource) : undefined;
  }

  private typeOfObject(schema: JsonObject, isResource: boolean): CelType | undefined {
    const values = schema.additionalProperties;
    if (!isObject(values)) {
      return this.named(schema, isResource);
    }
    const value = this.typeOfPart(values);
    return value === undefined ? undefined : mapOf(STRING, value);
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
        // The server answers to the plain name too, if CEL can select it: rules say `metadata.namespace`.
        if (/^[A-Za-z_]\w*$/.test(key)) {
          fields[key] ??= found;
        }
      }
    }
    if (isResource) {
      Object.assign(fields, { apiVersion: STRING, kind: STRING, metadata: this.named(METADATA, false) });
    }
    this.fields.set(name, fields);
    return fields;
  }
}
