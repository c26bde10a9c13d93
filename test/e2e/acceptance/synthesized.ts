/**
 * What the examples synthesize, in the order in which Gantry emits it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type BaseManifest, manifestsIn } from '../agreement/corpus';

const EXAMPLES = resolve(__dirname, '../../../examples');

/** The examples that are cdk8s programs, by folder name. */
export function examples(): readonly string[] {
  if (!existsSync(EXAMPLES)) {
    return [];
  }
  return readdirSync(EXAMPLES)
    .filter((name) => existsSync(join(EXAMPLES, name, 'main.ts')) && !isPulumi(name))
    .sort();
}

/** A Pulumi program writes no manifests. */
function isPulumi(name: string): boolean {
  return readFileSync(join(EXAMPLES, name, 'main.ts'), 'utf8').includes("'cdk8s-gantry/pulumi'");
}

/** Runs the example and reads what it wrote. */
export async function synthesized(example: string): Promise<readonly BaseManifest[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-example-'));
  try {
    await promisify(execFile)(
      process.execPath,
      ['--require', require.resolve('tsx/cjs'), join(EXAMPLES, example, 'main.ts')],
      {
        cwd: folder,
        env: { ...process.env, CDK8S_OUTDIR: folder },
      },
    );
    return manifestsIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
