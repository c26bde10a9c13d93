/**
 * Files whose path shows that they are not complete manifests: templates of a Helm chart, patches of a Kustomization, and
 * what tests expect.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject, objectsAt, stringsIn } from '../../manifests/read';
import { parseValue } from '../../manifests/yaml';

const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

const CHAINSAW_TESTS = ['chainsaw-test.yaml', 'chainsaw-test.yml'];

/** The names by which kuttl knows what a step expects. */
const KUTTL_PART = /^\d+-(assert|errors?)\.ya?ml$/;

/** Names that kubebuilder and people give to patches. */
const PATCH_NAME = /(^|[-_.])patch([-_.]|$)|^(cainjection|webhook)_in_/;

/** Larger files are no Kustomizations. */
const MAX_BYTES = 1 << 20;

export class ForeignFiles {
  /** What the Kustomization of a folder names, by full path: what for. */
  private readonly namedBy = new Map<string, ReadonlyMap<string, string>>();
  /** What the Kustomizations in the folders of a folder name outside of their own folder, by full path. */
  private readonly namedAcross = new Map<string, ReadonlyMap<string, string>>();
  private readonly kustomizations = new Map<string, JsonObject>();
  /** What the Chainsaw test of a folder compares objects with, by full path. */
  private readonly expectedBy = new Map<string, ReadonlySet<string>>();

  constructor(private readonly cwd: string) {}

  /** Why a file of a folder is not a manifest; `undefined` if its path does not show it. */
  why(path: string): string | undefined {
    return this.chartTemplate(path) ?? this.kustomizePart(path) ?? this.testPart(path) ?? this.namedPatch(path);
  }

  /** Whether the Kustomization of its folder, or of one above, lists a file among its resources. */
  isResource(path: string): boolean {
    const full = resolve(this.cwd, path);
    return foldersAbove(full).some((folder) => {
      const kustomization = this.kustomizationOf(folder);
      return ['resources', 'bases', 'components']
        .flatMap((key) => stringsIn(Object.hasOwn(kustomization, key) ? kustomization[key] : undefined))
        .some((resource) => resolve(folder, resource) === full);
    });
  }

  private chartTemplate(path: string): string | undefined {
    const parts = resolve(this.cwd, path).split(/[/\\]/);
    for (
      let at = parts.lastIndexOf('templates', parts.length - 2);
      at > 0;
      at = parts.lastIndexOf('templates', at - 1)
    ) {
      const chart = parts.slice(0, at).join('/');
      if (existsSync(join(chart, 'Chart.yaml'))) {
        const named = relative(this.cwd, chart) || '.';
        return `a template of the Helm chart ${named}; \`gantry check --helm ${named}\` checks what it renders`;
      }
    }
    return undefined;
  }

  /** Kustomizations name patches in their own folder, below it, and in the folders beside it. */
  private kustomizePart(path: string): string | undefined {
    const full = resolve(this.cwd, path);
    for (const folder of foldersAbove(full)) {
      const what = this.partsOf(folder).get(full);
      if (what !== undefined) {
        return this.partOf(what, folder);
      }
    }
    const across = this.acrossFolders(dirname(dirname(full))).get(full);
    return across === undefined || this.isResource(path) ? undefined : across;
  }

  private partOf(what: string, folder: string): string {
    return `${what} of the Kustomization in ${relative(this.cwd, folder) || '.'}`;
  }

  private acrossFolders(parent: string): ReadonlyMap<string, string> {
    let named = this.namedAcross.get(parent);
    if (named === undefined) {
      const parts = foldersIn(parent).flatMap((folder) =>
        [...this.partsOf(folder)].map(([file, what]) => [file, this.partOf(what, folder)] as const),
      );
      // The first one names it, as the search goes by name.
      named = new Map(parts.reverse());
      this.namedAcross.set(parent, named);
    }
    return named;
  }

  /** What a test expects is a part of an object. */
  private testPart(path: string): string | undefined {
    if (KUTTL_PART.test(basename(path))) {
      return 'an expected result of a kuttl test';
    }
    const full = resolve(this.cwd, path);
    const folder = dirname(full);
    let expected = this.expectedBy.get(folder);
    if (expected === undefined) {
      expected = new Set(expectedFiles(readDocument(folder, CHAINSAW_TESTS)).map((file) => resolve(folder, file)));
      this.expectedBy.set(folder, expected);
    }
    return expected.has(full) ? 'an expected result of a Chainsaw test' : undefined;
  }

  /** Generators write patches that a Kustomization names only once they are needed. */
  private namedPatch(path: string): string | undefined {
    const full = resolve(this.cwd, path);
    const isPatch = PATCH_NAME.test(basename(full)) || basename(dirname(full)) === 'patches';
    if (!isPatch || this.isResource(path)) {
      return undefined;
    }
    const [own = '', above = ''] = foldersAbove(full);
    const folder = [own, above].find((one) => Object.keys(this.kustomizationOf(one)).length > 0);
    return folder === undefined
      ? undefined
      : `a patch by its name, beside the Kustomization in ${relative(this.cwd, folder) || '.'}`;
  }

  private partsOf(folder: string): ReadonlyMap<string, string> {
    let parts = this.namedBy.get(folder);
    if (parts === undefined) {
      parts = new Map(namedFiles(this.kustomizationOf(folder)).map(([file, what]) => [resolve(folder, file), what]));
      this.namedBy.set(folder, parts);
    }
    return parts;
  }

  private kustomizationOf(folder: string): JsonObject {
    let kustomization = this.kustomizations.get(folder);
    if (kustomization === undefined) {
      this.kustomizations.set(folder, (kustomization = readDocument(folder, KUSTOMIZATIONS)));
    }
    return kustomization;
  }
}

/** The folder of a file, and three above it. */
function foldersAbove(file: string): readonly string[] {
  const folders = [dirname(file)];
  for (
    let parent = dirname(folders[0] ?? '');
    folders.length < 4 && !folders.includes(parent);
    parent = dirname(parent)
  ) {
    folders.push(parent);
  }
  return folders;
}

/** The folders of a folder, as far as it can be read. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries
      .map(({ name }) => name)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The first of these files in a folder, as far as it can be read. */
function readDocument(folder: string, names: readonly string[]): JsonObject {
  const file = names
    .map((name) => join(folder, name))
    .find((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true && stats.size <= MAX_BYTES;
    });
  if (file === undefined) {
    return {};
  }
  try {
    const parsed = parseValue(readFileSync(file, 'utf8'), file);
    return 'value' in parsed ? asObject(parsed.value) : {};
  } catch {
    // The file itself is read as well, and says what is wrong with it.
    return {};
  }
}

/** The files of a Chainsaw test that are named by `assert` and `error`. */
function expectedFiles(test: JsonObject): readonly string[] {
  return objectsAt(test, '/spec/steps').flatMap(({ value }) =>
    ['try', 'catch', 'finally']
      .flatMap((part) => asArray(value[part]).map(asObject))
      .flatMap((operation) => [operation.assert, operation.error])
      .flatMap((expected) => asString(asObject(expected).file) ?? []),
  );
}

/** Files that a Kustomization merges into objects or reads as something else than objects. */
function namedFiles(kustomization: JsonObject): readonly (readonly [string, string])[] {
  const member = (key: string): JsonValue | undefined =>
    Object.hasOwn(kustomization, key) ? kustomization[key] : undefined;
  const paths = (key: string): readonly string[] =>
    asArray(member(key))
      .filter(isObject)
      .map(({ path }) => asString(path))
      .filter((path) => path !== undefined);
  const generated = ['configMapGenerator', 'secretGenerator'].flatMap((key) =>
    asArray(member(key))
      .filter(isObject)
      .flatMap(({ files, env, envs }) => [...stringsIn(files), ...stringsIn(envs), asString(env) ?? '']),
  );
  const values = asArray(member('helmCharts'))
    .filter(isObject)
    .flatMap(({ valuesFile, additionalValuesFiles }) => [
      asString(valuesFile) ?? '',
      ...stringsIn(additionalValuesFiles),
    ]);
  const named = (files: readonly string[], what: string): readonly (readonly [string, string])[] =>
    files.filter((file) => file !== '' && !file.includes('\n')).map((file) => [file, what] as const);
  return [
    ...named(
      [...paths('patches'), ...paths('patchesJson6902'), ...stringsIn(member('patchesStrategicMerge'))],
      'a patch',
    ),
    ...named(paths('replacements'), 'a replacement'),
    ...named(stringsIn(member('configurations')), 'a configuration'),
    ...named([...stringsIn(member('transformers')), ...stringsIn(member('generators'))], 'a transformer'),
    ...named(
      generated.map((entry) => entry.slice(entry.indexOf('=') + 1)),
      'an input of a generated ConfigMap or Secret',
    ),
    ...named(values, 'Helm values'),
  ];
}
