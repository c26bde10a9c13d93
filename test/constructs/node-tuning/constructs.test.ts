/**
 * The constructs of nodes: what they write is least in privilege, says one thing once, and is free of findings.
 */
import { App, Chart, Duration } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import {
  DeviceReadiness,
  Ec2NodeClass,
  KubeletDropIn,
  MemlockRuntime,
  NodeDocuments,
  NodePool,
  NodeProfile,
  NodeTuner,
  type NodeTunerProps,
  Tuning,
} from '../../../src/constructs/node-tuning';
import { Accelerator, NodeSelection, PodTemplate } from '../../../src/constructs/pods';
import { Testing } from '../../../src/interfaces/testing';

const chartOf = (build: (chart: Chart) => void): Chart => {
  const chart = new Chart(new App(), 'nodes', { namespace: 'gantry-system' });
  build(chart);
  return chart;
};
const synth = (build: (chart: Chart) => void): readonly JsonObject[] => Testing.synth(chartOf(build));
const findings = (build: (chart: Chart) => void): readonly string[] =>
  Testing.check(chartOf(build)).findings.map(({ rule, path, message }) => `${rule} ${path}: ${message}`);
const of = (manifests: readonly JsonObject[], kind: string): JsonObject =>
  manifests.find((manifest) => manifest.kind === kind) ?? {};
const podOf = (manifests: readonly JsonObject[]): JsonObject =>
  asObject(asObject(asObject(of(manifests, 'DaemonSet').spec).template).spec);
const nameOf = (manifest: JsonObject): string => asString(asObject(manifest.metadata).name) ?? '';

describe('NodeTuner', () => {
  const tuner =
    (props: Partial<NodeTunerProps> = {}) =>
    (chart: Chart): void => {
      new NodeTuner(chart, 'tuner', { tunings: Tuning.forTraining(), ...props });
    };
  const everything = [
    ...Tuning.forTraining(),
    Tuning.irqAffinity({ interfaces: ['ens*', 'eth0'], to: 'spread' }),
    Tuning.persistenceMode({ image: 'registry.example.com/base:1' }),
  ];

  test('with every tuning has no finding', () => {
    expect(findings(tuner({ tunings: everything, seLinuxType: 'spc_t', dryRun: true }))).toEqual([]);
  });

  test('gives each tuning its own folders and nothing else', () => {
    const { containers } = podOf(synth(tuner({ tunings: everything })));
    const mounts = asArray(containers).map((container) => {
      const { name, volumeMounts } = asObject(container);
      return [
        name,
        asArray(volumeMounts)
          .map((mount) => asString(asObject(mount).mountPath))
          .filter((path) => path?.startsWith('/host')),
      ];
    });
    expect(Object.fromEntries(mounts) as JsonObject).toEqual({
      sysctls: ['/host/proc/sys/net/core', '/host/proc/sys/fs/inotify', '/host/proc/sys/vm', '/host/proc/sys/kernel'],
      'transparent-huge-pages': ['/host/sys/kernel/mm/transparent_hugepage'],
      'cpu-governor': ['/host/sys/devices/system/cpu'],
      'irq-affinity': ['/host/proc/irq', '/host/sys'],
      'gpu-persistence': [],
    });
  });

  test('is never privileged, has a capability where the driver asks for one, and no token', () => {
    const pod = podOf(synth(tuner({ tunings: everything })));
    const securities = asArray(pod.containers).map((container) => asObject(asObject(container).securityContext));
    const least = { privileged: false, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
    for (const security of securities) {
      expect(security).toMatchObject(least);
    }
    expect(securities.map(({ capabilities }) => asObject(capabilities).add ?? [])).toEqual([
      [],
      [],
      [],
      [],
      ['SYS_ADMIN'],
    ]);
    expect([pod.automountServiceAccountToken, pod.hostPID, pod.hostIPC]).toEqual([false, undefined, undefined]);
    expect([pod.hostNetwork, pod.runtimeClassName]).toEqual([true, 'nvidia']);
  });

  test('shares the network of the node for network parameters alone', () => {
    expect(podOf(synth(tuner({ tunings: [Tuning.sysctls({ 'vm.swappiness': 1 })] }))).hostNetwork).toBeUndefined();
    expect(podOf(synth(tuner({ tunings: [Tuning.sysctls({ 'net.core.somaxconn': 4096 })] }))).hostNetwork).toBe(true);
  });

  test('mounts a folder once, the one that holds the others', () => {
    const { volumes } = podOf(
      synth(
        tuner({ tunings: [Tuning.sysctls({ 'fs.aio-max-nr': 1_048_576, 'fs.inotify.max_user_watches': 524_288 })] }),
      ),
    );
    expect(asArray(volumes).map((volume) => asObject(asObject(volume).hostPath).path)).toEqual([
      undefined,
      '/proc/sys/fs',
      '/run/gantry/node-tuner/tuner/sysctls',
    ]);
  });

  test('has its scripts in a ConfigMap that is named by its content and never changes', () => {
    const map = of(synth(tuner()), 'ConfigMap');
    const other = of(synth(tuner({ tunings: [Tuning.cpuGovernor('performance')] })), 'ConfigMap');
    expect([map.immutable, nameOf(map)]).toEqual([true, expect.stringMatching(/^tuner-[0-9a-f]{10}$/)]);
    expect(nameOf(other)).not.toBe(nameOf(map));
    expect(asObject(map.data)['cpu-governor.plan']).toBe('cpu-governor performance\n');
  });

  test('keeps originals where a killed container finds them, apart for each tuner', () => {
    const manifests = synth(tuner({ name: 'h100' }));
    const { volumes } = podOf(manifests);
    expect(JSON.stringify(volumes)).toContain('"/run/gantry/node-tuner/h100/cpu-governor"');
    expect(asObject(of(manifests, 'DaemonSet').spec).updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' },
    });
  });

  test.each([
    ['nothing', []],
    ['one thing twice', [Tuning.cpuGovernor('performance'), Tuning.cpuGovernor('powersave')]],
  ])('does not tune %s', (_what, tunings) => {
    expect(() => {
      chartOf(tuner({ tunings }));
    }).toThrow(/nodes\/tuner: .*(tunings must not be empty|is set by two tunings)/);
  });

  test.each([
    ['vm.nr_hugepages', 1024, 'node image'],
    ['vm.swappiness', 201, 'must be between 0 and 200'],
    ['vm.swappiness', 1.5, 'must be between 0 and 200'],
    ['net.ipv4.tcp_rmem', 4096, '3'],
    ['net.ipv4.tcp_rmem', [65_536, 4096, 8192], 'must ascend: minimum, default, maximum'],
  ])('refuses %s = %p', (name, value, why) => {
    expect(() => Tuning.sysctls({ [name]: value })).toThrow(why);
  });

  test('refuses interfaces that are a path', () => {
    expect(() => Tuning.irqAffinity({ interfaces: ['../../proc'] })).toThrow('is not a valid interface name');
    expect(() => Tuning.irqAffinity({ interfaces: [] })).toThrow('interfaces must not be empty');
  });
});

describe('NodeProfile', () => {
  const training = new NodeProfile('h100', {
    tier: 'training',
    devices: { perNode: 8, numaNodes: 2 },
    labels: { 'example.com/rack': 'a' },
  });
  const eight = new PodTemplate({ image: 'x', accelerators: Accelerator.nvidia({ count: 8 }) });

  test('says labels, taints, selector, tolerations, flags and commands from one statement', () => {
    const labels = { 'gantry.dev/node-profile': 'h100', 'gantry.dev/tier': 'training', 'example.com/rack': 'a' };
    expect(training.labels).toEqual(labels);
    expect(training.nodeSelector).toEqual(labels);
    expect(training.taints).toEqual([{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }]);
    expect(training.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
    expect(training.kubeletArguments).toEqual([
      '--node-labels=gantry.dev/node-profile=h100,gantry.dev/tier=training,example.com/rack=a',
      '--register-with-taints=nvidia.com/gpu=present:NoSchedule',
    ]);
    expect(training.kubectlCommands('n1')).toEqual([
      'kubectl label node n1 --overwrite gantry.dev/node-profile=h100 gantry.dev/tier=training example.com/rack=a',
      'kubectl taint node n1 --overwrite nvidia.com/gpu=present:NoSchedule',
    ]);
    const { spec } = eight.with({ nodeSelection: training.selection }).toPodTemplate();
    expect(spec).toMatchObject({ nodeSelector: labels, tolerations: training.tolerations });
  });

  test.each([
    [
      'gke',
      { 'cloud.google.com/gke-spot': 'true' },
      ['cloud.google.com/gke-spot=true:NoSchedule', 'nvidia.com/gpu=present:NoSchedule'],
      25,
    ],
    ['aks', { 'kubernetes.azure.com/scalesetpriority': 'spot' }, ['nvidia.com/gpu=present:NoSchedule'], 25],
    ['eks', { 'eks.amazonaws.com/capacityType': 'SPOT' }, ['nvidia.com/gpu=present:NoSchedule'], undefined],
    ['karpenter', { 'karpenter.sh/capacity-type': 'spot' }, ['nvidia.com/gpu=present:NoSchedule'], undefined],
  ] as const)('knows the spot nodes of %s', (spot, given, own, seconds) => {
    const profile = new NodeProfile('spot', { spot });
    expect(profile.givenLabels).toEqual(given);
    expect(profile.taints.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`)).toEqual(own);
    const { spec } = profile.place(eight).toPodTemplate();
    expect(spec).toMatchObject({ nodeSelector: given });
    expect(spec?.terminationGracePeriodSeconds).toBe(seconds);
    const taints = [...profile.givenTaints, ...profile.taints].map(({ key }) => key);
    expect(profile.tolerations.map(({ key }) => key)).toEqual(taints);
  });

  test('does not place what can never start, or never end in time', () => {
    expect(() =>
      training.place(new PodTemplate({ image: 'x', accelerators: Accelerator.nvidia({ count: 16 }) })),
    ).toThrow('has 8');
    const strict = new NodeProfile('h100', {
      devices: { perNode: 8, numaNodes: 2 },
      topologyManager: 'single-numa-node',
    });
    expect(() => strict.place(eight)).toThrow('can never start');
    expect(() =>
      new NodeProfile('spot', { spot: 'gke' }).place(eight.with({ terminationGracePeriod: Duration.minutes(5) })),
    ).toThrow('must not exceed the 25s');
    expect(training.place(eight).toPodTemplate().spec?.terminationGracePeriodSeconds).toBeUndefined();
  });

  test.each([
    [() => new NodeProfile('a', { labels: { 'node-role.kubernetes.io/gpu': 'true' } }), 'the kubelet must not set it'],
    [
      () => new NodeProfile('a', { taints: [{ key: 'example.kubernetes.io/x', effect: 'NoSchedule' }] }),
      'reserved for Kubernetes',
    ],
    [() => new NodeProfile('a b'), 'is not a valid value'],
    [() => new NodeProfile('a', { spot: 'tke' }), 'no label'],
  ])('refuses what no node can have (%#)', (build, why) => {
    expect(build).toThrow(why);
  });
});

describe('NodePool', () => {
  const pool =
    (profile: NodeProfile) =>
    (chart: Chart): void => {
      const nodeClass = new Ec2NodeClass(chart, 'gpu', {
        role: 'KarpenterNode',
        amiAlias: 'al2023@v20260101',
        clusterName: 'ml',
      });
      new NodePool(chart, 'h100', {
        profile,
        nodeClass,
        instanceTypes: ['p5.48xlarge'],
        limits: { accelerators: Accelerator.nvidia({ count: 64 }) },
        zones: ['eu-west-1a'],
        gpuName: 'h100',
      });
    };

  test('carries the labels and taints of its profile, and passes the rules of its definition', () => {
    const profile = new NodeProfile('h100', {
      tier: 'training',
      startupTaints: [{ key: 'readiness.k8s.io/gpu', effect: 'NoSchedule' }],
    });
    expect(findings(pool(profile))).toEqual([]);
    const template = asObject(asObject(of(synth(pool(profile)), 'NodePool').spec).template);
    expect(asObject(template.metadata).labels).toEqual(profile.labels);
    expect(template.spec).toMatchObject({
      taints: profile.taints,
      startupTaints: profile.startupTaints,
      expireAfter: 'Never',
    });
    expect(JSON.stringify(template)).toContain(
      '{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand","reserved"]}',
    );
  });

  test("buys spot nodes for a profile of spot nodes, and for no other provider's", () => {
    expect(JSON.stringify(synth(pool(new NodeProfile('spot', { spot: 'karpenter' }))))).toContain('"values":["spot"]');
    expect(() => {
      synth(pool(new NodeProfile('spot', { spot: 'gke' })));
    }).toThrow('which Karpenter does not create');
  });

  test('says where nodes are to be made', () => {
    expect(() => {
      chartOf((chart) => new Ec2NodeClass(chart, 'gpu', { role: 'r', amiAlias: 'al2023@latest' }));
    }).toThrow('must be set. Set clusterName');
    expect(Ec2NodeClass.fromName('gpu')).toMatchObject({
      group: 'karpenter.k8s.aws',
      kind: 'EC2NodeClass',
      name: 'gpu',
    });
  });
});

describe('DeviceReadiness', () => {
  const readiness =
    (more: object = {}) =>
    (chart: Chart): void => {
      new DeviceReadiness(chart, 'gpu-ready', { image: 'registry.example.com/kubectl:1.36', count: 8, ...more });
    };

  test.each([
    ['a controller', {}],
    ['itself', { by: 'remover' }],
  ])('by %s has no finding', (_who, more) => {
    expect(findings(readiness(more))).toEqual([]);
  });

  test('reports a condition, and the rule waits for that one', () => {
    const rule = of(synth(readiness()), 'NodeReadinessRule');
    expect(rule).toEqual({
      apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
      kind: 'NodeReadinessRule',
      metadata: { name: 'gpu-ready' },
      spec: {
        conditions: [{ type: 'gantry.dev/DevicesReady', requiredStatus: 'True' }],
        taint: { key: 'readiness.k8s.io/gantry.dev-devices-ready', effect: 'NoSchedule', value: 'pending' },
        enforcementMode: 'continuous',
        nodeSelector: { matchLabels: { 'nvidia.com/gpu.present': 'true' } },
      },
    });
    expect(JSON.stringify(podOf(synth(readiness())))).toContain('"name":"CONDITION","value":"gantry.dev/DevicesReady"');
  });

  test('may change its own node alone', () => {
    const manifests = synth(readiness());
    expect(asArray(of(manifests, 'ClusterRole').rules)).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
    ]);
    expect(JSON.stringify(of(manifests, 'ValidatingAdmissionPolicy'))).toContain(
      'system:serviceaccount:gantry-system:gpu-ready',
    );
    expect(manifests.map(({ kind }) => kind).indexOf('DaemonSet')).toBeGreaterThan(
      manifests.map(({ kind }) => kind).indexOf('ValidatingAdmissionPolicyBinding'),
    );
  });

  test('hands out the taint that nodes are born with, and the toleration for the pods that make the devices', () => {
    let ready: DeviceReadiness | undefined;
    synth((chart) => {
      ready = new DeviceReadiness(chart, 'gpu-ready', { image: 'x', count: 8, by: 'remover' });
    });
    expect([ready?.taint, ready?.toleration, ready?.rule]).toEqual([
      { key: 'gantry.dev/devices-missing', effect: 'NoSchedule' },
      { key: 'gantry.dev/devices-missing', operator: 'Exists', effect: 'NoSchedule' },
      undefined,
    ]);
  });

  test('needs a number, and a namespace', () => {
    expect(() => {
      chartOf(readiness({ count: 0 }));
    }).toThrow('count must be a whole number greater than or equal to 1: 0.');
    expect(() => new DeviceReadiness(new Chart(new App(), 'x'), 'r', { image: 'x', count: 1 })).toThrow(
      'the binding of the ServiceAccount requires a namespace',
    );
  });
});

describe('MemlockRuntime', () => {
  test('is a RuntimeClass for the nodes that have it, with the files of those nodes', () => {
    const chart = new Chart(new App(), 'nodes', { namespace: 'gantry-system' });
    const rdma = new MemlockRuntime(chart, 'rdma', {
      nodeSelection: NodeSelection.tainted({ 'example.com/rdma': 'true' }, [
        { key: 'nvidia.com/gpu', effect: 'NoSchedule' },
      ]),
    });
    new NodeDocuments(chart, 'files', {
      documents: [...rdma.documents, new KubeletDropIn({ reservedSystemCpus: '0-3' })],
    });
    expect(Testing.check(chart).findings).toEqual([]);
    const manifests = Testing.synth(chart);
    expect(of(manifests, 'RuntimeClass')).toEqual({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'rdma' },
      handler: 'rdma',
      scheduling: {
        nodeSelector: { 'example.com/rdma': 'true' },
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      },
    });
    expect(Object.keys(asObject(of(manifests, 'ConfigMap').data))).toEqual([
      'etc_containerd_conf.d_50-rdma.toml',
      'etc_kubernetes_kubelet.conf.d_50-gpu.conf',
      'usr_local_sbin_rdma-base-spec.sh',
    ]);
  });
});
