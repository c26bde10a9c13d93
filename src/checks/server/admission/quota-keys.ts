/**
 * What the keys of a ResourceQuota count.
 *
 * The API server checks only the names without a domain. A name with one is taken whatever it says, and counted only in the forms below.
 * Source: Kubernetes 1.36, pkg/quota/v1/evaluator/core (pods.go, persistent_volume_claims.go, resource_claims.go) and
 * pkg/apis/core/validation/validation.go (ValidateResourceQuotaResourceName).
 */
import { isExtendedResource } from '../../../facts/catalog';

/** Compute resources that have both a `requests.` and a `limits.` form. */
export type LimitedResource = 'cpu' | 'memory' | 'ephemeral-storage';

/** Which amount of a pod a quota key adds up. */
export interface PodAmount {
  readonly of: 'requests' | 'limits' | 'pods';
  /** The container resource; empty for `pods`. */
  readonly resource: string;
}

/** Quota keys that make the amount mandatory for each container of the namespace. */
const MANDATORY = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** What of a pod a quota key counts; `undefined` for keys that count other objects, or nothing. */
export function podAmountOf(key: string): PodAmount | undefined {
  if (key === 'pods' || key === 'count/pods') {
    return { of: 'pods', resource: '' };
  }
  if (key.startsWith('count/')) {
    return undefined;
  }
  if (['cpu', 'memory', 'ephemeral-storage'].includes(key) || key.startsWith('hugepages-')) {
    return { of: 'requests', resource: key };
  }
  const [, form, resource] = /^(requests|limits)\.(.+)$/.exec(key) ?? [];
  if (form === undefined || resource === undefined || resource === 'storage') {
    return undefined;
  }
  if (form === 'limits') {
    return ['cpu', 'memory', 'ephemeral-storage'].includes(resource) ? { of: 'limits', resource } : undefined;
  }
  return ['cpu', 'memory', 'ephemeral-storage'].includes(resource) ||
    resource.startsWith('hugepages-') ||
    resource.includes('/')
    ? { of: 'requests', resource }
    : undefined;
}

/** Each container must state this amount where the quota has this key, or its pod is refused. */
export function isMandatory(key: string): boolean {
  return MANDATORY.has(key);
}

/**
 * A key that the server takes and never counts: `limits.nvidia.com/gpu`, `nvidia.com/gpu`. Gives the key that is counted; `undefined` if
 * the key is valid, or is a name without a domain, which the server itself judges.
 */
export function countedInsteadOf(key: string): string | undefined {
  if (!key.includes('/') || key.startsWith('count/') || key.startsWith('requests.')) {
    return undefined;
  }
  if (/\.storageclass\.storage\.k8s\.io\//.test(key) || /\.deviceclass\.resource\.k8s\.io\/devices$/.test(key)) {
    return undefined;
  }
  // In another case, a prefix is part of the name to the server.
  const resource = key.replace(/^(?:limits|requests)\./i, '');
  return isExtendedResource(resource) ? `requests.${resource}` : undefined;
}

/** The quota key under which Kubernetes counts the requests of a resource: `requests.nvidia.com/gpu`, but `hugepages-2Mi`. */
export function requestsKey(resource: string): string {
  return resource.startsWith('requests.') || resource.startsWith('hugepages-') ? resource : `requests.${resource}`;
}
