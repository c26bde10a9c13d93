/**
 * What the API server keeps: objects by collection, one counter of versions, and the events that watches replay.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly groupVersion: string;
  readonly plural: string;
  readonly object: JsonObject;
}

export function keyOf(object: JsonObject): string {
  const { namespace, name } = asObject(object.metadata);
  return namespace === undefined ? (asString(name) ?? '') : `${asString(namespace)}/${asString(name)}`;
}

export class Store {
  version = 100;
  readonly events: StoreEvent[] = [];
  /** Events up to this version are forgotten. */
  compactedAt = 0;
  /** Called after every change. */
  readonly listeners: ((event: StoreEvent) => void)[] = [];
  private readonly collections = new Map<string, Map<string, JsonObject>>();
  private created = 0;

  collection(groupVersion: string, plural: string): Map<string, JsonObject> {
    const name = `${groupVersion} ${plural}`;
    const known = this.collections.get(name) ?? new Map<string, JsonObject>();
    this.collections.set(name, known);
    return known;
  }

  get(groupVersion: string, plural: string, key: string): JsonObject | undefined {
    return this.collection(groupVersion, plural).get(key);
  }

  create(groupVersion: string, plural: string, object: JsonObject): JsonObject {
    const made = {
      ...object,
      metadata: {
        creationTimestamp: new Date(Date.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        uid: `uid-${++this.created}`,
        ...asObject(object.metadata),
      },
    };
    return this.put('ADDED', groupVersion, plural, made);
  }

  update(groupVersion: string, plural: string, object: JsonObject): JsonObject {
    return this.put('MODIFIED', groupVersion, plural, object);
  }

  delete(groupVersion: string, plural: string, key: string): void {
    const object = this.get(groupVersion, plural, key);
    if (object !== undefined) {
      this.collection(groupVersion, plural).delete(key);
      this.note('DELETED', groupVersion, plural, object);
    }
  }

  /** Has every state looked at that changes lead to: once where several were made before anything could see the first of them. */
  lookAtStates(look: () => void): void {
    let seen: number | undefined;
    this.listeners.push(() => {
      if (seen !== this.version) {
        seen = this.version;
        look();
      }
    });
  }

  /** Forgets the events so far, as etcd does when it is compacted. */
  compact(): void {
    this.compactedAt = this.version;
    this.events.length = 0;
  }

  private put(type: StoreEvent['type'], groupVersion: string, plural: string, object: JsonObject): JsonObject {
    const stored = this.note(type, groupVersion, plural, object);
    this.collection(groupVersion, plural).set(keyOf(stored), stored);
    return stored;
  }

  private note(type: StoreEvent['type'], groupVersion: string, plural: string, object: JsonObject): JsonObject {
    const version = ++this.version;
    const stored = { ...object, metadata: { ...asObject(object.metadata), resourceVersion: String(version) } };
    const event = { type, version, groupVersion, plural, object: stored };
    this.events.push(event);
    // After the object is stored.
    queueMicrotask(() => this.listeners.forEach((listener) => listener(event)));
    return stored;
  }
}
