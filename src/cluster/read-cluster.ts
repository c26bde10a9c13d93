/**
 * A cluster from a text: a cluster file, or what kubectl printed.
 */
import { parseYaml } from '../manifests/yaml';
import { ClusterFileError, readClusterFile } from './cluster-file';
import { type ClusterState } from './cluster-state';
import { clusterOfObjects } from './from-objects';

/**
 * @param text YAML or JSON
 * @param file how messages name it
 * @throws ClusterFileError
 */
export function readCluster(text: string, file: string): ClusterState {
  const { manifests, problems } = parseYaml(text, file);
  const broken = problems.filter(({ kind }) => kind === 'syntax');
  if (broken.length > 0) {
    throw new ClusterFileError(broken.map(({ position, message }) => `${file}:${position.line}:${position.column}: ${message}`).join('\n'));
  }
  if (!manifests.some(({ id }) => id.kind !== '')) return readClusterFile(text, file);
  const state = clusterOfObjects(manifests.map(({ object }) => object), file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, ''));
  if (state.nodes.length > 0) return state;
  throw new ClusterFileError(`${file}: no Node in it; \`kubectl get nodes,pods,queues,podgroups,priorityclasses -A -o json\` prints a cluster`);
}
