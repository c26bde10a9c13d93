/**
 * `npm run test:drift`: regenerates the API from its pinned sources into a temporary folder and compares with `src/facts/api`, byte by byte.
 * Then compares the schemas that the library loads with the upstream definitions, node by node.
 *
 * Skipped, with a last line that says so, where Go is missing or a module cannot be fetched.
 */
import { spawnSync } from 'child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join, relative } from 'path';
import { apiFiles, type ApiSources } from './api-files';
import { compareCrds, compareKubernetes, type Comparison } from './compare';
import { generatedFilesIn, readSources, TRIGGERS_FILE, writeApi } from './generate';
import { KNOWN_PROPS_FILE, knownPropsText } from './known-props';
import { goModule, type Lock, PROJECT_ROOT, readLock, UnavailableSource } from './lock';
import { order } from './openapi';

const GENERATED_BESIDE_FOLDERS = 'kind-table.ts';

/** Paths below `src/facts/api` whose content is not what the sources give, sorted. */
export function driftedFiles(sources: ApiSources): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-api-'));
  try {
    const api = apiFiles(sources);
    writeApi(folder, api);
    const committed = join(PROJECT_ROOT, 'src', 'facts', 'api');
    const paths = new Set([...generatedFilesIn(folder), ...generatedFilesIn(committed), GENERATED_BESIDE_FOLDERS]);
    const drifted = [...paths].filter((path) => !sameFile(join(folder, path), join(committed, path))).sort(order);
    const triggersAreSame =
      api.triggers === undefined || (existsSync(TRIGGERS_FILE) && readFileSync(TRIGGERS_FILE, 'utf8') === api.triggers);
    return triggersAreSame ? drifted : [...drifted, relative(committed, TRIGGERS_FILE)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sameFile(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && readFileSync(a).equals(readFileSync(b));
}

/** Why the sources cannot be read here, or undefined where they can. */
export function whySkipped(): string | undefined {
  return spawnSync('go', ['version']).status === 0 ? undefined : 'go is not installed';
}

async function main(): Promise<void> {
  if (readFileSync(KNOWN_PROPS_FILE, 'utf8') !== (await knownPropsText())) {
    console.error(
      'The table of props is not that of the constructs. Run `npm run generate:props` and commit what it writes.',
    );
    process.exitCode = 1;
    return;
  }
  const lock = readLock();
  const why = whySkipped();
  if (why !== undefined) {
    console.log(`SKIPPED test:drift: ${why}`);
    return;
  }
  const sources = readSources(lock);
  const drifted = driftedFiles(sources);
  for (const path of drifted) {
    console.error(`src/facts/api/${path} differs from what its sources give`);
  }
  if (drifted.length > 0) {
    console.error('Run `npm run generate:api` and commit what it writes.');
    process.exitCode = 1;
    return;
  }
  const comparisons = [compareCrds(sources.projects), ...kubernetesComparisons(lock)];
  const differences = comparisons.flatMap((comparison) => comparison.differences);
  for (const { kind, path, what } of differences) {
    console.error(`${kind} ${path}: ${what}`);
  }
  if (differences.length > 0) {
    process.exitCode = 1;
    return;
  }
  const total = (count: (comparison: Comparison) => number): string =>
    comparisons.reduce((sum, comparison) => sum + count(comparison), 0).toLocaleString('en-US');
  console.log(
    `src/facts/api is what ${lock.entries.length} pinned sources give; ${total(({ kinds }) => kinds)} kinds agree with upstream at ` +
      `${total(({ nodes }) => nodes)} nodes`,
  );
}

function kubernetesComparisons({ entries }: Lock): readonly Comparison[] {
  return entries.flatMap(({ minor, module, version, sum }) => {
    if (minor === undefined || module === undefined || version === undefined) {
      return [];
    }
    const { dir } = goModule(module, version, sum);
    return [compareKubernetes(minor, readFileSync(join(dir, 'api/openapi-spec/swagger.json'), 'utf8'))];
  });
}

if (require.main === module) {
  main().catch((error: unknown) => {
    if (!(error instanceof UnavailableSource)) {
      throw error;
    }
    console.log(`SKIPPED test:drift: ${error.message}`);
  });
}
