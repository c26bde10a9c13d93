/**
 * The schema of a field, and which fields of a built-in kind take text. A number that JSON cannot hold is read as the text that it is; the checks of types accept it
 * in such a field, but the API server reads a number there, and rejects it.
 */
import { type KindInfo, type KubernetesMinor, type Schema } from '../../facts/api/schema';
import { loadSchema } from '../../facts/api/schemas';
import { nodeOf, type SchemaNode } from './schema-node';
import { tokensOf } from '../../manifests/pointer';

/** @param path pointer of the field. A quantity does not count: the API server reads the digits of one. */
export function takesText(info: KindInfo, path: string, minor: KubernetesMinor): boolean {
  const schema = info.minors?.includes(minor) === true ? schemaAt(info, path, minor) : undefined;
  return (schema?.type === 'string' && schema.format !== 'quantity') || schema?.['x-kubernetes-int-or-string'] === true;
}

/** The node of the field at the path; `undefined` where the schema does not know it. */
export function fieldNode(info: KindInfo | undefined, path: string, minor: KubernetesMinor): SchemaNode | undefined {
  const isServed = info !== undefined && info.minors?.includes(minor) !== false;
  const schema = isServed ? schemaAt(info, path, minor) : undefined;
  return schema === undefined ? undefined : nodeOf(schema);
}

function schemaAt(info: KindInfo, path: string, minor: KubernetesMinor): Schema | undefined {
  let schema: Schema | undefined = loadSchema(info, minor);
  for (const token of tokensOf(path)) {
    schema = schema === undefined ? undefined : below(schema, token);
  }
  return schema;
}

function below({ properties = {}, additionalProperties, items }: Schema, token: string): Schema | undefined {
  if (Object.hasOwn(properties, token)) {
    return properties[token];
  }
  return typeof additionalProperties === 'object' ? additionalProperties : items;
}
