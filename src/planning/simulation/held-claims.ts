/**
 * The claims that pods of a simulation have while they are placed: each is made when its pod is placed, with its devices, and ends with it.
 */
import { type Binding } from '../../placement';
import { type ClaimFacts, type DeviceClaims } from '../../placement/model/claims';
import { type Delta } from '../../placement/model/facts';

export class HeldClaims {
  private readonly held = new Map<string, ClaimFacts>();

  /** @param known slices, and what the claims in templates request */
  constructor(private readonly known: DeviceClaims | undefined) {}

  /** Slices, templates, and what is held; `undefined` where no pod has claims. */
  get all(): DeviceClaims | undefined {
    return this.known && { slices: this.known.slices, claims: new Map([...this.known.claims, ...this.held]) };
  }

  /** @returns the keys of the pod's own claims */
  take({ node, claims = [] }: Binding, news: Delta[]): readonly string[] | undefined {
    const keys = claims.map(({ key, devices }) => {
      const [template] = key.split('\0');
      const { title = '', claim } = this.known?.claims.get(template) ?? {};
      const allocation = { devices, nodes: (name: string) => name === node, retained: false };
      const facts = { title, shared: true, ...(claim !== undefined && { claim }), allocation };
      this.held.set(key, facts);
      news.push({ kind: 'claim', key, claim: facts });
      return key;
    });
    return keys.length === 0 ? undefined : keys;
  }

  give(keys: readonly string[] | undefined, news: Delta[]): void {
    keys?.forEach((key) => {
      this.held.delete(key);
      news.push({ kind: 'claim-gone', key });
    });
  }
}
