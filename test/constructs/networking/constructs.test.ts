import { App, Chart } from 'cdk8s';
import { batch, Namespace, NcclProfile, networking, PodTemplate, Rdma, type RdmaNetwork, Resource } from '../../../src';
import { Pod } from '../../../src/facts/api/types/core/v1';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { Testing } from '../../../src/interfaces/testing';

const {
  Attribute,
  Cni,
  HostDeviceNetwork,
  Ipam,
  IPoIBNetwork,
  MacvlanNetwork,
  NetworkAttachmentDefinition,
  NicClusterPolicy,
  NicConfigurationTemplate,
  NicNodePolicy,
  NodeFeatureRule,
  SriovIBNetwork,
  SriovNetwork,
  SriovNetworkNodePolicy,
} = networking;

const ipam = Ipam.whereabouts({ range: '192.168.100.0/24' });
const image = 'registry.example.com/train:1';
const GLOBAL = { repository: 'nvcr.io/nvidia/mellanox', version: 'network-operator-v26.4.1' };

function chart(namespace?: string): Chart {
  return new Chart(new App(), 'stack', { ...(namespace === undefined ? {} : { namespace }) });
}

function specOf(scope: Chart, kind: string): JsonObject {
  const found = Testing.synth(scope).find((manifest) => manifest.kind === kind);
  return asObject(found?.spec);
}

function cniOf(scope: Chart): JsonValue {
  return JSON.parse(asString(specOf(scope, 'NetworkAttachmentDefinition').config) ?? '') as JsonValue;
}

describe('a network and the pod on it', () => {
  const template = (rdma: Rdma, namespace?: string) => new PodTemplate({ image, rdma }).toPodTemplate({ namespace });

  test('the attachment, the device, the right to pin memory and NCCL follow from the network alone', () => {
    const network = new NetworkAttachmentDefinition(chart('ai'), 'rdma', {
      device: 'nvidia.com/mlx5_rdma',
      cni: Cni.sriov({ ipam }),
    });
    const { metadata, spec } = template(Rdma.over(network, { count: 2 }), 'ai');
    expect(metadata?.annotations).toEqual({ 'k8s.v1.cni.cncf.io/networks': 'rdma,rdma' });
    expect(spec?.containers[0]).toMatchObject({
      resources: { limits: { 'nvidia.com/mlx5_rdma': 2 } },
      securityContext: { capabilities: { add: ['IPC_LOCK'] } },
      env: [
        { name: 'NCCL_SOCKET_IFNAME', value: 'eth0' },
        { name: 'NCCL_DEBUG', value: 'WARN' },
      ],
    });
  });

  test("a network of another namespace is named in full, and so is one where the pod's namespace is not known", () => {
    const network = new NetworkAttachmentDefinition(chart('ai'), 'rdma', { device: 'nvidia.com/a', cni: Cni.sriov() });
    const annotation = (namespace?: string) =>
      template(Rdma.over(network), namespace).metadata?.annotations?.['k8s.v1.cni.cncf.io/networks'];
    expect([annotation('ai'), annotation('other'), annotation()]).toEqual(['rdma', 'ai/rdma', 'ai/rdma']);
  });

  test('a workload says its namespace itself', () => {
    const app = new App();
    const operator = new Chart(app, 'operator', { namespace: 'sriov' });
    const research = new Chart(app, 'research', { namespace: 'research' });
    const policy = new SriovNetworkNodePolicy(operator, 'functions', {
      resourceName: 'rail0',
      resourcePrefix: 'nvidia.com',
      nodeSelector: { 'example.com/rdma': 'true' },
      nics: { pfNames: ['ens2f0'] },
      virtualFunctions: 8,
      linkType: 'ib',
    });
    const network = new SriovIBNetwork(operator, 'rail0', { policy, networkNamespace: 'research' });
    new batch.LeaderWorkerSet(research, 'serve', { groupSize: 2, image, rdma: Rdma.over(network) });
    const pods = asObject(asObject(specOf(research, 'LeaderWorkerSet').leaderWorkerTemplate).workerTemplate);
    expect(asObject(asObject(pods.metadata).annotations)['k8s.v1.cni.cncf.io/networks']).toBe('rail0');
    expect(JSON.stringify(pods)).toContain('"nvidia.com/rail0":1');
  });

  test('rails come one beside the other', () => {
    const scope = chart('sriov');
    const rails = [0, 1].map((rail): RdmaNetwork => {
      const policy = new SriovNetworkNodePolicy(scope, `functions${rail}`, {
        resourceName: `rail${rail}`,
        nodeSelector: { 'example.com/rdma': 'true' },
        nics: { pfNames: [`ens${rail + 2}f0`] },
        virtualFunctions: 8,
        linkType: 'eth',
      });
      return new SriovNetwork(scope, `rail${rail}`, { policy, networkNamespace: 'ai', ipam });
    });
    const { metadata, spec } = template(Rdma.over(rails), 'ai');
    expect(metadata?.annotations).toEqual({ 'k8s.v1.cni.cncf.io/networks': 'rail0,rail1' });
    expect(spec?.containers[0]?.resources?.limits).toEqual({ 'openshift.io/rail0': 1, 'openshift.io/rail1': 1 });
  });

  test('a profile of the pod wins over that of the network, and the host network needs its DNS', () => {
    const rdma = Rdma.hostNetwork({ resource: 'rdma/hca', nccl: NcclProfile.infiniband() });
    const variables = (pod: PodTemplate) => pod.toPodTemplate().spec?.containers[0]?.env?.map(({ name }) => name);
    expect(new PodTemplate({ image, rdma }).toPodTemplate().spec).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
    expect(variables(new PodTemplate({ image, rdma }))).toEqual(['NCCL_DEBUG']);
    expect(variables(new PodTemplate({ image, rdma, nccl: NcclProfile.of({ NCCL_IB_TC: '106' }) }))).toEqual([
      'NCCL_IB_TC',
    ]);
  });

  test('what the types cannot exclude is refused with what to do', () => {
    const scope = chart('ai');
    const roce = new NetworkAttachmentDefinition(scope, 'roce', { device: 'nvidia.com/a', cni: Cni.sriov() });
    const ib = new NetworkAttachmentDefinition(scope, 'ib', { device: 'nvidia.com/b', cni: Cni.ibSriov() });
    expect(() => Rdma.over(new NetworkAttachmentDefinition(scope, 'plain', { cni: Cni.macvlan() }))).toThrow(
      'has no device resource',
    );
    expect(() => Rdma.over([roce, ib])).toThrow('have different fabrics');
    expect(() => Rdma.over([])).toThrow('at least one network');
    expect(() => Rdma.over(roce, { count: 0 })).toThrow(
      'count must be a whole number greater than or equal to 1, not 0.',
    );
    expect(() => template(Rdma.over([roce, ib], { nccl: NcclProfile.infiniband() }))).not.toThrow();
  });
});

describe('NetworkAttachmentDefinition', () => {
  test.each<[string, networking.Cni, JsonObject]>([
    [
      'sriov',
      Cni.sriov({ vlan: 100, trust: true, spoofCheck: false, ipam }),
      {
        type: 'sriov',
        vlan: 100,
        spoofchk: 'off',
        trust: 'on',
        ipam: { type: 'whereabouts', range: '192.168.100.0/24' },
      },
    ],
    [
      'ib-sriov',
      Cni.ibSriov({ pkey: '0x8001', linkState: 'enable' }),
      { type: 'ib-sriov', pkey: '0x8001', link_state: 'enable' },
    ],
    [
      'ipoib',
      Cni.ipoib({ master: 'ibs3f1', ipam: Ipam.nvIpam('pool1') }),
      { type: 'ipoib', master: 'ibs3f1', ipam: { type: 'nv-ipam', poolName: 'pool1' } },
    ],
    [
      'macvlan',
      Cni.macvlan({ master: 'ens2f0', mtu: 9000, ipam: Ipam.dhcp() }),
      { type: 'macvlan', master: 'ens2f0', mode: 'bridge', mtu: 9000, ipam: { type: 'dhcp' } },
    ],
    [
      'host-device',
      Cni.hostDevice({ device: 'ens2f0', ipam: Ipam.static(['10.0.0.1/24']) }),
      { type: 'host-device', device: 'ens2f0', ipam: { type: 'static', addresses: [{ address: '10.0.0.1/24' }] } },
    ],
  ])('%s', (_, cni, plugin) => {
    const scope = chart('ai');
    new NetworkAttachmentDefinition(scope, 'net', { cni, device: 'nvidia.com/x' });
    expect(cniOf(scope)).toEqual({ cniVersion: '1.0.0', name: 'net', ...plugin });
  });

  test('plugins behind one make a list', () => {
    const scope = chart('ai');
    new NetworkAttachmentDefinition(scope, 'net', {
      cni: Cni.sriov().withRdma().withTuning({ mtu: 4200 }),
      device: 'nvidia.com/x',
    });
    expect(cniOf(scope)).toEqual({
      cniVersion: '1.0.0',
      name: 'net',
      plugins: [{ type: 'sriov' }, { type: 'rdma' }, { type: 'tuning', mtu: 4200 }],
    });
  });

  test('a share of a device cannot be configured in a plugin', () => {
    const scope = chart('ai');
    new NetworkAttachmentDefinition(scope, 'net', { cni: Cni.macvlan({ master: 'ens2f0' }), device: 'rdma/shared_a' });
    const [manifest] = Testing.synth(scope);
    expect(asObject(manifest?.metadata).annotations).toBeUndefined();
  });
});

describe('the operators', () => {
  test('a NicClusterPolicy offers its pools by name, after its own kind', () => {
    const scope = chart();
    const nics = new NicClusterPolicy(scope, 'nics', {
      global: GLOBAL,
      ofedDriver: {
        version: 'doca3.3.0-26.01-1.0.0.0-0',
        upgrade: { auto: true, safeLoad: true, maxParallel: 1, waitFor: 'app=training' },
      },
      rdmaSharedDevices: { pools: [{ name: 'rdma_shared_device_a', vendors: ['15b3'], linkTypes: ['infiniband'] }] },
      sriovDevices: { pools: [{ name: 'hostdev', vendors: ['15b3'] }] },
      secondaryNetwork: { multus: {}, cniPlugins: {}, ipoib: {} },
      nvIpam: { webhook: false },
      nicFeatureDiscovery: {},
      ibKubernetes: { guids: { from: '02:00:00:00:00:00:00:00', to: '02:FF:FF:FF:FF:FF:FF:FF' }, ufmSecret: 'ufm' },
    });
    expect([nics.device('rdma_shared_device_a').deviceResource, nics.device('hostdev').deviceResource]).toEqual([
      'rdma/rdma_shared_device_a',
      'nvidia.com/hostdev',
    ]);
    expect(() => nics.device('rail0')).toThrow('The pools are rdma_shared_device_a, hostdev.');
    const spec = specOf(scope, 'NicClusterPolicy');
    expect(JSON.parse(asString(asObject(spec.rdmaSharedDevicePlugin).config) ?? '')).toEqual({
      configList: [
        {
          resourceName: 'rdma_shared_device_a',
          rdmaHcaMax: 63,
          selectors: { vendors: ['15b3'], linkTypes: ['infiniband'] },
        },
      ],
    });
    expect(JSON.parse(asString(asObject(spec.sriovDevicePlugin).config) ?? '')).toEqual({
      resourceList: [{ resourceName: 'hostdev', selectors: { vendors: ['15b3'], isRdma: true } }],
    });
    expect(spec.ofedDriver).toMatchObject({
      image: 'doca-driver',
      upgradePolicy: { autoUpgrade: true, safeLoad: true, waitForCompletion: { podSelector: 'app=training' } },
    });
    expect(Testing.check(scope).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('a NicNodePolicy says it of some nodes', () => {
    const scope = chart();
    const policy = new NicNodePolicy(scope, 'gb200', {
      nodeSelector: { pool: 'gb200' },
      rdmaSharedDevices: { ...GLOBAL, pools: [{ name: 'a', interfaces: ['ibp3s0'], shares: 8 }] },
    });
    expect(policy.device('a').deviceResource).toBe('rdma/a');
    expect(specOf(scope, 'NicNodePolicy')).toMatchObject({ nodeSelector: { pool: 'gb200' } });
    expect(Testing.check(scope).findings).toEqual([]);
  });

  test('networks of the operator lie in the cluster and name the namespace of their attachment', () => {
    const scope = chart('ai');
    const namespace = new Namespace(scope, 'research');
    const nics = new NicClusterPolicy(scope, 'nics', {
      global: GLOBAL,
      rdmaSharedDevices: { pools: [{ name: 'a', vendors: ['15b3'] }] },
    });
    const networks = [
      new IPoIBNetwork(scope, 'ipoib', {
        master: 'ibs3f1',
        device: nics.device('a'),
        networkNamespace: namespace,
        ipam,
      }),
      new MacvlanNetwork(scope, 'macvlan', { master: 'ens2f0', device: nics.device('a') }),
      new HostDeviceNetwork(scope, 'host', {
        device: 'nvidia.com/hostdev',
        networkNamespace: namespace,
        fabric: 'infiniband',
      }),
    ];
    expect(
      networks.map(({ deviceResource, networkNamespace, fabric }) => [deviceResource, networkNamespace, fabric]),
    ).toEqual([
      ['rdma/a', 'research', 'infiniband'],
      ['rdma/a', 'default', 'roce'],
      ['nvidia.com/hostdev', 'research', 'infiniband'],
    ]);
    expect(specOf(scope, 'HostDeviceNetwork')).toEqual({
      networkNamespace: 'research',
      resourceName: 'hostdev',
      ipam: '{}',
    });
    const order = Testing.synth(scope).map(({ kind }) => kind);
    expect(order.indexOf('NicClusterPolicy')).toBeLessThan(order.indexOf('IPoIBNetwork'));
    expect(order.indexOf('Namespace')).toBeLessThan(order.indexOf('HostDeviceNetwork'));
    expect(Testing.synth(scope).every((manifest) => asObject(manifest.metadata).namespace === undefined)).toBe(true);
  });

  test('what has no property of its own is merged in, and virtual machines get no RDMA', () => {
    const scope = chart('sriov');
    const policy = new SriovNetworkNodePolicy(scope, 'vms', {
      resourceName: 'vms',
      nodeSelector: { a: 'b' },
      nics: { vendor: '15b3' },
      virtualFunctions: 4,
      deviceType: 'vfio-pci',
      overrides: { needVhostNet: true },
    });
    new SriovNetwork(scope, 'net', {
      policy,
      metaPlugins: [{ type: 'rdma' }, { type: 'tuning' }],
      capabilities: { ips: true },
      overrides: { logLevel: 'debug' },
    });
    expect(specOf(scope, 'SriovNetworkNodePolicy')).toMatchObject({ isRdma: false, needVhostNet: true });
    expect(specOf(scope, 'SriovNetwork')).toEqual({
      resourceName: 'vms',
      capabilities: '{"ips":true}',
      metaPlugins: '{"type":"rdma"},{"type":"tuning"}',
      logLevel: 'debug',
    });
    expect(Testing.check(scope).findings).toEqual([]);
  });

  test('pools that select nothing, or have one name, are refused', () => {
    const policy = (pools: readonly networking.SharedDevicePool[]) => () =>
      new NicClusterPolicy(chart(), 'nics', { rdmaSharedDevices: { pools } });
    expect(policy([{ name: 'a' }])).toThrow('the pool "a" selects no card');
    expect(
      policy([
        { name: 'a', vendors: ['15b3'] },
        { name: 'a', vendors: ['8086'] },
      ]),
    ).toThrow('duplicate pool "a"');
    expect(policy([])).toThrow('at least one pool');
  });

  test('a NodeFeatureRule says when and what', () => {
    const scope = chart();
    new NodeFeatureRule(scope, 'rdma', {
      rules: [
        {
          ruleName: 'rdma',
          labels: { 'example.com/rdma': 'true' },
          when: { 'pci.device': { vendor: Attribute.in('15b3'), class: Attribute.in('0207') } },
          whenAny: [
            { 'kernel.version': { full: Attribute.atLeastVersion('6.8') } },
            { 'kernel.loadedmodule': { mlx5_ib: Attribute.exists() } },
          ],
        },
      ],
    });
    expect(specOf(scope, 'NodeFeatureRule')).toEqual({
      rules: [
        {
          name: 'rdma',
          labels: { 'example.com/rdma': 'true' },
          matchFeatures: [
            {
              feature: 'pci.device',
              matchExpressions: { vendor: { op: 'In', value: ['15b3'] }, class: { op: 'In', value: ['0207'] } },
            },
          ],
          matchAny: [
            {
              matchFeatures: [
                {
                  feature: 'kernel.version',
                  matchExpressions: { full: { op: 'Ge', type: 'version', value: ['6.8'] } },
                },
              ],
            },
            { matchFeatures: [{ feature: 'kernel.loadedmodule', matchExpressions: { mlx5_ib: { op: 'Exists' } } }] },
          ],
        },
      ],
    });
    expect(Testing.check(scope).findings).toEqual([]);
  });
});

test('the pod and its network come out as one would write them by hand', () => {
  const scope = chart('ai-workloads');
  const network = new NetworkAttachmentDefinition(scope, 'rdma-network', {
    device: 'nvidia.com/mlx5_rdma',
    cniVersion: '0.3.1',
    cni: Cni.sriov({ ipam }),
  });
  const { metadata, spec } = new PodTemplate({
    image,
    rdma: Rdma.over(network, { nccl: NcclProfile.of({}) }),
    sharedMemory: '16Gi',
  }).toPodTemplate({ namespace: 'ai-workloads', restartPolicy: 'Never' });
  new Resource(scope, 'pod', Pod, { metadata: { name: 'rdma-pod', annotations: { ...metadata?.annotations } }, spec });
  const [definition, pod] = Testing.synth(scope);
  expect(definition).toEqual({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name: 'rdma-network',
      namespace: 'ai-workloads',
      annotations: { 'k8s.v1.cni.cncf.io/resourceName': 'nvidia.com/mlx5_rdma' },
    },
    spec: {
      config:
        '{"cniVersion":"0.3.1","name":"rdma-network","type":"sriov","ipam":{"type":"whereabouts","range":"192.168.100.0/24"}}',
    },
  });
  expect(pod).toMatchObject({
    metadata: { annotations: { 'k8s.v1.cni.cncf.io/networks': 'rdma-network' } },
    spec: { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }] },
  });
});

describe('settings of cards', () => {
  const STATED = { cards: { type: '1021' }, linkType: 'Ethernet', virtualFunctions: 8 } as const;

  test('RoCE with DSCP and priority 3, as switches usually have it', () => {
    const scope = chart('nics');
    new NicConfigurationTemplate(scope, 'roce', {
      ...STATED,
      cards: { type: '1021', pciAddresses: ['0000:03:00.0'] },
      nodeSelector: { rack: '7' },
      roce: { typeOfService: 106 },
      gpuDirect: true,
      firmware: { ROCE_CC_LEGACY_DCQCN: '1' },
    });

    expect(specOf(scope, 'NicConfigurationTemplate')).toEqual({
      nicSelector: { nicType: '1021', pciAddresses: ['0000:03:00.0'] },
      nodeSelector: { rack: '7' },
      template: {
        linkType: 'Ethernet',
        numVfs: 8,
        pciPerformanceOptimized: { enabled: true, maxReadRequest: 4096 },
        gpuDirectOptimized: { enabled: true, env: 'Baremetal' },
        roceOptimized: { enabled: true, qos: { trust: 'dscp', pfc: '0,0,0,1,0,0,0,0', tos: 106 } },
        rawNvConfig: [{ name: 'ROCE_CC_LEGACY_DCQCN', value: '1' }],
      },
    });
  });

  test('nothing is set that is not stated', () => {
    const scope = chart('nics');
    new NicConfigurationTemplate(scope, 'ib', { ...STATED, linkType: 'Infiniband', virtualFunctions: 0 });
    expect(specOf(scope, 'NicConfigurationTemplate')).toEqual({
      nicSelector: { nicType: '1021' },
      template: { linkType: 'Infiniband', numVfs: 0 },
    });
  });

  test('Spectrum-X is set for the cards that have it, and alone', () => {
    const spectrumX = { version: 'RA2.0', overlay: 'l3' } as const;
    const scope = chart('nics');
    const fitting = { ...STATED, cards: { type: '1023' }, virtualFunctions: 1, spectrumX };
    new NicConfigurationTemplate(scope, 'spectrum-x', fitting);
    expect(specOf(scope, 'NicConfigurationTemplate')).toEqual({
      nicSelector: { nicType: '1023' },
      template: {
        linkType: 'Ethernet',
        numVfs: 1,
        spectrumXOptimized: { enabled: true, version: 'RA2.0', overlay: 'l3' },
      },
    });
    const paths = (props: Partial<networking.NicConfigurationTemplateProps>): readonly string[] => {
      const other = chart('nics');
      new NicConfigurationTemplate(other, 'spectrum-x', { ...fitting, ...props });
      return Testing.check(other).findings.map(({ path, rule }) => `${rule} ${path}`);
    };
    expect(paths({})).toEqual([]);
    const template = ['cel/rule /spec/template'];
    expect(paths({ cards: { type: '1021' } })).toEqual(['cel/rule /spec']);
    expect(paths({ linkType: 'Infiniband' })).toEqual(template);
    expect(paths({ virtualFunctions: 8 })).toEqual(template);
    expect(paths({ roce: {} })).toEqual(template);
    expect(paths({ firmware: { ROCE_CC_LEGACY_DCQCN: '1' } })).toEqual(template);
  });

  test('priorities are written in their places, and must be those of Ethernet', () => {
    const scope = chart('nics');
    new NicConfigurationTemplate(scope, 'roce', { ...STATED, roce: { losslessPriorities: [0, 7], trust: 'pfc' } });
    expect(specOf(scope, 'NicConfigurationTemplate')).toMatchObject({
      template: { roceOptimized: { qos: { trust: 'pfc', pfc: '1,0,0,0,0,0,0,1' } } },
    });
    expect(
      () => new NicConfigurationTemplate(chart(), 'roce', { ...STATED, roce: { losslessPriorities: [8] } }),
    ).toThrow('roce.losslessPriorities must be a whole number from 0 to 7, not 8.');
    expect(() => new NicConfigurationTemplate(chart(), 'roce', { ...STATED, roce: { typeOfService: 256 } })).toThrow(
      'roce.typeOfService must be a whole number from 1 to 255, not 256.',
    );
  });
});
