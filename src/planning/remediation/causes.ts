/**
 * Whether the cause of a rule holds for a node.
 */
import { type RemediationRule } from './rules';
import { type RemediationAlert, type RemediationNode } from './state';

/** What the cause is, for events and the log; `undefined` where it does not hold. */
export function causeOf(
  { cause }: RemediationRule,
  node: RemediationNode,
  alerts: readonly RemediationAlert[],
): string | undefined {
  if ('condition' in cause) {
    return node.problems.includes(cause.condition) ? `condition ${cause.condition} is True` : undefined;
  }
  if ('alert' in cause) {
    const wanted = Object.entries(cause.labels ?? {});
    const fires = alerts.some(
      ({ name, labels }) =>
        name === cause.alert && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value),
    );
    return fires ? `alert ${cause.alert} fires` : undefined;
  }
  return reportCause(cause.report, node);
}

function reportCause(
  {
    devicesBelow = 0,
    freeMemoryBelowMiB = 0,
  }: { readonly devicesBelow?: number; readonly freeMemoryBelowMiB?: number },
  { report }: RemediationNode,
): string | undefined {
  if (report === undefined) {
    return undefined;
  }
  if (report.devices < devicesBelow) {
    return `the capacity report has ${report.devices} devices, fewer than ${devicesBelow}`;
  }
  const { freeMemoryMiB } = report;
  return freeMemoryMiB !== undefined && freeMemoryMiB < freeMemoryBelowMiB
    ? `a device has ${freeMemoryMiB} MiB of free memory, less than ${freeMemoryBelowMiB} MiB`
    : undefined;
}
