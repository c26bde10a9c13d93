/**
 * Compares the layer table of docs/architecture.md with the imports in the code.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { importsInCycles, importsOfSources } from './imports';

const ROOT = resolve(__dirname, '../..');

/** Folders whose own folders are parts of one layer. */
const UNDIVIDED = new Set(['manifests', 'cel', 'checks']);

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const groups = groupOrder(page);
const layers = layerTable(page);
const neighbors = neighborTable(page);
const everything = importsOfSources();
/** Those of other files of `src/`. */
const imports = everything.filter(({ to }) => to.startsWith('src/'));

test('the import graph was read', () => {
  expect(new Set(imports.map(({ from }) => from)).size).toBeGreaterThan(1000);
  expect(imports.length).toBeGreaterThan(5000);
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
  const files = imports.flatMap(({ from, to }) => [from, to]);
  const folders = new Set(files.map(folderOf).filter((folder) => folder !== undefined));
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

test('no other folder imports a program of a cluster: the package contains them as bundles only', () => {
  const bundled = ['runtime/agent', 'runtime/remediation', 'runtime/api', 'runtime/kubernetes'];
  // What reads a running cluster is bundled like a program, with the client that the programs have.
  const outside = imports.filter(
    ({ from, to }) =>
      bundled.includes(folderOf(to) ?? '') &&
      folderOf(from) !== folderOf(to) &&
      !(folderOf(to) === 'runtime/api' && [...bundled, 'interfaces/live'].includes(folderOf(from) ?? '')),
  );
  expect(outside.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('what reads a running cluster is loaded as a bundle only', () => {
  const users = imports
    .filter(({ to, typeOnly }) => to.startsWith('src/interfaces/live/') && !typeOnly)
    .filter(({ from }) => folderOf(from) !== 'interfaces/live')
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(users).toEqual([]);
});

test('only the commands of `gantry docker` import the Docker runner, and nothing loads them but their call', () => {
  const outside = imports.filter(
    ({ from, to }) => folderOf(to) === 'runtime/docker' && folderOf(from) !== folderOf(to),
  );
  expect(outside.filter(({ from }) => !from.startsWith('src/interfaces/cli/docker/'))).toEqual([]);
  const loaded = imports.filter(({ from, typeOnly }) => from === 'src/interfaces/cli/docker/commands.ts' && !typeOnly);
  // The options of `run` are a list that loads nothing itself.
  const loading = loaded
    .map(({ to }) => to)
    .filter((file) => file.startsWith('src/interfaces/cli/docker/'))
    .filter((file) => imports.some(({ from }) => from === file));
  expect(loading).toEqual([]);
});

test('each exception between neighbors is used', () => {
  const used = new Set(imports.map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
  expect([...neighbors].filter((pair) => !used.has(pair))).toEqual([]);
});

test('there are no import cycles between files', () => {
  expect(importsInCycles(imports).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('a cycle is found, and what leads to it or out of it is not part of it', () => {
  const edge = (text: string): { readonly from: string; readonly to: string; readonly typeOnly: boolean } => {
    const [from, to] = text.split('>');
    return { from, to, typeOnly: false };
  };
  const graph = ['a>b', 'b>c', 'c>d', 'd>b', 'd>e', 'f>f', 'a>e'].map(edge);
  expect(importsInCycles(graph)).toEqual(['b>c', 'c>d', 'd>b', 'f>f'].map(edge));
});

test('neither rules nor the command line load a construct', () => {
  const loads = new Map<string, string[]>();
  for (const { from, to } of everything.filter(({ typeOnly }) => !typeOnly)) {
    loads.set(from, [...(loads.get(from) ?? []), to]);
  }
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (!seen.has(file)) {
      seen.add(file);
      loads.get(file)?.forEach(visit);
    }
  };
  visit('src/interfaces/checks/index.ts');
  visit('src/interfaces/cli/main.ts');
  expect([...seen].filter((module) => /^(cdk8s|cdk8s-plus-28|constructs)$/.test(module))).toEqual([]);
});

test('only the Pulumi bridge imports Pulumi', () => {
  const users = everything.filter(({ to }) => to.startsWith('@pulumi/')).map(({ from }) => folderOf(from));
  expect([...new Set(users)]).toEqual(['interfaces/pulumi']);
  expect(
    imports.filter(({ from, to }) => folderOf(to) === 'interfaces/pulumi' && folderOf(from) !== 'interfaces/pulumi'),
  ).toEqual([]);
});

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
