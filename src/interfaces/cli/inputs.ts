/**
 * Reads what the command line names: files, folders and standard input, to one manifest set.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Manifest, type SourceProblem } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { NODE_FILE_NAME, nodeFileKind, parseFile } from '../../manifests/node-file';
import { UsageError, type Progress, type Terminal } from './terminal';

const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/**
 * Reads the manifests of all paths, in their order; files of a folder by name. A file that is named twice is read once. Files of nodes
 * (containerd's, systemd's and others) are read as what they are.
 *
 * @param paths files, folders (searched through, but for `node_modules` and names that begin with a dot) or `-`
 * @throws UsageError where a path cannot be read, a text is broken, or nothing at all was found
 */
export async function readManifests(
  paths: readonly string[],
  terminal: Terminal,
  progress?: Progress,
): Promise<ManifestSet> {
  const manifests: Manifest[] = [];
  const problems: SourceProblem[] = [];
  const files = filesOf(paths, terminal.cwd);
  for (const [index, file] of files.entries()) {
    if (files.length > 50 && index % 50 === 0) {
      progress?.say(`reading ${index + 1} of ${files.length} files`);
    }
    const text = decode(file === '-' ? await terminal.stdin() : readBytes(file, terminal.cwd), file);
    const parsed = parseFile(text, file);
    for (const manifest of parsed.manifests) {
      manifests.push(manifest);
    }
    for (const problem of parsed.problems) {
      problems.push(problem);
    }
  }
  const broken = problems.filter(({ kind }) => kind === 'syntax');
  if (broken.length > 0) {
    throw new UsageError(broken.map((problem) => `${placeOf(problem)}: ${problem.message}`).join('\n'));
  }
  if (manifests.length === 0 && problems.length === 0) {
    throw new UsageError(`${paths.join(', ')}: no Kubernetes object in it`);
  }
  return new ManifestSet(manifests, problems);
}

/** The text of one file, for what is no manifest. */
export function readText(file: string, cwd: string): string {
  return decode(readBytes(file, cwd), file);
}

export function placeOf({ file, position }: Pick<SourceProblem, 'file' | 'position'>): string {
  return `${file}:${position.line}:${position.column}`;
}

export function filesOf(paths: readonly string[], cwd: string): readonly string[] {
  const seen = new Set<string>();
  const files: string[] = [];
  const add = (file: string): void => {
    const real = file === '-' ? file : realpathSync(resolve(cwd, file));
    if (seen.has(real)) {
      return;
    }
    seen.add(real);
    files.push(file);
  };
  for (const path of paths) {
    if (path === '-' || !isFolder(path, cwd)) {
      add(path);
      continue;
    }
    const found = [...filesBelow(path, cwd, new Set())];
    if (found.length === 0) {
      throw new UsageError(`${path}: no .yaml, .yml or .json file in this folder, and no file of a node`);
    }
    found.forEach(add);
  }
  return files;
}

/** In the order of names, folders among files, so that the order is the same on every machine. */
function* filesBelow(folder: string, cwd: string, above: ReadonlySet<string>): Generator<string> {
  const real = realpathSync(resolve(cwd, folder));
  // A link back to a folder above would never end.
  if (above.has(real)) {
    return;
  }
  const here = new Set([...above, real]);
  for (const name of attempt(folder, () => readdirSync(resolve(cwd, folder))).sort(byCodeUnit)) {
    if (name.startsWith('.') || name === 'node_modules') {
      continue;
    }
    const path = join(folder, name);
    if (isFolder(path, cwd)) {
      yield* filesBelow(path, cwd, here);
    } else if (MANIFEST_FILE.test(name) || (NODE_FILE_NAME.test(name) && isNodeFile(path, cwd))) {
      yield path;
    }
  }
}

/** A folder may hold any TOML and any `.conf`: only what containerd, systemd or the kubelet would read is taken. */
export function isNodeFile(path: string, cwd: string): boolean {
  const text = new TextDecoder().decode(readBytes(path, cwd));
  return nodeFileKind(text, path) !== undefined || /^kind:\s*KubeletConfiguration\s*$/m.test(text);
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isFolder(path: string, cwd: string): boolean {
  return attempt(path, () => statSync(resolve(cwd, path))).isDirectory();
}

function readBytes(file: string, cwd: string): Uint8Array {
  return attempt(file, () => readFileSync(resolve(cwd, file)));
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: not UTF-8 text`);
  }
}

/** Runs a file operation; what goes wrong is said of the path as the caller wrote it. */
export function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error)}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'links in a circle',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
};

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : REASONS[code]) ?? message;
}
