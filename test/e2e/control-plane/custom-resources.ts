/**
 * Puts CustomResourceDefinitions into a server and waits until it serves them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type ApiClient } from './api-client';

const COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LIMIT = 300_000;

/**
 * Definitions as a server without any controller or webhook can take them.
 *
 * Two projects define MPIJob, in different versions: their definitions have one name, so that a cluster holds either; here the versions
 * are put together into one. Conversion webhooks do not exist here; without conversion every version can be created all the same.
 */
export function withoutNeighbors(crds: readonly JsonObject[]): readonly JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const crd of crds) {
    const name = nameOf(crd);
    const spec = asObject(crd.spec);
    const known = byName.get(name);
    const versions = known === undefined ? [] : asArray(asObject(known.spec).versions);
    const names = new Set(versions.map((version) => asObject(version).name));
    const added = asArray(spec.versions)
      .map(asObject)
      .filter((version) => !names.has(version.name))
      .map((version) => (known === undefined ? version : { ...version, storage: false }));
    byName.set(name, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name, annotations: { ...asObject(asObject(crd.metadata).annotations) } },
      spec: {
        ...(known === undefined ? spec : asObject(known.spec)),
        conversion: { strategy: 'None' },
        versions: [...versions, ...added],
      },
    });
  }
  return [...byName.values()].map(approved);
}

/** The server refuses definitions in protected groups that do not carry an approval; some projects add it only when they release. */
function approved(crd: JsonObject): JsonObject {
  const group = asString(asObject(crd.spec).group) ?? '';
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    return crd;
  }
  const metadata = asObject(crd.metadata);
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, for tests', ...asObject(metadata.annotations) };
  return { ...crd, metadata: { ...metadata, annotations } };
}

/**
 * Applies the definitions server-side: the last-applied annotation of the client-side way has no room for the large ones.
 * @throws where the server refuses one, or does not establish it in time
 */
export async function applyCustomResources(client: ApiClient, crds: readonly JsonObject[]): Promise<void> {
  const [refused] = await applyServedResources(client, crds);
  if (refused !== undefined) {
    throw new Error(`The server refused the definition ${refused.name}: ${refused.message}`);
  }
}

/** A definition that a server does not take, and what it said. */
export interface RefusedDefinition {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly message: string;
}

/**
 * Applies the definitions that the server takes: an older one may lack a function of CEL that a definition uses.
 * @returns those that it refused
 * @throws where the server does not establish one in time
 */
export async function applyServedResources(
  client: ApiClient,
  crds: readonly JsonObject[],
): Promise<readonly RefusedDefinition[]> {
  const refused: RefusedDefinition[] = [];
  for (const crd of withoutNeighbors(crds)) {
    const { status, body } = await client.request(
      'PATCH',
      `${COLLECTION}/${nameOf(crd)}?fieldManager=gantry&force=true`,
      {
        body: crd,
        contentType: 'application/apply-patch+yaml',
      },
    );
    if (status >= 300) {
      const { group, names } = asObject(crd.spec);
      refused.push({
        name: nameOf(crd),
        group: asString(group) ?? '',
        kind: asString(asObject(names).kind) ?? '',
        message: asString(body.message) ?? String(status),
      });
    }
  }
  for (const deadline = Date.now() + LIMIT; ; await sleep(100)) {
    const waiting = asArray((await client.request('GET', COLLECTION)).body.items)
      .map(asObject)
      .filter((crd) => !isEstablished(crd))
      .map(nameOf);
    if (waiting.length === 0) {
      return refused;
    }
    if (Date.now() > deadline) {
      throw new Error(`Not established within ${LIMIT / 1000} s: ${waiting.join(', ')}`);
    }
  }
}

function isEstablished(crd: JsonObject): boolean {
  return asArray(asObject(crd.status).conditions)
    .map(asObject)
    .some(({ type, status }) => type === 'Established' && status === 'True');
}

function nameOf(crd: JsonObject): string {
  return asString(asObject(crd.metadata).name) ?? '';
}
