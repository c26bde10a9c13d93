/**
 * Which claims the pods of Gantry name, and which of them go with pods that have a place. Kept pod by pod.
 */
import { type ClaimUsers } from './device-view';
import { type PodDeviceClaim } from './pod-claims';

/** What one pod says. */
export interface NamedClaims {
  /** As its template names them. */
  readonly named: readonly PodDeviceClaim[];
  /** Keys of its ResourceClaims, where it has a place. */
  readonly inUse: readonly string[];
}

const NONE: NamedClaims = { named: [], inUse: [] };

export class ClaimNames implements ClaimUsers {
  private readonly byPod = new Map<string, NamedClaims>();
  /** By key of the claim, then by key of the pod. */
  private readonly claims = new Map<string, Map<string, PodDeviceClaim>>();
  private readonly users = new Map<string, Set<string>>();
  /** Called with the key of each claim whose pods say something else. */
  onChange: (key: string) => void = () => undefined;

  /** @param said `undefined` where the pod has no claims, or does not exist any more */
  put(pod: string, said: NamedClaims | undefined): void {
    const before = this.byPod.get(pod) ?? NONE;
    const after = said ?? NONE;
    for (const { key } of before.named) {
      remove(this.claims, key, pod);
    }
    for (const key of before.inUse) {
      remove(this.users, key, pod);
    }
    for (const claim of after.named) {
      const all = this.claims.get(claim.key) ?? new Map<string, PodDeviceClaim>();
      this.claims.set(claim.key, all.set(pod, claim));
    }
    for (const key of after.inUse) {
      this.users.set(key, (this.users.get(key) ?? new Set()).add(pod));
    }
    if (said === undefined) {
      this.byPod.delete(pod);
    } else {
      this.byPod.set(pod, said);
    }
    const keys = [...before.named, ...after.named].map(({ key }) => key);
    new Set([...keys, ...before.inUse, ...after.inUse]).forEach((key) => this.onChange(key));
  }

  inUse(key: string): boolean {
    return this.users.has(key);
  }

  named(key: string): PodDeviceClaim | undefined {
    return this.claims.get(key)?.values().next().value;
  }

  names(): Iterable<string> {
    return this.claims.keys();
  }
}

function remove(
  from: Map<string, { delete(pod: string): boolean; readonly size: number }>,
  key: string,
  pod: string,
): void {
  const pods = from.get(key);
  pods?.delete(pod);
  if (pods?.size === 0) {
    from.delete(key);
  }
}
