/**
 * Reads manifests from texts, files, and folders.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Manifest, type SkippedSource, type SourceProblem } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { parseFile } from '../../manifests/documents/node-file';
import { findFiles, type FoundFile, type FoundFiles } from './find-files';
import { UNREADABLE } from '../../checks/rules/source-rules';
import { attempt, InputError } from '../../manifests/input-error';
import { isGzip } from '../../manifests/snapshot/cluster-snapshot';

/** Options of `readManifests`. */
export interface ReadTextOptions {
  /**
   * The name that findings show as the file of the text.
   * @default 'manifests.yaml'
   */
  readonly file?: string;
}

/** Options of `readManifestFiles`. */
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
 * A file that cannot be read does not throw; it is a finding of the check. Files of a folder that are not manifests are listed in `skipped`
 * of the set.
 *
 * @param paths files, or folders, whose `.yaml`, `.yml`, and `.json` files are read at any depth, except those in `node_modules` and in
 * folders whose name begins with a dot
 * @throws InputError if a path does not exist
 * @example
 * const set = readManifestFiles(['dist/', 'extra/namespace.yaml']);
 */
export function readManifestFiles(paths: string | readonly string[], options: ReadFilesOptions = {}): ManifestSet {
  const cwd = options.cwd ?? process.cwd();
  const found = findFiles(typeof paths === 'string' ? [paths] : paths, cwd);
  const sources = new SourceReader(found);
  for (const file of found.files) {
    sources.read(file, () => readBytes(file.path, cwd));
  }
  return sources.set();
}

/** Reads one file after another; what is wrong with one is a problem of the set, and the others are read all the same. */
export class SourceReader {
  private readonly manifests: Manifest[] = [];
  private readonly problems: SourceProblem[] = [];
  private readonly skipped: SkippedSource[];

  constructor(found: Pick<FoundFiles, 'skipped' | 'unreadable'>) {
    this.skipped = [...found.skipped];
    for (const { path, why } of found.unreadable) {
      this.addUnreadable(path, why);
    }
  }

  read({ path, inFolder, kustomized }: FoundFile, bytes: () => Uint8Array): void {
    let text: string;
    try {
      text = decode(bytes(), path);
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      this.addUnreadable(path, error.reason);
      return;
    }
    const { manifests, problems, skipped } = parseFile(text, path, {
      skipForeign: inFolder ? 'all' : 'known',
      kustomized,
    });
    // A file may have more objects than a call takes arguments.
    manifests.forEach((manifest) => this.manifests.push(manifest));
    problems.forEach((problem) => this.problems.push(problem));
    skipped.forEach((one) => this.skipped.push(one));
  }

  set(): ManifestSet {
    return new ManifestSet(this.manifests, this.problems, this.skipped);
  }

  private addUnreadable(file: string, why: string): void {
    this.problems.push({ kind: 'syntax', file, position: { line: 1, column: 1 }, message: `${UNREADABLE}${why}` });
  }
}

/** The text of one file that is not a manifest. */
export function readText(file: string, cwd: string): string {
  return decode(readBytes(file, cwd), file);
}

export function readBytes(file: string, cwd: string): Uint8Array {
  return attempt(file, () => readFileSync(resolve(cwd, file)));
}

/** As kubectl, which reads UTF-16 too where the text begins with a byte order mark: PowerShell writes such files. */
function decode(bytes: Uint8Array, file: string): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' }).decode(bytes);
  } catch {
    const why = isGzip(bytes)
      ? 'compressed with gzip; decompress it with gunzip'
      : `not ${encoding === 'utf-8' ? 'UTF-8' : 'UTF-16'} text`;
    throw new InputError(`${file}: ${why}`, why);
  }
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) {
    return 'utf-16le';
  }
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
