/**
 * Files of the host that are read with each observation, kept open: the path is resolved and checked once, and each further read is one call of the
 * kernel. A file of sysfs or of a cgroup that is gone cannot be read, also where it is open, and is looked for again.
 */
import { closeSync } from 'node:fs';
import { type HostRoot, numberIn } from './host-root';
import { readAll, readAllOnThread } from './read-all';

/** The kernel keeps a page for each open file; files beyond these are opened for each read. */
const MOST_KEPT = 4096;
/** Observations without a read after which a file is closed. */
const MOST_UNUSED = 2;

interface KeptFile {
  readonly file: number;
  usedIn: number;
  /** A read on a thread that has not ended: a file number that is closed meanwhile may become that of another file. */
  underWay?: Promise<string | undefined>;
}

export class KeptFiles {
  private readonly files = new Map<string, KeptFile>();
  private observation = 0;

  /** @param most files that are kept open */
  constructor(
    private readonly root: HostRoot,
    private most = MOST_KEPT,
  ) {}

  get size(): number {
    return this.files.size;
  }

  /** Text of a file that the kernel answers from memory, without white space around it; undefined where there is nothing to read. */
  text(path: string): string | undefined {
    for (let tries = 0; tries < 2; tries++) {
      const kept = this.fileAt(path);
      if (typeof kept === 'string') {
        return kept === 'absent' ? undefined : this.root.promptText(path);
      }
      try {
        return readAll(kept.file);
      } catch {
        this.forget(path, kept);
      }
    }
    return undefined;
  }

  number(path: string): number | undefined {
    return numberIn(this.text(path));
  }

  /** Text of a file that asks a driver. It is not read again before its last read has ended, so a driver that hangs holds no more threads with each observation. */
  textOnThread(path: string): Promise<string | undefined> {
    const kept = this.fileAt(path);
    if (typeof kept === 'string') {
      return kept === 'absent' ? Promise.resolve(undefined) : this.root.text(path);
    }
    kept.underWay ??= this.readOnThread(path, kept);
    return kept.underWay;
  }

  /** To be called after each observation: closes the files that are not read any more. */
  sweep(): void {
    this.observation++;
    this.closeThose(({ usedIn }) => this.observation - usedIn > MOST_UNUSED);
  }

  close(): void {
    this.closeThose(() => true);
  }

  /** `absent`: there is no such file; `unkept`: it must be opened for each read. */
  private fileAt(path: string): KeptFile | 'absent' | 'unkept' {
    const known = this.files.get(path);
    if (known !== undefined) {
      known.usedIn = this.observation;
      return known;
    }
    if (this.files.size >= this.most) {
      return 'unkept';
    }
    try {
      const kept = { file: this.root.open(path), usedIn: this.observation };
      this.files.set(path, kept);
      return kept;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EMFILE') {
        return 'absent';
      }
      // This process may open few files only, and needs some for its connections.
      this.most = Math.floor(this.files.size / 2);
      this.close();
      return 'unkept';
    }
  }

  private async readOnThread(path: string, kept: KeptFile): Promise<string | undefined> {
    try {
      return await readAllOnThread(kept.file);
    } catch {
      this.forget(path, kept);
      return this.root.text(path);
    } finally {
      kept.underWay = undefined;
    }
  }

  private closeThose(isOver: (kept: KeptFile) => boolean): void {
    for (const [path, kept] of this.files) {
      if (kept.underWay === undefined && isOver(kept)) {
        this.forget(path, kept);
      }
    }
  }

  private forget(path: string, { file }: KeptFile): void {
    this.files.delete(path);
    closeSync(file);
  }
}
