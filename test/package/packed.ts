/**
 * The package as npm would publish it, unpacked beside a program that uses it.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { demandBuild } from '../support/type-check';

export const ROOT = resolve(__dirname, '../..');

/** The stack that consumers compile and run. */
export const STACK = join(__dirname, 'consumer/stack.ts');

/**
 * Packs the built package into `folder`.
 *
 * @returns the path of the tarball
 */
export function pack(folder: string): string {
  demandBuild();
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--ignore-scripts', '--loglevel', 'error', '--pack-destination', folder];
  const output = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  return join(folder, output.trim().split('\n').at(-1)!);
}

/** Unpacks the package into `folder/node_modules`; its dependencies are found in the checkout around it. */
export function installInto(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  const installed = join(folder, 'node_modules/cdk8s-gantry');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', pack(folder), '-C', installed, '--strip-components', '1']);
  copyFileSync(STACK, join(folder, 'stack.ts'));
  return installed;
}

/** What the facts of the stack must be, whichever way it was compiled. */
export const FACTS = [['Namespace', 'Queue', 'PyTorchJob'], ['acme/owner-label'], 1, true, 1, true, 0, 3];

export interface CompilerMode {
  readonly module: string;
  readonly moduleResolution: string;
  /** Further compiler options. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The ways in which TypeScript resolves the entry points of a package. */
export const MODES: Readonly<Record<string, CompilerMode>> = {
  // What `cdk8s init typescript-app` writes.
  node10: { module: 'commonjs', moduleResolution: 'node10', more: { target: 'es2017', lib: ['es2016'] } },
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** The tsconfig.json of a consumer. Declarations are checked as strictly as a consumer can ask for. */
export function consumerConfig({ module, moduleResolution, more }: CompilerMode, outDir: string): object {
  return {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noUnusedLocals: true,
      declaration: true,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      rootDir: '.',
      outDir,
      module,
      moduleResolution,
      ...more,
    },
    files: ['stack.ts'],
  };
}
