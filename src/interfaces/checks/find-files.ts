/**
 * Finds the files that paths name, and gives the reason for each file that is skipped.
 */
import { readdirSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { type SkippedSource } from '../../manifests/manifest';
import { mayBeHostDocument } from '../../manifests/documents/host-document';
import { NODE_FILE_NAME, nodeFileKind } from '../../manifests/documents/node-file';
import { ForeignFiles } from './foreign-files';
import { attempt, InputError } from '../../manifests/input-error';

export interface FoundFile {
  /** As the caller named it, or its folder; `-` for standard input. */
  readonly path: string;
  /** Found in a folder, not named itself: it may be something else than manifests. */
  readonly inFolder: boolean;
  /** A Kustomization lists it among its resources. */
  readonly kustomized: boolean;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedSource[];
  /** Folders and files that are there and cannot be looked into. */
  readonly unreadable: readonly { readonly path: string; readonly why: string }[];
}

/** Whether a file of a folder is left out, by its path from the working directory. */
export type IsExcluded = (path: string) => boolean;

const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/**
 * The files of all paths, in their order; files of a folder by name, folders among them, so that the order is the same on every machine.
 *
 * @throws InputError if a path does not exist
 */
export function findFiles(paths: readonly string[], cwd: string, isExcluded: IsExcluded = () => false): FoundFiles {
  const search = new Search(cwd, isExcluded);
  for (const path of paths) {
    search.add(path);
  }
  return search;
}

/**
 * The same, where nothing may be left over.
 *
 * @throws InputError if a path does not exist, or a folder has no file to read
 */
export function filesOf(paths: readonly string[], cwd: string): readonly string[] {
  return paths.flatMap((path) => {
    const { files } = findFiles([path], cwd);
    if (files.length === 0) {
      throw new InputError(`${path}: contains no .yaml, .yml, or .json file, and no node configuration file`);
    }
    return files.map((file) => file.path);
  });
}

class Search implements FoundFiles {
  readonly files: FoundFile[] = [];
  readonly skipped: SkippedSource[] = [];
  readonly unreadable: { readonly path: string; readonly why: string }[] = [];
  private readonly seen = new Set<string>();
  private readonly foreign: ForeignFiles;

  constructor(
    private readonly cwd: string,
    private readonly isExcluded: IsExcluded,
  ) {
    this.foreign = new ForeignFiles(cwd);
  }

  add(path: string): void {
    if (path === '-') {
      this.take(path, path, false);
    } else if (attempt(path, () => statSync(resolve(this.cwd, path))).isDirectory()) {
      this.walk(path, new Set());
    } else {
      this.take(path, this.identityOf(path), false);
    }
  }

  /** A file that is reached by two names is read once. A pipe has no other name than the one that it is given by. */
  private identityOf(path: string): string {
    const full = resolve(this.cwd, path);
    try {
      return realpathSync(full);
    } catch {
      return full;
    }
  }

  private take(path: string, identity: string, inFolder: boolean): void {
    if (!this.seen.has(identity)) {
      this.seen.add(identity);
      this.files.push({ path, inFolder, kustomized: path !== '-' && this.foreign.isResource(path) });
    }
  }

  private walk(folder: string, above: ReadonlySet<string>): void {
    const real = this.identityOf(folder);
    // A link back to a folder above would never end.
    if (above.has(real)) {
      return;
    }
    const names = this.tried(folder, () => readdirSync(resolve(this.cwd, folder)));
    for (const name of [...(names ?? [])].sort(byCodeUnit)) {
      if (!name.startsWith('.') && name !== 'node_modules') {
        this.visit(join(folder, name), name, new Set([...above, real]));
      }
    }
  }

  private visit(path: string, name: string, above: ReadonlySet<string>): void {
    const stats = this.tried(path, () => statSync(resolve(this.cwd, path)));
    if (stats === undefined) {
      return;
    }
    const isFolder = stats.isDirectory();
    if (
      this.isExcluded(fromFolder(this.cwd, path)) ||
      (isFolder && this.isExcluded(`${fromFolder(this.cwd, path)}/`))
    ) {
      this.skipped.push({ file: path, why: 'excluded' });
    } else if (isFolder) {
      this.walk(path, above);
    } else if (MANIFEST_FILE.test(name)) {
      this.visitFile(path, stats);
    } else if (
      NODE_FILE_NAME.test(name) &&
      stats.isFile() &&
      this.tried(path, () => isNodeFile(path, this.cwd)) === true
    ) {
      this.take(path, this.identityOf(path), true);
    }
  }

  private visitFile(path: string, stats: Stats): void {
    const why = stats.isFile() ? this.foreign.why(path) : 'not a regular file';
    if (why !== undefined) {
      this.skipped.push({ file: path, why });
    } else {
      this.take(path, this.identityOf(path), true);
    }
  }

  /** What cannot be looked into is noted, and the search goes on. */
  private tried<T>(path: string, operation: () => T): T | undefined {
    try {
      return attempt(path, operation);
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      this.unreadable.push({ path, why: error.reason });
      return undefined;
    }
  }
}

/** A folder may hold any TOML and any `.conf`: only what containerd, systemd or the kubelet would read is taken. */
export function isNodeFile(path: string, cwd: string): boolean {
  const text = new TextDecoder().decode(attempt(path, () => readFileSync(resolve(cwd, path))));
  return (
    nodeFileKind(text, path) !== undefined ||
    mayBeHostDocument(text, path) ||
    /^kind:\s*KubeletConfiguration\s*$/m.test(text)
  );
}

/** A path from a folder, with slashes. */
export function fromFolder(folder: string, path: string): string {
  return relative(folder, resolve(folder, path)).split(sep).join('/');
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
