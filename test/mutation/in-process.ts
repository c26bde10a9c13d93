/**
 * Mutants in the code of this process: code that is required afterwards contains all of them, and one at a time can be made active.
 *
 * What a file computes when it is loaded is computed before any mutant is active, so mutants there show nothing.
 */
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { relative } from 'node:path';
import ts from 'typescript';
import { instrumented, IS_ACTIVE } from './instrument';
import { type Mutant, PROJECT } from './mutants';

type Loader = (module: { _compile(code: string, path: string): void }, path: string) => void;

/** How often one run asks about mutants before it counts as endless. */
const ENDLESS = 3_000_000;

export class MutatedCode {
  private active = 0;
  private asked = 0;
  private readonly met = new Set<number>();

  /** To be called before the code is required. */
  constructor(mutants: readonly Mutant[]) {
    const byFile = new Map<string, Mutant[]>();
    for (const mutant of mutants) {
      byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant]);
    }
    const extensions = (Module as unknown as { _extensions: Record<string, Loader> })._extensions;
    const load = extensions['.ts'];
    extensions['.ts'] = (module, path) => {
      const own = byFile.get(relative(PROJECT, path));
      if (own === undefined) {
        load(module, path);
      } else {
        module._compile(compiled(instrumented(readFileSync(path, 'utf8'), own)), path);
      }
    };
    (globalThis as unknown as Record<string, unknown>)[IS_ACTIVE] = (id: number): boolean => this.isActive(id);
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

  private isActive(id: number): boolean {
    this.asked++;
    if (this.active === 0) {
      this.met.add(id);
      return false;
    }
    if (this.asked > ENDLESS) {
      throw new Error('does not come to an end');
    }
    return id === this.active;
  }
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
