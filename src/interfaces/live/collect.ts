/**
 * Reads a cluster once, into a snapshot: lists in pages, a few at a time. What the server refuses is named in the snapshot, and everything
 * else is read all the same. What the server answers is not trusted: it may be of any form and any length.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import {
  OPERATOR_PARENTS,
  OPERATORS,
  SNAPSHOT_COLLECTIONS,
  SNAPSHOT_CONFIG_MAPS,
  type SnapshotCollection,
} from '../../manifests/snapshot/collections';
import {
  type ClusterSnapshot,
  type FoundOperator,
  type ServedKind,
  type SnapshotGap,
  type SnapshotList,
} from '../../manifests/snapshot/cluster-snapshot';
import { newestEvents } from '../../manifests/snapshot/events';
import { withoutProse } from '../../manifests/snapshot/prose';
import { reduced } from '../../manifests/snapshot/reduced';
import { ApiError } from '../../runtime/api/api-error';
import { type ApiClient } from '../../runtime/api/client';
import { inTurn } from './in-turn';
import { reasonOf } from './refusal';

/** What is read, and how it is reported. */
export interface CollectOptions {
  /** What the cluster is called. */
  readonly name: string;
  /** Now, RFC 3339. */
  readonly takenAt: string;
  /** Version of Gantry. */
  readonly takenBy: string;
  /** ConfigMaps to add, each `NAMESPACE/NAME`. @default - those of the table alone */
  readonly configMaps?: readonly string[];
  /** Called as the work goes on. @default - nothing is reported */
  readonly progress?: (text: string) => void;
}

export type Client = Pick<ApiClient, 'request'>;

/** Objects in one page, as `kubectl` asks for them. */
const PAGE = 500;
/** A server that goes on for longer repeats itself. */
const MOST_PAGES = 10_000;
/** Times that a list is begun again, if the server forgets the version that its pages are of. */
const MOST_RESTARTS = 3;
/** A page of large pods from a busy server. */
export const TIMEOUT = 120_000;

export async function collect(client: Client, options: CollectOptions): Promise<ClusterSnapshot> {
  return new Collector(client, options).snapshot();
}

class Collector {
  private readonly gaps: SnapshotGap[] = [];
  private readonly operators = new Map<string, FoundOperator>();
  private seen = 0;

  constructor(
    private readonly client: Client,
    private readonly options: CollectOptions,
  ) {}

  async snapshot(): Promise<ClusterSnapshot> {
    const { name, takenAt, takenBy } = this.options;
    // Without this request, an unreachable server would appear as a gap for each of sixty kinds.
    const version = await this.client.request('GET', '/version', { timeout: TIMEOUT });
    const kinds = await this.kinds();
    const lists = await this.lists(kinds);
    const configMaps = await this.configMaps();
    return {
      name,
      takenAt,
      takenBy,
      serverVersion: asString(version.gitVersion) ?? '',
      featureGates: await this.featureGates(),
      kinds,
      schemas: await this.schemas(lists),
      lists: [...lists, ...configMaps],
      operators: [...this.operators.values()],
      gaps: this.gaps,
      anonymized: false,
    };
  }

  /** Notes the answer that did not come. */
  private async attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      this.gaps.push({ what, why: reasonOf(error) });
      return undefined;
    }
  }

  private get(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<JsonObject> {
    return this.client.request('GET', path, { timeout: TIMEOUT, ...(query !== undefined && { query }) });
  }

  /** What the server serves, by its discovery. */
  private async kinds(): Promise<readonly ServedKind[]> {
    this.options.progress?.('reading the API groups');
    const groups = await this.attempt('API groups', () => this.get('/apis'));
    const versions = asArray(groups?.groups)
      .filter(isObject)
      .flatMap((group) =>
        asArray(group.versions)
          .filter(isObject)
          .flatMap(({ groupVersion }) => asString(groupVersion) ?? []),
      )
      .filter((groupVersion) => /^[a-z0-9.-]+\/[a-z0-9]+$/.test(groupVersion));
    const lists = await inTurn(['v1', ...versions], async (groupVersion) => {
      const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
      const found = await this.attempt(`API group ${groupVersion}`, () => this.get(path));
      return found === undefined ? [] : servedKinds(groupVersion, found);
    });
    return lists.flat();
  }

  private async lists(kinds: readonly ServedKind[]): Promise<readonly SnapshotList[]> {
    const wanted = SNAPSHOT_COLLECTIONS.flatMap((collection) => {
      const served = kinds.find(({ group, plural }) => group === collection.group && plural === collection.plural);
      return served === undefined ? [] : [{ collection, served }];
    });
    const lists = await inTurn(wanted, async ({ collection, served: { group, version } }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const path = `${group === '' ? '/api' : '/apis'}/${apiVersion}/${collection.plural}`;
      const what = group === '' ? collection.plural : `${collection.plural}.${group}`;
      const items = await this.attempt(what, () => this.list(path, what, collection));
      return items === undefined ? [] : [{ apiVersion, kind: collection.kind, plural: collection.plural, items }];
    });
    return lists.flat();
  }

  private async list(path: string, what: string, collection: SnapshotCollection): Promise<readonly JsonObject[]> {
    for (let restart = 0; ; restart++) {
      try {
        return await this.pages(path, what, collection);
      } catch (error) {
        // The server has forgotten the version that the pages are of.
        if (!(error instanceof ApiError && error.status === 410 && restart < MOST_RESTARTS)) {
          throw error;
        }
      }
    }
  }

  private async pages(path: string, what: string, collection: SnapshotCollection): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let next: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await this.get(path, { limit: PAGE, continue: next });
      if (!Array.isArray(answer.items)) {
        throw new ApiError('the response is not a list', 200, 'Invalid');
      }
      for (const object of answer.items) {
        if (!isObject(object)) {
          continue;
        }
        if (collection.kind === 'Pod') {
          this.noteOperators(object);
        }
        const kept = reduced(object, collection);
        if (kept !== undefined) {
          items.push(kept);
        }
      }
      this.seen += answer.items.length;
      this.options.progress?.(`reading ${what}: ${items.length}; ${this.seen} objects so far`);
      next = asString(asObject(answer.metadata).continue);
      if (next === undefined || next === '') {
        return collection.keep === 'event' ? newestEvents(items) : items;
      }
    }
    throw new ApiError(`the list does not end after ${MOST_PAGES} pages`, 200, 'Invalid');
  }

  /** Operators are known by the images of their pods: a snapshot needs no right to read Deployments. */
  private noteOperators({ metadata, spec }: JsonObject): void {
    const namespace = asString(asObject(metadata).namespace) ?? '';
    for (const container of asArray(asObject(spec).containers).filter(isObject)) {
      const found = operatorOf(asString(container.image) ?? '');
      if (found !== undefined) {
        this.operators.set(`${found.name} ${found.version} ${namespace}`, { ...found, namespace });
      }
    }
  }

  private async configMaps(): Promise<readonly SnapshotList[]> {
    const named = SNAPSHOT_CONFIG_MAPS.flatMap(({ name, namespaces, operator }) => {
      const own = [...this.operators.values()].filter((found) => found.name === operator);
      return [...new Set([...namespaces, ...own.map(({ namespace }) => namespace)])].map((namespace) => ({
        namespace,
        name,
        isRequired: false,
      }));
    });
    const asked = (this.options.configMaps ?? []).map((text) => {
      const [namespace, name] = text.split('/');
      return { namespace, name, isRequired: true };
    });
    const items = await inTurn([...named, ...asked], async ({ namespace, name, isRequired }) => {
      try {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
        const { data, metadata } = await this.get(path);
        const { labels } = asObject(metadata);
        return [
          { metadata: { namespace, name, ...(isObject(labels) && { labels }) }, ...(isObject(data) && { data }) },
        ];
      } catch (error) {
        if (!(error instanceof ApiError)) {
          throw error;
        }
        // Most of the table is of projects that are not installed.
        if (error.status !== 404 || isRequired) {
          this.gaps.push({ what: `configmap ${namespace}/${name}`, why: reasonOf(error) });
        }
        return [];
      }
    });
    const byKey = new Map(items.flat().map((item) => [`${item.metadata.namespace}/${item.metadata.name}`, item]));
    return byKey.size === 0
      ? []
      : [{ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', items: [...byKey.values()] }];
  }

  /** The server counts its feature gates among its metrics. */
  private async featureGates(): Promise<Readonly<Record<string, boolean>>> {
    const metrics = await this.attempt('feature gates', () => this.get('/metrics'));
    const gates = new Map<string, boolean>();
    for (const [, name, value] of (asString(metrics?.message) ?? '').matchAll(
      /^kubernetes_feature_enabled\{name="([A-Za-z0-9]+)"[^}\n]*\} ([01])$/gm,
    )) {
      gates.set(name, value === '1');
    }
    return Object.fromEntries(gates);
  }

  /** OpenAPI of the kinds that no CRD defines; a CRD says more about its own. */
  private async schemas(lists: readonly SnapshotList[]): Promise<JsonObject> {
    const defined = new Set(
      lists
        .filter(({ kind }) => kind === 'CustomResourceDefinition')
        .flatMap(({ items }) => items.map(({ spec }) => asString(asObject(spec).group))),
    );
    const index = await this.attempt('OpenAPI', () => this.get('/openapi/v3'));
    const paths = Object.keys(asObject(index?.paths)).filter((path) => {
      const [, group] = /^apis\/([a-z0-9.-]+)\/[a-z0-9]+$/.exec(path) ?? [];
      return path === 'api/v1' || (group !== undefined && !defined.has(group));
    });
    const documents = await inTurn(paths.sort(), async (path) => {
      this.options.progress?.(`reading the OpenAPI of ${path}`);
      return asObject(await this.attempt(`OpenAPI of ${path}`, () => this.get(`/openapi/v3/${path}`)));
    });
    const schemas = new Map<string, JsonObject>();
    for (const { components } of documents) {
      for (const [name, schema] of Object.entries(asObject(asObject(components).schemas))) {
        if (isObject(schema) && !schemas.has(name)) {
          schemas.set(name, withoutProse(schema) as JsonObject);
        }
      }
    }
    return Object.fromEntries(schemas);
  }
}

function servedKinds(groupVersion: string, list: JsonObject): readonly ServedKind[] {
  const slash = groupVersion.indexOf('/');
  const [group, version] =
    slash < 0 ? ['', groupVersion] : [groupVersion.slice(0, slash), groupVersion.slice(slash + 1)];
  const resources = asArray(list.resources).filter(isObject);
  const names = new Set(resources.map(({ name }) => name));
  return resources.flatMap((resource): ServedKind[] => {
    const plural = asString(resource.name) ?? '';
    return plural === '' || plural.includes('/')
      ? []
      : [
          {
            group,
            version,
            kind: asString(resource.kind) ?? '',
            plural,
            namespaced: resource.namespaced === true,
            status: names.has(`${plural}/status`),
          },
        ];
  });
}

/** `registry.example.com/team/kueue/kueue:v0.14.1@sha256:…` is Kueue v0.14.1. */
export function operatorOf(image: string): Pick<FoundOperator, 'name' | 'version'> | undefined {
  const [reference] = image.split('@');
  const colon = reference.lastIndexOf(':');
  const isTagged = colon > reference.lastIndexOf('/');
  const parts = (isTagged ? reference.slice(0, colon) : reference).split('/');
  const last = parts.at(-1) ?? '';
  if (!Object.hasOwn(OPERATORS, last)) {
    return undefined;
  }
  const parent = Object.hasOwn(OPERATOR_PARENTS, last) ? OPERATOR_PARENTS[last] : undefined;
  if (parent !== undefined && !parts.slice(0, -1).some((part) => part.includes(parent))) {
    return undefined;
  }
  return { name: OPERATORS[last], version: isTagged ? reference.slice(colon + 1) : '' };
}
