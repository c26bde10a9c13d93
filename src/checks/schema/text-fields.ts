/**
 * Which fields of a built-in kind take text. A number that JSON cannot hold is read as the text that it is; the checks of types accept it
 * in such a field, but the API server reads a number there, and rejects it.
 */
import { type KindInfo, type KubernetesMinor, type Schema } from '../../facts/api/schema';
import { loadSchema } from '../../facts/api/schemas';
import { tokensOf } from '../../manifests/pointer';

/** @param path pointer of the field. A quantity does not count: the API server reads the digits of one. */
export function takesText(info: KindInfo, path: string, minor: KubernetesMinor): boolean {
  if (!info.minors?.includes(minor)) {
    return false;
  }
  let schema: Schema | undefined = loadSchema(info, minor);
  for (const token of tokensOf(path)) {
    schema = schema === undefined ? undefined : below(schema, token);
  }
  return (schema?.type === 'string' && schema.format !== 'quantity') || schema?.['x-kubernetes-int-or-string'] === true;
}

function below({ properties = {}, additionalProperties, items }: Schema, token: string): Schema | undefined {
  if (Object.hasOwn(properties, token)) {
    return properties[token];
  }
  return typeof additionalProperties === 'object' ? additionalProperties : items;
}
