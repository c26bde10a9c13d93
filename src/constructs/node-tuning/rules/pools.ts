/**
 * Pools of nodes, and who must get onto them: pods that ask for them, and the GPU operator, without which they have no GPUs.
 */
import { cite } from '../../../facts/upstream';
import { type PodTemplateRule, type Rule, type RuleContext, type SetRule } from '../../../checks/rules/rule';
import { items, text } from '../../../checks/server/values';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asObject, objectsAt, stringEntries } from '../../../manifests/read';
import { tolerates } from './pod-nodes';
import { poolHoldsPod } from './pool-capacity';

/** A pool of nodes in the set: what its nodes are born with. */
interface Pool {
  readonly manifest: Manifest;
  readonly labels: ReadonlyMap<string, string>;
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: string;
    readonly path: string;
  }[];
}

const poolsBySet = new WeakMap<ManifestSet, readonly Pool[]>();

/** Every pod asks, and the set stays the same. */
function poolsIn({ set }: RuleContext): readonly Pool[] {
  let pools = poolsBySet.get(set);
  if (pools === undefined) {
    poolsBySet.set(set, (pools = readPools(set)));
  }
  return pools;
}

function readPools(set: ManifestSet): readonly Pool[] {
  return set.ofKind('karpenter.sh/NodePool').map((manifest) => {
    const template = asObject(asObject(manifest.object.spec).template);
    const taints = objectsAt(manifest.object, '/spec/template/spec/taints').map(({ value, path }) => ({
      key: text(value.key),
      value: text(value.value),
      effect: text(value.effect),
      path,
    }));
    return { manifest, labels: new Map(stringEntries(asObject(template.metadata).labels)), taints };
  });
}

const poolTolerated: PodTemplateRule = {
  id: 'node-tuning/pool-taint-tolerated',
  row: 'P3',
  tier: 'advice',
  severity: 'warning',
  summary: 'A pod that selects a node pool by its label must tolerate the taints of that pool.',
  why: 'The pod fits no node: Karpenter creates none for it, and it stays pending on existing ones.',
  source: `${cite('karpenter')} (scheduling: taints of the NodePool); kubernetes 1.36`,
  fix: 'Add a toleration for the taint to spec.tolerations.',
  concerns: ['nodeSelector'],
  on: 'pod-template',
  *check({ spec }, context) {
    const wanted = stringEntries(spec.nodeSelector);
    if (wanted.length === 0) {
      return;
    }
    const own = poolsIn(context).filter(({ labels }) => wanted.some(([key, value]) => labels.get(key) === value));
    const refusedBy = own.map((pool) => ({
      pool,
      taint: pool.taints.find((taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(spec, taint)),
    }));
    if (refusedBy.length === 0 || refusedBy.some(({ taint }) => taint === undefined)) {
      return;
    }
    for (const { pool, taint } of refusedBy) {
      const label = wanted.find(([key, value]) => pool.labels.get(key) === value);
      if (taint === undefined || label === undefined) {
        continue;
      }
      yield {
        path: pointer('/spec/nodeSelector', label[0]),
        message: `the pod does not tolerate the taint ${taint.key}${taint.effect === '' ? '' : `:${taint.effect}`} of the NodePool "${pool.manifest.id.name}", which nodeSelector selects`,
        expected: `a toleration for ${taint.key}`,
        fix: `Add a toleration for ${taint.key} to spec.tolerations.`,
      };
    }
  },
};

const CLUSTER_POLICY = 'nvidia.com/ClusterPolicy';

/** Taints of nodes (of a pool, a Node, a readiness rule) that would keep the GPU operator's DaemonSets away. */
const operatorAdmitted: SetRule = {
  id: 'node-tuning/operator-tolerates-pool',
  row: 'P3',
  tier: 'advice',
  severity: 'warning',
  summary:
    'The GPU operator must tolerate the taints of the GPU nodes, including those of pools and of readiness rules.',
  why: 'Its DaemonSets tolerate only nvidia.com/gpu by default: without driver and device plugin the nodes offer no GPU, and a readiness taint that waits for GPUs is never removed.',
  source: `${cite('nvidia-gpu-operator')}, chart values (daemonsets.tolerations)`,
  fix: 'Add a toleration for the taint to spec.daemonsets.tolerations of the ClusterPolicy.',
  on: 'set',
  *check(context) {
    const policies = context.set.ofKind(CLUSTER_POLICY);
    if (policies.length === 0) {
      return;
    }
    const admits = (taint: Parameters<typeof tolerates>[1]): boolean =>
      policies.some(({ object }) => {
        const daemonsets = asObject(asObject(object.spec).daemonsets);
        const own =
          daemonsets.tolerations === undefined
            ? { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] }
            : daemonsets;
        return tolerates(own, taint);
      });
    for (const { manifest, taints } of poolsIn(context)) {
      if (!asksForGpus(manifest)) {
        continue;
      }
      for (const { path, ...taint } of taints) {
        if (taint.effect !== 'PreferNoSchedule' && !admits(taint)) {
          yield {
            manifest,
            path,
            message: `the GPU operator does not tolerate the taint ${taint.key}, so it does not install the driver on the nodes of the pool`,
            expected: `a toleration for ${taint.key} in daemonsets.tolerations of the ClusterPolicy`,
            fix: `Add a toleration for ${taint.key} to spec.daemonsets.tolerations in the ClusterPolicy.`,
          };
        }
      }
    }
    for (const manifest of context.set.ofKind('readiness.node.x-k8s.io/NodeReadinessRule')) {
      const taint = asObject(asObject(manifest.object.spec).taint);
      const seen = { key: text(taint.key), value: text(taint.value), effect: text(taint.effect) };
      if (!JSON.stringify(asObject(manifest.object.spec).nodeSelector ?? {}).includes('nvidia.com/') || admits(seen)) {
        continue;
      }
      yield {
        manifest,
        path: '/spec/taint/key',
        message: `the GPU operator does not tolerate the taint ${seen.key}, so the condition in the rule is never met`,
        expected: `a toleration for ${seen.key} in daemonsets.tolerations of the ClusterPolicy`,
        fix: `Add a toleration for ${seen.key} to spec.daemonsets.tolerations in the ClusterPolicy.`,
      };
    }
  },
};

/** A pool whose nodes have NVIDIA GPUs: it is limited by them, asks for them, or keeps others away from them. */
function asksForGpus({ object }: Manifest): boolean {
  const spec = asObject(object.spec);
  if (Object.keys(asObject(spec.limits)).some((name) => name.startsWith('nvidia.com/'))) {
    return true;
  }
  const template = asObject(asObject(spec.template).spec);
  return [...items(template, '/requirements'), ...items(template, '/taints')].some(({ value }) =>
    /(^nvidia\.com\/|instance-gpu-|sku-gpu-)/.test(text(value.key)),
  );
}

export const poolRules: readonly Rule[] = [poolTolerated, operatorAdmitted, poolHoldsPod];
