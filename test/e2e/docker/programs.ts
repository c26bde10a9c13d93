/**
 * The Docker Engine with containerd and runc, built once per version from the Go module proxy.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../control-plane/components';

interface Program {
  readonly name: string;
  /** Folder of its `go.mod`. */
  readonly folder: 'engine' | 'runc';
  readonly module: string;
  readonly path: string;
  /** runc enters namespaces in C. */
  readonly cgo: boolean;
}

const PROGRAMS: readonly Program[] = [
  { name: 'runc', folder: 'runc', module: 'github.com/opencontainers/runc', path: '', cgo: true },
  { name: 'dockerd', folder: 'engine', module: 'github.com/moby/moby/v2', path: '/cmd/dockerd', cgo: false },
  {
    name: 'containerd-shim-runc-v2',
    folder: 'engine',
    module: 'github.com/containerd/containerd/v2',
    path: '/cmd/containerd-shim-runc-v2',
    cgo: false,
  },
  {
    name: 'containerd',
    folder: 'engine',
    module: 'github.com/containerd/containerd/v2',
    path: '/cmd/containerd',
    cgo: false,
  },
];

/** Where all programs are, once they are built: a change of a version makes another folder. */
export function programFolder(): string {
  const versions = PROGRAMS.map((program) => `${program.name}-${versionOf(program)}`).join('_');
  return join(cacheFolder(), 'docker-engine', `${versions}-${process.platform}-${process.arch}`);
}

function versionOf({ folder, module }: Program): string {
  const text = readFileSync(join(__dirname, folder, 'go.mod'), 'utf8');
  const version = new RegExp(`${module.replace(/[./]/g, '\\$&')} (v\\S+)`).exec(text)?.[1];
  if (version === undefined) {
    throw new Error(`${folder}/go.mod pins no version of ${module}.`);
  }
  return version;
}

/** What keeps this machine from running the engine; `undefined` where nothing does. */
export function whyNoEngine(): string | undefined {
  if (process.platform !== 'linux') {
    return 'the engine runs on Linux.';
  }
  if (process.getuid?.() !== 0) {
    return 'the engine needs root.';
  }
  if (!has('busybox', '--help')) {
    return 'busybox, of which the image is made, is not on this machine.';
  }
  if (PROGRAMS.every(({ name }) => existsSync(join(programFolder(), name)))) {
    return undefined;
  }
  if (!has('go', 'version')) {
    return 'Go is not on this machine (no `go` in PATH), and the engine is not in the cache.';
  }
  return has('gcc', '--version')
    ? undefined
    : 'gcc, which runc needs, is not on this machine, and the engine is not in the cache.';
}

function has(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}

/** Builds what is missing. @returns the folder of the programs */
export async function buildEngine(print: (line: string) => void): Promise<string> {
  for (const program of PROGRAMS) {
    const target = join(programFolder(), program.name);
    if (!existsSync(target)) {
      const began = Date.now();
      print(`building ${program.name} ${versionOf(program)} …`);
      await build(program, target);
      print(`built ${program.name} in ${((Date.now() - began) / 1000).toFixed(0)} s`);
    }
  }
  return programFolder();
}

async function build({ folder, module, path, cgo }: Program, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  // Under a name of its own until it is whole: an interrupted build leaves nothing that looks finished.
  const partial = `${target}.${process.pid}`;
  const child = spawn(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', partial, `${module}${path}`],
    {
      cwd: join(__dirname, folder),
      env: { ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const status = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0) {
    throw new Error(`go build ${module}${path} failed:\n${errors.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
}
