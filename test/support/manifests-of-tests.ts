/**
 * The manifests that rules are tested with. A run of tests writes them into a file where the environment names one, a line for each list of manifests.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Manifest } from '../../src/manifests/manifest';
import { asJson } from './manifest-of';

const PROJECT = resolve(__dirname, '../..');
const VARIABLE = 'GANTRY_MANIFESTS_OF_TESTS';

/** To be called with what rules are run on. */
export function keepManifests(manifests: readonly Manifest[]): void {
  const file = process.env[VARIABLE];
  if (file !== undefined && manifests.length > 0) {
    appendFileSync(file, `${JSON.stringify(manifests.map(asJson))}\n`);
  }
}

/** Runs the tests of rules in a folder. Gives each list of manifests once, as JSON. */
export function manifestsOfTests(folder: string): readonly string[] {
  const suites = suitesOfRules(folder);
  if (suites.length === 0) {
    return [];
  }
  const directory = mkdtempSync(join(tmpdir(), 'gantry-manifests-'));
  const file = join(directory, 'manifests');
  try {
    const args = ['jest', '--config', 'jest.config.json', '--maxWorkers=1', '--silent', ...suites];
    const { status, stderr } = spawnSync('npx', args, {
      cwd: PROJECT,
      env: { ...process.env, [VARIABLE]: file },
      encoding: 'utf8',
    });
    if (status !== 0) {
      throw new Error(`the tests of ${folder} fail:\n${stderr.slice(-2000)}`);
    }
    return existsSync(file) ? [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((line) => line !== '') : [];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The suites that run rules, by themselves or by a helper beside them. */
function suitesOfRules(folder: string): readonly string[] {
  return (readdirSync(join(PROJECT, folder), { recursive: true }) as string[])
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.test.ts') && runsRules(file));
}

function runsRules(file: string): boolean {
  const code = readFileSync(join(PROJECT, file), 'utf8');
  const helpers = [...code.matchAll(/ from '\.\/([^']+)'/g)]
    .map(([, name]) => join(dirname(file), `${name}.ts`))
    .filter((helper) => existsSync(join(PROJECT, helper)));
  return /support\/(findings|rule-cases)'/.test(code) || helpers.some((helper) => runsRules(helper));
}
