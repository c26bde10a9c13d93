/**
 * Docker's daemon.json. It is Docker's alone: a kubelet has not talked to Docker since 1.24.
 */
import { oneOf } from '../../../facts/words';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { text, textsOf } from '../../../checks/server/values';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type FileFacts, fileRule, type FileView } from './files';

const SOURCE = 'moby 29.x, daemon/config/config.go (findConfigurationConflicts), daemon/daemon_unix.go';

/** Runtimes that are there without being defined. */
const BUILT_IN = /^(runc|io\.containerd\.)/;

/** Directives, including those that newer daemons ignore. */
const DIRECTIVES: readonly string[] = [
  'allow-direct-routing',
  'allow-nondistributable-artifacts',
  'api-cors-header',
  'apparmor-profile',
  'authorization-plugins',
  'bip',
  'bip6',
  'bridge',
  'bridge-accept-fwmark',
  'builder',
  'cdi-spec-dirs',
  'cgroup-parent',
  'containerd',
  'containerd-namespace',
  'containerd-plugin-namespace',
  'cpu-rt-period',
  'cpu-rt-runtime',
  'cri-containerd',
  'data-root',
  'debug',
  'default-address-pools',
  'default-cgroupns-mode',
  'default-gateway',
  'default-gateway-v6',
  'default-ipc-mode',
  'default-network-opts',
  'default-runtime',
  'default-shm-size',
  'default-ulimits',
  'deprecated-key-path',
  'dns',
  'dns-opts',
  'dns-search',
  'exec-opts',
  'exec-root',
  'experimental',
  'extension-config',
  'extension-dirs',
  'features',
  'firewall-backend',
  'fixed-cidr',
  'fixed-cidr-v6',
  'group',
  'host-gateway-ip',
  'host-gateway-ips',
  'hosts',
  'http-proxy',
  'https-proxy',
  'icc',
  'init',
  'init-path',
  'insecure-registries',
  'ip',
  'ip-forward',
  'ip-forward-no-drop',
  'ip-masq',
  'ip6tables',
  'iptables',
  'ipv6',
  'labels',
  'live-restore',
  'log-driver',
  'log-format',
  'log-level',
  'log-opts',
  'max-concurrent-downloads',
  'max-concurrent-uploads',
  'max-download-attempts',
  'metrics-addr',
  'min-api-version',
  'mtu',
  'network-control-plane-mtu',
  'network-diagnostic-port',
  'no-new-privileges',
  'no-proxy',
  'node-generic-resources',
  'nri-opts',
  'oom-score-adjust',
  'pidfile',
  'proxies',
  'raw-logs',
  'registry-mirrors',
  'resolv-conf',
  'rootless',
  'runtimes',
  'seccomp-profile',
  'selinux-enabled',
  'shutdown-timeout',
  'storage-driver',
  'storage-opts',
  'swarm-default-advertise-addr',
  'swarm-raft-election-tick',
  'swarm-raft-heartbeat-tick',
  'tls',
  'tlscacert',
  'tlscert',
  'tlskey',
  'tlsverify',
  'userland-proxy',
  'userland-proxy-path',
  'userns-remap',
  'validate',
];

/** Directives that Docker has removed, so that they are not reported as typos. */
const GONE: ReadonlyMap<string, string> = new Map([
  ['graph', 'data-root'],
  ['cluster-store', 'nothing'],
  ['cluster-store-opts', 'nothing'],
  ['cluster-advertise', 'nothing'],
  ['disable-legacy-registry', 'nothing'],
  ['default-ulimit', 'default-ulimits'],
]);

function dockerRule(
  name: string,
  facts: Omit<FileFacts, 'source'> & { readonly source?: string },
  check: (file: FileView) => Iterable<Violation>,
): Rule {
  return fileRule('DockerDaemonConfig', name, { source: SOURCE, ...facts }, check);
}

export const dockerDaemonRules: readonly Rule[] = [
  dockerRule(
    'docker-directive-known',
    {
      row: 'D10',
      summary: 'The keys of daemon.json must be directives of the Docker daemon.',
      why: 'The daemon does not start: "the following directives don\'t match any configuration option".',
      fix: 'Rename the key in daemon.json to an option of the daemon, or remove it.',
    },
    function* ({ value }) {
      for (const [key, found] of Object.entries(value)) {
        if (DIRECTIVES.includes(key)) {
          continue;
        }
        yield {
          path: pointer('', key),
          message: `unknown Docker daemon option "${key}"`,
          found,
          expected: GONE.get(key) ?? nearestName(key, DIRECTIVES),
        };
      }
    },
  ),

  dockerRule(
    'docker-default-runtime-defined',
    {
      row: 'D11',
      summary: 'The default runtime of daemon.json must be runc or one of its runtimes.',
      why: 'The daemon does not start: "specified default runtime does not exist".',
      fix: 'Add the runtime to runtimes, or set default-runtime to runc.',
    },
    function* ({ value }) {
      const name = text(value['default-runtime']);
      if (name !== '' && !BUILT_IN.test(name) && !isObject(asObject(value.runtimes)[name])) {
        yield {
          path: '/default-runtime',
          message: `the default runtime "${name}" is not defined in runtimes`,
          found: name,
          expected: oneOf(['runc', ...Object.keys(asObject(value.runtimes))]),
        };
      }
    },
  ),

  dockerRule(
    'docker-gpu-runtime-chosen',
    {
      row: 'D11',
      tier: 'advice',
      severity: 'warning',
      summary: "Docker's NVIDIA runtime should be selected by the containers that need it, and not be the default.",
      why: 'As the default it gives every GPU to any image with NVIDIA_VISIBLE_DEVICES=all, as in CUDA images, regardless of how GPUs are allocated.',
      source: 'nvidia-container-toolkit v1.20, api/config/v1 (accept-nvidia-visible-devices-envvar-when-unprivileged)',
      fix: 'Set default-runtime to runc, because --gpus and DeviceRequests work with it.',
    },
    function* ({ value }) {
      const name = text(value['default-runtime']);
      if (/^nvidia/.test(name)) {
        yield {
          path: '/default-runtime',
          message: `the default runtime must be runc: "${name}" would run every container on the host`,
          found: name,
          expected: 'runc',
        };
      }
    },
  ),

  dockerRule(
    'docker-cgroup-driver-known',
    {
      row: 'D10',
      summary: 'native.cgroupdriver must be systemd or cgroupfs.',
      why: 'The daemon does not start with another driver.',
      fix: 'Remove native.cgroupdriver from exec-opts, because systemd is the default with cgroups v2.',
    },
    function* ({ value }) {
      for (const { value: option, path } of textsOf(value['exec-opts'], '/exec-opts')) {
        const driver = /^native\.cgroupdriver=(.*)$/.exec(option)?.[1];
        if (driver !== undefined && !['systemd', 'cgroupfs'].includes(driver)) {
          yield {
            path,
            message: `unsupported cgroup driver "${driver}"`,
            found: option,
            expected: 'native.cgroupdriver=systemd',
          };
        }
      }
    },
  ),

  dockerRule(
    'docker-cgroup-driver-left-to-host',
    {
      row: 'D10',
      tier: 'advice',
      severity: 'info',
      summary: 'native.cgroupdriver should not be set to its default.',
      why: 'systemd is the default with cgroups v2, which all current systems use; the setting does not affect the kubelet, which does not use Docker.',
      source: 'docker/cli, docs/reference/dockerd.md; kubernetes 1.24 (dockershim removed)',
      fix: 'Remove native.cgroupdriver from exec-opts, unless the host uses cgroups v1.',
    },
    function* ({ value }) {
      for (const { value: option, path } of textsOf(value['exec-opts'], '/exec-opts')) {
        if (option === 'native.cgroupdriver=systemd') {
          yield {
            path,
            message: 'native.cgroupdriver does not need to be set: the default with cgroups v2 is systemd',
            found: option,
            expected: 'no such option',
          };
        }
      }
    },
  ),
];
