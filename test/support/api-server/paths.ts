/**
 * Paths of the Kubernetes API as their parts.
 */
export interface ResourcePath {
  /** `v1`, or `apps/v1`. */
  readonly groupVersion: string;
  readonly plural: string;
  /** Absent for a list over all namespaces, and for kinds without namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

const CORE = /^\/api\/v1\/(.+)$/;
const GROUP = /^\/apis\/([^/]+)\/([^/]+)\/(.+)$/;

/** `undefined` where the path names no resource. */
export function parsePath(path: string): ResourcePath | undefined {
  const core = CORE.exec(path);
  const group = GROUP.exec(path);
  const rest = (core?.[1] ?? group?.[3])?.split('/');
  if (rest === undefined) {
    return undefined;
  }
  const groupVersion = core === null ? `${group![1]}/${group![2]}` : 'v1';
  if (rest[0] === 'namespaces' && rest.length > 2) {
    const [, namespace, plural, name, subresource] = rest;
    return { groupVersion, plural, namespace, name, subresource };
  }
  const [plural, name, subresource] = rest;
  return { groupVersion, plural, name, subresource };
}
