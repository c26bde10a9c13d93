/**
 * The names that dockerd and the kubelet know: every directive of daemon.json is accepted, and every flag of the kubelet that has a field
 * is that field, with a value of its type.
 */
import { kubeletArgumentRules } from '../../../src/constructs/node-tuning/rules/kubelet-arguments';
import { kubeletConfigurationRules } from '../../../src/constructs/node-tuning/rules/kubelet-configuration';
import { findingsOf, findingsOfFile } from '../../support/findings';
import { dockerDaemonRules } from '../../../src/constructs/node-tuning/rules/docker-daemon';
import {
  configurationOfArguments,
  FIELD_OF_FLAG,
} from '../../../src/constructs/node-tuning/rules/kubelet-arguments-as-configuration';
import { type Finding } from '../../../src/checks/report/finding';

/** `dockerd --help`, and the keys of daemon.json that have no flag (moby, daemon/config). */
const DIRECTIVES =
  'allow-direct-routing allow-nondistributable-artifacts api-cors-header apparmor-profile authorization-plugins bip bip6 ' +
  'bridge bridge-accept-fwmark builder cdi-spec-dirs cgroup-parent containerd containerd-namespace ' +
  'containerd-plugin-namespace cpu-rt-period cpu-rt-runtime cri-containerd data-root debug default-address-pools ' +
  'default-cgroupns-mode default-gateway default-gateway-v6 default-ipc-mode default-network-opts default-runtime ' +
  'default-shm-size default-ulimits deprecated-key-path dns dns-opts dns-search exec-opts exec-root experimental ' +
  'extension-config extension-dirs features firewall-backend fixed-cidr fixed-cidr-v6 group host-gateway-ip ' +
  'host-gateway-ips hosts http-proxy https-proxy icc init init-path insecure-registries ip ip-forward ip-forward-no-drop ' +
  'ip-masq ip6tables iptables ipv6 labels live-restore log-driver log-format log-level log-opts max-concurrent-downloads ' +
  'max-concurrent-uploads max-download-attempts metrics-addr min-api-version mtu network-control-plane-mtu ' +
  'network-diagnostic-port no-new-privileges no-proxy node-generic-resources nri-opts oom-score-adjust pidfile proxies ' +
  'raw-logs registry-mirrors resolv-conf rootless runtimes seccomp-profile selinux-enabled shutdown-timeout storage-driver ' +
  'storage-opts swarm-default-advertise-addr swarm-raft-election-tick swarm-raft-heartbeat-tick tls tlscacert tlscert ' +
  'tlskey tlsverify userland-proxy userland-proxy-path userns-remap validate';

function findings(daemon: object): readonly Finding[] {
  return findingsOfFile(JSON.stringify(daemon), 'daemon.json', dockerDaemonRules).filter(({ rule }) =>
    rule.endsWith('docker-directive-known'),
  );
}

test('daemon.json may set every directive of the Docker daemon', () => {
  const all = Object.fromEntries(DIRECTIVES.split(' ').map((name) => [name, 'x']));
  expect(findings(all).map(({ found, path }) => [path, found])).toEqual([]);
});

test('a directive with one letter too many is reported with the directive', () => {
  const names = DIRECTIVES.split(' ').filter((name) => name.length > 6);
  const slips = Object.fromEntries(names.map((name) => [`${name}x`, 1]));
  const reported = new Map(findings(slips).map(({ path, expected }) => [path, expected]));
  expect(names.filter((name) => reported.get(`/${name}x`) !== name)).toEqual([]);
});

test.each([
  ['graph', 'data-root'],
  ['cluster-store', 'nothing'],
  ['cluster-store-opts', 'nothing'],
  ['cluster-advertise', 'nothing'],
  ['disable-legacy-registry', 'nothing'],
  ['default-ulimit', 'default-ulimits'],
])('%s, which Docker has removed, is reported with %s in its place', (name, expected) => {
  expect(findings({ [name]: 'x' })).toMatchObject([{ path: `/${name}`, expected }]);
});

/** Fields whose name is not the flag in camel case (kubernetes, cmd/kubelet/app/options). */
const OTHERWISE: Readonly<Record<string, string>> = {
  'pod-manifest-path': 'staticPodPath',
  'rotate-server-certificates': 'serverTLSBootstrap',
  'registry-qps': 'registryPullQPS',
  'event-qps': 'eventRecordQPS',
  'cluster-dns': 'clusterDNS',
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
  'cgroups-per-qos': 'cgroupsPerQOS',
  'pod-cidr': 'podCIDR',
  'pod-max-pids': 'podPidsLimit',
  'cpu-cfs-quota': 'cpuCFSQuota',
  'cpu-cfs-quota-period': 'cpuCFSQuotaPeriod',
  'reserved-cpus': 'reservedSystemCPUs',
  'provider-id': 'providerID',
};
const FLAGS = {
  boolean:
    'fail-swap-on rotate-server-certificates rotate-certificates cgroups-per-qos cpu-cfs-quota serialize-image-pulls protect-kernel-defaults',
  number:
    'port read-only-port registry-qps registry-burst event-qps event-burst healthz-port oom-score-adj image-gc-high-threshold ' +
    'image-gc-low-threshold max-pods pod-max-pids node-status-max-images max-open-files pods-per-core container-log-max-files',
  list: 'tls-cipher-suites cluster-dns allowed-unsafe-sysctls enforce-node-allocatable',
  map:
    'cpu-manager-policy-options topology-manager-policy-options eviction-hard eviction-soft eviction-minimum-reclaim system-reserved ' +
    'kube-reserved feature-gates',
  text:
    'pod-manifest-path address tls-cert-file tls-private-key-file tls-min-version cluster-domain cgroup-driver cgroup-root ' +
    'cpu-manager-policy cpu-manager-reconcile-period topology-manager-policy topology-manager-scope memory-manager-policy hairpin-mode ' +
    'pod-cidr resolv-conf cpu-cfs-quota-period reserved-cpus system-reserved-cgroup kube-reserved-cgroup container-runtime-endpoint ' +
    'volume-plugin-dir node-status-update-frequency runtime-request-timeout container-log-max-size provider-id',
} as const;
const VALUES = {
  boolean: [
    ['true', true],
    ['false', false],
    ['yes', 'yes'],
  ],
  number: [
    ['7', 7],
    ['-1', -1],
    ['7x', '7x'],
    ['x7', 'x7'],
  ],
  list: [
    ['a,b', ['a', 'b']],
    ['', []],
    ['a,', ['a']],
  ],
  map: [
    ['a=1,b=x=2', { a: '1', b: 'x=2' }],
    ['memory.available<100Mi', { 'memory.available': '100Mi' }],
    ['a', {}],
    ['', {}],
  ],
  text: [
    ['x', 'x'],
    ['1', '1'],
    ['a,b=c', 'a,b=c'],
  ],
} as const;
const fieldOf = (flag: string): string =>
  OTHERWISE[flag] ?? flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe.each(Object.entries(FLAGS) as [keyof typeof FLAGS, string][])(
  'a flag of the kubelet with a %s',
  (type, flags) => {
    test.each(flags.split(' '))('--%s is its field', (flag) => {
      for (const [text, value] of VALUES[type]) {
        const { configuration, flagOf } = configurationOfArguments({ [flag]: text });
        expect(configuration).toEqual({
          apiVersion: 'kubelet.config.k8s.io/v1beta1',
          kind: 'KubeletConfiguration',
          [fieldOf(flag)]: value,
        });
        expect([...flagOf]).toEqual([[fieldOf(flag), flag]]);
      }
      expect(FIELD_OF_FLAG.get(flag)).toBe(fieldOf(flag));
    });
  },
);

test('flags whose form is not that of the file have a field but no value', () => {
  for (const [flag, field] of [
    ['reserved-memory', 'reservedMemory'],
    ['register-with-taints', 'registerWithTaints'],
  ] as const) {
    expect(FIELD_OF_FLAG.get(flag)).toBe(field);
    expect(configurationOfArguments({ [flag]: '0:memory=1Gi' }).flagOf.size).toBe(0);
  }
});

test('a flag without a string is left out', () => {
  expect(configurationOfArguments({ 'max-pods': 5 }).flagOf.size).toBe(0);
});

const kubelet = (
  fields: object,
): readonly { readonly rule: string; readonly path: string; readonly expected?: string }[] =>
  findingsOf(
    JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...fields }),
    kubeletConfigurationRules,
  )
    .filter(({ rule }) => /-(policy-known|number-within-bounds|enforcement-known|reserved-resources-known)$/.test(rule))
    .map(({ rule, path, expected }) => ({ rule: rule.replace('node-tuning/', ''), path, expected }));

test.each([
  ['topologyManagerPolicy', ['none', 'best-effort', 'restricted', 'single-numa-node']],
  ['topologyManagerScope', ['container', 'pod']],
  ['cpuManagerPolicy', ['none', 'static']],
  ['memoryManagerPolicy', ['None', 'Static']],
  ['cgroupDriver', ['cgroupfs', 'systemd']],
  ['hairpinMode', ['none', 'hairpin-veth', 'promiscuous-bridge']],
])('%s takes its values and no other', (field, values) => {
  for (const value of values) {
    expect(kubelet({ [field]: value })).toEqual([]);
  }
  expect(kubelet({ [field]: 'other' })).toMatchObject([{ rule: 'kubelet-policy-known', path: `/${field}` }]);
});

test.each([
  ['maxPods', 0, Infinity],
  ['podsPerCore', 0, Infinity],
  ['maxOpenFiles', 0, Infinity],
  ['oomScoreAdj', -1000, 1000],
  ['imageGCHighThresholdPercent', 0, 100],
  ['imageGCLowThresholdPercent', 0, 100],
  ['nodeStatusMaxImages', -1, Infinity],
  ['port', 1, 65_535],
  ['readOnlyPort', 0, 65_535],
  ['healthzPort', 0, 65_535],
  ['maxParallelImagePulls', 1, Infinity],
  ['podPidsLimit', -1, Infinity],
])('%s is from %d to %d', (field, least, most) => {
  const others = { imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 0, maxPods: 10 };
  const wrong = (value: number): readonly string[] =>
    kubelet({ ...others, [field]: value }).flatMap(({ path }) => (path === `/${field}` ? [path] : []));
  expect(wrong(least - 1)).toContain(`/${field}`);
  expect(wrong(Number.isFinite(most) ? most + 1 : least - 2)).toContain(`/${field}`);
  const bounds = field.startsWith('imageGC') ? [] : [least, Number.isFinite(most) ? most : 1_000_000];
  expect(bounds.flatMap(wrong)).toEqual([]);
});

test('reserved amounts are of known resources, readable, and not negative', () => {
  expect(kubelet({ kubeReserved: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi', pid: '100' } })).toEqual([]);
  expect(kubelet({ systemReserved: { memory: '0' } })).toEqual([]);
  for (const amounts of [{ memory: '-1Gi' }, { memory: 'much' }, { memory: true }, { gpu: '1' }]) {
    expect(kubelet({ kubeReserved: amounts }).map(({ rule }) => rule)).toEqual(['kubelet-reserved-resources-known']);
  }
});

test.each([
  'container-runtime',
  'network-plugin',
  'cni-bin-dir',
  'cni-conf-dir',
  'docker-endpoint',
  'image-pull-progress-deadline',
  'dynamic-config-dir',
  'register-schedulable',
  'allow-privileged',
])('--%s is reported as a flag that the kubelet no longer has', (flag) => {
  const found = findingsOfFile(`KUBELET_EXTRA_ARGS=--${flag}=x\n`, 'kubeadm-flags.env', kubeletArgumentRules);
  expect(found.map(({ rule }) => rule)).toContain('node-tuning/kubelet-flag-exists');
});
