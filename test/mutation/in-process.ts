/**
 * Mutants in the code of this process: code that is required afterwards contains all of them, and one at a time can be made active.
 *
 * What a file computes when it is loaded is computed before any mutant is active. To see what mutants there change, ask for the exports with `load`.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { instrumented, IS_ACTIVE } from './instrument';
import { type Mutant, PROJECT } from './mutants';

const load = createRequire(__filename);

type Loader = (module: { _compile(code: string, path: string): void }, path: string) => void;

/** How often one run asks about mutants before it counts as endless. */
const ENDLESS = 3_000_000;

export class MutatedCode {
  private active = 0;
  private asked = 0;
  private readonly met = new Set<number>();
  private readonly metByLoading = new Set<number>();
  /** How many files are being loaded. */
  private loading = 0;
  private readonly compiled = new Map<string, string>();
  private readonly files: readonly string[];
  /** What was asked for last. */
  private loaded?: {
    readonly mutant: number;
    readonly paths: readonly string[];
    readonly exports: readonly unknown[];
  };

  /** To be called before the code is required. */
  constructor(mutants: readonly Mutant[]) {
    const byFile = new Map<string, Mutant[]>();
    for (const mutant of mutants) {
      byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant]);
    }
    this.files = [...byFile.keys()].map((file) => join(PROJECT, file));
    const extensions = (Module as unknown as { _extensions: Record<string, Loader> })._extensions;
    const loadUnchanged = extensions['.ts'];
    extensions['.ts'] = (module, path) => {
      const own = byFile.get(relative(PROJECT, path));
      if (own === undefined) {
        loadUnchanged(module, path);
      } else {
        this.compile(module, path, own);
      }
    };
    (globalThis as unknown as Record<string, unknown>)[IS_ACTIVE] = (id: number): boolean => this.isActive(id);
  }

  /** Whether the mutant is in code that runs when its file is loaded. Known once the file was loaded. */
  isMetByLoading(mutant: number): boolean {
    return this.metByLoading.has(mutant);
  }

  /** What modules export. Where the active mutant is met by loading, the mutated files are loaded again with it. */
  load(paths: readonly string[]): readonly unknown[] {
    const mutant = this.metByLoading.has(this.active) ? this.active : 0;
    if (this.loaded?.mutant !== mutant || this.loaded.paths !== paths) {
      const exports = mutant === 0 ? required(paths) : this.requiredAgain(paths);
      this.loaded = { mutant, paths, exports };
    }
    return this.loaded.exports;
  }

  /** Runs the code with one mutant, or with 0 for none. Throws where it does not come to an end. */
  run<T>(mutant: number, code: () => T): T {
    this.active = mutant;
    this.asked = 0;
    try {
      return code();
    } finally {
      this.active = 0;
    }
  }

  /** Runs the code without a mutant, and says which ones it met; `steps` is how often it met one. */
  meet<T>(code: () => T): { readonly result: T; readonly met: readonly number[]; readonly steps: number } {
    this.met.clear();
    const result = this.run(0, code);
    return { result, met: [...this.met], steps: this.asked };
  }

  /** Whether the code gives another result with the mutant. */
  changes(mutant: number, isUsual: () => boolean): boolean {
    try {
      return !this.run(mutant, isUsual);
    } catch {
      return true;
    }
  }

  private requiredAgain(paths: readonly string[]): readonly unknown[] {
    const before = this.files.map((file) => [file, load.cache[file]] as const);
    try {
      this.files.forEach((file) => delete load.cache[file]);
      return required(paths);
    } finally {
      for (const [file, module] of before) {
        if (module === undefined) {
          delete load.cache[file];
        } else {
          load.cache[file] = module;
        }
      }
    }
  }

  private compile(module: { _compile(code: string, path: string): void }, path: string, own: readonly Mutant[]): void {
    const code = this.compiled.get(path) ?? compiled(instrumented(readFileSync(path, 'utf8'), own));
    this.compiled.set(path, code);
    this.loading++;
    try {
      module._compile(code, path);
    } finally {
      this.loading--;
    }
  }

  private isActive(id: number): boolean {
    this.asked++;
    if (this.active === 0) {
      (this.loading > 0 ? this.metByLoading : this.met).add(id);
      return false;
    }
    if (this.asked > ENDLESS) {
      throw new Error('does not come to an end');
    }
    return id === this.active;
  }
}

function required(paths: readonly string[]): readonly unknown[] {
  return paths.map((path): unknown => load(path));
}

function compiled(code: string): string {
  return ts.transpileModule(code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
      experimentalDecorators: true,
    },
  }).outputText;
}
