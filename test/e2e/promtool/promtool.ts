/**
 * promtool, Prometheus' own checker, built once per version from the Go module proxy.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';

const MODULE = 'github.com/prometheus/prometheus';

/** The version that `go.mod` pins. */
export function promtoolVersion(): string {
  const version = new RegExp(`${MODULE} (v\\S+)`).exec(readFileSync(join(__dirname, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) {
    throw new Error(`go.mod pins no version of ${MODULE}.`);
  }
  return version;
}

function programPath(): string {
  return join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'gantry',
    `promtool-${promtoolVersion()}`,
    'promtool',
  );
}

/** What keeps this machine from running promtool; `undefined` where nothing does. */
export function whyNoPromtool(): string | undefined {
  if (existsSync(programPath())) {
    return undefined;
  }
  return spawnSync('go', ['version']).status === 0
    ? undefined
    : 'Go is not on this machine (no `go` in PATH), and promtool is not in the cache.';
}

/** The path of promtool, which is built if the cache does not have it (a minute or two). */
export function buildPromtool(): string {
  const target = programPath();
  if (existsSync(target)) {
    return target;
  }
  mkdirSync(dirname(target), { recursive: true });
  // Under a name of its own until it is whole. Service discovery is most of the program, and nothing here discovers anything.
  const partial = `${target}.${process.pid}`;
  const { status, stderr } = spawnSync(
    'go',
    [
      'build',
      '-trimpath',
      '-buildvcs=false',
      '-tags',
      'remove_all_sd',
      '-ldflags',
      '-s -w',
      '-o',
      partial,
      `${MODULE}/cmd/promtool`,
    ],
    {
      cwd: __dirname,
      encoding: 'utf8',
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    },
  );
  if (status !== 0) {
    throw new Error(`go build promtool failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  return target;
}

export interface PromtoolResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs promtool on files that are given as values, in a folder of their own. */
export function runPromtool(
  program: string,
  args: readonly string[],
  files: Readonly<Record<string, object>>,
): PromtoolResult {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-promtool-'));
  try {
    for (const [name, value] of Object.entries(files)) {
      writeFileSync(join(folder, name), stringify(value));
    }
    const { status, stdout, stderr } = spawnSync(program, [...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    return { ok: status === 0, output: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
