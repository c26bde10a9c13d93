/**
 * Which kinds the server serves, and at which URL an object is created.
 */
import { asArray, asBoolean, asObject, asString } from '../../../src/manifests/read';
import { type ApiClient } from './api-client';

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export class Discovery {
  private readonly kinds = new Map<string, ServedKind>();

  static async read(client: ApiClient): Promise<Discovery> {
    const discovery = new Discovery();
    const groups = asArray((await client.request('GET', '/apis')).body.groups);
    const versions = groups
      .flatMap((group) => asArray(asObject(group).versions))
      .flatMap((version) => asString(asObject(version).groupVersion) ?? []);
    await Promise.all(['v1', ...versions].map((version) => discovery.readVersion(client, version)));
    return discovery;
  }

  get(apiVersion: string, kind: string): ServedKind | undefined {
    return this.kinds.get(`${apiVersion} ${kind}`);
  }

  all(): readonly ServedKind[] {
    return [...this.kinds.values()].sort((a, b) =>
      `${a.apiVersion} ${a.kind}` < `${b.apiVersion} ${b.kind}` ? -1 : 1,
    );
  }

  private async readVersion(client: ApiClient, apiVersion: string): Promise<void> {
    const { body } = await client.request('GET', versionPath(apiVersion));
    for (const resource of asArray(body.resources).map(asObject)) {
      const plural = asString(resource.name) ?? '';
      const kind = asString(resource.kind) ?? '';
      if (plural.includes('/') || !asArray(resource.verbs).includes('create')) {
        continue;
      }
      this.kinds.set(`${apiVersion} ${kind}`, {
        apiVersion,
        kind,
        plural,
        namespaced: asBoolean(resource.namespaced) ?? false,
      });
    }
  }
}

/** Path of the collection that an object of this kind is posted to. */
export function collectionPath({ apiVersion, plural, namespaced }: ServedKind, namespace: string): string {
  return `${versionPath(apiVersion)}${namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${plural}`;
}

function versionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
