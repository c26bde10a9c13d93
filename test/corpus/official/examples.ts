/**
 * The manifests of the examples in a project's Go module: files as they are, and the YAML in its documents.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { goModule } from '../../../projen/api/lock';
import { UPSTREAM, type UpstreamRelease } from '../../../src/facts/upstream';
import { findFiles } from '../../../src/interfaces/checks/find-files';
import { SourceReader } from '../../../src/interfaces/checks/read-files';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { type ExampleSource } from './sources';

export interface Example {
  /** Path in the module; with `#2` for the second block of a document. */
  readonly file: string;
  readonly set: ManifestSet;
}

/** The folder of a project's module in Go's module cache. */
export function moduleFolder({ project, module, version: asked }: ExampleSource): string {
  const { version, moduleVersion }: UpstreamRelease = UPSTREAM[project];
  return goModule(module, asked ?? moduleVersion ?? version).dir;
}

/** Each file is an example by itself, as `kubectl apply -f FILE` takes it. */
export function examplesOf(source: ExampleSource, root: string): readonly Example[] {
  const folders = source.folders.map((folder) => join(root, folder)).filter((folder) => existsSync(folder));
  const excepted = Object.keys(source.except ?? {});
  const wanted = (path: string): boolean =>
    !excepted.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  const files = findFiles(folders, root).files.flatMap((found): readonly Example[] => {
    const file = relative(root, found.path);
    if (!wanted(file)) {
      return [];
    }
    const reader = new SourceReader({ skipped: [], unreadable: [] });
    reader.read(found, () => readFileSync(found.path));
    return [{ file, set: reader.set() }];
  });
  const documents = folders.flatMap(markdownIn).flatMap((path): readonly Example[] => {
    const file = relative(root, path);
    return wanted(file) ? blocksOf(readFileSync(path, 'utf8'), file) : [];
  });
  return [...files, ...documents].filter(({ set }) => set.manifests.length > 0 || set.problems.length > 0);
}

function markdownIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? markdownIn(path) : path.endsWith('.md') ? [path] : []));
}

const FENCE = /^(?<indent>[ \t]*)```ya?ml[^\n]*\n(?<body>[\s\S]*?)^\s*```/gm;

/** The blocks of a document that are whole objects. Blocks with an ellipsis or a placeholder are parts. */
function blocksOf(text: string, file: string): readonly Example[] {
  return [...text.matchAll(FENCE)].flatMap(({ groups }, index): readonly Example[] => {
    const { indent = '', body = '' } = groups ?? {};
    const yaml = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (!/^apiVersion:/m.test(yaml) || !/^kind:/m.test(yaml) || /\.\.\.|…|<[a-z]/.test(yaml)) {
      return [];
    }
    const name = `${file}#${index + 1}`;
    const { manifests, problems } = parseYaml(yaml, name, { skipForeign: 'all' });
    return [{ file: name, set: new ManifestSet(manifests, problems) }];
  });
}
