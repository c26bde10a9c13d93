/**
 * What Kubernetes' OpenAPI says less exactly than the decoder of the server: of the definitions of a running server, and of those that the
 * bundled schemas are generated from.
 */
import { type JsonValue, type Schema } from '../../facts/api/schema';

const ANY_OBJECT: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
const QUANTITY: Schema = { type: 'string', format: 'quantity' };
const TIME: Schema = { type: 'string', format: 'date-time' };

/** By the end of the name of the definition. */
const SPECIAL: readonly (readonly [suffix: string, schema: Schema])[] = [
  ['.api.resource.Quantity', QUANTITY],
  ['.util.intstr.IntOrString', { 'x-kubernetes-int-or-string': true }],
  ['.meta.v1.Time', TIME],
  ['.meta.v1.MicroTime', TIME],
  ['.meta.v1.FieldsV1', ANY_OBJECT],
  // Server-side apply replaces it as a whole.
  ['.runtime.RawExtension', { ...ANY_OBJECT, 'x-kubernetes-map-type': 'atomic' }],
  ['.apiextensions.v1.JSON', ANYTHING],
  ['.apiextensions.v1.JSONSchemaPropsOrArray', ANYTHING],
  ['.apiextensions.v1.JSONSchemaPropsOrBool', ANYTHING],
  ['.apiextensions.v1.JSONSchemaPropsOrStringArray', ANYTHING],
];

/** The schema of a definition that its OpenAPI does not describe; `undefined` for all others. */
export function specialDefinition(name: string): Schema | undefined {
  return SPECIAL.find(([suffix]) => name.endsWith(suffix))?.[1];
}

/** Go's zero values are written as defaults of required fields; they would make `required` mean nothing. */
export function isZeroDefault(value: JsonValue): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    value === null ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}
