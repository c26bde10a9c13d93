/**
 * Where the alerts that fire are kept: in a ConfigMap, since Alertmanager repeats an alert only after hours, and sends it to any replica. A dry
 * run keeps them in memory.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { type RemediationAlert } from '../../planning/remediation';
import { ApiError } from '../api/api-error';
import { type ApiClient } from '../api/client';
import { Reflector } from '../api/reflector';
import {
  alertsAt,
  alertsText,
  type FiringAlerts,
  type Notification,
  readAlerts,
  takeAlerts,
  type TakenAlerts,
} from './alerts';

export interface AlertStore {
  readonly isSynced: boolean;
  at(now: number): readonly RemediationAlert[];
  /**
   * Takes what counts of a notification, and resolves when it is kept.
   *
   * @throws Error where it could not be kept
   */
  take(alerts: Notification['alerts'], now: number): Promise<TakenAlerts>;
  run(): Promise<void>;
  stop(): void;
}

export class AlertsInMemory implements AlertStore {
  readonly isSynced = true;
  private firing: FiringAlerts = new Map();

  at(now: number): readonly RemediationAlert[] {
    return alertsAt(this.firing, now);
  }

  take(alerts: Notification['alerts'], now: number): Promise<TakenAlerts> {
    const taken = takeAlerts(this.firing, alerts, now);
    this.firing = taken.firing;
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
  readonly onFault: (message: string) => void;
}

const KEY = 'alerts';
const MOST_CONFLICTS = 5;
/** Alerts that wait to be kept; beyond them, Alertmanager sends again. */
const MOST_WAITING = 50_000;
const TIMEOUT = 5000;

interface Waiting {
  readonly alerts: Notification['alerts'];
  readonly now: number;
  readonly resolve: (taken: TakenAlerts) => void;
  readonly reject: (error: unknown) => void;
}

/** The ConfigMap is part of the installation; the program has no right to create one. */
export class AlertConfigMap implements AlertStore {
  private firing: FiringAlerts = new Map();
  private readonly reflector: Reflector<JsonObject>;
  private waiting: Waiting[] = [];
  private isWriting = false;

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

  /** Notifications that come during a write are kept by the next one, all of them: 10,000 notifications are not 10,000 writes. */
  take(alerts: Notification['alerts'], now: number): Promise<TakenAlerts> {
    const inLine = this.waiting.reduce((sum, one) => sum + one.alerts.length, 0);
    if (inLine > 0 && inLine + alerts.length > MOST_WAITING) {
      return Promise.reject(new Error(`${inLine} alerts wait to be kept`));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ alerts, now, resolve, reject });
      void this.writeWaiting();
    });
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

  private async writeWaiting(): Promise<void> {
    if (this.isWriting) {
      return;
    }
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        const taken = await this.write(batch);
        batch.forEach(({ resolve }, index) => resolve(taken[index]));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    this.isWriting = false;
  }

  private async write(batch: readonly Waiting[]): Promise<readonly TakenAlerts[]> {
    const { client, namespace, name } = this.options;
    if (batch.every(({ alerts }) => alerts.length === 0)) {
      return batch.map(() => ({ firing: this.firing, taken: 0, ignored: 0 }));
    }
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    for (let conflicts = 0; ; conflicts++) {
      const known: JsonObject = await client.request('GET', path, { timeout: TIMEOUT });
      const data = asObject(known.data);
      const before = readAlerts(asString(data[KEY]));
      let firing = before;
      const taken = batch.map(({ alerts, now }) => {
        const next = takeAlerts(firing, alerts, now);
        ({ firing } = next);
        return next;
      });
      if (taken.every((one) => one.taken === 0) && firing.size === before.size) {
        return taken;
      }
      try {
        const next = { ...known, data: { ...data, [KEY]: alertsText(firing) } };
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
