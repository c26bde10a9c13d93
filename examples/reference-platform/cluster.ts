/**
 * The cluster that this platform is written for, as the numbers that everything else follows from.
 */
import { Accelerator, type Amounts } from 'cdk8s-gantry';

/** Nodes with an HGX board of eight H100, and eight InfiniBand cards. */
export const NODES = 20;

/** What pods can have of one node, after kubelet and system have taken theirs. */
const NODE = { gpus: 8, cores: 160, memoryGi: 1536, rdma: 8 };

/** The GPU as its nodes are labeled: the SXM board alone, since `H100-SXM-80GB` of the catalog stands for the PCIe card too. */
export const GPU = 'NVIDIA-H100-80GB-HBM3';

/** The GPU of the nodes beside them, which serve models. */
export const INFERENCE_GPU = 'NVIDIA-L40S';

/** What the SR-IOV device plugin calls the virtual functions of the InfiniBand cards. */
export const RDMA = 'nvidia.com/mlx5_rdma';

/** The same in the words of the policy that makes the functions. */
export const RDMA_FUNCTIONS = {
  resourcePrefix: 'nvidia.com',
  resourceName: 'mlx5_rdma',
  nics: {
    vendor: '15b3',
    pfNames: ['ibp24s0', 'ibp64s0', 'ibp79s0', 'ibp94s0', 'ibp154s0', 'ibp192s0', 'ibp206s0', 'ibp220s0'],
  },
};

/** Everything that so many whole nodes have, in the form in which quotas and queues are stated. */
export function nodes(count: number): Amounts {
  return {
    cpu: NODE.cores * count,
    memory: `${NODE.memoryGi * count}Gi`,
    accelerators: Accelerator.nvidia({ count: NODE.gpus * count }),
    other: { [RDMA]: NODE.rdma * count },
  };
}
