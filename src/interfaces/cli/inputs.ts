/**
 * Reads what the command line names: files, folders and standard input, to one manifest set.
 */
import { type SourceProblem } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { findFiles, type FoundFiles, type IsExcluded } from '../checks/find-files';
import { readBytes, SourceReader } from '../checks/read-files';
import { UsageError, type Progress, type Terminal } from './terminal';

/**
 * Reads the manifests of all paths, in their order; files of a folder by name. A file that is named twice is read once. Files of nodes
 * (containerd's, systemd's and others) are read as what they are. What cannot be read is a problem of the set.
 *
 * @param paths files, folders (searched through, but for `node_modules` and names that begin with a dot) or `-`
 * @throws InputError where a path does not exist
 */
export async function readManifests(
  paths: readonly string[],
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  { progress, isExcluded }: { readonly progress?: Progress; readonly isExcluded?: IsExcluded } = {},
): Promise<ManifestSet> {
  return readFound(findFiles(paths, terminal.cwd, isExcluded), terminal, progress);
}

/** Reads the manifests of files that were found. */
export async function readFound(
  found: FoundFiles,
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  progress?: Progress,
): Promise<ManifestSet> {
  const { files } = found;
  const sources = new SourceReader(found);
  for (const [index, file] of files.entries()) {
    if (files.length > 50 && index % 50 === 0) {
      progress?.say(`reading ${index + 1} of ${files.length} files`);
    }
    const input = file.path === '-' ? await terminal.stdin() : undefined;
    sources.read(file, () => input ?? readBytes(file.path, terminal.cwd));
  }
  return sources.set();
}

/**
 * The same, where a part of what is named would answer another question.
 *
 * @throws UsageError also where a file cannot be read, or nothing at all was found
 */
export async function readWholeManifests(
  paths: readonly string[],
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  progress?: Progress,
): Promise<ManifestSet> {
  const set = await readManifests(paths, terminal, { progress });
  return wholeSet(set, paths);
}

/**
 * The set, if every part of it could be read.
 *
 * @throws UsageError
 */
export function wholeSet(set: ManifestSet, paths: readonly string[]): ManifestSet {
  const broken = set.problems.filter(({ kind }) => kind === 'syntax');
  if (broken.length > 0) {
    throw new UsageError(broken.map((problem) => `${placeOf(problem)}: ${problem.message}`).join('\n'));
  }
  if (set.manifests.length === 0 && set.problems.length === 0) {
    throw new UsageError(`${paths.join(', ')}: contains no Kubernetes object`);
  }
  return set;
}

export function placeOf({ file, position }: Pick<SourceProblem, 'file' | 'position'>): string {
  return `${file}:${position.line}:${position.column}`;
}
