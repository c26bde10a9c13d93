/**
 * The lock file: what the sources resolved to, with the sha256 of every file that is read.
 *
 * A module's files come from the Go module cache (`go mod download` fills it, and checks the module against the checksum database);
 * the files of a folder source are beside the project. Either way a file that is not what the lock says stops the generator.
 */
import { execFileSync } from 'child_process';
import { createHash } from 'crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'fs';
import { join, resolve } from 'path';
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { order } from './openapi';
import {
  type FolderSource,
  KEDA_SCALERS,
  KUBERNETES,
  KUBERNETES_LIFECYCLE,
  type ModuleSource,
  PROJECTS,
} from './sources';

export interface LockedFile {
  readonly path: string;
  readonly sha256: string;
  /** For a pattern: how many files it meets; the sha256 is then of the list of their names and sums. */
  readonly files?: number;
}

export interface LockEntry {
  readonly project: string;
  readonly label: string;
  readonly minor?: KubernetesMinor;
  readonly module?: string;
  readonly version?: string;
  /** The module's checksum as Go's checksum database has it. */
  readonly sum?: string;
  readonly from?: string;
  readonly note?: string;
  readonly files: readonly LockedFile[];
}

export interface Lock {
  readonly entries: readonly LockEntry[];
}

export const PROJECT_ROOT = resolve(__dirname, '..', '..');
export const LOCK_FILE = join(__dirname, 'sources.lock.json');

export function readLock(): Lock {
  return JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as Lock;
}

export function lockText(lock: Lock): string {
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

interface Wanted {
  readonly project: string;
  readonly label: string;
  readonly minor?: KubernetesMinor;
  readonly source: ModuleSource | FolderSource;
}

/** Resolves the sources again: what `--update` writes. */
export function resolveSources(log: (line: string) => void): Lock {
  const wanted: readonly Wanted[] = [
    ...KUBERNETES.map((source) => ({
      project: 'kubernetes',
      label: `kubernetes ${source.version}`,
      minor: source.minor,
      source,
    })),
    KUBERNETES_LIFECYCLE,
    ...PROJECTS,
    KEDA_SCALERS,
  ];
  return {
    entries: wanted.map(({ project, label, minor, source }) => {
      log(`resolving ${label}`);
      const place =
        'module' in source ? goModule(source.module, source.version) : { dir: resolve(PROJECT_ROOT, source.from) };
      const except = 'module' in source ? (source.except ?? []) : [];
      return {
        project,
        label,
        ...(minor === undefined ? {} : { minor }),
        ...('module' in source
          ? { module: source.module, version: source.version, sum: (place as GoModule).sum }
          : { from: source.from }),
        ...(source.note === undefined ? {} : { note: source.note }),
        files: source.files.flatMap((pattern) =>
          lockedFiles(place.dir, pattern, except, project.startsWith('kubernetes') || pattern.endsWith('.go')),
        ),
      };
    }),
  };
}

function lockedFiles(dir: string, pattern: string, except: readonly string[], asOne: boolean): readonly LockedFile[] {
  const paths = pathsOf(dir, pattern).filter((path) => !except.includes(path));
  if (paths.length === 0) {
    throw new Error(`${dir}: no file matches ${pattern}`);
  }
  if (!asOne) {
    return paths.map((path) => ({ path, sha256: sha256(readFileSync(join(dir, path))) }));
  }
  return [{ path: pattern, sha256: listSum(dir, paths), files: paths.length }];
}

/** The files that a path with stars in its names meets, sorted. */
function pathsOf(dir: string, pattern: string): readonly string[] {
  if (!pattern.includes('*')) {
    return [pattern];
  }
  let folders = [''];
  const parts = pattern.split('/');
  for (const part of parts) {
    const [start, end] = part.includes('*') ? part.split('*') : [part, undefined];
    const matches = (name: string): boolean =>
      end === undefined
        ? name === start
        : name.startsWith(start) && name.endsWith(end) && !name.startsWith('.') && name !== 'kustomization.yaml';
    folders = folders.flatMap((folder) =>
      namesIn(join(dir, folder))
        .filter(matches)
        .map((name) => (folder === '' ? name : `${folder}/${name}`)),
    );
  }
  return folders.sort(order);
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}

function listSum(dir: string, paths: readonly string[]): string {
  return sha256(Buffer.from(paths.map((path) => `${sha256(readFileSync(join(dir, path)))}  ${path}\n`).join('')));
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The text of the files of an entry, by path.
 *
 * @throws Error where a file is missing or is not the one that was locked
 */
export function readEntry(entry: LockEntry): ReadonlyMap<string, string> {
  const dir =
    entry.module === undefined
      ? resolve(PROJECT_ROOT, entry.from!)
      : goModule(entry.module, entry.version!, entry.sum).dir;
  const texts = new Map<string, string>();
  for (const locked of entry.files) {
    const paths = pathsOf(dir, locked.path);
    const missing = paths.find((path) => !existsSync(join(dir, path)));
    if (missing !== undefined) {
      throw new Error(`${entry.label}: ${join(dir, missing)} is not there`);
    }
    const sum = locked.files === undefined ? sha256(readFileSync(join(dir, locked.path))) : listSum(dir, paths);
    if (sum !== locked.sha256) {
      throw new Error(
        `${entry.label}: ${locked.path} is not the file that was locked; \`npm run generate:api -- --update\` locks it again`,
      );
    }
    for (const path of paths) {
      texts.set(path, readFileSync(join(dir, path), 'utf8'));
    }
  }
  return texts;
}

/** The texts of the files of a module that its source names, by path. */
export function moduleTexts(dir: string, { files, except = [] }: ModuleSource): ReadonlyMap<string, string> {
  const paths = files.flatMap((pattern) => pathsOf(dir, pattern)).filter((path) => !except.includes(path));
  return new Map(paths.map((path) => [path, readFileSync(join(dir, path), 'utf8')]));
}

export interface GoModule {
  readonly dir: string;
  readonly sum: string;
}

/** A source that cannot be had here and now; what is locked may be right all the same. */
export class UnavailableSource extends Error {}

/** Fetches a module into Go's module cache, or finds it there. */
export function goModule(module: string, version: string, sum?: string): GoModule {
  let answer: string;
  try {
    answer = execFileSync('nice', ['-n', '15', 'go', 'mod', 'download', '-json', `${module}@${version}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // Outside any module: no go.mod of ours may say which version is taken.
      cwd: '/',
      env: { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' },
    });
  } catch (error) {
    const output = (error as { stdout?: string; stderr?: string }).stdout ?? '';
    const told = /"Error": "([^"]*)"/.exec(output)?.[1] ?? (error as { stderr?: string }).stderr ?? String(error);
    throw new UnavailableSource(`${module}@${version} cannot be fetched: ${told.replaceAll('\\n\\t', ' ').trim()}`, {
      cause: error,
    });
  }
  const found = JSON.parse(answer) as { Dir: string; Sum: string };
  if (sum !== undefined && found.Sum !== sum) {
    throw new Error(`${module}@${version}: checksum ${found.Sum}, locked ${sum}`);
  }
  return { dir: found.Dir, sum: found.Sum };
}
