/**
 * What a team's workloads find in their namespace: the network of the InfiniBand cards, datasets and checkpoints; and what every
 * training pod of this cluster has in common.
 */
import { Chart, Duration, Size } from 'cdk8s';
import { Accelerator, Mount, NcclProfile, type PodTemplateProps, Rdma, Resource, type Team } from 'cdk8s-gantry';
import { NetworkAttachmentDefinition } from 'cdk8s-gantry/api/k8s.cni.cncf.io/v1';
import { PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { type Construct } from 'constructs';
import { GPU, RDMA } from './cluster';

export class Workspace extends Chart {
  private readonly network: Resource<NetworkAttachmentDefinition>;
  private readonly datasets: PersistentVolumeClaim;
  private readonly checkpoints: PersistentVolumeClaim;

  constructor(scope: Construct, id: string, team: Team) {
    super(scope, id, { namespace: team.namespace.name });
    team.owns(this);
    this.network = new Resource(this, 'network', NetworkAttachmentDefinition, {
      metadata: { name: 'infiniband', annotations: { 'k8s.v1.cni.cncf.io/resourceName': RDMA } },
      spec: {
        config: JSON.stringify({
          cniVersion: '0.3.1',
          name: 'infiniband',
          type: 'ib-sriov',
          ipam: { type: 'whereabouts', range: '10.56.0.0/16' },
        }),
      },
    });
    this.datasets = this.claim('datasets', Size.tebibytes(200));
    this.checkpoints = this.claim('checkpoints', Size.tebibytes(50));
  }

  /**
   * A pod that has a whole node to itself. CPU is requested and not limited, so that data loaders are not throttled; what is left of
   * the node's cores and memory is for small pods beside it.
   */
  protected wholeNode(image: string): PodTemplateProps & { readonly accelerators: Accelerator } {
    return {
      image,
      accelerators: Accelerator.nvidia({ count: 8, product: GPU }),
      rdma: Rdma.sriov({ resource: RDMA, network: this.network, count: 8 }),
      nccl: NcclProfile.infiniband(),
      resources: { cpu: 144, memory: '1400Gi' },
      sharedMemory: '256Gi',
      mounts: [Mount.claim(this.datasets, '/data', { readOnly: true }), Mount.claim(this.checkpoints, '/checkpoints')],
      // Time to write a last checkpoint.
      terminationGracePeriod: Duration.minutes(2),
    };
  }

  private claim(name: string, storage: Size): PersistentVolumeClaim {
    return new PersistentVolumeClaim(this, name, {
      metadata: { name },
      accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
      storageClassName: 'parallel-fs',
      storage,
    });
  }
}
