/**
 * `npm run test:init`: each project that `gantry init` writes is installed with the packed package, from the registry that npm is set up with,
 * by npm and by pnpm, and its own scripts are run.
 *
 *     npm run test:init -- [TEMPLATE...]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEMPLATES } from '../../src/interfaces/cli/init/templates';
import { pack, ROOT } from './packed';

const PNPM = 'pnpm@9.8.0';
const MANAGERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['npm'],
  pnpm: ['npx', '--yes', PNPM],
};

/** Scripts of the project, in the order in which its README names them. */
const SCRIPTS: Readonly<Record<(typeof TEMPLATES)[number], readonly string[]>> = {
  cdk8s: ['test', 'synth', 'plan'],
  pulumi: ['test'],
  yaml: ['check', 'plan', 'test'],
};

function main(wanted: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-init-'));
  try {
    const tarball = pack(folder);
    for (const template of TEMPLATES.filter((name) => wanted.length === 0 || wanted.includes(name))) {
      for (const [manager, command] of Object.entries(MANAGERS)) {
        tryProject(join(folder, `${template}-${manager}`), template, command, tarball);
        console.log(`ok     ${template} with ${manager}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tryProject(
  project: string,
  template: (typeof TEMPLATES)[number],
  [command, ...words]: readonly string[],
  tarball: string,
): void {
  run('node', [join(ROOT, 'bin/gantry'), 'init', '--template', template, project], ROOT);
  const file = join(project, 'package.json');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/"cdk8s-gantry": ".*"/, `"cdk8s-gantry": ${JSON.stringify(`file:${tarball}`)}`),
  );
  run(command, [...words, 'install'], project);
  SCRIPTS[template].forEach((script) => run(command, [...words, 'run', script], project));
}

/** @throws Error with what the program printed, if it failed */
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${[command, ...args].join(' ')} failed in ${cwd}\n${stdout}${stderr}`);
  }
}

main(process.argv.slice(2));
