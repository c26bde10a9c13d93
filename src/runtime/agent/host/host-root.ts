/**
 * Files of the host, read below one folder: `/` on a node whose root is mounted, a folder of recorded files in a test.
 *
 * What a driver writes there is untrusted and may be missing: a read gives at most 256 KiB, and `undefined` where there is nothing to read. Links
 * of sysfs stay within the folder; one that leads out of it is not followed, and pipes and devices are not opened.
 *
 * Prompt reads are for files that the kernel answers from memory: without a thread, a read costs a fraction of the CPU time. Files that ask a driver,
 * which may hang, and files on a disk are read on a thread.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { readAll, readAllOnThread } from './read-all';

/** Entries of one folder that are looked at. */
const MOST_ENTRIES = 20_000;
/** Without O_NONBLOCK, opening a pipe waits for a writer. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export class HostRoot {
  private readonly real: string;

  constructor(private readonly root: string) {
    this.real = realOf(root);
  }

  /** Text of a file, without white space around it. */
  async text(path: string): Promise<string | undefined> {
    try {
      const file = this.open(path);
      try {
        return await readAllOnThread(file);
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  promptText(path: string): string | undefined {
    try {
      const file = this.open(path);
      try {
        return readAll(file);
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  /** A file that contains one number, in decimal or as `0x…`. */
  async number(path: string): Promise<number | undefined> {
    return numberIn(await this.text(path));
  }

  promptNumber(path: string): number | undefined {
    return numberIn(this.promptText(path));
  }

  /** Names of what a folder contains, sorted; none where there is no such folder. */
  async list(path: string): Promise<readonly string[]> {
    try {
      return (await readdir(this.checked(await realpath(join(this.root, path))))).sort().slice(0, MOST_ENTRIES);
    } catch {
      return [];
    }
  }

  promptList(path: string): readonly string[] {
    try {
      return readdirSync(this.within(path)).sort().slice(0, MOST_ENTRIES);
    } catch {
      return [];
    }
  }

  /**
   * @returns a file descriptor, which the caller closes
   * @throws Error where there is no file at the path, or a link leads out of the root
   */
  open(path: string): number {
    const file = openSync(this.within(path), FLAGS);
    try {
      if (!fstatSync(file).isFile()) {
        throw new Error('not a file');
      }
      // A folder of the path may have been exchanged for a link since it was resolved.
      this.checked(openedPath(file) ?? this.real);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** @throws Error where there is nothing at the path, or a link leads out of the root */
  private within(path: string): string {
    return this.checked(realpathSync.native(join(this.root, path)));
  }

  /** @throws Error where the path is outside of the root */
  private checked(real: string): string {
    if (real !== this.real && !real.startsWith(this.real.endsWith(sep) ? this.real : `${this.real}${sep}`)) {
      throw new Error('a link leads out of the root of the host');
    }
    return real;
  }
}

function realOf(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

/** Where an opened file is, as Linux says it; undefined on other systems. */
function openedPath(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

export function numberIn(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** The number after a name at the start of a line, such as those of `cpu.stat`. */
export function keyedNumber(text: string | undefined, name: string): number | undefined {
  for (let at = text?.indexOf(name) ?? -1; at >= 0; at = text!.indexOf(name, at + 1)) {
    VALUE.lastIndex = at + name.length;
    const found = at === 0 || text![at - 1] === '\n' ? VALUE.exec(text!) : null;
    if (found !== null) {
      return Number(found[1]);
    }
  }
  return undefined;
}

const VALUE = /[ \t]+(\d+)[ \t\r]*(?:\n|$)/y;
