/**
 * DaemonSets: a pod on every node that suits it, which takes room there before anything is placed.
 */
import { type PodTemplate as ManifestTemplate } from '../../../manifests/pods/pod-template';
import { type ClusterNode, type Pod, type Toleration } from '../../../placement';
import { nodeConstraint } from '../../../placement/nodes/filters/static';
import { type NodePod } from '../cluster-state';
import { type Lookups } from '../lookups';
import { templateOf } from '../objects/pod';
import { namespaceOf } from '../workloads';

/** What the DaemonSet controller adds to every pod. */
const TOLERATIONS: readonly Toleration[] = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
].map((condition) => ({ key: `node.kubernetes.io/${condition}`, operator: 'Exists' }));

/** Pods of DaemonSets on all nodes where the cluster has none of them yet. */
export function daemonPods(
  daemonSets: readonly ManifestTemplate[],
  nodes: readonly ClusterNode[],
  before: readonly NodePod[],
  lookups: Lookups,
): readonly Pod[] {
  const there = new Set(before.map(({ key, pod }) => `${key} ${pod.node}`));
  return daemonSets.flatMap(({ manifest, metadata, spec }) => {
    const namespace = namespaceOf(manifest.id);
    const made = templateOf({ metadata, spec, namespace }, lookups.options);
    const template = { ...made, tolerations: [...(made.tolerations ?? []), ...TOLERATIONS] };
    const key = `${namespace}/daemonset/${manifest.id.name}`;
    return nodes
      .filter((node) => !there.has(`${key} ${node.name}`) && suits(node, template))
      .map((node): Pod => ({
        name: `${namespace}/${manifest.id.name} on ${node.name}`,
        state: 'running',
        template,
        node: node.name,
      }));
  });
}

/** A node that is not ready gets its pod as well: the controller's tolerations see to that. */
function suits(node: ClusterNode, template: Pod['template'] & object): boolean {
  return nodeConstraint({ ...node, ready: true }, template) === undefined;
}
