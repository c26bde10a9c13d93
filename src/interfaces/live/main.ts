/**
 * A running cluster as a snapshot, and the history of its scheduler. The package contains this file and all that it needs as one bundle, since the client that reads
 * kubeconfigs is not among its dependencies.
 */
import { type ClusterSnapshot } from '../../manifests/snapshot/cluster-snapshot';
import { ApiError, messageOf } from '../../runtime/api/api-error';
import { ApiClient } from '../../runtime/api/client';
import { admissionOfContext } from '../../runtime/api/credentials';
import { type LiveObject } from '../../manifests/snapshot/live-object';
import { type ObjectId } from '../../manifests/manifest';
import { collect, type CollectOptions } from './collect';
import { type HistoryRequest, readHistoryConfigMaps } from './history';
import { readObjects } from './objects';
import { type JsonObject } from '../../facts/api/schema';

/** What cannot be read, or the server that cannot be reached: the user's to mend. Known by its name, since it may be of a bundle. */
export class LiveClusterError extends Error {
  override readonly name = 'LiveClusterError';
}

/** Which cluster. */
export interface LiveContext {
  /** @default - that of kubectl */
  readonly kubeconfig?: string;
  /** @default - the current context */
  readonly context?: string;
}

export interface LiveHistoryOptions extends LiveContext, HistoryRequest {
  /** Version of Gantry. */
  readonly version: string;
}

export interface LiveOptions extends Omit<CollectOptions, 'name'>, LiveContext {
  /** Objects to read whole, beside the snapshot. @default - none */
  readonly objects?: readonly ObjectId[];
}

/** What was read of a cluster. */
export interface LiveCluster {
  readonly snapshot: ClusterSnapshot;
  /** One for each object that was asked for, in the same order. */
  readonly objects: readonly LiveObject[];
}

/**
 * Reads the cluster of a context.
 * @throws LiveClusterError
 */
export async function readLiveCluster({
  kubeconfig,
  context,
  objects: ids = [],
  ...options
}: LiveOptions): Promise<LiveCluster> {
  return withClient({ kubeconfig, context }, options.takenBy, async (client, found) => {
    const snapshot = await collect(client, { ...options, name: found.context });
    const objects = await readObjects(client, ids, {
      kinds: snapshot.kinds,
      namespace: found.namespace,
      ...(options.progress !== undefined && { progress: options.progress }),
    });
    return { snapshot, objects };
  });
}

/**
 * Reads the ConfigMaps in which a scheduler keeps its history.
 * @throws LiveClusterError
 */
export async function readLiveHistory({
  kubeconfig,
  context,
  version,
  ...request
}: LiveHistoryOptions): Promise<readonly JsonObject[]> {
  return withClient({ kubeconfig, context }, version, (client) => readHistoryConfigMaps(client, request));
}

async function withClient<T>(
  at: LiveContext,
  version: string,
  work: (client: ApiClient, found: Awaited<ReturnType<typeof admissionOfContext>>) => Promise<T>,
): Promise<T> {
  let client: ApiClient | undefined;
  try {
    const found = await admissionOfContext(at);
    client = new ApiClient({ admission: found.admission, connections: 8, userAgent: `gantry/${version}` });
    return await work(client, found);
  } catch (error) {
    const reason = error instanceof ApiError ? `the API server cannot be read: ${error.message}` : messageOf(error);
    throw new LiveClusterError(reason.split('\n')[0]);
  } finally {
    client?.close();
  }
}
