/**
 * Runs a program without types, as `cdk8s synth` or `node` does.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** The main module, as `require('cdk8s-gantry')` finds it. */
const MAIN = join(
  ROOT,
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly main: string }).main,
);

/** Exports that the lines of a program may use by their names. Only those that they use are loaded, as in a program of a user. */
const EXPORTS = ['Accelerator', 'GpuPlatform', 'kubeflow', 'Namespace', 'Scheduling', 'Team', 'volcano'];

/** What a program prints, and how it ends. Its lines begin at 6; `app.synth()` follows them. */
export function runProgram(
  lines: readonly string[],
  synthesizes = true,
): { readonly status: number | null; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-mistakes-'));
  const used = EXPORTS.filter((name) => lines.some((line) => new RegExp(`(?<![.\\w])${name}\\b`).test(line)));
  try {
    writeFileSync(
      join(folder, 'main.js'),
      [
        `const { App, Chart, Duration, Size } = require(${JSON.stringify(require.resolve('cdk8s'))});`,
        `const gantry = require(${JSON.stringify(MAIN)});`,
        `const { ${used.join(', ')} } = gantry;`,
        'const app = new App();',
        "const chart = new Chart(app, 'c');",
        ...lines,
        'app.synth();',
        '',
      ].join('\n'),
    );
    const env = { ...process.env };
    delete env.CDK8S_OUTDIR;
    const { status, stderr } = spawnSync('node', ['main.js'], {
      cwd: folder,
      encoding: 'utf8',
      env: synthesizes ? { ...env, CDK8S_OUTDIR: join(folder, 'dist') } : env,
    });
    return { status, stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
