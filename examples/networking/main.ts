/**
 * RDMA from card to pod, in the two usual ways: InfiniBand rails of virtual functions, one per GPU, for training; and one RDMA device that
 * many pods share, over RoCE, for everything else.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, batch, FabricTest, Namespace, networking, PodTemplate, Rdma, Resource } from 'cdk8s-gantry';
import { Deployment } from 'cdk8s-gantry/api/apps/v1';

const {
  Attribute,
  Cni,
  Ipam,
  MacvlanNetwork,
  NetworkAttachmentDefinition,
  NicClusterPolicy,
  NicConfigurationTemplate,
  NodeFeatureRule,
  SriovIBNetwork,
  SriovNetworkNodePolicy,
} = networking;

const TRAINING_NODES = { 'example.com/fabric': 'infiniband' };
const RAILS = 8;

/** Driver, devices and networks: what a platform team owns. */
export class Fabric extends Chart {
  readonly research: Namespace;
  readonly rails: readonly networking.SriovIBNetwork[];
  readonly storage: networking.MacvlanNetwork;

  constructor(app: App, id: string) {
    super(app, id);
    const operator = new Namespace(this, 'network-operator', {
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    });
    this.research = new Namespace(this, 'research');

    new NodeFeatureRule(this, 'fabric', {
      rules: [
        {
          ruleName: 'InfiniBand cards',
          labels: { 'example.com/fabric': 'infiniband' },
          when: { 'pci.device': { vendor: Attribute.in('15b3'), class: Attribute.in('0207') } },
        },
      ],
    });
    const nics = new NicClusterPolicy(this, 'nics', {
      global: { repository: 'nvcr.io/nvidia/mellanox', version: 'network-operator-v26.4.1' },
      ofedDriver: {
        version: 'doca3.3.0-26.01-1.0.0.0-0',
        upgrade: { auto: true, safeLoad: true, waitFor: 'example.com/drain=wait' },
      },
      rdmaSharedDevices: { pools: [{ name: 'rdma_storage', interfaces: ['ens1f0'] }] },
      secondaryNetwork: { multus: {}, cniPlugins: {}, ipoib: {} },
      nicFeatureDiscovery: {},
    });
    new NicConfigurationTemplate(this, 'storage-cards', {
      namespace: operator,
      cards: { type: '101d' },
      linkType: 'Ethernet',
      virtualFunctions: 0,
      roce: { trust: 'dscp', losslessPriorities: [3] },
    });
    this.storage = new MacvlanNetwork(this, 'storage', {
      master: 'ens1f0',
      mtu: 9000,
      device: nics.device('rdma_storage'),
      networkNamespace: this.research,
      ipam: Ipam.whereabouts({ range: '10.20.0.0/16' }),
    });

    this.rails = Array.from({ length: RAILS }, (_, rail) => {
      const policy = new SriovNetworkNodePolicy(this, `rail${rail}-functions`, {
        namespace: operator,
        resourceName: `rail${rail}`,
        resourcePrefix: 'nvidia.com',
        nodeSelector: TRAINING_NODES,
        nics: { vendor: '15b3', pfNames: [`ibp${rail}s0`] },
        virtualFunctions: 4,
        linkType: 'ib',
      });
      return new SriovIBNetwork(this, `rail${rail}`, {
        namespace: operator,
        policy,
        networkNamespace: this.research,
        linkState: 'enable',
      });
    });
  }
}

/** What a team runs there. */
export class Workloads extends Chart {
  constructor(app: App, id: string, fabric: Fabric) {
    super(app, id, { namespace: fabric.research.name });
    new batch.JobSet(this, 'pretrain', {
      jobs: [
        {
          jobName: 'node',
          nodes: 16,
          image: 'registry.example.com/train:3.1',
          command: ['torchrun', 'train.py'],
          accelerators: Accelerator.nvidia({ count: RAILS }),
          rdma: Rdma.over(fabric.rails),
          resources: { cpu: 96, memory: '900Gi' },
          sharedMemory: '64Gi',
        },
      ],
    });

    // Before the first training, and after each repair of a cable: fails below the bandwidth that the rack must have.
    new FabricTest(this, 'rack-7', {
      image: 'registry.example.com/nccl-tests:2.17',
      nodes: 4,
      accelerators: Accelerator.nvidia({ count: RAILS }),
      rdma: Rdma.over(fabric.rails),
      resources: { cpu: 32, memory: '256Gi' },
      domain: { level: 'topology.kubernetes.io/rack', name: 'rack-7' },
      expectedBusBandwidth: 350,
    });

    const labels = { app: 'loader' };
    const loader = new PodTemplate({
      image: 'registry.example.com/loader:1.4',
      rdma: Rdma.over(fabric.storage),
      resources: { cpu: 8, memory: '32Gi' },
    });
    new Resource(this, 'loader', Deployment, {
      metadata: { name: 'loader' },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: loader.toPodTemplate({ podLabels: labels, namespace: fabric.research.name }),
      },
    });

    // A network of one's own, for a device that the cluster offers already.
    const test = new NetworkAttachmentDefinition(this, 'roce-test', {
      device: 'nvidia.com/mlx5_rdma',
      cni: Cni.sriov({ ipam: Ipam.nvIpam('test') }).withRdma(),
    });
    new batch.JobSet(this, 'bandwidth', {
      jobs: [
        {
          jobName: 'pair',
          nodes: 2,
          image: 'registry.example.com/perftest:2',
          command: ['ib_write_bw'],
          rdma: Rdma.over(test),
        },
      ],
    });
  }
}

export function rdmaFabric(app: App): App {
  new Workloads(app, 'workloads', new Fabric(app, 'fabric'));
  return app;
}

if (require.main === module) {
  rdmaFabric(new App()).synth();
}
