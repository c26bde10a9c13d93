/**
 * An engine of the tests' own: its own socket and folders, CDI devices that do no harm, and an image made of busybox and flock.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, killProcess, type ProcessRecord, startProcess, stopProcess, tail } from '../control-plane/process';
import { forget, remember } from '../control-plane/started';

export const IMAGE = 'gantry-test:1';
const PATIENCE = 120_000;

export class LiveEngine {
  private constructor(
    readonly folder: string,
    private readonly programs: string,
    private process: ProcessRecord,
    private readonly flags: readonly string[],
  ) {
    remember(folder, () => this.stop());
  }

  get socket(): string {
    return join(this.folder, 'docker.sock');
  }

  get host(): string {
    return `unix://${this.socket}`;
  }

  /**
   * @param devices how many CDI devices of the kind `nvidia.com/gpu` there are
   * @param flags further flags of the daemon, which may name files of its folder. @default - none
   */
  static async start(
    programs: string,
    devices: number,
    flags: (folder: string) => readonly string[] = () => [],
  ): Promise<LiveEngine> {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-engine-'));
    mkdirSync(join(folder, 'cdi'));
    writeFileSync(join(folder, 'cdi', 'gpus.json'), JSON.stringify(cdiSpecification(devices)));
    writeRuntime(folder, programs);
    const further = flags(folder);
    const engine = new LiveEngine(folder, programs, daemon(folder, programs, further), further);
    await engine.untilReady();
    await engine.makeImage();
    return engine;
  }

  /** Ends the daemon as a crash would; containers lose their shims' parent only. */
  kill(): Promise<void> {
    return killProcess(this.process);
  }

  /** Files with the numbers of the processes that are the engine: the daemon, and the containerd that belongs to it. */
  get pidFiles(): readonly string[] {
    return [join(this.folder, 'pid'), join(this.folder, 'exec/containerd/containerd.pid')];
  }

  get isRunning(): boolean {
    return isRunning(this.process);
  }

  /** Kills the daemon, and the containerd that belongs to it, when the next process of a container has just been started. */
  killAtNextStart(): void {
    writeFileSync(this.trap, '');
  }

  /** Whether the daemon was killed as `killAtNextStart` asked. */
  get wasKilledAtStart(): boolean {
    return existsSync(`${this.trap}.sprung`) && !this.pidFiles.some((file) => this.isOurs(file));
  }

  /** Takes from containerd what it knows of running tasks, as if it had been killed before it wrote that down. */
  forgetTasks(): void {
    const tasks = join(this.folder, 'exec/containerd/daemon/io.containerd.runtime.v2.task/moby');
    // Not removed: root file systems are mounted in it.
    renameSync(tasks, join(this.folder, 'forgotten'));
  }

  private get trap(): string {
    return join(this.folder, 'kill-at-start');
  }

  async startAgain(): Promise<void> {
    rmSync(`${this.trap}.sprung`, { force: true });
    this.dropStalePids();
    this.process = daemon(this.folder, this.programs, this.flags);
    await this.untilReady();
  }

  /** The number of a process that ended may belong to another one by now, which the daemon would take for its own, and kill. */
  private dropStalePids(): void {
    for (const file of this.pidFiles.filter((path) => !this.isOurs(path))) {
      rmSync(file, { force: true });
    }
  }

  /** Whether the process whose number a file holds is one of this engine. */
  private isOurs(pidFile: string): boolean {
    try {
      return readFileSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/cmdline`, 'utf8').includes(this.folder);
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    forget(this.folder);
    await stopProcess(this.process, 20_000);
    // Shims that containerd was made to forget work in the folder.
    const shims = `for p in /proc/[0-9]*; do case $(readlink $p/cwd) in ${this.folder}/*) kill -9 \${p#/proc/};; esac; done`;
    spawnSync('sh', ['-c', shims]);
    spawnSync('sh', ['-c', `grep -o '${this.folder}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Gives the image of the tests another name. */
  async tag(image: string): Promise<void> {
    const [repo, tag = 'latest'] = image.split(':');
    await this.ask('POST', `/images/${IMAGE}/tag?${new URLSearchParams({ repo, tag }).toString()}`);
  }

  /** Removes all containers, and what says whose engine it is; starts the engine first if a test ended without it. */
  async clear(): Promise<void> {
    if (!this.isRunning) {
      await this.startAgain();
    }
    const left = await this.ask<{ Id: string }[]>('GET', '/containers/json?all=1');
    await Promise.all(left.map(({ Id }) => this.ask('DELETE', `/containers/${Id}?force=1`).catch(() => undefined)));
    await this.ask('DELETE', '/volumes/gantry-runner').catch(() => undefined);
  }

  /** One request to the engine. */
  async ask<T>(method: string, path: string, body?: Buffer | string, type = 'application/json'): Promise<T> {
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(
        {
          socketPath: this.socket,
          method,
          path,
          headers: body === undefined ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) },
        },
        (answer) => {
          let all = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
          answer.on('end', () =>
            (answer.statusCode ?? 500) < 400
              ? resolve(all)
              : reject(new Error(`${method} ${path}: ${answer.statusCode} ${all}`)),
          );
        },
      );
      sent.on('error', reject).end(body);
    });
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  private async untilReady(): Promise<void> {
    for (const deadline = Date.now() + PATIENCE; ; await sleep(100)) {
      try {
        await this.ask('GET', '/info');
        return;
      } catch (error) {
        if (Date.now() > deadline) {
          throw new Error(`the engine did not start: ${(error as Error).message}\n${tail(join(this.folder, 'log'))}`, {
            cause: error,
          });
        }
      }
    }
  }

  private async makeImage(): Promise<void> {
    const root = join(this.folder, 'image');
    mkdirSync(join(root, 'bin'), { recursive: true });
    mkdirSync(join(root, 'tmp'));
    const busybox = copyProgram('busybox', root);
    copyProgram('flock', root);
    writeFileSync(join(root, 'bin/nvidia-smi'), '#!/bin/sh\nenv | grep GIVEN\n', { mode: 0o755 });
    for (const name of spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.trim().split('\n')) {
      if (name !== 'busybox') {
        symlinkSync('busybox', join(root, 'bin', name));
      }
    }
    const archive = join(this.folder, 'image.tar');
    spawnSync('tar', ['-C', root, '-cf', archive, '.']);
    const [repo, tag] = IMAGE.split(':');
    await this.ask(
      'POST',
      `/images/create?fromSrc=-&repo=${repo}&tag=${tag}`,
      readFileSync(archive),
      'application/x-tar',
    );
  }
}

/** Copies a program of this machine, and the libraries that it needs, into a folder of an image. @returns where it is on this machine */
function copyProgram(name: string, root: string): string {
  const program = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
  const libraries = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/[^\s)]+/g) ?? [];
  cpSync(program, join(root, 'bin', name), { dereference: true });
  for (const library of libraries) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    cpSync(library, join(root, library), { dereference: true });
  }
  return program;
}

function cdiSpecification(devices: number): unknown {
  return {
    cdiVersion: '0.6.0',
    kind: 'nvidia.com/gpu',
    devices: Array.from({ length: devices }, (_, index) => ({
      name: String(index),
      containerEdits: { env: [`GIVEN_${index}=1`], deviceNodes: [{ path: '/dev/null' }] },
    })),
  };
}

/** runc, which kills its engine after a start if the trap is set: the engine can then not write down what it started. */
function writeRuntime(folder: string, programs: string): void {
  const trap = join(folder, 'kill-at-start');
  mkdirSync(join(folder, 'bin'));
  const path = join(folder, 'bin', 'runc');
  const lines = [
    '#!/bin/sh',
    `if [ -e ${trap} ] && echo " $* " | grep -q " start "; then`,
    `  ${join(programs, 'runc')} "$@"`,
    // Before the kill: the shim ends this script when containerd, for which it runs it, is gone.
    `  mv ${trap} ${trap}.sprung`,
    `  kill -9 $(cat ${join(folder, 'pid')}) $(cat ${join(folder, 'exec/containerd/containerd.pid')})`,
    '  exit 0',
    'fi',
    `exec ${join(programs, 'runc')} "$@"`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
}

/** Networks are `none` and `host` only, so that the engine changes nothing of the machine. */
function daemon(folder: string, programs: string, further: readonly string[]): ProcessRecord {
  const at = (name: string): string => join(folder, name);
  const flags = [
    '--seccomp-profile=unconfined',
    '--userland-proxy=false',
    '--bridge=none',
    '--iptables=false',
    '--ip6tables=false',
    '--ip-forward=false',
    '--ip-masq=false',
    `--data-root=${at('data')}`,
    `--exec-root=${at('exec')}`,
    `--pidfile=${at('pid')}`,
    '-H',
    `unix://${at('docker.sock')}`,
    `--cdi-spec-dir=${at('cdi')}`,
    ...further,
  ];
  const path = `${at('bin')}:${programs}:${process.env.PATH ?? ''}`;
  return startProcess(
    'dockerd',
    '/usr/bin/env',
    [`PATH=${path}`, join(programs, 'dockerd'), ...flags],
    at('log'),
    folder,
  );
}
