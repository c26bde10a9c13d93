/**
 * The alerts that Alertmanager sends to the webhook. Their labels are untrusted: only alerts that a rule names are kept, of their labels only those
 * that the rules read, and their number and length are bounded.
 *
 * Source of the form: Alertmanager, webhook_config.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { isAlertOf, nodeOfAlert, type RemediationAlert, type RemediationSettings } from '../../planning/remediation';

/** Alertmanager repeats a firing alert every 4 hours by default. One that is not repeated has ended, milliseconds. */
const MOST_AGE = 5 * 3600 * 1000;
const MOST_ALERTS = 2000;
/** A ConfigMap has at most 1 MiB. */
const MOST_SIZE = 900_000;
/** Bytes of an alert beside its name and its labels: the key, two times, and the names of the members. */
const ENTRY_SIZE = 140;
const MOST_ENTRIES = 10_000;
const MOST_LABELS = 64;
const MOST_TEXT = 256;

/** An alert that fires. */
export interface FiringAlert {
  readonly name: string;
  /** Labels that rules read. */
  readonly labels: Readonly<Record<string, string>>;
  /** When it was first and last received, the API server's time in milliseconds since the epoch. */
  readonly since: number;
  readonly seen: number;
}

/** By a digest of all labels: two alerts that differ in a label that no rule reads fire and end on their own. */
export type FiringAlerts = ReadonlyMap<string, FiringAlert>;

/** What counts of a notification: what is left of it is small, however large the rest is. */
export interface Notification {
  readonly alerts: readonly NotifiedAlert[];
  /** Alerts that no rule names, or that name no node. */
  readonly ignored: number;
}

interface NotifiedAlert extends Pick<FiringAlert, 'name' | 'labels'> {
  readonly key: string;
  readonly isResolved: boolean;
}

export interface TakenAlerts {
  readonly firing: FiringAlerts;
  readonly taken: number;
  /** Beside those that are not in the notification any more: alerts that there is no room for. */
  readonly ignored: number;
}

/**
 * @param isNode whether there is such a node: an alert about another one causes nothing, and must not take the place of one that does
 * @returns `undefined` if it is not a notification
 */
export function readNotification(
  body: JsonValue,
  settings: RemediationSettings,
  isNode: (name: string) => boolean = () => true,
): Notification | undefined {
  if (!isObject(body) || !Array.isArray(body.alerts)) {
    return undefined;
  }
  const entries = asArray(body.alerts);
  const alerts = entries.slice(0, MOST_ENTRIES).flatMap((entry): readonly NotifiedAlert[] => {
    const { labels: stated, status } = asObject(entry);
    const all = labelsOf(stated);
    const isResolved = status === 'resolved';
    const labels = labelsThatCount(all, settings, isResolved ? () => true : isNode);
    return labels === undefined ? [] : [{ key: digestOf(all), name: all.alertname, labels, isResolved }];
  });
  return { alerts, ignored: entries.length - alerts.length };
}

/** What fires after a notification. */
export function takeAlerts(firing: FiringAlerts, alerts: Notification['alerts'], now: number): TakenAlerts {
  const next = new Map([...firing].filter(([, { seen }]) => now - seen <= MOST_AGE));
  let size = [...next.values()].reduce((sum, alert) => sum + sizeOf(alert), 0);
  let taken = 0;
  for (const { key, name, labels, isResolved } of alerts) {
    const known = next.get(key);
    const more = known === undefined ? sizeOf({ name, labels }) : 0;
    if (isResolved) {
      next.delete(key);
      size -= known === undefined ? 0 : sizeOf(known);
      taken++;
    } else if (known !== undefined || (next.size < MOST_ALERTS && size + more <= MOST_SIZE)) {
      next.set(key, { name, labels, since: known?.since ?? now, seen: now });
      size += more;
      taken++;
    }
  }
  return { firing: next, taken, ignored: alerts.length - taken };
}

/** Bytes of an alert in the ConfigMap, at most. */
function sizeOf({ name, labels }: Pick<FiringAlert, 'name' | 'labels'>): number {
  return ENTRY_SIZE + Buffer.byteLength(JSON.stringify([name, labels]));
}

/** The alerts that fire now, for the planner. */
export function alertsAt(firing: FiringAlerts, now: number): readonly RemediationAlert[] {
  return [...firing.values()]
    .filter(({ seen }) => now - seen <= MOST_AGE)
    .map(({ name, labels, since }) => ({ name, labels, held: now - since }));
}

type Labels = Readonly<Record<string, string>>;

/** Labels of an alert that a rule names and that names a node; else `undefined`. */
function labelsThatCount(
  all: Labels,
  { rules }: RemediationSettings,
  isNode: (name: string) => boolean,
): Labels | undefined {
  const alert = { name: all.alertname ?? '', labels: all };
  const read = rules.flatMap(({ cause }) => {
    const node = 'alert' in cause && isAlertOf(cause, alert) ? nodeOfAlert(cause, alert) : undefined;
    return 'alert' in cause && node !== undefined && isNode(node)
      ? [cause.nodeLabel ?? 'node', ...Object.keys(cause.labels ?? {})]
      : [];
  });
  return read.length === 0 ? undefined : Object.fromEntries([...new Set(read)].map((key) => [key, all[key]]));
}

function labelsOf(value: JsonValue | undefined): Labels {
  return Object.fromEntries(
    Object.entries(asObject(value))
      .filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' && entry[1].length <= MOST_TEXT && entry[0].length <= MOST_TEXT,
      )
      .slice(0, MOST_LABELS),
  );
}

function digestOf(labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32);
}

/** What fires, as a ConfigMap keeps it. */
export function alertsText(firing: FiringAlerts): string {
  return JSON.stringify(Object.fromEntries(firing));
}

/** What a ConfigMap says; what makes no sense is left out. */
export function readAlerts(text: string | undefined): FiringAlerts {
  let value: JsonValue;
  try {
    value = JSON.parse(text ?? '{}') as JsonValue;
  } catch {
    return new Map();
  }
  return new Map(
    Object.entries(isObject(value) ? value : {})
      .slice(0, MOST_ALERTS)
      .flatMap(([key, entry]): [string, FiringAlert][] => {
        const { name, labels, since, seen } = asObject(entry);
        return asString(name) === undefined || typeof since !== 'number' || typeof seen !== 'number'
          ? []
          : [[key, { name: asString(name)!, labels: labelsOf(labels), since, seen }]];
      }),
  );
}

/** Whether the header has the token; the time that this takes says nothing about the token. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return token !== '' && timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
