/**
 * promtool, Prometheus' own checker, built once per version from the Go module proxy.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { buildGoProgram, cacheFolder, requiredVersion, whyNoPrograms } from '../go-program';

const MODULE = 'github.com/prometheus/prometheus';

/** The version that `go.mod` requires. */
export function promtoolVersion(): string {
  return requiredVersion(__dirname, MODULE);
}

function programPath(): string {
  return join(cacheFolder(), `promtool-${promtoolVersion()}`, 'promtool');
}

/** What keeps this machine from running promtool; `undefined` where nothing does. */
export function whyNoPromtool(): string | undefined {
  return whyNoPrograms([programPath()], 'promtool');
}

/** The path of promtool, which is built if the cache does not have it (a minute or two). */
export function buildPromtool(print?: (line: string) => void): string {
  // Service discovery is most of the program, and nothing here discovers anything.
  const tags = 'remove_all_sd';
  return buildGoProgram({ target: programPath(), folder: __dirname, package: `${MODULE}/cmd/promtool`, tags }, print);
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
