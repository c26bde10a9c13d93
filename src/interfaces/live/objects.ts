/**
 * Reads single objects of a running cluster, whole, as the server has them.
 */
import { type ObjectId } from '../../manifests/manifest';
import { apiVersionOf, type ServedKind } from '../../manifests/snapshot/cluster-snapshot';
import { type LiveObject } from '../../manifests/snapshot/live-object';
import { ApiError } from '../../runtime/api/api-error';
import { type Client, TIMEOUT } from './collect';
import { inTurn } from './in-turn';
import { reasonOf } from './refusal';

export interface ObjectsOptions {
  /** What the server serves, by its discovery. */
  readonly kinds: readonly ServedKind[];
  /** Namespace of objects whose kind has one, and that name none. */
  readonly namespace: string;
  /** Called as the work goes on. @default - nothing is reported */
  readonly progress?: (text: string) => void;
}

/** Asks for each object, and answers in the same order. */
export async function readObjects(
  client: Client,
  ids: readonly ObjectId[],
  { kinds, namespace, progress }: ObjectsOptions,
): Promise<readonly LiveObject[]> {
  const served = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
  let count = 0;
  return inTurn(ids, async (id) => {
    progress?.(`reading the objects of the manifests: ${++count} of ${ids.length}`);
    const kind = served.get(`${id.apiVersion} ${id.kind}`);
    const home = kind?.namespaced === false ? '' : id.namespace || namespace;
    if (kind === undefined) {
      return { namespace: id.namespace, answer: 'not-served' };
    }
    return id.name === '' ? { namespace: home, answer: 'absent' } : readObject(client, kind, home, id.name);
  });
}

async function readObject(client: Client, kind: ServedKind, namespace: string, name: string): Promise<LiveObject> {
  const root = kind.group === '' ? '/api' : '/apis';
  const within = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `${root}/${apiVersionOf(kind)}${within}/${kind.plural}/${encodeURIComponent(name)}`;
  try {
    const object = await client.request('GET', path, { timeout: TIMEOUT });
    return { namespace, answer: 'found', object };
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    return error.status === 404
      ? { namespace, answer: 'absent' }
      : { namespace, answer: 'unread', why: reasonOf(error) };
  }
}
