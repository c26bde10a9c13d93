/**
 * Which devices claims were given that the watch does not show yet: allocations that this process writes, and those that it expects of
 * kube-scheduler for pods that it handed over. Until the claim shows its own allocation, or is deleted, these devices count as taken.
 *
 * Nothing here has to survive the process: the next leader reads the claims from the API server.
 */
import { type AllocatedDevice } from '../../../placement/model/claims';

export interface AssumedClaim {
  /** Uid of the claim; `''` where it does not exist yet. */
  readonly uid: string;
  readonly devices: readonly AllocatedDevice[];
  /** Where its devices can be used; the claim itself will say it more exactly. */
  readonly node: string;
  /** Uids of the pods that it was allocated for. */
  readonly pods: ReadonlySet<string>;
}

export class ClaimedDevices {
  private readonly claims = new Map<string, AssumedClaim>();
  /** Keys by the uid of a pod. */
  private readonly ofPod = new Map<string, Set<string>>();
  /** Called with the key of each claim whose assumption changed. */
  onChange: (key: string) => void = () => undefined;

  get all(): ReadonlyMap<string, AssumedClaim> {
    return this.claims;
  }

  assume(key: string, claim: AssumedClaim): void {
    this.claims.set(key, claim);
    claim.pods.forEach((uid) => this.ofPod.set(uid, (this.ofPod.get(uid) ?? new Set()).add(key)));
    this.onChange(key);
  }

  /** The claim shows what it holds, does not exist any more, or was given back. */
  forget(key: string): void {
    const claim = this.claims.get(key);
    if (claim === undefined) {
      return;
    }
    this.claims.delete(key);
    claim.pods.forEach((uid) => {
      const keys = this.ofPod.get(uid);
      keys?.delete(key);
      if (keys?.size === 0) {
        this.ofPod.delete(uid);
      }
    });
    this.onChange(key);
  }

  /** The pod was deleted: what was assumed for it alone is not going to be. */
  forgetPod(uid: string): void {
    for (const key of [...(this.ofPod.get(uid) ?? [])]) {
      const claim = this.claims.get(key);
      const pods = new Set(claim?.pods);
      pods.delete(uid);
      this.forget(key);
      if (claim !== undefined && pods.size > 0) {
        this.assume(key, { ...claim, pods });
      }
    }
  }

  clear(): void {
    [...this.claims.keys()].forEach((key) => this.forget(key));
  }
}
