/** Cuts KEDA's generated scaler parameter schema down to facts and writes it as one compressed file. */
import { type JsonObject } from '../../src/api/schema';
import { type KedaScaler, type KedaScalerParameter } from '../../src/api/keda-scalers';
import { order } from './openapi';

const KNOWN = new Set([
  'name', 'type', 'optional', 'default', 'allowedValue', 'deprecated', 'deprecatedAnnounce', 'separator', 'rangeSeparator',
  'metadataVariableReadable', 'envVariableReadable', 'triggerAuthenticationVariableReadable',
]);

/** @throws Error where upstream's file holds a field that is not known here */
export function kedaScalers(text: string): readonly KedaScaler[] {
  const document = JSON.parse(text) as JsonObject;
  if (document.schemaVersion !== 1) throw new Error(`KEDA scaler schema has version ${JSON.stringify(document.schemaVersion)}, known is 1`);
  return (document.scalers as JsonObject[])
    .map((scaler) => ({
      type: scaler.type as string,
      parameters: (scaler.parameters as JsonObject[])
        .map((parameter) => keptParameter(parameter, scaler.type as string))
        .sort((a, b) => order(a.name, b.name)),
    }))
    .sort((a, b) => order(a.type, b.type));
}

function keptParameter(raw: JsonObject, scaler: string): KedaScalerParameter {
  for (const field of Object.keys(raw)) if (!KNOWN.has(field)) throw new Error(`KEDA scaler ${scaler}: unknown field '${field}'`);
  const text = (field: string): string | undefined => raw[field] as string | undefined;
  return withoutUndefined({
    name: raw.name as string,
    type: raw.type as string,
    optional: raw.optional === true,
    default: text('default'),
    allowedValues: raw.allowedValue as string[] | undefined,
    deprecated: raw.deprecated !== undefined ? 'removed' : raw.deprecatedAnnounce !== undefined ? 'announced' : undefined,
    separator: text('separator'),
    rangeSeparator: text('rangeSeparator'),
    fromMetadata: raw.metadataVariableReadable === true,
    fromEnv: raw.envVariableReadable === true,
    fromAuthentication: raw.triggerAuthenticationVariableReadable === true,
  });
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
