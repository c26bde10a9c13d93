/**
 * Holds the floor table of docs/architecture.md against the imports that the code really has.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly circular: boolean; readonly typeOnly?: boolean }[];
}

interface Import {
  readonly from: string;
  readonly to: string;
}

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const floors = floorTable(page);
const neighbours = neighbourTable(page);
const modules = cruise();
const imports = modules.flatMap(({ source, dependencies }) =>
  dependencies.filter(({ resolved }) => resolved.startsWith('src/')).map(({ resolved }): Import => ({ from: source, to: resolved })),
);

test('the import graph was read', () => {
  expect(modules.length).toBeGreaterThan(30);
  expect(imports.length).toBeGreaterThan(60);
});

test('every folder of src stands on a floor, and every floor exists', () => {
  const folders = readdirSync(join(ROOT, 'src')).filter((name) => statSync(join(ROOT, 'src', name)).isDirectory());
  expect([...floors.keys()].sort()).toEqual(folders.sort());
});

test('imports run downwards only', () => {
  const upwards = imports.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source === undefined || source === target) return false;
    if (target === undefined) return true;
    return floors.get(source)! <= floors.get(target)! && !neighbours.has(`${source} ${target}`);
  });
  expect(upwards.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('nobody imports a program: the package has it as a bundle only', () => {
  const outside = imports.filter(({ from, to }) => folderOf(to) === 'runtime' && folderOf(from) !== 'runtime');
  expect(outside.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('each exception between neighbours is used', () => {
  const used = new Set(imports.map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
  expect([...neighbours].filter((pair) => !used.has(pair))).toEqual([]);
});

test('there are no circles between files', () => {
  const circular = modules.flatMap(({ source, dependencies }) =>
    dependencies.filter((dependency) => dependency.circular).map(({ resolved }) => `${source} -> ${resolved}`),
  );
  expect(circular).toEqual([]);
});

test('neither rules nor the command line load a construct', () => {
  const byName = new Map(modules.map((module) => [module.source, module]));
  const seen = new Set<string>();
  const visit = (source: string): void => {
    if (seen.has(source)) return;
    seen.add(source);
    for (const { resolved, typeOnly } of byName.get(source)?.dependencies ?? []) if (typeOnly !== true) visit(resolved);
  };
  visit('src/rules/index.ts');
  visit('src/cli/main.ts');
  expect([...seen].filter((source) => /node_modules\/(cdk8s|cdk8s-plus-28|constructs)\//.test(source))).toEqual([]);
});

/** `src/volcano/queue.ts` lives in `volcano`; a file directly in `src/` lives in no folder. */
function folderOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

function rowsAfter(text: string, heading: string): string[][] {
  const start = text.indexOf(heading);
  if (start < 0) throw new Error(`docs/architecture.md has no table with the heading "${heading}"`);
  const rows = text.slice(start).split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()));
}

function foldersIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)\/`/g)].map((match) => match[1]);
}

function floorTable(text: string): Map<string, number> {
  return new Map(
    rowsAfter(text, '| floor | folder |').flatMap(([floor, folders]) => foldersIn(folders).map((folder) => [folder, Number(floor)] as const)),
  );
}

function neighbourTable(text: string): Set<string> {
  return new Set(
    rowsAfter(text, '| folder | may use |').flatMap(([folder, targets]) => foldersIn(targets).map((target) => `${foldersIn(folder)[0]} ${target}`)),
  );
}

function cruise(): readonly CruisedModule[] {
  const binary = join(ROOT, 'node_modules/.bin/depcruise');
  if (!existsSync(binary)) throw new Error('dependency-cruiser is not installed: run npm ci');
  const output = execFileSync(
    binary,
    ['src', '--no-config', '--ts-config', 'tsconfig.json', '--ts-pre-compilation-deps', '--do-not-follow', 'node_modules', '--output-type', 'json'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  return (JSON.parse(output) as { modules: CruisedModule[] }).modules;
}
