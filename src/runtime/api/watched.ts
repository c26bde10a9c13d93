/**
 * Copies of the collections that decisions depend on, kept by one reflector each, with word of every change.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { type CollectionName, COLLECTION_NAMES } from '../../planning/scheduler-settings/collections';
import { type ApiClient } from './client';
import { collectionPath } from './collections';
import { Reflector, type ReflectorNote } from './reflector';
import { trimmed } from './trim';

/** An object that was added (`before` unset), changed, or deleted (`after` unset). */
export interface Change {
  readonly collection: CollectionName;
  readonly key: string;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

export type ChangeListener = (change: Change) => void;

export interface WatchedOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly onNote: (collection: CollectionName, note: ReflectorNote) => void;
  /** @default - all collections that the scheduler reads */
  readonly names?: readonly CollectionName[];
}

export class Watched {
  private readonly stores = new Map<CollectionName, Map<string, JsonObject>>();
  private readonly reflectors: ReadonlyMap<CollectionName, Reflector<JsonObject>>;
  private readonly listeners: ChangeListener[] = [];
  private readonly paths = new Map<CollectionName, string | undefined>();
  private wasSynced = false;

  constructor({ client, onNote, names = COLLECTION_NAMES }: WatchedOptions) {
    this.reflectors = new Map(
      names.map((name) => {
        this.stores.set(name, new Map());
        return [
          name,
          new Reflector<JsonObject>({
            client,
            path: async () => {
              const path = await collectionPath(client, name);
              this.paths.set(name, path);
              return path;
            },
            onNote: (note) => onNote(name, note),
            handler: {
              replaced: (items) => this.replace(name, items),
              changed: (item) => this.put(name, keyOf(item), trimmed(name, item)),
              removed: (item) => this.put(name, keyOf(item), undefined),
            },
          }),
        ];
      }),
    );
  }

  /** Everything has been read once. */
  get isSynced(): boolean {
    this.wasSynced ||= [...this.reflectors.values()].every(({ isSynced }) => isSynced);
    return this.wasSynced;
  }

  onChange(listener: ChangeListener): void {
    this.listeners.push(listener);
  }

  /** By `namespace/name`, or `name` where the kind has no namespaces. */
  all(name: CollectionName): ReadonlyMap<string, JsonObject> {
    return this.stores.get(name)!;
  }

  /** Of the collection across all namespaces; `undefined` where it is not served. */
  pathOf(name: CollectionName): string | undefined {
    return this.paths.get(name);
  }

  async run(): Promise<void> {
    await Promise.all([...this.reflectors.values()].map((reflector) => reflector.run()));
  }

  /** Lists these again; resolves when everything is known that was true at `since`, a moment of the monotonic clock. */
  async refresh(since: number, ...names: readonly CollectionName[]): Promise<void> {
    await Promise.all(names.map((name) => this.reflectors.get(name)!.refresh(since)));
  }

  stop(): void {
    this.reflectors.forEach((reflector) => reflector.stop());
  }

  private replace(name: CollectionName, items: readonly JsonObject[]): void {
    const gone = new Set(this.all(name).keys());
    for (const item of items) {
      const key = keyOf(item);
      gone.delete(key);
      this.put(name, key, trimmed(name, item));
    }
    gone.forEach((key) => this.put(name, key, undefined));
  }

  private put(collection: CollectionName, key: string, after: JsonObject | undefined): void {
    const store = this.stores.get(collection)!;
    const before = store.get(key);
    if (after === undefined) {
      if (before === undefined) {
        return;
      }
      store.delete(key);
    } else {
      if (before !== undefined && versionOf(before) === versionOf(after)) {
        return;
      }
      store.set(key, after);
    }
    this.listeners.forEach((listener) => listener({ collection, key, before, after }));
  }
}

export function keyOf(object: JsonObject): string {
  const { namespace, name } = asObject(object.metadata);
  return asString(namespace) === undefined ? (asString(name) ?? '') : `${asString(namespace)}/${asString(name)}`;
}

function versionOf(object: JsonObject): string | undefined {
  return asString(asObject(object.metadata).resourceVersion);
}
