/**
 * Which suites can run a file at all: those that import it, directly or through other files.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PROJECT } from './mutants';

const IMPORTED = /(?:\bfrom|\bimport\(|\brequire\(|^import)\s*['"]([^'"]+)['"]/gm;

/** An import of a name that the code computes. */
const COMPUTED = /\bimport\(\s*[^'"\s]/;

interface Mapper {
  readonly moduleNameMapper: Readonly<Record<string, string>>;
}

export class ImportGraph {
  private readonly mapped = Object.entries(
    (JSON.parse(readFileSync(join(PROJECT, 'jest.config.json'), 'utf8')) as Mapper).moduleNameMapper,
  ).map(([pattern, path]) => [new RegExp(pattern), path.replace('<rootDir>', PROJECT)] as const);
  private readonly direct = new Map<string, readonly string[]>();

  /** Paths inside the project of everything that the file loads, itself included. */
  closureOf(file: string): ReadonlySet<string> {
    const seen = new Set([file]);
    for (const next of seen) {
      this.importsOf(next).forEach((imported) => seen.add(imported));
    }
    return seen;
  }

  /** Whether a suite may load one of the files. One that computes what it imports may load any. */
  mayLoad(suite: string, files: ReadonlySet<string>): boolean {
    return (
      COMPUTED.test(readFileSync(join(PROJECT, suite), 'utf8')) ||
      [...this.closureOf(suite)].some((file) => files.has(file))
    );
  }

  private importsOf(file: string): readonly string[] {
    let known = this.direct.get(file);
    if (known === undefined) {
      const code = readFileSync(join(PROJECT, file), 'utf8');
      known = [...code.matchAll(IMPORTED)].flatMap(([, name]) => this.resolved(file, name));
      this.direct.set(file, known);
    }
    return known;
  }

  private resolved(file: string, name: string): readonly string[] {
    const [pattern, target] = this.mapped.find(([candidate]) => candidate.test(name)) ?? [];
    const path =
      pattern !== undefined && target !== undefined
        ? name.replace(pattern, target)
        : name.startsWith('.')
          ? resolve(PROJECT, dirname(file), name)
          : undefined;
    const found =
      path === undefined
        ? undefined
        : [path, `${path}.ts`, join(path, 'index.ts')].find((each) => each.endsWith('.ts') && isFile(each));
    return found === undefined ? [] : [relative(PROJECT, found)];
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
