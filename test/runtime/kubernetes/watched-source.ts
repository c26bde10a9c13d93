/**
 * Collections as they would be watched, and pods in them.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { type CollectionName, COLLECTION_NAMES } from '../../../src/planning/scheduler-settings/collections';
import { type ChangeListener } from '../../../src/runtime/api/watched';

export const NOW = Date.UTC(2026, 0, 1);

/** What would be watched. */
export class Source {
  private readonly stores = new Map<CollectionName, Map<string, JsonObject>>(
    COLLECTION_NAMES.map((name) => [name, new Map()]),
  );
  private listener: ChangeListener = () => undefined;

  all(name: CollectionName): ReadonlyMap<string, JsonObject> {
    return this.stores.get(name)!;
  }

  onChange(listener: ChangeListener): void {
    this.listener = listener;
  }

  put(collection: CollectionName, object: JsonObject): void {
    const { namespace, name } = object.metadata as Readonly<Record<string, string>>;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const store = this.stores.get(collection)!;
    const before = store.get(key);
    store.set(key, object);
    this.listener({ collection, key, before, after: object });
  }

  remove(collection: CollectionName, key: string): void {
    const store = this.stores.get(collection)!;
    const before = store.get(key);
    store.delete(key);
    this.listener({ collection, key, before });
  }
}

export interface PodShape {
  readonly gang?: string;
  readonly minimum?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  readonly node?: string;
  readonly phase?: string;
  readonly leaving?: boolean;
  readonly uid?: string;
  readonly ageSeconds?: number;
}

export function pod(name: string, shape: PodShape = {}): JsonObject {
  const {
    gang,
    minimum,
    labels = {},
    annotations = {},
    spec = {},
    node,
    phase = 'Pending',
    leaving = false,
    uid = `uid-${name}`,
    ageSeconds = 60,
  } = shape;
  const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
  return {
    metadata: {
      namespace: 'default',
      name,
      uid,
      creationTimestamp: time(NOW - ageSeconds * 1000),
      ...(leaving && { deletionTimestamp: time(NOW) }),
      labels: { ...labels, ...(gang !== undefined && { 'gantry.dev/gang': gang }) },
      annotations: { ...annotations, ...(minimum !== undefined && { 'gantry.dev/gang-min-member': String(minimum) }) },
    },
    spec: {
      schedulerName: 'gantry',
      containers: [{ name: 'c', resources: { requests: { cpu: '1', 'nvidia.com/gpu': 1 } } }],
      ...spec,
      ...(node !== undefined && { nodeName: node }),
    },
    status: { phase, ...(node !== undefined && { startTime: time(NOW - ageSeconds * 1000) }) },
  };
}

export const NODE: JsonObject = {
  metadata: { name: 'n-1', labels: {} },
  spec: {},
  status: { allocatable: { cpu: '8', 'nvidia.com/gpu': '8' }, conditions: [{ type: 'Ready', status: 'True' }] },
};
