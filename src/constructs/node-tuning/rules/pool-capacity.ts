/**
 * Whether the node pools of Karpenter in a set can ever make a node for a pod with accelerators.
 */
import { cite } from '../../../facts/upstream';
import { isAcceleratorResource } from '../../../facts/catalog';
import { type PodTemplateRule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { podAmounts } from '../../../manifests/pods/pod-amounts';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { counted } from '../../../facts/words';
import { mostOfInstanceTypes } from './instance-gpus';

const NODE_POOL = 'karpenter.sh/NodePool';
const POOL_LABEL = 'karpenter.sh/nodepool';
const GPU_COUNT_LABELS = ['karpenter.k8s.aws/instance-gpu-count', 'karpenter.azure.com/sku-gpu-count'];

/** The most GPUs that a node of a pool can have, as its requirements say; undefined where they say nothing. */
function mostPerNode(pool: Manifest, resource: string): number | undefined {
  let most = resource === 'nvidia.com/gpu' ? mostOfInstanceTypes(pool) : undefined;
  for (const { value } of objectsAt(pool.object, '/spec/template/spec/requirements')) {
    const numbers = stringsIn(value.values).map(Number).filter(Number.isFinite);
    if (!GPU_COUNT_LABELS.includes(asString(value.key) ?? '') || numbers.length === 0) {
      continue;
    }
    if (value.operator === 'In') {
      most = Math.min(most ?? Infinity, Math.max(...numbers));
    } else if (value.operator === 'Lt') {
      most = Math.min(most ?? Infinity, Math.max(...numbers) - 1);
    }
  }
  return most;
}

/** Why a pool never makes a node for a pod that wants so many devices; undefined where it may. */
function obstacle(pool: Manifest, resource: string, wanted: number): string | undefined {
  const most = mostPerNode(pool, resource);
  if (most !== undefined && wanted > most) {
    return `the nodes of "${pool.id.name}" have at most ${counted(most, 'GPU')}`;
  }
  const limit = asObject(asObject(pool.object.spec).limits)[resource];
  const amount = typeof limit === 'string' || typeof limit === 'number' ? parseQuantity(limit) : undefined;
  if (amount?.isLessThan(parseQuantity(wanted) ?? amount) === true) {
    return `the limit of "${pool.id.name}" is ${amount.toString()} ${resource}`;
  }
  return undefined;
}

/** A pod that selects a pool is held to that pool; any other pod, to the pools of the set that may have its devices. */
export const poolHoldsPod: PodTemplateRule = {
  id: 'node-tuning/pool-holds-pod',
  row: 'P3',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  sees: 'template',
  concerns: ['limits', 'requests'],
  summary: 'A node pool should be able to make a node for the pods that it is for.',
  why: 'Karpenter makes no node for a pod that wants more devices than a node of the pool has, or than the limits of the pool leave: the pod stays pending, unless another pool takes it.',
  source: `${cite('karpenter')}, pkg/controllers/provisioning/scheduling (limits, requirements)`,
  fix: 'Increase spec.limits of the NodePool, allow larger instance types in its requirements, or decrease the requests of the pods.',
  *check({ spec }, { set }) {
    const pools = set.ofKind(NODE_POOL);
    if (pools.length === 0) {
      return;
    }
    const selected = asString(asObject(spec.nodeSelector)[POOL_LABEL]);
    for (const [resource, amount] of podAmounts(spec).requests) {
      const wanted = Number(amount.toString());
      if (!isAcceleratorResource(resource) || !Number.isFinite(wanted)) {
        continue;
      }
      const considered = selected === undefined ? pools : pools.filter(({ id }) => id.name === selected);
      const reasons = obstacles(considered, resource, wanted);
      if (reasons.size > 0) {
        yield {
          path: '/spec',
          message: `no NodePool in these manifests fits the pods, which request ${wanted} ${resource}: ${[...reasons].slice(0, 3).join('; ')}`,
          found: wanted,
        };
      }
    }
  },
};

/** Why none of the pools makes a node; empty if one may. */
function obstacles(pools: readonly Manifest[], resource: string, wanted: number): ReadonlySet<string> {
  const reasons = new Set<string>();
  for (const pool of pools) {
    const reason = obstacle(pool, resource, wanted);
    if (reason === undefined) {
      return new Set();
    }
    reasons.add(reason);
  }
  return reasons;
}
