/**
 * A machine within the machine: namespaces of mounts, networks, processes, and cgroups of its own, in a folder of its own.
 *
 * All of its processes end with the first one, its mounts and network devices go with them, and its cgroups are below one folder of each
 * hierarchy. `/var`, `/run`, and the kernel parameters that a kubelet sets are those of the folder.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, killProcess, type ProcessRecord, startProcess, tail } from '../control-plane/process';

const CGROUPS = '/sys/fs/cgroup';
/** With those that the machine lacks left out. */
const HIERARCHIES = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids', 'hugetlb', 'systemd'];
const BOOT_ID = 'kernel/random/boot_id';
/** Parameters of the kernel that are the same in all namespaces, and that a kubelet sets. */
const KERNEL_PARAMETERS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  // Not set, but read: it tells one start of a machine from another.
  BOOT_ID,
];
const READY = 'namespaces-ready';
/** Mounts of pods and containers first, since files below them would be removed. */
const FORGET = `
cut -d ' ' -f 5 /proc/self/mountinfo | grep -E '^/(run/|var/lib/(kubelet|containerd)/)' | sort -r | xargs -r umount -l
find /run -mindepth 1 -delete
ip link delete cni0 2>/dev/null
find /sys/fs/cgroup/*/kubepods -depth -type d -exec rmdir {} + 2>/dev/null
true`;

/** A process in the namespaces. */
export interface InnerProcess {
  readonly record: ProcessRecord;
  /** Its number outside of the namespaces. */
  readonly pid: number;
}

export class Namespaces {
  private constructor(
    readonly folder: string,
    /** The process that holds the namespaces. */
    readonly outer: ProcessRecord,
  ) {}

  /**
   * @param first program that becomes the first process
   * @param address addresses of the loopback device
   */
  static async start(folder: string, first: string, addresses: readonly string[]): Promise<Namespaces> {
    makeCgroups(folder);
    ['var/lib', 'var/log', 'var/tmp', 'run', 'kernel'].forEach((name) =>
      mkdirSync(join(folder, name), { recursive: true }),
    );
    const script = join(folder, 'namespaces.sh');
    writeFileSync(script, setup(folder, first, addresses), { mode: 0o755 });
    const flags = ['--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', '--fork', '--kill-child', '--mount-proc'];
    const outer = startProcess(
      'namespaces',
      'sh',
      ['-c', `${joinCgroups(folder)} exec unshare ${flags.join(' ')} -- ${script}`],
      join(folder, 'namespaces.log'),
      folder,
    );
    const namespaces = new Namespaces(folder, outer);
    for (const deadline = Date.now() + 20_000; !existsSync(join(folder, READY)); await sleep(20)) {
      if (!isRunning(outer) || Date.now() > deadline) {
        const said = tail(join(folder, 'namespaces.log'));
        await namespaces.stop();
        throw new Error(`The namespaces could not be made:\n${said}`);
      }
    }
    return namespaces;
  }

  /** Starts a program in the namespaces. */
  async run(
    name: string,
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<InnerProcess> {
    const words = [...Object.entries(env).map(([key, value]) => `${key}=${value}`), program, ...args];
    const log = join(this.folder, `${name}.log`);
    const record = startProcess(
      name,
      'sh',
      ['-c', `${joinCgroups(this.folder)} exec "$@"`, name, ...this.enter(), 'env', ...words],
      log,
      this.folder,
    );
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10)) {
      const [child] = childrenOf(record.pid);
      if (child !== undefined && commandOf(record.pid) === 'nsenter') {
        return { record, pid: child };
      }
    }
    throw new Error(`${name} did not start:\n${tail(log)}`);
  }

  /** Runs a program in the namespaces to its end. @throws with what it said where it fails */
  ask(program: string, ...args: readonly string[]): string {
    const [command, ...words] = [...this.enter(), program, ...args];
    const { status, stdout, stderr } = spawnSync(command, words, {
      encoding: 'utf8',
      timeout: 120_000,
      maxBuffer: 1 << 26,
    });
    if (status !== 0) {
      throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
    }
    return stdout;
  }

  /** Ends a process of the namespaces at once, as a crash would. */
  async kill({ record, pid }: InnerProcess): Promise<void> {
    killAtOnce(pid);
    for (const deadline = Date.now() + 10_000; isRunning(record) && Date.now() < deadline;) {
      await sleep(10);
    }
    await killProcess(record);
  }

  /**
   * Ends everything at once, as a machine does that loses its power: processes with their containers, and what was in memory only (mounts, cgroups, the
   * bridge of the pods, the files of `/run`). The next start has another boot ID.
   *
   * @param kept processes that are no part of the machine
   */
  async losePower(...kept: readonly InnerProcess[]): Promise<void> {
    const spared = new Set([
      this.outer.pid,
      ...childrenOf(this.outer.pid),
      ...kept.flatMap(({ record, pid }) => [record.pid, pid]),
    ]);
    for (const deadline = Date.now() + 30_000; ; await sleep(20)) {
      const left = processNumbers().filter((pid) => !spared.has(pid) && this.isMember(pid) && stateOf(pid) !== 'Z');
      if (left.length === 0) {
        break;
      }
      if (Date.now() > deadline) {
        throw new Error(`Processes of the node do not end: ${left.map(commandOf).join(', ')}`);
      }
      left.forEach(killAtOnce);
    }
    this.ask('sh', '-c', FORGET);
    writeFileSync(join(this.folder, 'kernel', String(KERNEL_PARAMETERS.indexOf(BOOT_ID))), `${randomUUID()}\n`);
  }

  /** The processes in the namespaces whose command line has these words, by their numbers outside of the namespaces. */
  processes(...words: readonly string[]): readonly number[] {
    const mine = namespaceOf(childrenOf(this.outer.pid)[0]);
    return processNumbers().filter((pid) => {
      // Containers have a namespace of processes below that of the node, and all cgroups below its cgroup.
      const command = readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      const isWay = ['sh', 'nsenter', 'unshare'].includes(commandOf(pid));
      return !isWay && words.every((word) => command.includes(word)) && this.holds(pid, mine);
    });
  }

  private holds(pid: number, mine: string): boolean {
    return namespaceOf(pid) === mine || this.isMember(pid);
  }

  /** Whether it is in one of the cgroups of the folder. */
  private isMember(pid: number): boolean {
    return readIfThere(`/proc/${pid}/cgroup`).includes(`:/${basename(this.folder)}`);
  }

  /** Whether it is a process of the pod with this UID. */
  isOf(pid: number, uid: string): boolean {
    return uid !== '' && readIfThere(`/proc/${pid}/cgroup`).includes(uid);
  }

  /** Ends all processes, and removes the cgroups. */
  stop(): Promise<void> {
    return endNamespaces(this.folder, this.outer);
  }

  private enter(): readonly string[] {
    const [first] = childrenOf(this.outer.pid);
    return ['nsenter', '-t', String(first), '-m', '-n', '-p', '-i', '-u', '-C', '--'];
  }
}

/** Ends all processes of namespaces, and removes their cgroups. @param outer the process that holds them, where it is known */
export async function endNamespaces(folder: string, outer?: ProcessRecord): Promise<void> {
  if (outer !== undefined && isRunning(outer)) {
    // The first process of a namespace takes all others with it.
    childrenOf(outer.pid).forEach((first) => process.kill(first, 'SIGKILL'));
    for (const deadline = Date.now() + 10_000; isRunning(outer) && Date.now() < deadline;) {
      await sleep(20);
    }
    await killProcess(outer);
  }
  await removeCgroups(folder);
}

/** Of a folder whose processes have ended. */
async function removeCgroups(folder: string): Promise<void> {
  for (const path of cgroupsOf(folder)) {
    for (const deadline = Date.now() + 10_000; existsSync(path); await sleep(50)) {
      try {
        removeTree(path);
      } catch (error) {
        // Processes that were killed take a moment to leave.
        if (Date.now() > deadline) {
          throw error;
        }
      }
    }
  }
}

function removeTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      removeTree(join(path, entry.name));
    }
  }
  rmdirSync(path);
}

function cgroupsOf(folder: string): readonly string[] {
  return HIERARCHIES.filter((name) => existsSync(join(CGROUPS, name, 'cgroup.procs'))).map((name) =>
    join(CGROUPS, name, basename(folder)),
  );
}

function makeCgroups(folder: string): void {
  for (const path of cgroupsOf(folder)) {
    mkdirSync(path);
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (existsSync(join(path, file))) {
        writeFileSync(join(path, file), readFileSync(join(path, '..', file)));
      }
    }
  }
}

/** Shell words that move the shell, and so what it starts, into the cgroups. */
function joinCgroups(folder: string): string {
  return cgroupsOf(folder)
    .map((path) => `echo $$ > ${join(path, 'cgroup.procs')};`)
    .join(' ');
}

function setup(folder: string, first: string, addresses: readonly string[]): string {
  const hierarchies = HIERARCHIES.filter((name) => existsSync(join(CGROUPS, name, 'cgroup.procs')));
  return [
    '#!/bin/sh',
    'set -e',
    `mount --bind ${folder}/var /var`,
    'ln -sfn /run /var/run',
    `mount --bind ${folder}/run /run`,
    ...KERNEL_PARAMETERS.flatMap((name, index) => [
      `cat /proc/sys/${name} > ${folder}/kernel/${index}`,
      `mount --bind ${folder}/kernel/${index} /proc/sys/${name}`,
    ]),
    'umount -R /sys/fs/cgroup',
    'mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup',
    ...hierarchies.flatMap((name) => [
      `mkdir /sys/fs/cgroup/${name}`,
      `mount -t cgroup -o ${name === 'systemd' ? 'none,name=systemd' : name} cgroup /sys/fs/cgroup/${name}`,
    ]),
    // Volumes that a kubelet mounts are seen in containers.
    'mount --make-rshared /',
    'hostname gantry-node',
    'ip link set lo up',
    ...addresses.map((address) => `ip addr add ${address} dev lo`),
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    `touch ${folder}/${READY}`,
    `exec ${first}`,
    '',
  ].join('\n');
}

function childrenOf(pid: number): readonly number[] {
  return processNumbers().filter((child) => parentOf(child) === pid);
}

function processNumbers(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

function stateOf(pid: number): string {
  return statOf(pid)[0];
}

/** The fields after the name of the program; the first is the state. */
function statOf(pid: number): readonly string[] {
  return readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

function killAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function commandOf(pid: number): string {
  return readIfThere(`/proc/${pid}/comm`).trim();
}

function namespaceOf(pid: number): string {
  return spawnSync('readlink', [`/proc/${pid}/ns/pid`], { encoding: 'utf8' }).stdout.trim();
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
