/**
 * NodePools of Karpenter as groups of nodes.
 *
 * Which node Karpenter creates follows from the catalog of the cloud, which is not known here. The size of a node is that of a node that the
 * cluster has, of the pool or of an instance type that the pool allows, else the one that the requirements state.
 *
 * Source: karpenter v1, pkg/apis/v1/nodepool.go and pkg/controllers/provisioning/scheduling; karpenter-provider-aws, pkg/apis/v1/labels.go.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString, isObject, stringEntries, stringsIn } from '../../../manifests/read';
import { addTo, amountsOf } from '../../../manifests/pods/resource-amounts';
import { type ClusterNode, type Taint } from '../../../placement';
import { nameOf } from '../lookups';
import { taintsOf } from '../objects/node';
import { isOfPool, type NodeGroup, nodeOfShape, roomWithin } from './node-group';

export const NODE_POOL = 'karpenter.sh/NodePool';
const POOL_LABEL = 'karpenter.sh/nodepool';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';

/** Requirements that state the size of a node, and the resource and unit of each. */
const SIZES: readonly { readonly key: string; readonly resource: string; readonly unit: string }[] = [
  { key: 'karpenter.k8s.aws/instance-cpu', resource: 'cpu', unit: '' },
  { key: 'karpenter.k8s.aws/instance-memory', resource: 'memory', unit: 'Mi' },
  { key: 'karpenter.k8s.aws/instance-gpu-count', resource: 'nvidia.com/gpu', unit: '' },
  { key: 'karpenter.k8s.aws/instance-accelerator-count', resource: 'aws.amazon.com/neuron', unit: '' },
];

/** Values of a requirement `In`, or of a label of the template. */
type Choices = ReadonlyMap<string, readonly string[]>;

/** @param wanted values of labels that pods select, which decide where a pool leaves a choice */
export function karpenterGroup(
  pool: JsonObject,
  nodes: readonly ClusterNode[],
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): NodeGroup {
  const name = nameOf(pool);
  const spec = asObject(pool.spec);
  const template = asObject(spec.template);
  const choices = choicesOf(template);
  const own = nodes.filter((node) => isOfPool(node, name));
  const labels = {
    ...Object.fromEntries(
      [...choices].map(([key, values]) => [
        key,
        values.find((value) => wanted.get(key)?.has(value) === true) ?? values[0],
      ]),
    ),
    [POOL_LABEL]: name,
  };
  const taints = taintsOf(asObject(template.spec));
  const node = nodeOf(name, { choices, own, nodes, labels, taints });
  const limits = amountsOf(spec.limits);
  const room = roomWithin(limits, usedBy(pool, own), node);
  const stated = Object.entries(asObject(spec.limits)).map(
    ([resource, amount]) => `${asString(amount) ?? JSON.stringify(amount)} ${resource}`,
  );
  return {
    name,
    kind: 'NodePool',
    ...(node !== undefined && { node }),
    room,
    ...(stated.length > 0 && { limit: `limit ${stated.join(', ')}` }),
  };
}

function choicesOf(template: JsonObject): Choices {
  const requirements = asArray(asObject(template.spec).requirements)
    .filter(isObject)
    .filter(({ operator }) => operator === 'In')
    .map(({ key, values }) => [asString(key) ?? '', stringsIn(values)] as const)
    .filter(([key, values]) => key !== '' && values.length > 0);
  const labels = stringEntries(asObject(template.metadata).labels).map(([key, value]) => [key, [value]] as const);
  return new Map([...requirements, ...labels]);
}

interface Known {
  readonly choices: Choices;
  readonly own: readonly ClusterNode[];
  readonly nodes: readonly ClusterNode[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** A node of the pool; one of an instance type that it allows; one of the stated size; else unknown. */
function nodeOf(group: string, { choices, own, nodes, labels, taints }: Known): ClusterNode | undefined {
  const types = choices.get(INSTANCE_TYPE) ?? [];
  const alike = types.flatMap((type) => nodes.find((node) => node.labels?.[INSTANCE_TYPE] === type) ?? []);
  const model = own[0] ?? alike[0];
  if (model !== undefined) {
    const kept = Object.entries(model.labels ?? {}).filter(([key]) => own.length > 0 || !key.includes('nodepool'));
    const type = model.labels?.[INSTANCE_TYPE];
    return {
      ...model,
      name: `${group}-new`,
      pool: group,
      labels: { ...Object.fromEntries(kept), ...labels, ...(type !== undefined && { [INSTANCE_TYPE]: type }) },
      taints,
    };
  }
  const allocatable = Object.fromEntries(
    SIZES.flatMap(({ key, resource, unit }) => {
      const [value, ...others] = choices.get(key) ?? [];
      return value === undefined || others.length > 0 ? [] : [[resource, `${value}${unit}`]];
    }),
  );
  return 'cpu' in allocatable && 'memory' in allocatable
    ? nodeOfShape({ group, allocatable, labels, taints })
    : undefined;
}

/** What the pool has: as Karpenter counts it, else as its nodes state it. */
function usedBy({ status }: JsonObject, own: readonly ClusterNode[]): Readonly<Record<string, number>> {
  const { resources } = asObject(status);
  if (isObject(resources)) {
    return amountsOf(resources);
  }
  const sum: Record<string, number> = { nodes: own.length };
  own.forEach(({ allocatable }) => addTo(sum, allocatable));
  return sum;
}
