/**
 * The default cluster of a plan: a training cluster of medium size.
 */
import { readClusterFile } from './cluster-file';
import { type ClusterState } from '../cluster-state';

/** 64 nodes of eight H100 in eight racks of two blocks, 16 nodes of four L40S for inference. It doubles as an example of the format. */
export const SAMPLE_CLUSTER = `name: sample cluster
pools:
  - name: h100
    count: 64
    names: h100-##
    accelerator: H100-SXM-80GB
    perNode: 8
    numaNodes: 2
    cpu: 160
    memory: 1536Gi
    resources:
      nvidia.com/mlx5_rdma: 8
      rdma/rdma_shared_device_a: 64
    blocks: 2
    racks: {size: 8}
  - name: inference
    count: 16
    names: l40s-##
    accelerator: L40S
    perNode: 4
    numaNodes: 2
    cpu: 96
    memory: 768Gi
    blocks: {count: 1, name: block-3}
    racks: {count: 2, name: inference-#}
`;

/** Returns the cluster that `gantry plan` uses without `--cluster`. */
export function sampleCluster(): ClusterState {
  return readClusterFile(SAMPLE_CLUSTER, 'sample cluster');
}
