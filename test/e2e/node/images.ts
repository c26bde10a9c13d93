/**
 * Images without a registry, as archives that containerd imports: the program that holds a pod, a few commands, and the Node.js of this machine
 * under the name that the manifests ask for.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const PAUSE_IMAGE = 'gantry.test/pause:1';
/** busybox, with all of its commands. */
export const WORK_IMAGE = 'gantry.test/work:1';

/** Writes the archive of an image. @returns its path */
function archive(folder: string, name: string, root: string, entrypoint: readonly string[]): string {
  const build = join(folder, name.replace(/\W/g, '-'));
  mkdirSync(build, { recursive: true });
  const layer = join(build, 'layer.tar');
  run('tar', ['-C', root, '--owner=0', '--group=0', '-cf', layer, '.']);
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: entrypoint, Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(readFileSync(layer))}`] },
  });
  const configName = `${sha256(config)}.json`;
  writeFileSync(join(build, configName), config);
  const manifest = [{ Config: configName, RepoTags: [name], Layers: ['layer.tar'] }];
  writeFileSync(join(build, 'manifest.json'), JSON.stringify(manifest));
  const path = `${build}.tar`;
  run('tar', ['-C', build, '-cf', path, 'manifest.json', configName, 'layer.tar']);
  return path;
}

/** Archives of the images that the suite needs. */
export function writeImages(folder: string, pause: string, nodeImage: string): readonly string[] {
  const root = (name: string): string => {
    const path = join(folder, `${name}-root`);
    mkdirSync(join(path, 'bin'), { recursive: true });
    mkdirSync(join(path, 'tmp'), { recursive: true });
    return path;
  };
  const [pauseRoot, workRoot, nodeRoot] = ['pause', 'work', 'node'].map(root);
  cpSync(pause, join(pauseRoot, 'pause'));
  copyProgram(pathOf('busybox'), workRoot, 'bin/busybox');
  for (const command of run('busybox', ['--list'])
    .split('\n')
    .filter((name) => name !== 'busybox' && name !== '')) {
    symlinkSync('busybox', join(workRoot, 'bin', command));
  }
  copyProgram(process.execPath, nodeRoot, 'usr/local/bin/node');
  return [
    archive(folder, PAUSE_IMAGE, pauseRoot, ['/pause']),
    archive(folder, WORK_IMAGE, workRoot, []),
    archive(folder, nodeImage, nodeRoot, ['node']),
  ];
}

/** A program and the libraries that it needs. */
function copyProgram(program: string, root: string, target: string): void {
  const libraries = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/[^\s)]+/g) ?? [];
  const copies = [[program, target], ...libraries.filter((path) => path !== program).map((path) => [path, path])];
  for (const [from, to] of copies) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { dereference: true });
  }
}

function pathOf(program: string): string {
  return run('sh', ['-c', `command -v ${program}`]).trim();
}

function sha256(text: Buffer | string): string {
  return createHash('sha256').update(text).digest('hex');
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  }
  return stdout;
}
