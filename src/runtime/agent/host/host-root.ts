/**
 * Files of the host, read below one folder: `/` on a node whose root is mounted, a folder of recorded files in a test.
 *
 * What a driver writes there is untrusted and may be missing: a read gives at most 256 KiB, and `undefined` where there is nothing to read. Links
 * of sysfs stay within the folder; one that leads out of it is not followed, and pipes and devices are not opened.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

const MOST_BYTES = 262_144;
/** Most files are smaller: a node with 60 pods has hundreds of them, and they are read at the same time. */
const FIRST_BYTES = 2048;
/**
 * Files that the kernel answers from memory, which is most of what is read. Without threads, a read costs a fraction of the CPU time; no driver
 * is asked that could hang.
 */
const PROMPT = /^(?:sys\/fs\/cgroup|proc)\//;
/** For prompt reads, one at a time. */
const shared = Buffer.alloc(MOST_BYTES);

/** Entries of one folder that are looked at. */
const MOST_ENTRIES = 20_000;

export class HostRoot {
  private readonly real: string;

  constructor(private readonly root: string) {
    this.real = realOf(root);
  }

  /** Text of a file, without white space around it. */
  async text(path: string): Promise<string | undefined> {
    if (PROMPT.test(path)) {
      return this.promptText(path);
    }
    try {
      // Without O_NONBLOCK, opening a pipe waits for a writer.
      const file = await open(await this.within(path), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) {
          return undefined;
        }
        // Files of /proc and /sys say that their size is 0 or a page.
        let buffer = Buffer.allocUnsafe(FIRST_BYTES);
        let length = 0;
        while (length < MOST_BYTES) {
          if (length === buffer.length) {
            buffer = Buffer.concat([buffer], Math.min(MOST_BYTES, 4 * length));
          }
          const { bytesRead } = await file.read(buffer, length, buffer.length - length);
          if (bytesRead === 0) {
            break;
          }
          length += bytesRead;
        }
        return buffer.toString('utf8', 0, length).trim();
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  private promptText(path: string): string | undefined {
    try {
      const file = openSync(
        this.checked(realpathSync.native(join(this.root, path))),
        constants.O_RDONLY | constants.O_NONBLOCK,
      );
      try {
        if (!fstatSync(file).isFile()) {
          return undefined;
        }
        let length = 0;
        for (let read = -1; read !== 0 && length < MOST_BYTES; length += read) {
          read = readSync(file, shared, length, MOST_BYTES - length, null);
        }
        return shared.toString('utf8', 0, length).trim();
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  /** A file that contains one number, in decimal or as `0x…`. */
  async number(path: string): Promise<number | undefined> {
    const text = await this.text(path);
    const value = text === undefined || text === '' ? NaN : Number(text);
    return Number.isFinite(value) ? value : undefined;
  }

  /** Names of what a folder contains, sorted; none where there is no such folder. */
  async list(path: string): Promise<readonly string[]> {
    try {
      return (await readdir(await this.within(path))).sort().slice(0, MOST_ENTRIES);
    } catch {
      return [];
    }
  }

  /** @throws Error where there is nothing at the path, or a link leads out of the root */
  private async within(path: string): Promise<string> {
    return this.checked(await realpath(join(this.root, path)));
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

/** Lines of `name value`, such as those of `cpu.stat`. */
export function keyedNumbers(text: string | undefined): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const line of text?.split('\n') ?? []) {
    const [, name, value] = /^(\S+)\s+(\d+)$/.exec(line.trim()) ?? [];
    if (name !== undefined) {
      numbers.set(name, Number(value));
    }
  }
  return numbers;
}
