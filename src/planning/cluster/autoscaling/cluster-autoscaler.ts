/**
 * Groups of the cluster-autoscaler: objects of Cluster API with its annotations, and the groups of its flag `--nodes`.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/clusterapi (clusterapi_utils.go, README.md: scale from zero) and FAQ.md
 * (`--nodes`).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asInteger, asObject, asString, isObject, stringsIn } from '../../../manifests/read';
import { type ClusterNode, type Taint } from '../../../placement';
import { nameOf } from '../lookups';
import { taintEffect } from '../objects/selectors';
import { isOfPool, MOST_FURTHER_NODES, type NodeGroup, nodeOfShape } from './node-group';

export const MACHINE_KINDS = ['MachineDeployment', 'MachinePool', 'MachineSet'].map(
  (kind) => `cluster.x-k8s.io/${kind}`,
);
const MAXIMUM = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io';

/** The group of an object of Cluster API; `undefined` without the annotation of its maximum. */
export function machineGroup(object: JsonObject, nodes: readonly ClusterNode[]): NodeGroup | undefined {
  const annotations = asObject(asObject(object.metadata).annotations);
  const most = wholeNumber(asString(annotations[MAXIMUM]));
  if (most === undefined) {
    return undefined;
  }
  const name = nameOf(object);
  const current = asInteger(asObject(object.spec).replicas) ?? 1;
  return {
    name,
    kind: asString(object.kind) ?? '',
    ...optionalNode(machineNode(name, annotations) ?? modelOf(name, nodes)),
    room: Math.min(MOST_FURTHER_NODES, Math.max(0, most - current)),
    limit: `limit ${most}`,
  };
}

/** The groups of `--nodes=MIN:MAX:NAME` in the containers of a Deployment. */
export function flaggedGroups(deployment: JsonObject, nodes: readonly ClusterNode[]): readonly NodeGroup[] {
  const { spec } = asObject(asObject(deployment.spec).template);
  const words = asArray(asObject(spec).containers)
    .filter(isObject)
    .flatMap(({ command, args }) => [...stringsIn(command), ...stringsIn(args)]);
  return words.flatMap((word): NodeGroup[] => {
    const [, maximum, name] = /^--nodes=\d+:(\d+):(.+)$/.exec(word) ?? [];
    const most = wholeNumber(maximum);
    if (most === undefined || name === undefined) {
      return [];
    }
    const current = nodes.filter((node) => isOfPool(node, name)).length;
    return [
      {
        name,
        kind: 'node group',
        ...optionalNode(modelOf(name, nodes)),
        room: Math.min(MOST_FURTHER_NODES, Math.max(0, most - current)),
        limit: `limit ${most}`,
      },
    ];
  });
}

function optionalNode(node: ClusterNode | undefined): Pick<NodeGroup, 'node'> {
  return node === undefined ? {} : { node };
}

/** A node of the group that the cluster has. */
function modelOf(name: string, nodes: readonly ClusterNode[]): ClusterNode | undefined {
  return nodes.find((node) => isOfPool(node, name));
}

/** A node as the annotations for scale from zero state it; they must state CPU and memory. */
function machineNode(group: string, annotations: JsonObject): ClusterNode | undefined {
  const stated = (name: string): string | undefined => asString(annotations[`${CAPACITY}/${name}`]);
  const [cpu, memory] = [stated('cpu'), stated('memory')];
  if (cpu === undefined || memory === undefined) {
    return undefined;
  }
  const [gpus, disk, pods] = [stated('gpu-count'), stated('ephemeral-disk'), stated('maxPods')];
  return nodeOfShape({
    group,
    allocatable: {
      cpu,
      memory,
      ...(pods !== undefined && { pods }),
      ...(disk !== undefined && { 'ephemeral-storage': disk }),
      ...(gpus !== undefined && { [stated('gpu-type') ?? 'nvidia.com/gpu']: gpus }),
    },
    labels: labelsOf(stated('labels') ?? ''),
    taints: taintsOf(stated('taints') ?? ''),
  });
}

/** `a=b,c=d` */
function labelsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim()));
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])));
}

/** `key=value:Effect,key:Effect` */
function taintsOf(text: string): readonly Taint[] {
  return text.split(',').flatMap((taint): Taint[] => {
    const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(taint.trim()) ?? [];
    const known = taintEffect(effect);
    return key === undefined || known === undefined
      ? []
      : [{ key, ...(value !== undefined && { value }), effect: known }];
  });
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
