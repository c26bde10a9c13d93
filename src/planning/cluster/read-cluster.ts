/**
 * A cluster from a text: a cluster file, or what kubectl printed.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asString, isObject } from '../../manifests/read';
import { type ClusterSnapshot, objectsOfSnapshot, readSnapshot } from '../../manifests/snapshot/cluster-snapshot';
import { parseYaml } from '../../manifests/yaml';
import { ClusterFileError, readClusterFile } from './files/cluster-file';
import { type ClusterState } from './cluster-state';
import { clusterOfObjects } from './from-objects';

/**
 * Reads a cluster: a snapshot, a cluster file, or the objects that `kubectl get -o json` returns.
 * @param text YAML or JSON
 * @param file how messages name it
 * @throws ClusterFileError if the text is none of them
 * @throws SnapshotFileError for a snapshot that is damaged, or of a newer format
 */
export function readCluster(text: string, file: string): ClusterState {
  const snapshot = readSnapshot(text, file);
  if (snapshot !== undefined) {
    return clusterOfSnapshot(snapshot);
  }
  const listed = objectsOfJson(text);
  if (listed !== undefined) {
    return clusterOfList(listed, file);
  }
  const { manifests, problems } = parseYaml(text, file);
  const broken = problems.filter(({ kind }) => kind === 'syntax');
  if (broken.length > 0) {
    throw new ClusterFileError(
      broken.map(({ position, message }) => `${file}:${position.line}:${position.column}: ${message}`).join('\n'),
    );
  }
  if (!manifests.some(({ id }) => id.kind !== '')) {
    return readClusterFile(text, file);
  }
  return clusterOfList(
    manifests.map(({ object }) => object),
    file,
  );
}

/** The cluster that a snapshot contains, at the moment at which it was taken. */
export function clusterOfSnapshot(snapshot: ClusterSnapshot): ClusterState {
  const state = clusterOfObjects(objectsOfSnapshot(snapshot), snapshot.name);
  const missing = snapshot.gaps.map(({ what, why }) => `${what} (${why})`);
  return {
    ...state,
    at: Date.parse(snapshot.takenAt),
    notes: missing.length === 0 ? state.notes : [...state.notes, `Not in the snapshot: ${missing.join(', ')}.`],
  };
}

/** The objects that a text contains; none of a cluster file, which describes nodes and no objects. */
export function clusterObjects(text: string, file: string): readonly JsonObject[] {
  return (
    objectsOfJson(text) ?? parseYaml(text, file).manifests.flatMap(({ id, object }) => (id.kind === '' ? [] : [object]))
  );
}

/** For a large cluster, kubectl prints a hundred megabytes of JSON, and no message needs a position in it. */
function objectsOfJson(text: string): readonly JsonObject[] | undefined {
  if (!/^\s*\{/.test(text)) {
    return undefined;
  }
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) && asString(value.kind) !== undefined ? [value] : undefined;
  } catch {
    return undefined;
  }
}

function clusterOfList(objects: readonly JsonObject[], file: string): ClusterState {
  const state = clusterOfObjects(objects, file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, ''));
  if (state.nodes.length > 0) {
    return state;
  }
  throw new ClusterFileError(
    `${file}: no Node in it; \`kubectl get nodes,pods,queues,podgroups,priorityclasses -A -o json\` prints a cluster`,
  );
}
