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

export interface TakenAlerts {
  readonly firing: FiringAlerts;
  readonly taken: number;
  /** That no rule names, that name no node, or that there is no room for. */
  readonly ignored: number;
}

/**
 * What fires after a notification.
 *
 * @returns `undefined` if it is not a notification
 */
export function takeAlerts(
  firing: FiringAlerts,
  body: JsonValue,
  now: number,
  settings: RemediationSettings,
): TakenAlerts | undefined {
  if (!isObject(body) || !Array.isArray(body.alerts)) {
    return undefined;
  }
  const next = new Map([...firing].filter(([, { seen }]) => now - seen <= MOST_AGE));
  const entries = asArray(body.alerts);
  let taken = 0;
  for (const entry of entries.slice(0, MOST_ENTRIES).map(asObject)) {
    const all = labelsOf(entry.labels);
    const labels = labelsThatCount(all, settings);
    if (labels === undefined) {
      continue;
    }
    const key = digestOf(all);
    const known = next.get(key);
    if (entry.status === 'resolved') {
      next.delete(key);
      taken++;
    } else if (known !== undefined || next.size < MOST_ALERTS) {
      next.set(key, { name: all.alertname, labels, since: known?.since ?? now, seen: now });
      taken++;
    }
  }
  return { firing: next, taken, ignored: entries.length - taken };
}

/** The alerts that fire now, for the planner. */
export function alertsAt(firing: FiringAlerts, now: number): readonly RemediationAlert[] {
  return [...firing.values()]
    .filter(({ seen }) => now - seen <= MOST_AGE)
    .map(({ name, labels, since }) => ({ name, labels, held: now - since }));
}

type Labels = Readonly<Record<string, string>>;

/** Labels of an alert that a rule names and that names a node; else `undefined`. */
function labelsThatCount(all: Labels, { rules }: RemediationSettings): Labels | undefined {
  const alert = { name: all.alertname ?? '', labels: all };
  const read = rules.flatMap(({ cause }) =>
    'alert' in cause && isAlertOf(cause, alert) && nodeOfAlert(cause, alert) !== undefined
      ? [cause.nodeLabel ?? 'node', ...Object.keys(cause.labels ?? {})]
      : [],
  );
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
