/**
 * Files of the host, read below one folder: `/` on a node whose root is mounted, a folder of recorded files in a test.
 *
 * What a driver writes there is untrusted and may be missing: a read gives at most 256 KiB, and `undefined` where there is nothing to read. Links
 * of sysfs stay within the folder; one that leads out of it is not followed, and pipes and devices are not opened.
 */
import { constants, realpathSync } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

const MOST_BYTES = 262_144;
/** Entries of one folder that are looked at. */
const MOST_ENTRIES = 20_000;

export class HostRoot {
  private readonly real: string;

  constructor(private readonly root: string) {
    this.real = realOf(root);
  }

  /** Text of a file, without white space around it. */
  async text(path: string): Promise<string | undefined> {
    try {
      // Without O_NONBLOCK, opening a pipe waits for a writer.
      const file = await open(await this.within(path), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) {
          return undefined;
        }
        // Files of /proc and /sys say that their size is 0 or a page.
        const buffer = Buffer.alloc(MOST_BYTES);
        let length = 0;
        while (length < MOST_BYTES) {
          const { bytesRead } = await file.read(buffer, length, MOST_BYTES - length);
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
    const real = await realpath(join(this.root, path));
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
