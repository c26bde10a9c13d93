import { App, Chart, Size } from 'cdk8s';
import { EmptyDirMedium, PersistentVolumeClaim, Volume } from 'cdk8s-plus-28';
import { type Container, type PodSpec } from '../../../src/facts/api/types/core/v1';
import {
  Accelerator,
  Mount,
  NcclProfile,
  NodeSelection,
  podPart,
  PodTemplate,
  type PodTemplateProps,
  Rdma,
  Scheduling,
  SharedMemory,
  type TopologyChoice,
} from '../../../src/constructs/pods';

const IMAGE = 'pytorch/pytorch:2.8.0';

function podOf(props: Partial<PodTemplateProps>): PodSpec {
  const { spec } = new PodTemplate({ image: IMAGE, ...props }).toPodTemplate();
  if (spec === undefined) {
    throw new Error('no spec');
  }
  return spec;
}

function mainOf(props: Partial<PodTemplateProps>): Container {
  const [container] = podOf(props).containers;
  if (container === undefined) {
    throw new Error('no container');
  }
  return container;
}

test('a template of an image alone is a pod of one container and nothing else', () => {
  expect(new PodTemplate({ image: IMAGE }).toPodTemplate()).toEqual({
    spec: { containers: [{ name: 'main', image: IMAGE }] },
  });
});

test('an RDMA pod has resource, network, IPC_LOCK and shared memory from one statement each', () => {
  const template = new PodTemplate({
    image: IMAGE,
    accelerators: Accelerator.nvidia({ count: 8, tolerations: [] }),
    rdma: Rdma.sriov({ network: 'rdma-network', resource: 'nvidia.com/mlx5_rdma' }),
    sharedMemory: '16Gi',
  });
  expect(template.toPodTemplate({ containerName: 'training', restartPolicy: 'Never' })).toEqual({
    metadata: { annotations: { 'k8s.v1.cni.cncf.io/networks': 'rdma-network' } },
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'training',
          image: IMAGE,
          securityContext: { capabilities: { add: ['IPC_LOCK'] } },
          resources: { limits: { 'nvidia.com/mlx5_rdma': 1, 'nvidia.com/gpu': 8 } },
          volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
        },
      ],
      volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }],
    },
  });
});

describe('accelerators', () => {
  test('are limits alone and bring the toleration of their nodes', () => {
    const pod = podOf({ accelerators: Accelerator.nvidia({ count: 4 }) });
    expect(pod.containers[0]?.resources).toEqual({ limits: { 'nvidia.com/gpu': 4 } });
    expect(pod.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });

  test('a MIG slice is tolerated like its GPU and named as a resource can be', () => {
    const pod = podOf({ accelerators: Accelerator.mig({ profile: '1g.10gb+me', count: 1 }) });
    expect(pod.containers[0]?.resources?.limits).toEqual({ 'nvidia.com/mig-1g.10gb.me': 1 });
    expect(pod.tolerations?.[0]?.key).toBe('nvidia.com/gpu');
  });

  test('a product of the catalog stands for all labels of its nodes, a label for itself', () => {
    const values = (product: string | readonly string[]): readonly string[] | undefined =>
      podOf({ accelerators: Accelerator.nvidia({ count: 1, product }) }).affinity?.nodeAffinity
        ?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values;
    expect(values('A100-SXM-80GB')).toEqual(['NVIDIA-A100-SXM4-80GB', 'NVIDIA-A800-SXM4-80GB']);
    expect(values('a100 80gb pcie')).toEqual(['NVIDIA-A100-80GB-PCIe', 'NVIDIA-A800-80GB-PCIe']);
    expect(values(['H100 PCIe', 'H100 NVL'])).toEqual(['NVIDIA-H100-PCIe', 'NVIDIA-H800-PCIe', 'NVIDIA-H100-NVL']);
    expect(values('NVIDIA-H100-80GB-HBM3')).toEqual(['NVIDIA-H100-80GB-HBM3']);
    expect(values('Some-New-GPU')).toEqual(['Some-New-GPU']);
    expect(() => values('H800')).toThrow(
      'product: accelerator "H800" is ambiguous: use H100-SXM-80GB, H100-PCIe-80GB, or H100-NVL.',
    );
    expect(() => values('MI300X')).toThrow('product must be a product of NVIDIA: "MI300X" is the MI300X of AMD.');
  });

  test('other vendors and other resources render alike', () => {
    const ascend = podOf({
      accelerators: Accelerator.of({
        resource: 'huawei.com/Ascend910',
        count: 8,
        nodeLabels: { accelerator: 'huawei-Ascend910' },
      }),
    });
    expect(ascend).toMatchObject({
      nodeSelector: { accelerator: 'huawei-Ascend910' },
      tolerations: [{ key: 'huawei.com/Ascend910', operator: 'Exists' }],
      containers: [{ resources: { limits: { 'huawei.com/Ascend910': 8 } } }],
    });
    expect(mainOf({ accelerators: Accelerator.amd({ count: 2 }) }).resources?.limits).toEqual({ 'amd.com/gpu': 2 });
    expect(mainOf({ accelerators: Accelerator.gaudi({ count: 8, hugepages: '95000Mi' }) }).resources?.limits).toEqual({
      'habana.ai/gaudi': 8,
      'hugepages-2Mi': '95000Mi',
    });
  });

  test('a claim brings devices without an extended resource', () => {
    const pod = podOf({ accelerators: Accelerator.claim({ template: 'one-gpu', count: 1, request: 'gpu' }) });
    expect(pod.resourceClaims).toEqual([{ name: 'accelerator', resourceClaimTemplateName: 'one-gpu' }]);
    expect(pod.containers[0]?.resources).toEqual({ claims: [{ name: 'accelerator', request: 'gpu' }] });
  });

  test.each([-1, 1.5])('%d devices are refused with the prop and the value', (count) => {
    expect(() => Accelerator.nvidia({ count })).toThrow(
      `count must be a whole number greater than or equal to 1, not ${count}.`,
    );
  });
});

describe('memory', () => {
  test('is requested and limited alike, CPU requested only', () => {
    expect(mainOf({ resources: { cpu: 32, memory: '200Gi' } }).resources).toEqual({
      requests: { cpu: 32, memory: '200Gi' },
      limits: { memory: '200Gi' },
    });
  });

  test('must leave room beside the shared memory that counts to it', () => {
    expect(() => podOf({ resources: { memory: '64Gi' }, sharedMemory: '64Gi' })).toThrow(
      'memory 64Gi must be greater than sharedMemory 64Gi',
    );
    expect(mainOf({ resources: { memory: '65Gi' }, sharedMemory: '64Gi' }).resources?.limits).toEqual({
      memory: '65Gi',
    });
    // The limit is what counts, not the request.
    expect(mainOf({ resources: { memory: '10Gi', memoryLimit: '65Gi' }, sharedMemory: '64Gi' }).resources).toEqual({
      requests: { memory: '10Gi' },
      limits: { memory: '65Gi' },
    });
    expect(() => podOf({ resources: { memory: '10Gi', memoryLimit: '20Gi' }, sharedMemory: '64Gi' })).toThrow(
      'memoryLimit 20Gi must be greater than sharedMemory 64Gi',
    );
  });

  test('grows by shared memory that is added', () => {
    const { resources } = mainOf({ resources: { memory: '200Gi' }, sharedMemory: SharedMemory.added('56Gi') });
    expect(resources).toEqual({ requests: { memory: '256Gi' }, limits: { memory: '256Gi' } });
  });
});

describe('the network', () => {
  const variables = (props: Partial<PodTemplateProps>): Record<string, string | undefined> =>
    Object.fromEntries((mainOf(props).env ?? []).map(({ name, value }) => [name, value]));

  test("data devices are chosen by exact names, the socket interface is the pod's own", () => {
    expect(variables({ nccl: NcclProfile.infiniband({ hcas: ['mlx5_0', 'mlx5_1'] }) })).toEqual({
      NCCL_IB_HCA: '=mlx5_0,mlx5_1',
      NCCL_SOCKET_IFNAME: 'eth0',
      NCCL_DEBUG: 'WARN',
    });
  });

  test('on the host network no interface is guessed, and cluster names still resolve', () => {
    const props = { nccl: NcclProfile.infiniband(), rdma: Rdma.hostNetwork({ resource: 'rdma/hca' }) };
    expect(variables(props)).toEqual({ NCCL_DEBUG: 'WARN' });
    expect(podOf(props)).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
  });

  test('RoCE states traffic class and index only where they are given', () => {
    expect(variables({ nccl: NcclProfile.roce() })).toEqual({ NCCL_SOCKET_IFNAME: 'eth0', NCCL_DEBUG: 'WARN' });
    expect(variables({ nccl: NcclProfile.roce({ trafficClass: 106, gidIndex: 3 }) })).toMatchObject({
      NCCL_IB_TC: '106',
      NCCL_IB_GID_INDEX: '3',
    });
  });

  test('Ethernet does without RDMA, a bare profile without anything of its own', () => {
    expect(variables({ nccl: NcclProfile.ethernet() })).toMatchObject({ NCCL_IB_DISABLE: '1' });
    expect(variables({ nccl: NcclProfile.of({ NCCL_TOPO_FILE: '/topo.xml' }) })).toEqual({
      NCCL_TOPO_FILE: '/topo.xml',
    });
  });

  test('what the user states wins, once', () => {
    const env = mainOf({
      nccl: NcclProfile.ethernet(),
      env: { NCCL_DEBUG: 'TRACE', RUN: { fieldRef: { fieldPath: 'metadata.name' } } },
    }).env;
    expect(env).toEqual([
      { name: 'NCCL_SOCKET_IFNAME', value: 'eth0' },
      { name: 'NCCL_DEBUG', value: 'TRACE' },
      { name: 'NCCL_IB_DISABLE', value: '1' },
      { name: 'RUN', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ]);
  });

  test('each virtual function has an attachment of its own', () => {
    const template = new PodTemplate({
      image: IMAGE,
      rdma: Rdma.sriov({ network: 'net/rdma', resource: 'nvidia.com/vf', count: 2 }),
    });
    expect(template.toPodTemplate().metadata?.annotations).toEqual({
      'k8s.v1.cni.cncf.io/networks': 'net/rdma,net/rdma',
    });
  });

  test('EFA and shared devices ask for their resources', () => {
    expect(mainOf({ rdma: Rdma.efa({ count: 4 }) }).resources?.limits).toEqual({
      'vpc.amazonaws.com/efa': 4,
      'hugepages-2Mi': '5120Mi',
    });
    expect(mainOf({ rdma: Rdma.shared('rdma/a', 2) }).resources?.limits).toEqual({ 'rdma/a': 2 });
    expect(() => Rdma.shared('rdma/a', 0)).toThrow('count must be a whole number greater than or equal to 1, not 0.');
  });

  test('IPC_LOCK joins the capabilities that are stated', () => {
    const add = (capabilities: readonly string[]): readonly string[] | undefined =>
      mainOf({ rdma: Rdma.shared('rdma/a'), securityContext: { capabilities: { add: capabilities } } }).securityContext
        ?.capabilities?.add;
    expect(add(['SYS_NICE'])).toEqual(['SYS_NICE', 'IPC_LOCK']);
    expect(add(['IPC_LOCK'])).toEqual(['IPC_LOCK']);
    expect(add(['ALL'])).toEqual(['ALL']);
  });
});

describe('volumes', () => {
  test('a mount has its volume, whatever it is', () => {
    const pod = podOf({
      mounts: [
        Mount.claim('datasets', '/data', { readOnly: true }),
        Mount.configMap('settings', '/etc/train', { items: [{ key: 'a', path: 'a.yaml' }] }),
        Mount.secret({ kind: 'Secret', name: 'token' }, '/run/token', { volumeName: 'token' }),
        Mount.hostPath('/mnt/nvme', '/scratch', { type: 'Directory' }),
        Mount.ephemeral('1Ti', '/cache', { storageClass: 'nvme' }),
        Mount.nfs('10.0.0.1', '/export', '/nfs'),
        Mount.volume({ name: 'huge', emptyDir: { medium: 'HugePages-2Mi' } }, '/dev/hugepages'),
      ],
    });
    const names = (pod.volumes ?? []).map(({ name }) => name);
    expect(pod.containers[0]?.volumeMounts?.map(({ name }) => name)).toEqual(names);
    expect(pod.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'datasets', readOnly: true } },
      { name: 'etc-train', configMap: { name: 'settings', items: [{ key: 'a', path: 'a.yaml' }] } },
      { name: 'token', secret: { secretName: 'token' } },
      { name: 'scratch', hostPath: { path: '/mnt/nvme', type: 'Directory' } },
      {
        name: 'cache',
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Ti' } },
              storageClassName: 'nvme',
            },
          },
        },
      },
      { name: 'nfs', nfs: { server: '10.0.0.1', path: '/export' } },
      { name: 'huge', emptyDir: { medium: 'HugePages-2Mi' } },
    ]);
  });

  test('a volume of cdk8s-plus is mounted unchanged, and a claim of cdk8s-plus by its name', () => {
    const scope = new Chart(new App(), 'test');
    const scratch = Volume.fromEmptyDir(scope, 'scratch', 'scratch', {
      medium: EmptyDirMedium.MEMORY,
      sizeLimit: Size.gibibytes(1),
    });
    const claim = new PersistentVolumeClaim(scope, 'claim', { metadata: { name: 'datasets' } });
    const mounts = [Mount.volume(scratch, '/scratch'), Mount.claim(claim, '/data')];
    expect(podOf({ mounts }).volumes).toEqual([
      { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'datasets' } },
    ]);
    expect(new PodTemplate({ image: IMAGE, mounts }).references).toEqual([scratch, claim]);
  });

  test('one volume may be mounted at two places', () => {
    const pod = podOf({
      mounts: ['/data', '/checkpoints'].map((path) =>
        Mount.claim('disk', path, { volumeName: 'disk', subPath: path.slice(1) }),
      ),
    });
    expect(pod.volumes).toHaveLength(1);
    expect(pod.containers[0]?.volumeMounts).toHaveLength(2);
  });

  test('two volumes of one name and one path twice are refused', () => {
    expect(() =>
      podOf({ mounts: [Mount.claim('a', '/data'), Mount.claim('b', '/x', { volumeName: 'data' })] }),
    ).toThrow('Duplicate volume "data"');
    expect(() => podOf({ mounts: [Mount.emptyDir('/dev/shm')], sharedMemory: '1Gi' })).toThrow(
      'mountPath /dev/shm is used twice',
    );
    expect(() => Mount.claim('a', 'data')).toThrow('mountPath "data": must be an absolute path');
  });
});

describe('nodes', () => {
  test('labels, requirements, preferences and spot nodes come together', () => {
    const pod = podOf({
      nodeSelection: [
        NodeSelection.labels({ tier: 'high' }),
        NodeSelection.require('topology.kubernetes.io/zone', 'In', 'a', 'b'),
        NodeSelection.prefer(10, 'nvlink', 'Exists'),
        NodeSelection.spot('gke'),
        NodeSelection.cloudAccelerator('gke', 'nvidia-h100-80gb'),
      ],
    });
    expect(pod.nodeSelector).toMatchObject({
      tier: 'high',
      'cloud.google.com/gke-spot': 'true',
      'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb',
    });
    expect(pod.tolerations).toEqual([expect.objectContaining({ key: 'cloud.google.com/gke-spot' })]);
    expect(pod.affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] }] },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: 'nvlink', operator: 'Exists' }] } },
      ],
    });
  });

  test('a requirement goes into each alternative of an own affinity', () => {
    const term = (value: string): object => ({ matchExpressions: [{ key: 'pool', operator: 'In', values: [value] }] });
    const pod = podOf({
      affinity: {
        podAntiAffinity: {},
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'pool', operator: 'In', values: ['a'] }] },
              { matchExpressions: [{ key: 'pool', operator: 'In', values: ['b'] }] },
            ],
          },
        },
      },
      nodeSelection: NodeSelection.require('gpu', 'Exists'),
    });
    expect(pod.affinity?.podAntiAffinity).toEqual({});
    expect(pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual(
      ['a', 'b'].map((value) => ({
        matchExpressions: [
          ...(term(value) as { matchExpressions: object[] }).matchExpressions,
          { key: 'gpu', operator: 'Exists' },
        ],
      })),
    );
  });

  test('two values of one label are refused', () => {
    const nodeSelection = [NodeSelection.labels({ tier: 'high' }), NodeSelection.labels({ tier: 'low' })];
    expect(() => podOf({ nodeSelection })).toThrow(
      'The pod gets two values for the node label "tier": "high" and "low".',
    );
  });
});

describe('scheduling', () => {
  const queue = { engine: 'volcano', name: 'research' } as const;
  const gantryQueue = { engine: 'gantry', name: 'research' } as const;

  test('each engine says what its scheduler reads', () => {
    expect(podOf({ scheduling: Scheduling.volcano(queue) }).schedulerName).toBe('volcano');
    expect(podOf({ scheduling: Scheduling.schedulerPlugins() }).schedulerName).toBe('scheduler-plugins-scheduler');
    expect(podOf({ scheduling: Scheduling.default() }).schedulerName).toBeUndefined();
    expect(new PodTemplate({ image: IMAGE, scheduling: Scheduling.gantry(gantryQueue) }).toPodTemplate()).toMatchObject(
      {
        metadata: { labels: { 'gantry.dev/queue': 'research' } },
        spec: { schedulerName: 'gantry' },
      },
    );
    expect(
      Scheduling.kueue(
        { engine: 'kueue', name: 'team' },
        { workloadPriorityClass: { kind: 'WorkloadPriorityClass', name: 'high' } },
      ).toScheduling().workloadLabels,
    ).toEqual({ 'kueue.x-k8s.io/queue-name': 'team', 'kueue.x-k8s.io/priority-class': 'high' });
    expect(
      new PodTemplate({
        image: IMAGE,
        scheduling: Scheduling.kueue({ engine: 'kueue', name: 'team' }, { topology: { required: 'rack' } }),
      }).toPodTemplate().metadata,
    ).toEqual({ annotations: { 'kueue.x-k8s.io/podset-required-topology': 'rack' } });
  });

  test('where no controller makes a PodGroup, pods say their queue and the workload how many belong together', () => {
    expect(Scheduling.volcano(queue).toPodGroupAnnotations(4)).toEqual({
      workload: { 'scheduling.volcano.sh/group-min-member': '4' },
      pod: { 'scheduling.volcano.sh/queue-name': 'research' },
    });
    expect(Scheduling.kueue({ engine: 'kueue', name: 'x' }).toPodGroupAnnotations(4)).toEqual({
      workload: {},
      pod: {},
    });
  });

  test('a topology cannot be both required and preferred', () => {
    // @ts-expect-error the two exclude each other
    const both: TopologyChoice = { required: 'rack', preferred: 'rack' };
    expect(both.required).toBe('rack');
  });
});

describe('what has no property of its own', () => {
  test('is merged by the keys of Kubernetes and never dropped', () => {
    const template = new PodTemplate({
      image: IMAGE,
      sharedMemory: '1Gi',
      accelerators: Accelerator.nvidia({ count: 1 }),
      sidecars: [{ name: 'log', image: 'log' }],
      podOverrides: {
        container: {
          tty: true,
          resources: { limits: { 'nvidia.com/gpu': 2, 'example.com/x': 1 } },
          invented: { a: 1 },
        },
        pod: {
          hostIPC: true,
          volumes: [{ name: 'shm', emptyDir: { sizeLimit: '2Gi' } }, { name: 'more' }],
          containers: [{ name: 'log', args: ['-v'] }],
        },
        metadata: { finalizers: ['x/y'] },
      },
    });
    expect(template.toPodTemplate()).toEqual({
      metadata: { finalizers: ['x/y'] },
      spec: {
        hostIPC: true,
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
        volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }, { name: 'more' }],
        containers: [
          {
            name: 'main',
            image: IMAGE,
            tty: true,
            invented: { a: 1 },
            resources: { limits: { 'nvidia.com/gpu': 2, 'example.com/x': 1 } },
            volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
          },
          { name: 'log', image: 'log', args: ['-v'] },
        ],
      },
    });
  });

  test("can be a part of one's own", () => {
    const part = podPart({
      labels: { a: 'b' },
      env: [{ name: 'X', value: '1' }],
      mounts: [Mount.emptyDir('/x')],
      pod: { shareProcessNamespace: true },
    });
    expect(new PodTemplate({ image: IMAGE, parts: [part] }).toPodTemplate()).toEqual({
      metadata: { labels: { a: 'b' } },
      spec: {
        shareProcessNamespace: true,
        volumes: [{ name: 'x', emptyDir: {} }],
        containers: [
          {
            name: 'main',
            image: IMAGE,
            env: [{ name: 'X', value: '1' }],
            volumeMounts: [{ name: 'x', mountPath: '/x' }],
          },
        ],
      },
    });
  });

  test('two parts that contradict each other are refused', () => {
    expect(() => podOf({ parts: [podPart({ pod: { hostNetwork: false } })], rdma: Rdma.hostNetwork() })).toThrow(
      'Two parts of the pod set hostNetwork',
    );
    expect(() =>
      podOf({ parts: [podPart({ env: [{ name: 'A', value: '1' }] }), podPart({ env: [{ name: 'A', value: '2' }] })] }),
    ).toThrow('variable A');
    expect(() =>
      podOf({ parts: [podPart({ limits: { 'rdma/hca': 1 } })], resources: { other: { 'rdma/hca': 2 } } }),
    ).toThrow('rdma/hca of the container is set to both 1 and 2. Set it once.');
  });
});

test('a template is a value: with() leaves it as it was', () => {
  const template = new PodTemplate({ image: IMAGE });
  expect(template.with({ image: 'other' }).props.image).toBe('other');
  expect(template.props.image).toBe(IMAGE);
});
