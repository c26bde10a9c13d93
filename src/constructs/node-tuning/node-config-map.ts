/**
 * A ConfigMap that never changes: its name says what is in it, so that pods which mount it are replaced when it is another one.
 */
import { createHash } from 'node:crypto';
import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { Resource } from '../resources/resource';

export interface FixedConfigMap {
  readonly name: string;
  readonly resource: ApiObject;
}

/** @param name what the name begins with; ten characters of the content's hash follow */
export function fixedConfigMap(
  scope: Construct,
  id: string,
  name: string,
  props: NamespacedObjectProps,
  data: Readonly<Record<string, string>>,
): FixedConfigMap {
  const entries = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
  const full = `${name}-${createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 10)}`;
  const metadata = namespacedMetadata(full, { ...props, name: full });
  const resource = new Resource(scope, id, ConfigMap, { metadata, immutable: true, data });
  return { name: full, resource };
}
