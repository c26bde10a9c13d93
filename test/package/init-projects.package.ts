/**
 * The projects that `gantry init` writes, with what npm would install: they compile, and their tests pass. `test:init` also installs them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Workplace } from '../interfaces/cli/fake-terminal';
import { installInto, ROOT } from './packed';

const GANTRY = 'node_modules/cdk8s-gantry/bin/gantry';

let installed: string;
beforeAll(() => {
  installed = installInto(join(ROOT, '.cache/init-projects'));
}, 60_000);

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

test.each(['cdk8s', 'pulumi'])('the %s project compiles, and its tests pass', (template) => {
  const run = (cwd: string, ...words: readonly string[]): string =>
    execFileSync(process.execPath, words, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH } });
  run(place.folder, join(installed, 'bin/gantry'), 'init', '--template', template, 'lab');
  const lab = join(place.folder, 'lab');
  const modules = join(lab, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(installed, join(modules, 'cdk8s-gantry'));
  run(lab, 'node_modules/typescript-7/bin/tsc');
  expect(run(lab, '--import', 'tsx', '--test', 'test/platform.test.ts')).toContain('pass 3');
  if (template === 'cdk8s') {
    expect(run(lab, GANTRY, 'synth', '--cluster', 'cluster.yaml')).toContain('The gang is placed.');
    expect(existsSync(join(lab, 'dist/platform.k8s.yaml'))).toBe(true);
  }
});
