/**
 * Keys of claims in the placement core.
 */

/** The key of a claim, or of a template of claims. */
export function claimKey(kind: 'claim' | 'template', namespace: string, name: string): string {
  return `${kind}:${namespace === '' ? 'default' : namespace}/${name}`;
}

/** Whether several pods may use the claim of this key; from a template, each pod gets a claim of its own. */
export function isSharedClaim(key: string): boolean {
  return key.startsWith('claim:');
}

/** An extended resource of a pod that a DeviceClass serves. */
export interface ClassRequest {
  readonly resource: string;
  readonly deviceClass: string;
  readonly count: number;
}

const EXTENDED = 'extended:';

/** The key of the claim that the cluster makes for extended resources; alike pods have alike claims, each one of its own. */
export function extendedClaimKey(requests: readonly ClassRequest[]): string {
  return `${EXTENDED}${JSON.stringify(requests)}`;
}

/** What a key of such a claim requests; `undefined` for the key of another claim. */
export function extendedRequests(key: string): readonly ClassRequest[] | undefined {
  return key.startsWith(EXTENDED) ? (JSON.parse(key.slice(EXTENDED.length)) as readonly ClassRequest[]) : undefined;
}
