/**
 * Where the alerts that fire are kept: in a ConfigMap, since Alertmanager repeats an alert only after hours, and sends it to any replica. A dry
 * run keeps them in memory.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { type RemediationAlert, type RemediationSettings } from '../../planning/remediation';
import { ApiError } from '../api/api-error';
import { type ApiClient } from '../api/client';
import { Reflector } from '../api/reflector';
import { alertsAt, alertsText, type FiringAlerts, readAlerts, takeAlerts, type TakenAlerts } from './alerts';

export interface AlertStore {
  readonly isSynced: boolean;
  at(now: number): readonly RemediationAlert[];
  /**
   * Takes a notification, and resolves when it is kept.
   *
   * @returns `undefined` if it is not a notification
   * @throws ApiError where it could not be kept
   */
  take(body: JsonValue, now: number): Promise<TakenAlerts | undefined>;
  run(): Promise<void>;
  stop(): void;
}

export class AlertsInMemory implements AlertStore {
  readonly isSynced = true;
  private firing: FiringAlerts = new Map();

  constructor(private readonly settings: RemediationSettings) {}

  at(now: number): readonly RemediationAlert[] {
    return alertsAt(this.firing, now);
  }

  take(body: JsonValue, now: number): Promise<TakenAlerts | undefined> {
    const taken = takeAlerts(this.firing, body, now, this.settings);
    this.firing = taken?.firing ?? this.firing;
    return Promise.resolve(taken);
  }

  run(): Promise<void> {
    return Promise.resolve();
  }

  stop(): void {
    // Nothing runs.
  }
}

export interface AlertConfigMapOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly namespace: string;
  readonly name: string;
  readonly settings: RemediationSettings;
  readonly onFault: (message: string) => void;
}

const KEY = 'alerts';
const MOST_CONFLICTS = 5;
const TIMEOUT = 5000;

/** The ConfigMap is part of the installation; the program has no right to create one. */
export class AlertConfigMap implements AlertStore {
  private firing: FiringAlerts = new Map();
  private readonly reflector: Reflector<JsonObject>;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: AlertConfigMapOptions) {
    const { client, namespace, name, onFault } = options;
    this.reflector = new Reflector<JsonObject>({
      client,
      path: () => Promise.resolve(`/api/v1/namespaces/${namespace}/configmaps`),
      fieldSelector: `metadata.name=${name}`,
      handler: {
        replaced: ([item]) => this.read(item),
        changed: (item) => this.read(item),
        removed: () => this.read(undefined),
      },
      onNote: (note) => note.kind === 'failed' && onFault(note.error),
    });
  }

  get isSynced(): boolean {
    return this.reflector.isSynced;
  }

  at(now: number): readonly RemediationAlert[] {
    return alertsAt(this.firing, now);
  }

  /** One notification after the other, so that those of one replica do not conflict. */
  take(body: JsonValue, now: number): Promise<TakenAlerts | undefined> {
    const next = this.writing.then(() => this.write(body, now));
    this.writing = next.catch(() => undefined);
    return next;
  }

  run(): Promise<void> {
    return this.reflector.run();
  }

  stop(): void {
    this.reflector.stop();
  }

  private read(object: JsonObject | undefined): void {
    this.firing = readAlerts(asString(asObject(object?.data)[KEY]));
  }

  private async write(body: JsonValue, now: number): Promise<TakenAlerts | undefined> {
    const { client, namespace, name, settings } = this.options;
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    for (let conflicts = 0; ; conflicts++) {
      const known: JsonObject = await client.request('GET', path, { timeout: TIMEOUT });
      const data = asObject(known.data);
      const before = readAlerts(asString(data[KEY]));
      const taken = takeAlerts(before, body, now, settings);
      if (taken === undefined || (taken.taken === 0 && taken.firing.size === before.size)) {
        return taken;
      }
      try {
        const next = { ...known, data: { ...data, [KEY]: alertsText(taken.firing) } };
        this.read(await client.request<JsonObject>('PUT', path, { body: next, timeout: TIMEOUT }));
        return taken;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409 || conflicts >= MOST_CONFLICTS) {
          throw error;
        }
      }
    }
  }
}
