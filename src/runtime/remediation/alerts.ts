/**
 * The alerts that Alertmanager sends to the webhook. Their labels are untrusted: they are bounded, and only own properties are read.
 *
 * Source of the form: Alertmanager, webhook_config.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, isObject } from '../../manifests/read';
import { type RemediationAlert } from '../../planning/remediation';

/** Alertmanager repeats a firing alert every 4 hours by default. One that is not repeated has ended, milliseconds. */
const MOST_AGE = 5 * 3600 * 1000;
const MOST_ALERTS = 10_000;
const MOST_LABELS = 64;
const MOST_TEXT = 1024;

export class Alerts {
  private readonly firing = new Map<string, { readonly alert: RemediationAlert; readonly at: number }>();

  /**
   * Takes one notification.
   * @returns the number of alerts that name a node, or `undefined` if it is not a notification
   */
  take(body: JsonValue, now: number): number | undefined {
    if (!isObject(body) || !Array.isArray(body.alerts)) {
      return undefined;
    }
    let taken = 0;
    for (const entry of asArray(body.alerts).slice(0, MOST_ALERTS).map(asObject)) {
      const labels = labelsOf(entry.labels);
      const { alertname: name, node } = labels;
      if (name === undefined || node === undefined) {
        continue;
      }
      taken++;
      const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
      if (entry.status === 'resolved') {
        this.firing.delete(key);
      } else if (this.firing.has(key) || this.firing.size < MOST_ALERTS) {
        this.firing.set(key, { alert: { name, node, labels }, at: now });
      }
    }
    return taken;
  }

  at(now: number): readonly RemediationAlert[] {
    for (const [key, { at }] of this.firing) {
      if (now - at > MOST_AGE) {
        this.firing.delete(key);
      }
    }
    return [...this.firing.values()].map(({ alert }) => alert);
  }
}

function labelsOf(value: JsonValue | undefined): Readonly<Record<string, string | undefined>> & Record<string, string> {
  return Object.fromEntries(
    Object.entries(asObject(value))
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= MOST_TEXT)
      .slice(0, MOST_LABELS),
  );
}

/** Whether the header has the token; the time that this takes says nothing about the token. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return token !== '' && timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
