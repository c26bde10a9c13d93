/**
 * The programs of a node, built once per version from the Go module proxy: the kubelet, the plugins of its network, and what the suite needs
 * besides. containerd is that of the Docker suites.
 *
 * Pods with the seccomp profile of the runtime need a runc that was built with libseccomp: the machine's, or that of Debian's package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoControlPlane } from '../control-plane/availability';
import { buildEngine, programFolder, whyNoEngine } from '../docker/programs';
import {
  buildGoProgram,
  cacheFolder,
  type GoProgram,
  hashOfSources,
  requiredVersion,
  whyNoPrograms,
} from '../go-program';

const MODULE = join(__dirname, 'program');
const ENGINE_MODULE = join(__dirname, '../docker/engine');
const CONTAINERD = 'github.com/containerd/containerd/v2';
const NETWORK_PLUGINS = 'github.com/containernetworking/plugins';

/** Paths of the programs. */
export interface NodePrograms {
  readonly kubelet: string;
  readonly containerd: string;
  readonly ctr: string;
  readonly runc: string;
  /** Folder of the plugins of the network. */
  readonly network: string;
  readonly pause: string;
  readonly devicePlugin: string;
  readonly claimDriver: string;
  /** Folder with `containerd-shim-runc-v2`. */
  readonly shims: string;
}

/** A folder of the cache for programs of one version. */
function inCache(name: string, version: string): string {
  return join(cacheFolder(), 'node', `${name}-${version}-${process.platform}-${process.arch}`);
}

function kubeletProgram(): GoProgram {
  const version = requiredVersion(MODULE, 'k8s.io/kubernetes');
  return {
    target: join(inCache('kubelet', version), 'kubelet'),
    folder: MODULE,
    package: 'k8s.io/kubernetes/cmd/kubelet',
    linkerFlags: `-X k8s.io/component-base/version.gitVersion=${version}`,
  };
}

const NETWORK = ['main/bridge', 'main/loopback', 'ipam/host-local'] as const;

function networkFolder(): string {
  return inCache('network', requiredVersion(MODULE, NETWORK_PLUGINS));
}

function ownProgram(name: 'pause' | 'device-plugin' | 'claim-driver'): GoProgram {
  const sources = hashOfSources([MODULE, join(MODULE, name)]);
  return { target: join(inCache(name, sources), name), folder: MODULE, package: `./${name}` };
}

function goPrograms(): readonly GoProgram[] {
  return [
    kubeletProgram(),
    ...NETWORK.map((path) => ({
      target: join(networkFolder(), path.split('/')[1]),
      folder: MODULE,
      package: `${NETWORK_PLUGINS}/plugins/${path}`,
    })),
    ownProgram('pause'),
    ownProgram('device-plugin'),
    ownProgram('claim-driver'),
    ctrProgram(),
  ];
}

function ctrProgram(): GoProgram {
  return {
    target: join(inCache('ctr', requiredVersion(ENGINE_MODULE, CONTAINERD)), 'ctr'),
    folder: ENGINE_MODULE,
    package: `${CONTAINERD}/cmd/ctr`,
  };
}

/** What keeps this machine from running a node; `undefined` where nothing does. */
export function whyNoNode(): string | undefined {
  return (
    whyNoControlPlane() ??
    whyNoEngine() ??
    whyNoPrograms(
      goPrograms().map(({ target }) => target),
      'the kubelet',
    ) ??
    whyNoNamespaces() ??
    whyNoRunc()
  );
}

function whyNoNamespaces(): string | undefined {
  const missing = ['unshare', 'nsenter', 'ip'].find((name) => !runs(name, ['-V']));
  if (missing !== undefined) {
    return `${missing} is not on this machine.`;
  }
  if (!existsSync('/sys/fs/cgroup/memory/cgroup.procs')) {
    return 'the suite needs cgroup v1 (/sys/fs/cgroup/memory).';
  }
  // As the suite does it: namespaces of mounts, networks, processes, and cgroups, and an address in them.
  const script = 'ip link add gantry0 type bridge && mount -t tmpfs tmpfs /mnt';
  const flags = ['--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', '--fork', '--mount-proc'];
  return runs('unshare', [...flags, '--', 'sh', '-c', script])
    ? undefined
    : 'this machine does not allow namespaces with mounts and a network of their own (unshare).';
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function debianRunc(): string {
  return join(inCache('runc', 'debian'), 'usr/sbin/runc');
}

/** A runc that can filter system calls. */
function foundRunc(): string | undefined {
  return ['/usr/bin/runc', '/usr/sbin/runc', debianRunc()].find((path) =>
    spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.includes('libseccomp'),
  );
}

function whyNoRunc(): string | undefined {
  return foundRunc() !== undefined || (runs('apt-get', ['--version']) && runs('dpkg-deb', ['--version']))
    ? undefined
    : 'no runc with libseccomp is on this machine, and there is no apt-get to fetch the package.';
}

/** Builds what is missing. */
export function buildNode(print: (line: string) => void = () => undefined): NodePrograms {
  buildEngine(print);
  goPrograms().forEach((program) => buildGoProgram(program, print));
  return {
    kubelet: kubeletProgram().target,
    containerd: join(programFolder(), 'containerd'),
    ctr: ctrProgram().target,
    runc: foundRunc() ?? unpackedRunc(print),
    network: networkFolder(),
    pause: ownProgram('pause').target,
    devicePlugin: ownProgram('device-plugin').target,
    claimDriver: ownProgram('claim-driver').target,
    shims: programFolder(),
  };
}

/** Nothing is installed: the package is fetched and unpacked. */
function unpackedRunc(print: (line: string) => void): string {
  const folder = inCache('runc', 'debian');
  const partial = `${folder}.${process.pid}`;
  print(`fetching ${debianRunc()} …`);
  mkdirSync(partial, { recursive: true });
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'apt-get download runc && dpkg-deb -x runc_*.deb . && rm runc_*.deb'],
    {
      cwd: partial,
      encoding: 'utf8',
    },
  );
  if (status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`The package runc cannot be had:\n${stderr}`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
  const runc = foundRunc();
  if (runc === undefined) {
    throw new Error(`${debianRunc()} does not run, or cannot filter system calls.`);
  }
  return runc;
}
