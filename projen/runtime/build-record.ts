/**
 * What was built from which sources, so that nothing is built again that would come out equal.
 *
 * Sources and outputs are compared by their contents, as `tsc --build` does, and never by their times, which a checkout changes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Built {
  readonly sources: string;
  /** Digests of the outputs by path. */
  readonly outputs: Readonly<Record<string, string>>;
}

export class BuildRecord {
  /** Of the sources when the record was made: what changes during the build is built by the next one. */
  private readonly digest: string;

  /**
   * @param file of the record
   * @param root which paths are relative to
   * @param sources files and folders that the outputs depend on
   */
  constructor(
    private readonly file: string,
    private readonly root: string,
    private readonly sources: readonly string[],
  ) {
    this.digest = this.digestOfSources();
  }

  /** Whether the outputs are those of the sources as they are now. */
  isCurrent(): boolean {
    const built = this.read();
    return (
      built !== undefined &&
      built.sources === this.digest &&
      Object.entries(built.outputs).every(([path, digest]) => this.digestOf(path) === digest)
    );
  }

  /** To be called when the outputs are built, with all of them. */
  write(outputs: readonly string[]): void {
    const built: Built = {
      sources: this.digest,
      outputs: Object.fromEntries(outputs.map((path) => [path, this.digestOf(path) ?? ''])),
    };
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, `${JSON.stringify(built)}\n`);
  }

  private read(): Built | undefined {
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as Built;
    } catch {
      return undefined;
    }
  }

  /** Of names and contents: a new file may be found in place of another one. */
  private digestOfSources(): string {
    const hash = createHash('sha256').update(process.version);
    for (const path of this.sources.flatMap((source) => filesIn(join(this.root, source))).sort()) {
      hash.update(`\0${relative(this.root, path)}\0`).update(readFileSync(path));
    }
    return hash.digest('hex');
  }

  private digestOf(path: string): string | undefined {
    const file = join(this.root, path);
    return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : undefined;
  }
}

/** Of the bundles: the sources, what bundles them, and the packages. */
export function bundleRecord(root: string): BuildRecord {
  const sources = ['src', 'projen/runtime', 'package-lock.json', 'tsconfig.json'];
  return new BuildRecord(join(root, '.cache/bundles.json'), root, sources);
}

function filesIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return [path];
    }
    throw error;
  }
}
