/**
 * Whether the devices of a claim are ready for the pod to be bound: each states the conditions that its driver has to set first.
 *
 * Source: kubernetes, pkg/scheduler/framework/plugins/dynamicresources (`isClaimReadyForBinding`).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waits' }
  /** A sentence. */
  | { readonly kind: 'failed'; readonly message: string };

/** @param claim `undefined` where it was deleted, after which nothing is waited for */
export function bindingReadiness(claim: JsonObject | undefined): Readiness {
  const status = asObject(claim?.status);
  const reports = asArray(status.devices).map(asObject);
  let isReady = true;
  for (const result of asArray(asObject(asObject(status.allocation).devices).results).map(asObject)) {
    const wanted = asArray(result.bindingConditions);
    if (wanted.length === 0) {
      continue;
    }
    const report = reports.find(
      ({ driver, pool, device, shareID }) =>
        driver === result.driver && pool === result.pool && device === result.device && shareID === result.shareID,
    );
    const conditions = asArray(report?.conditions).map(asObject);
    const failed = conditions.find(
      ({ type, status: is }) => is === 'True' && asArray(result.bindingFailureConditions).includes(type ?? null),
    );
    if (failed !== undefined) {
      const { type, reason, message } = failed;
      const why = [asString(reason), asString(message)].filter((part) => part !== undefined && part !== '').join(': ');
      const words = `device "${asString(result.device)}" could not be prepared (${asString(type)}${why === '' ? '' : `, ${why}`}).`;
      return { kind: 'failed', message: words };
    }
    isReady &&= wanted.every((type) => conditions.some((one) => one.type === type && one.status === 'True'));
  }
  return { kind: isReady ? 'ready' : 'waits' };
}
