/**
 * A folder that gets all files of a project or none.
 */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../../manifests/input-error';
import { UsageError } from '../terminal';
import { type TemplateFile } from './templates';

/** Files that a new repository often has already, and without which the project works as well. */
const KEPT: ReadonlySet<string> = new Set(['.gitignore', '.vscode/settings.json', 'README.md']);
/** The most files that an error names. */
const MOST_NAMED = 3;

export interface Written {
  /** Paths of the files that were written, from the folder. */
  readonly written: readonly string[];
  /** Paths of the files that existed and were left as they were. */
  readonly kept: readonly string[];
}

export class ProjectFolder {
  /**
   * @param target absolute path
   * @param shown the folder as the caller named it
   */
  constructor(
    private readonly target: string,
    private readonly shown: string,
  ) {}

  /** @throws UsageError if a file of the project exists already, or cannot be written; then the folder is as it was */
  write(files: readonly TemplateFile[]): Written {
    if (existsSync(this.target) && !attempt(this.shown, () => statSync(this.target)).isDirectory()) {
      throw new UsageError(`${this.shown}: must be a folder`);
    }
    const known = new Set(files.map(({ path }) => path).filter((path) => existsSync(join(this.target, path))));
    this.refuse([...known].filter((path) => !KEPT.has(path)));
    const made: string[] = [];
    const missing = files.filter(({ path }) => !known.has(path));
    try {
      missing.forEach(({ path, text }) => this.writeOne(join(this.target, path), text, made));
    } catch (error) {
      made.reverse().forEach((path) => rmSync(path, { recursive: true, force: true }));
      throw error;
    }
    return { written: missing.map(({ path }) => path), kept: [...known] };
  }

  private refuse(known: readonly string[]): void {
    if (known.length > 0) {
      const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : '';
      throw new UsageError(
        `${this.shown}: already contains ${known.slice(0, MOST_NAMED).join(', ')}${more}; choose an empty folder`,
      );
    }
  }

  /** Notes in `made` what did not exist before. */
  private writeOne(file: string, text: string, made: string[]): void {
    attempt(file, () => {
      const folder = mkdirSync(dirname(file), { recursive: true });
      if (folder !== undefined) {
        made.push(folder);
      }
      writeFileSync(file, text, { flag: 'wx' });
      made.push(file);
    });
  }
}
