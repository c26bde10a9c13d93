/**
 * What a ScaledObject or ScaledJob scales.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type Manifest } from '../../../manifests/manifest';

export interface Target {
  /** `group/Kind` as sets name it. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** What a `scaleTargetRef` or `targetRef` names; KEDA takes a Deployment where nothing else is stated. */
export function targetOf(manifest: Manifest, reference: unknown): Target | undefined {
  const { apiVersion, kind, name } = asObject(reference as JsonObject | undefined);
  if (typeof name !== 'string' || name === '') {
    return undefined;
  }
  const version = asString(apiVersion) ?? '';
  const group = version === '' ? 'apps' : version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
  const written = asString(kind) ?? '';
  return {
    kind: `${group === '' ? '' : `${group}/`}${written === '' ? 'Deployment' : written}`,
    name,
    namespace: manifest.id.namespace,
  };
}

export function keyOf({ kind, name, namespace }: Target): string {
  return `${namespace}\n${kind}\n${name}`;
}

/** A target in a message: `Deployment "chat"`. */
export function targetName({ kind, name }: Target): string {
  return `${kind.slice(kind.indexOf('/') + 1)} "${name}"`;
}
