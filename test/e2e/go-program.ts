/**
 * Programs built from the Go module proxy, each once: a new version, or a change of its sources, has a path of its own in the cache.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface GoProgram {
  /** Where it is kept once it is built. */
  readonly target: string;
  /** Folder of its `go.mod`. */
  readonly folder: string;
  /**
   * The package of its `main`.
   * @default '.'
   */
  readonly package?: string;
  /**
   * Flags of the linker beside those that leave out symbols.
   * @default - none
   */
  readonly linkerFlags?: string;
  /**
   * Build tags.
   * @default - none
   */
  readonly tags?: string;
  /**
   * A file of the folder that the build adds to a package of a module: what an older version of the module lacks.
   * @default - none
   */
  readonly added?: AddedFile;
  /**
   * Whether it has parts in C.
   * @default false
   */
  readonly cgo?: boolean;
}

/** A file that a build adds to a package of another module. */
export interface AddedFile {
  /** Path below the program's folder. */
  readonly file: string;
  readonly module: string;
  /** Path of the package in the module. */
  readonly package: string;
}

/** `GANTRY_CACHE`, or `gantry` in the user's cache folder. */
export function cacheFolder(): string {
  return process.env.GANTRY_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gantry');
}

/**
 * The version of a module that the `go.mod` of a folder requires, `v1.36.3`.
 *
 * @throws Error where it requires none
 */
export function requiredVersion(folder: string, module: string): string {
  const file = join(folder, 'go.mod');
  const name = module.replace(/[./]/g, '\\$&');
  const version = new RegExp(`^\\s*(?:require )?${name} (v\\S+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
  if (version === undefined) {
    throw new Error(`${file} requires no version of ${module}.`);
  }
  return version;
}

/** A short hash of the Go sources of folders, without those of folders in them. */
export function hashOfSources(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.(go|mod|sum|s)$/.test(name)) {
        hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
      }
    }
  }
  return hash.digest('hex').slice(0, 12);
}

/** What keeps this machine from running programs, called WHAT, that the cache may have; `undefined` where nothing does. */
export function whyNoPrograms(targets: readonly string[], what: string): string | undefined {
  return targets.every((target) => existsSync(target)) || spawnSync('go', ['version']).status === 0
    ? undefined
    : `Go is not on this machine (no \`go\` in PATH), and ${what} is not in the cache.`;
}

/**
 * Builds a program that the cache does not have.
 *
 * @returns its path
 * @throws Error where `go build` fails, with the end of what it printed
 */
export function buildGoProgram(
  { target, folder, package: main = '.', linkerFlags, tags, added, cgo = false }: GoProgram,
  print: (line: string) => void = () => undefined,
): string {
  if (existsSync(target)) {
    return target;
  }
  mkdirSync(dirname(target), { recursive: true });
  print(`building ${target} …`);
  const began = Date.now();
  // Under a name of its own until it is whole: an interrupted build leaves nothing that looks finished.
  const partial = `${target}.${process.pid}`;
  const flags = ['-s -w', ...(linkerFlags === undefined ? [] : [linkerFlags])].join(' ');
  const { status, stderr } = spawnSync(
    'go',
    [
      'build',
      '-trimpath',
      '-buildvcs=false',
      ...(added === undefined ? [] : [`-modfile=${withAddedFile(dirname(target), folder, added)}`]),
      ...(tags === undefined ? [] : ['-tags', tags]),
      '-ldflags',
      flags,
      '-o',
      partial,
      main,
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOWORK: 'off' } },
  );
  if (status !== 0) {
    throw new Error(`go build ${main} in ${folder} failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  print(`built it in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return target;
}

/** Copies the module beside the program, adds the file, and writes a `go.mod` that takes the copy. @returns its path */
function withAddedFile(beside: string, folder: string, { file, module, package: added }: AddedFile): string {
  const { stdout } = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: folder, encoding: 'utf8' });
  const copy = join(beside, 'module');
  rmSync(copy, { recursive: true, force: true });
  cpSync(stdout.trim(), copy, { recursive: true });
  chmodSync(join(copy, added), 0o755);
  copyFileSync(join(folder, file), join(copy, added, basename(file)));
  const modules = readFileSync(join(folder, 'go.mod'), 'utf8').split('\n');
  const kept = modules.filter((line) => !line.startsWith(`replace ${module} =>`));
  writeFileSync(join(beside, 'go.mod'), `${kept.join('\n')}\nreplace ${module} => ${copy}\n`);
  copyFileSync(join(folder, 'go.sum'), join(beside, 'go.sum'));
  return join(beside, 'go.mod');
}
