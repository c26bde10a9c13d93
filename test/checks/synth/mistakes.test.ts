/**
 * Mistakes in what constructs are given: a test sees the first where it is made, a synth reports all of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, Chart } from 'cdk8s';
import { kubeflow } from '../../../src';

const ROOT = resolve(__dirname, '../../..');

test('without a command that synthesizes, the constructor throws', () => {
  const { CDK8S_OUTDIR } = process.env;
  delete process.env.CDK8S_OUTDIR;
  try {
    const chart = new Chart(new App(), 'jobs');
    expect(() => new kubeflow.PyTorchJob(chart, 'llm', { nodes: 0, image: 'a', command: ['b'] })).toThrow(
      'jobs/llm: nodes must be a whole number greater than or equal to 1, not 0.',
    );
  } finally {
    if (CDK8S_OUTDIR !== undefined) {
      process.env.CDK8S_OUTDIR = CDK8S_OUTDIR;
    }
  }
});

test('under a command that synthesizes, all mistakes are reported together, without a trace, and nothing is written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-mistakes-'));
  try {
    const program = join(folder, 'main.js');
    writeFileSync(
      program,
      `const { App, Chart } = require(${JSON.stringify(require.resolve('cdk8s'))});
const { kubeflow, Scheduling } = require(${JSON.stringify(join(ROOT, 'lib'))});
const app = new App();
const chart = new Chart(app, 'jobs');
const job = (id, nodes) => new kubeflow.PyTorchJob(chart, id, { nodes, image: 'a', command: ['b'] });
job('first', 0);
job('second', 1.5);
const third = job('third', 2).submitTo({ engine: 'volcano', name: 'a' });
third.submitTo({ engine: 'volcano', name: 'b' });
app.synth();
`,
    );
    const { status, stderr } = spawnSync('node', [program], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, CDK8S_OUTDIR: join(folder, 'dist') },
    });
    expect(stderr).toMatch(
      /^Validation failed with the following errors:\n {2}\[jobs\/first\] nodes must be a whole number greater than or equal to 1, not 0\. \(main\.js:5\)\n {2}\[jobs\/second\] nodes must be a whole number greater than or equal to 1, not 1\.5\. \(main\.js:5\)\n {2}\[jobs\/third\] must not be scheduled by .*\(main\.js:9\)\n$/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
