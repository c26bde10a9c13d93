/**
 * Node documents: the files, that rules find nothing in them, and how they are written.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Size } from 'cdk8s';
import { parseFile } from '../../../src/manifests/documents/node-file';
import { nodeTuningRules } from '../../../src/constructs/node-tuning/rules';
import {
  ContainerdConfiguration,
  DockerDaemon,
  KubeletDropIn,
  type NodeDocument,
  SystemdDropIn,
  writeNodeDocuments,
} from '../../../src/constructs/node-tuning';
import { findingsOfFile } from '../../support/findings';

const findings = (document: NodeDocument): readonly string[] => {
  const text = document.toText();
  expect(parseFile(text, document.path).manifests).toHaveLength(1);
  return findingsOfFile(text, document.path, nodeTuningRules).map(({ rule, message }) => `${rule}: ${message}`);
};

describe('KubeletDropIn', () => {
  const gpu = new KubeletDropIn({
    reservedSystemCpus: '0-3,64-67',
    memoryManager: 'Static',
    kubeReserved: { memory: '4Gi' },
    systemReserved: { memory: '4Gi' },
    singleProcessOomKill: false,
  });

  test('computes what the static memory manager must keep', () => {
    expect(gpu.toConfiguration()).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      podPidsLimit: 65_536,
      reservedSystemCPUs: '0-3,64-67',
      cpuManagerPolicy: 'static',
      cpuManagerPolicyOptions: { 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'true' },
      topologyManagerPolicy: 'restricted',
      topologyManagerScope: 'pod',
      memoryManagerPolicy: 'Static',
      kubeReserved: { memory: '4Gi' },
      systemReserved: { memory: '4Gi' },
      evictionHard: { 'memory.available': '1Gi' },
      reservedMemory: [{ numaNode: 0, limits: { memory: '9Gi' } }],
      singleProcessOOMKill: false,
    });
    expect([gpu.path, findings(gpu)]).toEqual(['/etc/kubernetes/kubelet.conf.d/50-gpu.conf', []]);
  });

  test('tells the steps around it, which begin and end with the pods', () => {
    expect([gpu.rollOut[0], gpu.rollOut[gpu.rollOut.length - 1]]).toEqual([
      'kubectl cordon NODE',
      'kubectl uncordon NODE',
    ]);
    expect(gpu.rollOut).toContain('rm -f /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state');
  });

  test.each([
    [{}, 'requires reserved CPUs for the system'],
    [{ reservedSystemCpus: '0', podPidsLimit: 4_000_000 }, 'must be an integer from 1 to 2097152'],
    [{ reservedSystemCpus: '0', maxPods: 500 }, 'do not fit into a /24'],
    [{ reservedSystemCpus: '0', fileName: 'gpu.yaml' }, 'must end with .conf'],
    [
      {
        reservedSystemCpus: '0',
        memoryManager: 'Static',
        kubeReserved: { memory: '1Gi' },
        reservedMemory: [{ numaNode: 0, memory: '1Gi' }],
      },
      '(1Gi != 2Gi)',
    ],
    [
      { reservedSystemCpus: '0', memoryManager: 'Static', evictionHard: { 'memory.available': '5%' } },
      'depends on the node',
    ],
    [
      { reservedSystemCpus: '0', memoryManager: 'Static', kubeReserved: { memory: 'lots' } },
      'must be a quantity with its unit',
    ],
  ] as const)('%j is refused', (props, why) => {
    expect(() => new KubeletDropIn(props).toText()).toThrow(why);
  });
});

describe('ContainerdConfiguration', () => {
  const runtimes = {
    rdma: { baseRuntimeSpec: '/etc/containerd/rdma-base-spec.json' },
    gvisor: { type: 'io.containerd.runsc.v1' },
  };

  test('is a drop-in of version 3', () => {
    const drop = new ContainerdConfiguration({ runtimes });
    expect([drop.path, findings(drop)]).toEqual(['/etc/containerd/conf.d/50-gantry.toml', []]);
    expect(drop.toText()).toBe(
      [
        '# Merged with the other files of containerd, whose version must not be lower.',
        'version = 3',
        '',
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.rdma]',
        'runtime_type = "io.containerd.runc.v2"',
        'base_runtime_spec = "/etc/containerd/rdma-base-spec.json"',
        '',
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.rdma.options]',
        'SystemdCgroup = true',
        '',
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.gvisor]',
        'runtime_type = "io.containerd.runsc.v1"',
        '',
      ].join('\n'),
    );
  });

  test('is the whole file of version 2, with what must stay', () => {
    const whole = new ContainerdConfiguration({
      version: 2,
      nvidiaRuntime: true,
      overrides: { containerd: { snapshotter: 'overlayfs' } },
    });
    expect([whole.path, findings(whole)]).toEqual(['/etc/containerd/config.toml', []]);
    expect(whole.toConfiguration()).toEqual({
      version: 2,
      plugins: {
        'io.containerd.grpc.v1.cri': {
          enable_cdi: true,
          cdi_spec_dirs: ['/etc/cdi', '/var/run/cdi'],
          containerd: {
            snapshotter: 'overlayfs',
            runtimes: {
              nvidia: {
                runtime_type: 'io.containerd.runc.v2',
                options: { SystemdCgroup: true, BinaryName: '/usr/bin/nvidia-container-runtime' },
              },
            },
          },
        },
      },
    });
  });

  test("leaves the toolkit's file alone, and says something", () => {
    expect(() => new ContainerdConfiguration({ runtimes, path: '/etc/containerd/conf.d/99-nvidia.toml' })).toThrow(
      'belongs to the NVIDIA container toolkit',
    );
    expect(() => new ContainerdConfiguration({})).toThrow('the configuration must not be empty');
  });
});

describe('other files', () => {
  test('Docker keeps runc for all, and has devices by CDI', () => {
    const daemon = new DockerDaemon({
      cgroupParent: 'ai.slice',
      defaultShmSize: '8Gi',
      logs: { maxSize: Size.mebibytes(50), maxFiles: 2 },
      overrides: { 'data-root': '/data/docker' },
    });
    expect(findings(daemon)).toEqual([]);
    expect(JSON.parse(daemon.toText())).toMatchObject({
      features: { cdi: true },
      runtimes: { nvidia: { path: 'nvidia-container-runtime' } },
      'cgroup-parent': 'ai.slice',
      'data-root': '/data/docker',
      'default-shm-size': '8g',
      'log-opts': { 'max-size': '52428800', 'max-file': '2' },
    });
    expect(new DockerDaemon().toConfiguration()).toMatchObject({ 'log-opts': { 'max-size': '50m', 'max-file': '3' } });
    expect(daemon.toConfiguration()['default-runtime']).toBeUndefined();
  });

  test('units have their settings beside them', () => {
    expect(SystemdDropIn.memlock()).toMatchObject({ path: '/etc/systemd/system/containerd.service.d/50-memlock.conf' });
    const slice = SystemdDropIn.slice('ai.slice', {
      cpuWeight: 200,
      memoryHigh: '75%',
      memoryMax: '48Gi',
      tasksMax: 100_000,
      allowedCpus: '0-31',
    });
    expect([slice.toText(), findings(slice)]).toEqual([
      '[Slice]\nCPUWeight=200\nAllowedCPUs=0-31\nMemoryHigh=75%\nMemoryMax=48G\nTasksMax=100000\n',
      [],
    ]);
  });

  test.each([
    [
      "the kubelet's",
      () => SystemdDropIn.slice('kubepods-burstable.slice', { cpuWeight: 200 }),
      'belongs to the kubelet',
    ],
    ['a weight too large', () => SystemdDropIn.slice('ai.slice', { cpuWeight: 20_000 }), 'between 1 and 10000'],
    ['nothing', () => SystemdDropIn.slice('ai.slice', {}), 'settings must not be empty'],
    [
      'no unit',
      () => new SystemdDropIn({ unit: 'containerd', settings: { Service: { Nice: 1 } } }),
      '"containerd" is not a valid unit name',
    ],
  ])('%s is refused', (_what, build, why) => {
    expect(build).toThrow(why);
  });
});

test('documents are written at their paths, with the steps beside them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-files-'));
  try {
    const files = writeNodeDocuments(folder, [SystemdDropIn.memlock(), new DockerDaemon()]);
    expect(files.map((file) => file.slice(folder.length))).toEqual([
      '/node-files/etc/systemd/system/containerd.service.d/50-memlock.conf',
      '/node-files/etc/docker/daemon.json',
      '/node-files/ROLL-OUT.txt',
    ]);
    expect(readFileSync(files[0], 'utf8')).toBe('[Service]\nLimitMEMLOCK=infinity\n');
    expect(readFileSync(files[2], 'utf8')).toContain('  kubectl cordon NODE\n');
    expect([readdirSync(folder), statSync(files[0]).mode & 0o777]).toEqual([['node-files'], 0o644]);
    expect(() => writeNodeDocuments(folder, [new DockerDaemon(), new DockerDaemon()])).toThrow(
      'two documents have the path /etc/docker/daemon.json',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
