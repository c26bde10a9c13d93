/**
 * Small clusters and manifests for tests of the plan.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import {
  type ClusterPlan,
  type ClusterState,
  planOf,
  type PlanOptions,
  readClusterFile,
  type ViewGang,
} from '../../../src/planning/cluster';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

export function setOf(...documents: readonly string[]): ManifestSet {
  const { manifests, problems } = parseYaml(documents.join('\n---\n'), 'test.yaml');
  expect(problems).toEqual([]);
  return new ManifestSet(manifests);
}

/** Four nodes of eight H100 in two racks, unless the text says otherwise. */
export function clusterOf(
  text = 'pools: [{name: h100, names: n-#, count: 4, accelerator: H100-SXM-80GB, racks: 2}]',
): ClusterState {
  return readClusterFile(text, 'cluster.yaml');
}

export function plan(
  documents: string | readonly string[],
  cluster: ClusterState = clusterOf(),
  options: PlanOptions = {},
): ClusterPlan {
  return planOf(setOf(...(typeof documents === 'string' ? [documents] : documents)), cluster, options);
}

export function gangNamed({ view }: ClusterPlan, name: string): ViewGang {
  const gang = view.gangs.find((one) => one.name === name);
  if (gang === undefined) {
    throw new Error(`no gang ${name}; there are ${view.gangs.map((one) => one.name).join(', ')}`);
  }
  return gang;
}

/** A pod spec that asks for so many GPUs, as YAML flow. */
export function gpus(count: number, more = ''): string {
  return `{${more}containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: ${count}}}}]}`;
}

export function nodeObject(name: string, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.memory': '81559' } },
    status: {
      allocatable: { cpu: '96', memory: '1Ti', pods: '110', 'nvidia.com/gpu': '8' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
    },
    ...more,
  };
}
