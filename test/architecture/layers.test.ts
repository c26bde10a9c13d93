/**
 * Compares the layer table of docs/architecture.md with the imports in the code.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly {
    readonly resolved: string;
    readonly circular: boolean;
    readonly typeOnly?: boolean;
    /** `type-only` among them where the compiler erases the import; packages have no `typeOnly`. */
    readonly dependencyTypes: readonly string[];
  }[];
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Folders whose own folders are parts of one layer. */
const UNDIVIDED = new Set(['manifests', 'checks']);

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const groups = groupOrder(page);
const layers = layerTable(page);
const neighbors = neighborTable(page);
const modules = cruise();
const imports = modules.flatMap(({ source, dependencies }) =>
  dependencies
    .filter(({ resolved }) => resolved.startsWith('src/'))
    .map(({ resolved }): Import => ({ from: source, to: resolved })),
);

test('the import graph was read', () => {
  expect(modules.length).toBeGreaterThan(30);
  expect(imports.length).toBeGreaterThan(60);
});

test('src has at most ten folders, and the page draws all of them in one line', () => {
  const folders = readdirSync(join(ROOT, 'src')).filter((name) => statSync(join(ROOT, 'src', name)).isDirectory());
  expect(folders.length).toBeLessThanOrEqual(10);
  expect([...groups].sort()).toEqual(folders.sort());
});

test('no folder has more than ten folders, except for one folder for each domain or API group', () => {
  const parents = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(entry.parentPath, entry.name)).length > 0)
    .map((entry) => relative(ROOT, entry.parentPath));
  const counts = new Map<string, number>();
  for (const parent of parents) {
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  const larger = [...counts].filter(([, count]) => count > 10).map(([folder]) => folder);
  expect(larger.sort()).toEqual(['src/constructs', 'src/facts/api/types']);
});

test('every source folder is on a layer, and every layer exists', () => {
  const folders = new Set(modules.map(({ source }) => folderOf(source)).filter((folder) => folder !== undefined));
  expect([...layers.keys()].sort()).toEqual([...folders].sort());
});

test('imports run downwards only', () => {
  const upwards = imports.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source === undefined || source === target) {
      return false;
    }
    if (target === undefined) {
      return true;
    }
    return layers.get(source)! <= layers.get(target)! && !neighbors.has(`${source} ${target}`);
  });
  expect(upwards.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('a folder imports only from the folders to its left', () => {
  const rightwards = imports.filter(({ from, to }) => {
    const [source, target] = [groups.indexOf(groupOf(from)), groups.indexOf(groupOf(to))];
    return source >= 0 && (target < 0 || source < target);
  });
  expect(rightwards.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('no other folder imports the scheduler program: the package contains it as a bundle only', () => {
  // What reads a running cluster is bundled like a program, with the client that the scheduler has.
  const outside = imports.filter(
    ({ from, to }) =>
      folderOf(to) === 'runtime/kubernetes' &&
      folderOf(from) !== folderOf(to) &&
      !(folderOf(from) === 'interfaces/live' && to.startsWith('src/runtime/kubernetes/api/')),
  );
  expect(outside.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('what reads a running cluster is loaded as a bundle only', () => {
  const users = modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(
        ({ resolved, typeOnly, dependencyTypes }) =>
          resolved.startsWith('src/interfaces/live/') && typeOnly !== true && !dependencyTypes.includes('type-only'),
      )
      .filter(() => folderOf(source) !== 'interfaces/live')
      .map(({ resolved }) => `${source} -> ${resolved}`),
  );
  expect(users).toEqual([]);
});

test('only the commands of `gantry docker` import the Docker runner, and nothing loads them but their call', () => {
  const outside = imports.filter(
    ({ from, to }) => folderOf(to) === 'runtime/docker' && folderOf(from) !== folderOf(to),
  );
  expect(outside.filter(({ from }) => !from.startsWith('src/interfaces/cli/docker/'))).toEqual([]);
  const byName = new Map(modules.map((module) => [module.source, module]));
  const loaded = byName
    .get('src/interfaces/cli/docker/commands.ts')!
    .dependencies.filter(
      ({ typeOnly, dependencyTypes }) => typeOnly !== true && !dependencyTypes.includes('type-only'),
    );
  // The options of `run` are a list that loads nothing itself.
  const loading = loaded
    .map(({ resolved }) => resolved)
    .filter((resolved) => resolved.startsWith('src/interfaces/cli/docker/'))
    .filter((resolved) => byName.get(resolved)!.dependencies.some((next) => next.resolved.startsWith('src/')));
  expect(loading).toEqual([]);
});

test('each exception between neighbors is used', () => {
  const used = new Set(imports.map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
  expect([...neighbors].filter((pair) => !used.has(pair))).toEqual([]);
});

test('there are no import cycles between files', () => {
  const circular = modules.flatMap(({ source, dependencies }) =>
    dependencies.filter((dependency) => dependency.circular).map(({ resolved }) => `${source} -> ${resolved}`),
  );
  expect(circular).toEqual([]);
});

test('neither rules nor the command line load a construct', () => {
  const byName = new Map(modules.map((module) => [module.source, module]));
  const seen = new Set<string>();
  const visit = (source: string): void => {
    if (seen.has(source)) {
      return;
    }
    seen.add(source);
    for (const { resolved, typeOnly, dependencyTypes } of byName.get(source)?.dependencies ?? []) {
      if (typeOnly !== true && !dependencyTypes.includes('type-only')) {
        visit(resolved);
      }
    }
  };
  visit('src/interfaces/checks/index.ts');
  visit('src/interfaces/cli/main.ts');
  expect([...seen].filter((source) => /node_modules\/(cdk8s|cdk8s-plus-28|constructs)\//.test(source))).toEqual([]);
});

test('only the Pulumi bridge imports Pulumi', () => {
  const users = modules
    .filter(({ source, dependencies }) => source.startsWith('src/') && dependencies.some(isPulumi))
    .map(({ source }) => folderOf(source));
  expect([...new Set(users)]).toEqual(['interfaces/pulumi']);
  expect(
    imports.filter(({ from, to }) => folderOf(to) === 'interfaces/pulumi' && folderOf(from) !== 'interfaces/pulumi'),
  ).toEqual([]);
});

function isPulumi({ resolved }: { readonly resolved: string }): boolean {
  return resolved.includes('node_modules/@pulumi/');
}

/** `src/placement/books/ledger.ts` is in the group `placement`; a file directly in `src/` is in none. */
function groupOf(file: string): string {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? '';
}

/** `src/constructs/volcano/queue.ts` is in `constructs/volcano`, `src/placement/books/ledger.ts` in `placement/books`, and `src/index.ts` in none. */
function folderOf(file: string): string | undefined {
  const [, group, ...rest] = file.split('/');
  if (!file.startsWith('src/') || rest.length === 0) {
    return undefined;
  }
  return rest.length === 1 || UNDIVIDED.has(group) ? group : `${group}/${rest[0]}`;
}

function rowsAfter(text: string, heading: string): string[][] {
  const start = text.indexOf(heading);
  if (start < 0) {
    throw new Error(`docs/architecture.md has no table with the heading "${heading}"`);
  }
  const rows = text.slice(start).split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function foldersIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)\/`/g)].map((match) => match[1]);
}

function groupOrder(text: string): string[] {
  const line = text.split('\n').find((candidate) => candidate.startsWith('facts ◄── '));
  return (line ?? '').split(' ◄── ');
}

function layerTable(text: string): Map<string, number> {
  return new Map(
    rowsAfter(text, '| layer | folder |').flatMap(([layer, folders]) =>
      foldersIn(folders).map((folder) => [folder, Number(layer)] as const),
    ),
  );
}

function neighborTable(text: string): Set<string> {
  return new Set(
    rowsAfter(text, '| folder | may import |').flatMap(([folder, targets]) =>
      foldersIn(targets).map((target) => `${foldersIn(folder)[0]} ${target}`),
    ),
  );
}

function cruise(): readonly CruisedModule[] {
  const binary = join(ROOT, 'node_modules/.bin/depcruise');
  if (!existsSync(binary)) {
    throw new Error('dependency-cruiser is not installed: run npm ci');
  }
  const output = execFileSync(
    binary,
    [
      'src',
      '--no-config',
      '--ts-config',
      'tsconfig.json',
      '--ts-pre-compilation-deps',
      '--do-not-follow',
      'node_modules',
      // Programs of other projects, which no source imports.
      '--exclude',
      '^src/interfaces/cli/init/templates/',
      '--output-type',
      'json',
    ],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  return (JSON.parse(output) as { modules: CruisedModule[] }).modules;
}
