/**
 * Configurations as texts, for ConfigMaps. The same value gives the same text.
 */
import { embedded } from '../../manifests/values/deferred';
import { stringify } from 'yaml';
import { type JsonObject } from '../../facts/api/schema';

export function configText(value: JsonObject): string {
  return embedded(value, (plain) => stringify(plain, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false }));
}
