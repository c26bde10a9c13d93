/**
 * `npm run test:drift`: regenerates the API from its pinned sources into a temporary folder and compares with `src/facts/api`, byte by byte.
 *
 * Skipped with a line that says so where Go is missing, where a module cannot be fetched, or where schemas beside the project are not
 * there.
 */
import { spawnSync } from 'child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join, relative, resolve } from 'path';
import { apiFiles, type ApiSources } from './api-files';
import { generatedFilesIn, readSources, TRIGGERS_FILE, writeApi } from './generate';
import { type Lock, PROJECT_ROOT, readLock, UnavailableSource } from './lock';
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
export function whySkipped(lock: Lock): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) {
    return 'go is not installed';
  }
  const folder = lock.entries.find(
    (entry) => entry.from !== undefined && !existsSync(resolve(PROJECT_ROOT, entry.from)),
  );
  return folder === undefined ? undefined : `${folder.from} is not there`;
}

function main(): void {
  const lock = readLock();
  const why = whySkipped(lock);
  if (why !== undefined) {
    console.log(`SKIPPED test:drift: ${why}`);
    return;
  }
  const drifted = driftedFiles(readSources(lock));
  if (drifted.length === 0) {
    console.log(`src/facts/api is what ${lock.entries.length} pinned sources give`);
    return;
  }
  for (const path of drifted) {
    console.error(`src/facts/api/${path} differs from what its sources give`);
  }
  console.error('Run `npm run generate:api` and commit what it writes.');
  process.exitCode = 1;
}

if (require.main === module) {
  try {
    main();
  } catch (error) {
    if (error instanceof UnavailableSource) {
      console.log(`SKIPPED test:drift: ${error.message}`);
    } else {
      throw error;
    }
  }
}
