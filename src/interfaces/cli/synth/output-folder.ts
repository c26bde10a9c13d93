/**
 * A folder that is replaced whole or not at all.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { attempt } from '../../../manifests/input-error';
import { UsageError } from '../terminal';

const GENERATED = /\.(ya?ml|json)$/i;
/** Files of nodes, which an app may write beside its manifests, of any kind. */
const NODE_FILES = /^node-files[\\/]/;

export class OutputFolder {
  /** What is written here becomes the folder when `commit` is called. It lies beside the folder, so that moving it is one step. */
  readonly draft: string;
  private readonly target: string;

  /**
   * @param folder as the caller named it
   * @throws UsageError where replacing the folder would take more than manifests with it
   */
  constructor(
    private readonly folder: string,
    cwd: string,
  ) {
    this.target = resolve(cwd, folder);
    if (!relative(this.target, cwd).startsWith('..')) {
      throw new UsageError(
        `--output ${folder}: must not be the working directory, because it would be replaced; choose a folder inside it`,
      );
    }
    if (existsSync(this.target)) {
      refuseForeign(folder, this.target);
    }
    attempt(folder, () => mkdirSync(dirname(this.target), { recursive: true }));
    this.draft = attempt(folder, () => mkdtempSync(join(dirname(this.target), `.${basename(this.target)}-`)));
  }

  /** Paths of all files in the draft, sorted. */
  files(): readonly string[] {
    return attempt(this.folder, () => listed(this.draft)).map((file) => relative(this.draft, file));
  }

  /** Puts the draft in the folder's place. */
  commit(): void {
    const old = `${this.draft}.old`;
    attempt(this.folder, () => {
      const existed = existsSync(this.target);
      if (existed) {
        renameSync(this.target, old);
      }
      try {
        renameSync(this.draft, this.target);
      } catch (error) {
        if (existed) {
          renameSync(old, this.target);
        }
        throw error;
      }
      rmSync(old, { recursive: true, force: true });
    });
  }

  /** Removes what was not committed. */
  discard(): void {
    rmSync(this.draft, { recursive: true, force: true });
  }
}

/** A folder that holds other things than manifests was not made by a synth, and is not ours to replace. */
function refuseForeign(folder: string, target: string): void {
  if (!attempt(folder, () => statSync(target)).isDirectory()) {
    throw new UsageError(`--output ${folder}: must be a folder`);
  }
  const foreign = attempt(folder, () => listed(target)).find(
    (file) => !GENERATED.test(file) && !NODE_FILES.test(relative(target, file)),
  );
  if (foreign === undefined) {
    return;
  }
  throw new UsageError(
    `--output ${folder}: would be replaced, but contains ${relative(target, foreign).split(sep).join('/')}, which gantry synth did not create; choose another folder`,
  );
}

function listed(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((found) => (found.isDirectory() ? listed(join(folder, found.name)) : [join(folder, found.name)]))
    .sort();
}
