/**
 * Reads manifests from texts, files, and folders.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Manifest, type SourceProblem } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { NODE_FILE_NAME, nodeFileKind, parseFile } from '../../manifests/node-file';

/** Thrown when an input cannot be read: the message names the path and, where there is one, the line. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

export interface ReadTextOptions {
  /**
   * The name that findings show as the file of the text.
   * @default 'manifests.yaml'
   */
  readonly file?: string;
}

export interface ReadFilesOptions {
  /**
   * The folder that relative paths start from.
   * @default - the working directory of the process
   */
  readonly cwd?: string;
}

/**
 * Reads the manifests of a YAML or JSON text as kubectl reads it: several documents, and lists as their items. A document that cannot be
 * read does not throw; it is a finding of the check.
 *
 * @example
 * const set = readManifests('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n');
 */
export function readManifests(text: string, options: ReadTextOptions = {}): ManifestSet {
  const { manifests, problems } = parseFile(text, options.file ?? 'manifests.yaml');
  return new ManifestSet(manifests, problems);
}

/**
 * Reads the manifests of files and folders, in the given order; the files of a folder by name. A file that is named twice is read once.
 *
 * @param paths files, or folders, whose `.yaml`, `.yml`, and `.json` files are read at any depth, except those in `node_modules` and in
 * folders whose name begins with a dot
 * @throws InputError if a path cannot be read, or a folder contains no manifests
 * @example
 * const set = readManifestFiles(['dist/', 'extra/namespace.yaml']);
 */
export function readManifestFiles(paths: string | readonly string[], options: ReadFilesOptions = {}): ManifestSet {
  const cwd = options.cwd ?? process.cwd();
  const manifests: Manifest[] = [];
  const problems: SourceProblem[] = [];
  for (const file of filesOf(typeof paths === 'string' ? [paths] : paths, cwd)) {
    const parsed = parseFile(readText(file, cwd), file);
    manifests.push(...parsed.manifests);
    problems.push(...parsed.problems);
  }
  return new ManifestSet(manifests, problems);
}

const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/** The text of one file, for what is no manifest. */
export function readText(file: string, cwd: string): string {
  return decode(readBytes(file, cwd), file);
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
      throw new InputError(`${path}: no .yaml, .yml or .json file in this folder, and no file of a node`);
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

export function readBytes(file: string, cwd: string): Uint8Array {
  return attempt(file, () => readFileSync(resolve(cwd, file)));
}

export function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(`${file}: not UTF-8 text`);
  }
}

/** Runs a file operation; what goes wrong is said of the path as the caller wrote it. */
export function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw new InputError(`${path}: ${reasonOf(error)}`);
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
