/**
 * The estimates of the API server's own code (apiextensions, `schema/cel`, and `dynamic-resource-allocation/cel`), built once from the Go module proxy.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type CostCase } from '../../cel/estimates/cases';
import { buildGoProgram, cacheFolder, hashOfSources, whyNoPrograms } from '../go-program';

const FOLDER = join(__dirname, 'program');

function programPath(): string {
  return join(cacheFolder(), `costs-${hashOfSources([FOLDER])}`, 'costs');
}

/** What keeps this machine from asking; `undefined` where nothing does. */
export function whyNoEstimates(): string | undefined {
  return whyNoPrograms([programPath()], 'the estimates of CEL costs');
}

/** Builds the program if the cache does not have it. @returns its path */
export function buildEstimates(print?: (line: string) => void): string {
  return buildGoProgram({ target: programPath(), folder: FOLDER }, print);
}

/**
 * A line for each case: `COST OCCURRENCES`, or `error` for an expression that does not compile.
 *
 * @throws Error where the program ends with an error
 */
export function askForEstimates(cases: readonly CostCase[]): readonly string[] {
  const program = buildEstimates();
  const { status, stdout, stderr } = spawnSync(program, {
    input: cases.map((given) => `${JSON.stringify(given)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) {
    throw new Error(`the estimates failed:\n${stderr}`);
  }
  return stdout.trimEnd().split('\n');
}
