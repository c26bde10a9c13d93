/**
 * The packed package, used as a stranger uses it: compiled under each module resolution, required, imported, and read on npm.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { consumerConfig, FACTS, installInto, MODES, ROOT } from './packed';

const FOLDER = join(ROOT, '.cache/package');
let installed: string;
let manifest: {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly repository: { readonly url: string };
  readonly homepage: string;
  readonly bugs: { readonly url: string };
};

beforeAll(() => {
  installed = installInto(FOLDER);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as typeof manifest;
}, 60_000);

/** TypeScript 7 has no moduleResolution node10. */
const modesOf = (compiler: string): readonly (keyof typeof MODES)[] =>
  Object.keys(MODES).filter((name) => compiler !== 'typescript-7' || name !== 'node10');

describe.each(['typescript-5.9', 'typescript', 'typescript-7'])('%s', (compiler) => {
  // Modes differ in how they resolve; the declarations that they find are the same.
  const known = new Set<string>();

  test.each(modesOf(compiler))(
    'compiles a stack with moduleResolution %s',
    (name) => {
      const mode = MODES[name];
      const options = {
        ...mode.more,
        ...(compiler === 'typescript' ? { ignoreDeprecations: '6.0' } : {}),
        ...(known.size > 0 ? { skipLibCheck: true } : {}),
      };
      known.add(name);
      const config = join(FOLDER, `tsconfig.${compiler}.${name}.json`);
      writeFileSync(config, JSON.stringify(consumerConfig({ ...mode, more: options }, `out/${compiler}-${name}`)));
      const { stdout, stderr } = spawnSync('node', [join(ROOT, 'node_modules', compiler, 'lib/tsc.js'), '-p', config], {
        encoding: 'utf8',
      });
      expect(stderr + stdout).toBe('');
    },
    120_000,
  );

  test.each(modesOf(compiler).slice(0, 2))('what it compiled with %s runs', (mode) => {
    const program = `process.stdout.write(JSON.stringify(require(${JSON.stringify(join(FOLDER, 'out', `${compiler}-${mode}`, 'stack.js'))}).facts()))`;
    expect(JSON.parse(run(['-e', program]))).toEqual(FACTS);
  });
});

test('each entry point gives an ES module the same names as require', () => {
  const program = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const missing = {};
    for (const name of ${JSON.stringify(entryPoints())}) {
      const imported = await import(name);
      missing[name] = Object.keys(require(name)).filter((key) => !(key in imported));
    }
    process.stdout.write(JSON.stringify(missing));`;
  writeFileSync(join(FOLDER, 'names.mjs'), program);
  const missing = JSON.parse(run([join(FOLDER, 'names.mjs')])) as Record<string, unknown>;
  expect(missing).toEqual(Object.fromEntries(entryPoints().map((name) => [name, []])));
});

test('checks, manifests, and placement load neither cdk8s nor constructs', () => {
  const program = `
    for (const name of ['checks', 'manifests', 'placement']) require('cdk8s-gantry/' + name);
    const loaded = Object.keys(require.cache).filter((file) => /node_modules[\\\\/](cdk8s|constructs|cdk8s-plus-\\d+)[\\\\/]/.test(file));
    process.stdout.write(JSON.stringify(loaded));`;
  expect(JSON.parse(run(['-e', program]))).toEqual([]);
});

test('only the entry point of Pulumi loads Pulumi', () => {
  const names = entryPoints().filter((name) => name !== 'cdk8s-gantry/pulumi');
  const program = `
    for (const name of ${JSON.stringify(names)}) require(name);
    const loaded = Object.keys(require.cache).filter((file) => /node_modules[\\\\/]@pulumi[\\\\/]/.test(file));
    process.stdout.write(JSON.stringify(loaded));`;
  expect(names).toContain('cdk8s-gantry');
  expect(JSON.parse(run(['-e', program]))).toEqual([]);
});

test('nothing is imported that the package does not declare', () => {
  const declared = new Set([
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
    ...builtinModules,
    'cdk8s-gantry',
  ]);
  const undeclared = filesBelow(join(installed, 'lib'), /\.(d\.ts|js)$/)
    .filter((file) => !file.includes('/bundles/') && hasSource(file))
    .flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /(?:^(?:import|export)\b[^;]*?\bfrom |\bimport\(|\brequire\()["']([^."'][^"']*)["']/gm,
        ),
      ]
        .map(([, specifier]) => specifier.replace(/^node:/, ''))
        .map((specifier) =>
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((name) => !declared.has(name))
        .map((name) => `${file.slice(installed.length + 1)}: ${name}`),
    );
  expect(undeclared).toEqual([]);
});

test('npm finds the source, the home page, and where to report a bug', () => {
  expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/.+\.git$/);
  expect(manifest.homepage).toMatch(/^https:\/\/github\.com\/.+#readme$/);
  expect(manifest.bugs.url).toMatch(/^https:\/\/github\.com\/.+\/issues$/);
});

test('what the README shows and links to is in the package', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const targets = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(20);
  // Guides for contributors are read in the repository.
  const missing = targets.filter((target) => target !== 'CONTRIBUTING.md' && !existsSync(join(installed, target)));
  expect(missing).toEqual([]);
});

/** `tsc --build` leaves what an earlier build wrote; a published package is built from a clean checkout. */
function hasSource(file: string): boolean {
  const source = join(ROOT, 'src', file.slice(join(installed, 'lib').length).replace(/\.(d\.ts|js)$/, '.ts'));
  return existsSync(source);
}

function entryPoints(): readonly string[] {
  return Object.keys(manifest.exports)
    .filter((name) => name !== './package.json')
    .map((name) => name.replace('.', 'cdk8s-gantry').replace('*', 'core/v1'));
}

/** Runs Node beside the installed package, without what a test environment adds. */
function run(args: readonly string[]): string {
  return execFileSync('node', args, { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function filesBelow(folder: string, name: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));
}
