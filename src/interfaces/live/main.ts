/**
 * A running cluster as a snapshot. The package contains this file and all that it needs as one bundle, since the client that reads
 * kubeconfigs is not among its dependencies.
 */
import { type ClusterSnapshot } from '../../manifests/snapshot/cluster-snapshot';
import { ApiError, messageOf } from '../../runtime/api/api-error';
import { ApiClient } from '../../runtime/api/client';
import { admissionOfContext } from '../../runtime/api/credentials';
import { type LiveObject } from '../../manifests/snapshot/live-object';
import { type ObjectId } from '../../manifests/manifest';
import { collect, type CollectOptions } from './collect';
import { readObjects } from './objects';

/** What cannot be read, or the server that cannot be reached: the user's to mend. Known by its name, since it may be of a bundle. */
export class LiveClusterError extends Error {
  override readonly name = 'LiveClusterError';
}

export interface LiveOptions extends Omit<CollectOptions, 'name'> {
  /** @default - that of kubectl */
  readonly kubeconfig?: string;
  /** @default - the current context */
  readonly context?: string;
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
  let client: ApiClient | undefined;
  try {
    const found = await admissionOfContext({ kubeconfig, context });
    client = new ApiClient({ admission: found.admission, connections: 8, userAgent: `gantry/${options.takenBy}` });
    const snapshot = await collect(client, { ...options, name: found.context });
    const { namespace } = found;
    const objects = await readObjects(client, ids, {
      kinds: snapshot.kinds,
      namespace,
      ...(options.progress !== undefined && { progress: options.progress }),
    });
    return { snapshot, objects };
  } catch (error) {
    const reason = error instanceof ApiError ? `the API server cannot be read: ${error.message}` : messageOf(error);
    throw new LiveClusterError(reason.split('\n')[0]);
  } finally {
    client?.close();
  }
}
