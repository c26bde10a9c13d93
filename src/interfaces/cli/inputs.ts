/**
 * Reads what the command line names: files, folders and standard input, to one manifest set.
 */
import { type Manifest, type SourceProblem } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { parseFile } from '../../manifests/node-file';
import { decode, filesOf, readBytes } from '../checks/read-files';
import { UsageError, type Progress, type Terminal } from './terminal';

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

export function placeOf({ file, position }: Pick<SourceProblem, 'file' | 'position'>): string {
  return `${file}:${position.line}:${position.column}`;
}
