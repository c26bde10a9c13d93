/**
 * The Docker Engine with containerd and runc, built once per version from the Go module proxy.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildGoProgram, cacheFolder, requiredVersion, whyNoPrograms } from '../go-program';

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
  return requiredVersion(join(__dirname, folder), module);
}

/** What keeps this machine from running the engine; `undefined` where nothing does. */
export function whyNoEngine(): string | undefined {
  if (process.platform !== 'linux') {
    return 'the engine runs on Linux.';
  }
  if (process.getuid?.() !== 0) {
    return 'the engine needs root.';
  }
  const missing = ['busybox', 'flock'].find((name) => !has(name, '--help'));
  if (missing !== undefined) {
    return `${missing}, of which the image is made, is not on this machine.`;
  }
  const targets = PROGRAMS.map(({ name }) => join(programFolder(), name));
  if (targets.every((target) => existsSync(target)) || has('gcc', '--version')) {
    return whyNoPrograms(targets, 'the engine');
  }
  return 'gcc, which runc needs, is not on this machine, and the engine is not in the cache.';
}

function has(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}

/** What keeps the test of an engine through SSH from running: the other end of the connection is the Docker command line. */
export function whyNoDockerCommand(): string | undefined {
  return has('docker', '--version') ? undefined : 'the Docker command line is not on this machine';
}

/** Builds what is missing. @returns the folder of the programs */
export function buildEngine(print: (line: string) => void): string {
  for (const { name, folder, module, path, cgo } of PROGRAMS) {
    const target = join(programFolder(), name);
    buildGoProgram({ target, folder: join(__dirname, folder), package: `${module}${path}`, cgo }, print);
  }
  return programFolder();
}
