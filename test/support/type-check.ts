/**
 * The native compiler over a folder of programs that a test wrote: several times as fast as the one with an API for programs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript-7/bin/tsc');
const DIAGNOSTIC = /^(?:(.+?)\((\d+),\d+\): )?error TS(\d+): (.*)$/;

export interface CompilerError {
  /** Absolute; empty for an error of the options. */
  readonly file: string;
  readonly line: number;
  readonly code: number;
  readonly message: string;
}

/** For programs that import the built package. @throws if there is none */
export function demandBuild(): void {
  if (!existsSync(join(ROOT, 'lib/index.js'))) {
    throw new Error('lib/ is missing: run `npx tsc --build` first (npm test does)');
  }
}

/** Compiles the project of a `tsconfig.json`, and writes what it says is to be written. */
export function compile(folder: string): readonly CompilerError[] {
  const { stdout, stderr, status } = spawnSync('node', [COMPILER, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const errors: CompilerError[] = [];
  for (const text of stdout.split('\n')) {
    const [, file, line, code, message] = DIAGNOSTIC.exec(text) ?? [];
    if (code !== undefined) {
      const path = file === undefined ? '' : resolve(ROOT, file);
      errors.push({ file: path, line: Number(line ?? 0), code: Number(code), message });
    }
  }
  if ((errors.length === 0) !== (status === 0)) {
    throw new Error(`the compiler ended with status ${status}: ${stdout}${stderr}`);
  }
  return errors;
}
