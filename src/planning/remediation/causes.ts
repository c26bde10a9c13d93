/**
 * Whether the cause of a rule holds for a node.
 */
import { type RemediationRule } from './rules';
import { type RemediationAlert, type RemediationNode } from './state';

export interface Cause {
  /** For events and the log. */
  readonly text: string;
  /** For how long it holds by its own statement, milliseconds. @default - not stated */
  readonly held?: number;
}

/** What the cause is; `undefined` where it does not hold. */
export function causeOf(
  { cause }: RemediationRule,
  node: RemediationNode,
  alerts: readonly RemediationAlert[],
): Cause | undefined {
  if ('condition' in cause) {
    const { condition } = cause;
    return node.problems.includes(condition)
      ? { text: `condition ${condition} is True`, held: heldOf(node, condition) }
      : undefined;
  }
  if ('alert' in cause) {
    const found = alerts.find((alert) => isAlertOf(cause, alert) && nodeOfAlert(cause, alert) === node.name);
    return found === undefined ? undefined : { text: `alert ${cause.alert} fires`, held: found.held };
  }
  const text = reportCause(cause.report, node);
  return text === undefined ? undefined : { text };
}

type AlertCause = Extract<RemediationRule['cause'], { readonly alert: string }>;

/** The node that the alert names in the label of the rule. */
export function nodeOfAlert({ nodeLabel = 'node' }: AlertCause, { labels }: RemediationAlert): string | undefined {
  return Object.hasOwn(labels, nodeLabel) ? labels[nodeLabel] : undefined;
}

/** Whether the alert is one that the cause names, for whichever node. */
export function isAlertOf({ alert, labels: wanted = {} }: AlertCause, { name, labels }: RemediationAlert): boolean {
  return (
    name === alert &&
    Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  );
}

/** For how long the condition has its status. */
export function heldOf({ held = {} }: RemediationNode, condition: string): number | undefined {
  return Object.hasOwn(held, condition) ? held[condition] : undefined;
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
