/**
 * The allocator of Kubernetes (`k8s.io/dynamic-resource-allocation/structured`), built once from the Go module proxy and asked about worlds.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type AllocatedDevice } from '../../../src/placement/model/claims';
import { type World } from '../../placement/claims/worlds';
import { buildGoProgram, cacheFolder, hashOfSources, whyNoPrograms } from '../go-program';

const FOLDER = join(__dirname, 'program');

export interface OracleAnswer {
  /** Why it allocates nothing and tries no other node. */
  readonly error?: string;
  /** By claim; missing where the node has no devices for them. */
  readonly claims?: readonly (readonly AllocatedDevice[])[];
}

function programPath(): string {
  return join(cacheFolder(), `claims-${hashOfSources([FOLDER])}`, 'allocator');
}

/** What keeps this machine from asking; `undefined` where nothing does. */
export function whyNoOracle(): string | undefined {
  return whyNoPrograms([programPath()], 'the allocator');
}

/** The path of the program, which is built if the cache does not have it. */
export function buildOracle(print?: (line: string) => void): string {
  return buildGoProgram({ target: programPath(), folder: FOLDER }, print);
}

/** @throws Error where the program ends with an error */
export function askOracle(program: string, worlds: readonly World[]): readonly OracleAnswer[] {
  const { status, stdout, stderr } = spawnSync(program, {
    input: worlds.map(({ api }) => `${JSON.stringify(api)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) {
    throw new Error(`the allocator failed:\n${stderr}`);
  }
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OracleAnswer);
}
