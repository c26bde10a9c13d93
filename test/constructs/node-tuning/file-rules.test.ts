/**
 * Files of nodes: each rule fires on its fault, as a file and as a text in a ConfigMap alike, and good files stay silent.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { NODE_FILE, parseFile } from '../../../src/manifests/documents/node-file';
import { containerdRules } from '../../../src/constructs/node-tuning/rules/containerd';
import { dockerDaemonRules } from '../../../src/constructs/node-tuning/rules/docker-daemon';
import { fileReadable } from '../../../src/constructs/node-tuning/rules/files';
import { kubeletArgumentRules } from '../../../src/constructs/node-tuning/rules/kubelet-arguments';
import { nodeTuningRules } from '../../../src/constructs/node-tuning/rules';
import { unitRules } from '../../../src/constructs/node-tuning/rules/units';
import { findingsOfFile } from '../../support/findings';

const CRI = 'plugins."io.containerd.cri.v1.runtime"';
const OLD = 'plugins."io.containerd.grpc.v1.cri"';

const CONTAINERD = [
  'version = 3',
  `[${CRI}]`,
  '  cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]',
  `[${CRI}.containerd]`,
  '  default_runtime_name = "runc"',
  `[${CRI}.containerd.runtimes.runc]`,
  '  runtime_type = "io.containerd.runc.v2"',
  `[${CRI}.containerd.runtimes.runc.options]`,
  '  SystemdCgroup = true',
  `[${CRI}.containerd.runtimes.gvisor]`,
  '  runtime_type = "io.containerd.runsc.v1"',
  `[${CRI}.containerd.runtimes.gvisor.options]`,
  '  TypeUrl = "io.containerd.runsc.v1.options"',
].join('\n');
const DOCKER = {
  runtimes: { nvidia: { path: 'nvidia-container-runtime' }, kata: { runtimeType: 'io.containerd.kata.v2' } },
  features: { cdi: true },
  'live-restore': true,
  'log-opts': { 'max-size': '50m' },
  'default-ulimits': { memlock: { Name: 'memlock', Hard: -1, Soft: -1 } },
};
const docker = (more: object): string => JSON.stringify({ ...DOCKER, ...more });
const OCI = (fileMode: number): string =>
  JSON.stringify({
    ociVersion: '1.3.0',
    linux: { devices: [{ path: '/dev/nvidia0', type: 'c', major: 195, minor: 0, fileMode }] },
  });

const GOOD: readonly (readonly [string, string, string])[] = [
  ['containerd of version 3', 'config.toml', CONTAINERD],
  [
    'containerd of version 2',
    'config.toml',
    `version = 2\n[${OLD}.containerd.runtimes.runc]\n  runtime_type = "io.containerd.runc.v2"\n  [${OLD}.containerd.runtimes.runc.options]\n    SystemdCgroup = true\n    BinaryName = "/usr/bin/runc"`,
  ],
  ['Docker', 'daemon.json', docker({})],
  ['Docker, almost empty', 'daemon.json', '{"debug": true}'],
  [
    'flags that no file can say',
    '10-flags',
    'KUBELET_EXTRA_ARGS="--node-ip=10.0.0.1 --node-labels=gantry.dev/pool=h100,node.kubernetes.io/role=gpu"',
  ],
  ['a slice', 'ai.slice', '[Slice]\nCPUWeight=idle\nMemoryHigh=90%'],
  ["a drop-in of containerd's unit", 'containerd.service.d/memlock.conf', '[Service]\nLimitMEMLOCK=infinity'],
  ['an OCI runtime specification', 'spec.json', OCI(438)],
];

const FAULTS: readonly (readonly [string, string, string, string])[] = [
  [
    'containerd-systemd-cgroup-of-runc',
    'under the plugin',
    'config.toml',
    `version = 3\n[${CRI}]\nsystemd_cgroup = true`,
  ],
  [
    'containerd-systemd-cgroup-of-runc',
    'under the runtime',
    'config.toml',
    `version = 2\n[${OLD}.containerd.runtimes.runc]\nsystemd_cgroup = true`,
  ],
  [
    'containerd-runc-option-known',
    'an option that never was',
    'config.toml',
    `version = 2\n[${OLD}.containerd.runtimes.runc.options]\nSystemdCgroupParent = "ai.slice"`,
  ],
  [
    'containerd-default-runtime-by-name',
    'a table',
    'config.toml',
    `version = 2\n[${OLD}.containerd.default_runtime]\nruntime_type = "io.containerd.runc.v2"`,
  ],
  [
    'containerd-runtime-key-known',
    'an option in the wrong table',
    'config.toml',
    CONTAINERD.replace('runc.v2"', 'runc.v2"\n  SystemdCgroup = true'),
  ],
  [
    'containerd-plugin-of-version',
    'the old name in version 4',
    'config.toml',
    `version = 4\n[${OLD}.containerd]\ndefault_runtime_name = "runc"`,
  ],
  [
    'containerd-plugin-of-version',
    'the new name in version 2',
    'config.toml',
    CONTAINERD.replace('version = 3', 'version = 2'),
  ],
  ['containerd-config-states-version', 'no version', 'config.toml', CONTAINERD.replace('version = 3\n', '')],
  [
    'containerd-runtimes-share-cgroup-driver',
    'a runtime of its own',
    'config.toml',
    `${CONTAINERD}\n[${CRI}.containerd.runtimes.nvidia]\nruntime_type = "io.containerd.runc.v2"`,
  ],
  ['containerd-gpu-runtime-chosen', 'for all', 'config.toml', CONTAINERD.replace('= "runc"', '= "nvidia"')],
  [
    'containerd-injects-devices',
    'off',
    'config.toml',
    CONTAINERD.replace('  cdi_spec_dirs', '  enable_cdi = false\n  cdi_spec_dirs'),
  ],
  ['docker-directive-known', 'a slip', 'daemon.json', docker({ 'default-runtimes': 'runc' })],
  [
    'docker-default-runtime-defined',
    'a runtime that is not there',
    'daemon.json',
    docker({ 'default-runtime': 'crun' }),
  ],
  ['docker-gpu-runtime-chosen', 'for all', 'daemon.json', docker({ 'default-runtime': 'nvidia' })],
  [
    'docker-cgroup-driver-known',
    'an invented driver',
    'daemon.json',
    docker({ 'exec-opts': ['native.cgroupdriver=unified'] }),
  ],
  [
    'docker-cgroup-driver-left-to-host',
    'the default',
    'daemon.json',
    docker({ 'exec-opts': ['native.cgroupdriver=systemd'] }),
  ],
  ['kubelet-setting-in-file', 'a deprecated flag', 'flags', '--max-pods=50'],
  [
    'kubelet-flag-exists',
    'a flag that is gone',
    'kubeadm-flags.env',
    'KUBELET_KUBEADM_ARGS="--container-runtime=remote"',
  ],
  ['kubelet-may-set-label', 'a role', 'flags', '--node-labels=node-role.kubernetes.io/gpu=true'],
  ['pod-pids-limit-guards-node', 'as a flag', 'flags', '# why\n--pod-max-pids=3000000 # many'],
  ['max-pods-within-pod-network', 'as a flag', 'flags', '--max-pods 500'],
  ['topology-policy-keeps-its-promise', 'as a flag', 'flags', '--topology-manager-policy=best-effort'],
  ['slice-of-pods-left-to-kubelet', 'a weight', 'kubepods.slice.d', '[Slice]\nCPUWeight=200'],
  ['unit-setting-of-cgroup-v2', 'a setting of version 1', 'ai.slice', '[Slice]\nCPUShares=2048'],
  ['unit-weight-within-bounds', 'a weight of 100000', 'ai.slice', '[Slice]\nCPUWeight=100000'],
  ['io-weight-has-scheduler', 'a weight', 'ai.slice', '[Slice]\nIOWeight=800'],
  ['oci-file-mode-decimal', 'octal digits', 'spec.json', OCI(666)],
];

const findingsIn = (text: string, file: string): readonly Finding[] => findingsOfFile(text, file, nodeTuningRules);

function embedded(name: string, text: string): string {
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'files' },
    data: { [name.replaceAll('/', '_')]: text },
  };
  return JSON.stringify(map);
}

test.each(GOOD)('%s has no finding', (_what, file, text) => {
  expect(parseFile(text, file).manifests.map(({ id }) => id.group)).toEqual([NODE_FILE]);
  expect(findingsIn(text, file)).toEqual([]);
  expect(findingsIn(embedded(file, text), 'map.json')).toEqual([]);
});

test.each(FAULTS)('node-tuning/%s: %s', (rule, _what, file, text) => {
  const asFile = findingsIn(text, file).filter((finding) => finding.rule === `node-tuning/${rule}`);
  expect(asFile).toHaveLength(1);
  expect(asFile[0].line).toBeGreaterThan(0);
  const inMap = findingsIn(embedded(file, text), 'map.json').filter(
    (finding) => finding.rule === `node-tuning/${rule}`,
  );
  expect(inMap.map(({ path }) => path)).toEqual([`/data/${file.replaceAll('/', '_')}`]);
  expect(inMap[0].message).toContain(asFile[0].message);
});

test('every rule over files has a fault in this table', () => {
  const covered = new Set(FAULTS.map(([rule]) => `node-tuning/${rule}`));
  const ids = [...containerdRules, ...dockerDaemonRules, ...kubeletArgumentRules, ...unitRules].map(({ id }) => id);
  expect(ids.filter((id) => !covered.has(id))).toEqual([]);
});

describe('a text that is meant for a node and cannot be read', () => {
  test('is an error in a ConfigMap', () => {
    const findings = findingsOfFile(embedded('config.toml', `${CONTAINERD}\n[broken`), 'map.json', [fileReadable]);
    expect(findings.map(({ rule, path, message }) => [rule, path, message.split(':')[0]])).toEqual([
      ['node-tuning/node-file-readable', '/data/config.toml', 'containerd cannot read the file'],
    ]);
  });

  test('is reported with its line as a file', () => {
    const [problem] = parseFile(`${CONTAINERD}\n[broken`, 'config.toml').problems;
    expect([problem.kind, problem.position.line, problem.message]).toEqual([
      'syntax',
      14,
      expect.stringContaining('containerd'),
    ]);
  });
});

test.each([
  ['a Cargo file', 'Cargo.toml', '[package]\nname = "x"\nversion = "3.0.0"'],
  [
    'a ConfigMap that holds a containerd file',
    'map.yaml',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata:\n  config.toml: |\n    version = 3\n    [${CRI}]\n`,
  ],
  ['a package.json', 'package.json', '{"name": "x", "dependencies": {}}'],
  [
    'shell arguments',
    'run.yaml',
    'apiVersion: v1\nkind: Pod\nmetadata: { name: x }\nspec: { containers: [{ name: a, args: [--max-pods=500] }] }',
  ],
])('%s is no file of a node', (_what, file, text) => {
  expect(parseFile(text, file).manifests.filter(({ id }) => id.group === NODE_FILE)).toEqual([]);
});

test("a kubelet's drop-in is not blamed for what another file says", () => {
  const dropIn =
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncpuManagerPolicy: static\nmemoryManagerPolicy: Static\n';
  expect(findingsIn(dropIn, '50-gpu.conf')).toEqual([]);
  expect(findingsIn(dropIn, 'kubelet.yaml').map(({ severity }) => severity)).toContain('error');
  const low = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nimageGCLowThresholdPercent: 85\n';
  expect(findingsIn(low, '50-images.conf')).toEqual([]);
  expect(findingsIn(low, 'kubelet.yaml').map(({ found, expected }) => [found, expected])).toEqual([
    [85, 'less than 85'],
  ]);
});

test('a place within a ConfigMap is named in the message', () => {
  const [finding] = findingsIn(
    embedded('config.toml', `version = 2\n[${OLD}.containerd.runtimes.runc.options]\nSystemdCgroupParent = "ai.slice"`),
    'map.json',
  );
  expect(finding.message).toBe(
    'plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options.SystemdCgroupParent: unknown runc option "SystemdCgroupParent"',
  );
});
