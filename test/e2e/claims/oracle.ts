/**
 * The allocator of Kubernetes (`k8s.io/dynamic-resource-allocation/structured`), built once from the Go module proxy and asked about worlds.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AllocatedDevice } from '../../../src/placement/claims/model';
import { type World } from '../../placement/claims/worlds';
import { cacheFolder } from '../control-plane/components';

const FOLDER = join(__dirname, 'program');

export interface OracleAnswer {
  /** Why it allocates nothing and tries no other node. */
  readonly error?: string;
  /** By claim; missing where the node has no devices for them. */
  readonly claims?: readonly (readonly AllocatedDevice[])[];
}

/** What keeps this machine from asking; `undefined` where nothing does. */
export function whyNoOracle(): string | undefined {
  return existsSync(programPath()) || spawnSync('go', ['version']).status === 0
    ? undefined
    : 'Go is not on this machine (no `go` in PATH), and the program is not in the cache.';
}

function programPath(): string {
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) {
    hash.update(readFileSync(join(FOLDER, file)));
  }
  return join(cacheFolder(), `claims-${hash.digest('hex').slice(0, 12)}`, 'allocator');
}

/** @throws Error where `go build` fails, with what it printed */
export function buildOracle(): string {
  const target = programPath();
  if (existsSync(target)) {
    return target;
  }
  mkdirSync(dirname(target), { recursive: true });
  // Under a name of its own until it is whole.
  const partial = `${target}.${process.pid}`;
  const { status, stderr } = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', partial, '.'],
    {
      cwd: FOLDER,
      encoding: 'utf8',
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    },
  );
  if (status !== 0) {
    throw new Error(`go build of the allocator failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  return target;
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
