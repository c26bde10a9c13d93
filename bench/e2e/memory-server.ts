/**
 * An API server of a few lines in the process of a measurement: it keeps objects, answers at once, and costs next to nothing, so that what is
 * measured is the scheduler program.
 */
import { PassThrough } from 'node:stream';
import { type IncomingMessage } from 'node:http';
import { type JsonObject } from '../../src/facts/api/schema';
import { asObject, asString } from '../../src/manifests/read';
import { ApiError } from '../../src/runtime/api/api-error';
import { type ApiClient, type ApiRequest } from '../../src/runtime/api/client';

type Store = Map<string, JsonObject>;

const VOLCANO = '/apis/scheduling.volcano.sh/v1beta1';
const LISTED: Readonly<Record<string, string>> = {
  '/api/v1/nodes': 'nodes',
  '/api/v1/pods': 'pods',
  [`${VOLCANO}/queues`]: 'queues',
  [`${VOLCANO}/podgroups`]: 'podgroups',
};

export type Stored = 'nodes' | 'pods' | 'queues' | 'podgroups';

export class MemoryServer {
  private readonly stores: Readonly<Record<Stored, Store>> = {
    nodes: new Map(),
    pods: new Map(),
    queues: new Map(),
    podgroups: new Map(),
  };
  private readonly watches = new Map<string, Set<PassThrough>>();
  private version = 100;
  /** Requests that changed something, by method and last part of the path. */
  readonly writes = new Map<string, number>();
  /** Called with each pod that gets a node. */
  onBound: (key: string) => void = () => undefined;

  get client(): Pick<ApiClient, 'request' | 'stream' | 'close'> {
    return {
      request: <T>(method: string, path: string, request?: ApiRequest) =>
        Promise.resolve(this.answer(method, path, request ?? {}) as T),
      stream: (path: string) => Promise.resolve(this.watch(path)),
      close: () => undefined,
    };
  }

  get pods(): ReadonlyMap<string, JsonObject> {
    return this.stores.pods;
  }

  put(plural: Stored, object: JsonObject): void {
    const { namespace, name } = asObject(object.metadata);
    const key = namespace === undefined ? asString(name)! : `${asString(namespace)}/${asString(name)}`;
    const store = this.stores[plural];
    const known = asObject(store.get(key)?.metadata);
    const metadata = {
      uid: known.uid ?? `uid-${plural}-${key}`,
      creationTimestamp: known.creationTimestamp ?? new Date().toISOString(),
      ...asObject(object.metadata),
      resourceVersion: String(++this.version),
    };
    const made = { ...object, metadata };
    this.tell(plural, store.has(key) ? 'MODIFIED' : 'ADDED', made);
    store.set(key, made);
  }

  remove(plural: Stored, key: string): void {
    const object = this.stores[plural].get(key);
    if (object !== undefined) {
      this.stores[plural].delete(key);
      this.tell(plural, 'DELETED', object);
    }
  }

  private tell(plural: string, type: string, object: JsonObject): void {
    this.watches.get(plural)?.forEach((stream) => stream.write(`${JSON.stringify({ type, object })}\n`));
  }

  private answer(method: string, path: string, { body, query = {} }: ApiRequest): JsonObject {
    if (method === 'GET') {
      return this.list(path, Number(query.limit ?? 500), Number(query.continue ?? 0));
    }
    const parts = path.split('/');
    const what = `${method} ${parts[parts.length - 1].replace(/\d+/g, 'N')}`;
    this.writes.set(what, (this.writes.get(what) ?? 0) + 1);
    const [, pod, sub] = /\/api\/v1\/namespaces\/([^/]+\/pods\/[^/]+)\/?(\w*)$/.exec(path) ?? [];
    const key = pod?.replace('/pods/', '/');
    const known = key === undefined ? undefined : this.stores.pods.get(key);
    if (known !== undefined && sub === 'binding') {
      const nodeName = asObject(asObject(body).target).name;
      this.put('pods', { ...known, spec: { ...asObject(known.spec), nodeName } });
      this.onBound(key);
    } else if (known !== undefined && sub === 'status') {
      this.put('pods', { ...known, status: { ...asObject(known.status), ...asObject(asObject(body).status) } });
    }
    const [, namespace, group] = /\/namespaces\/([^/]+)\/podgroups\/([^/]+)(?:\/status)?$/.exec(path) ?? [];
    const grouped = this.stores.podgroups.get(`${namespace}/${group}`);
    if (method === 'PATCH' && grouped !== undefined) {
      this.put('podgroups', {
        ...grouped,
        status: { ...asObject(grouped.status), ...asObject(asObject(body).status) },
      });
    }
    return { metadata: { resourceVersion: String(this.version) } };
  }

  private list(path: string, limit: number, from: number): JsonObject {
    if (path === VOLCANO) {
      return { resources: [{ name: 'queues' }, { name: 'podgroups' }] };
    }
    if (path.startsWith('/apis/') && path.split('/').length === 4) {
      throw new ApiError('not served', 404, 'NotFound');
    }
    const all = [...(this.stores[LISTED[path] as Stored]?.values() ?? [])];
    const more = from + limit < all.length;
    return {
      metadata: { resourceVersion: String(this.version), ...(more && { continue: String(from + limit) }) },
      // What is read is made again, as what comes over a connection is.
      items: JSON.parse(JSON.stringify(all.slice(from, from + limit))) as JsonObject[],
    };
  }

  private watch(path: string): IncomingMessage {
    const plural = LISTED[path] ?? path;
    const stream = new PassThrough();
    const own = this.watches.get(plural) ?? new Set<PassThrough>();
    this.watches.set(plural, own.add(stream));
    stream.on('close', () => own.delete(stream));
    return stream as unknown as IncomingMessage;
  }
}
