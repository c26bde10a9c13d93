/**
 * How long probes let a container try, in the numbers that Kubernetes takes where none are stated.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asInteger } from '../../../manifests/read';

const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_FAILURES = 3;

/** Seconds until the last failure that a probe allows. */
export function startupBudget(probe: JsonObject): number {
  const delay = asInteger(probe.initialDelaySeconds) ?? 0;
  const period = positive(asInteger(probe.periodSeconds)) ?? DEFAULT_PERIOD_SECONDS;
  const failures = positive(asInteger(probe.failureThreshold)) ?? DEFAULT_FAILURES;
  return delay + period * failures;
}

/** Zero means the default there. */
function positive(value: number | undefined): number | undefined {
  return value === undefined || value <= 0 ? undefined : value;
}
