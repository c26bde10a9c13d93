/**
 * How a test names a kind: by a typed constant of `cdk8s-gantry/api`, or as text.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { nearestName } from '../../facts/spelling';
import { describeId, type Manifest, type ObjectId } from '../../manifests/manifest';

/**
 * A kind: a constant such as `Deployment` of `cdk8s-gantry/api/apps/v1`, which also gives the pattern its type, or a text: `Deployment`,
 * `apps/Deployment`, or `apps/v1/Deployment`.
 */
export type KindName<T> = ResourceKind<T> | string;

/** How messages name the kind. */
export function kindText(kind: KindName<unknown>): string {
  return typeof kind === 'string' ? kind : `${kind.apiVersion}/${kind.kind}`;
}

/** Whether an object is of the kind. A text without a version accepts every version, one without a group every group. */
function isOfKind(id: ObjectId, kind: KindName<unknown>): boolean {
  const named = kindText(kind);
  const { apiVersion, group } = id;
  return named === id.kind || named === `${apiVersion}/${id.kind}` || (group !== '' && named === `${group}/${id.kind}`);
}

/** The objects of the kind, in their order. */
export function objectsOfKind<T>(manifests: readonly Manifest[], kind: KindName<T>): readonly Manifest[] {
  return manifests.filter(({ id }) => isOfKind(id, kind));
}

/** What there is instead of a kind: the nearest name, and every kind with its count. */
export function kindsText(manifests: readonly Manifest[], kind: KindName<unknown>): string {
  const counts = new Map<string, number>();
  for (const { id } of manifests) {
    const name = `${id.apiVersion}/${id.kind}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) {
    return 'there are no objects at all';
  }
  const named = kindText(kind);
  const near =
    nearestName(named, counts.keys()) ??
    nearestName(
      named.split('/').at(-1) ?? '',
      manifests.map(({ id }) => id.kind),
    );
  const all = [...counts].map(([name, count]) => `  ${name} (${count})`).sort();
  return `${near === undefined ? '' : `did you mean ${near}? `}the objects are:\n${all.join('\n')}`;
}

/** `Deployment research/llm (at app/chart/llm)`. */
export function manifestText({ id, origin }: Manifest): string {
  const place = origin.construct ?? origin.file;
  return place === undefined ? describeId(id) : `${describeId(id)} (at ${place})`;
}

/** An object as its kind's type. The check, not the compiler, holds the shape of what is rendered. */
export function typed<T>(object: JsonObject): T {
  return object as unknown as T;
}
