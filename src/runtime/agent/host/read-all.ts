/**
 * Reads an open file from its start to its end, or to a bound, at once or on a thread.
 *
 * The end is a read of nothing, which costs as much as one of something. A file of the kernel is printed a page at a time, so a read of less than half a
 * page that had room for more was the last one.
 */
import { read, readSync } from 'node:fs';

const MOST_BYTES = 262_144;
const HALF_PAGE = 2048;
/** Most files are smaller, and hundreds are read at the same time. */
const FIRST_BYTES = 1024;
/** For prompt reads, one at a time. */
const shared = Buffer.alloc(MOST_BYTES);

/**
 * @returns the text, without white space around it
 * @throws Error where the file cannot be read
 */
export function readAll(file: number): string {
  let length = 0;
  for (let count = HALF_PAGE; count >= HALF_PAGE && length < MOST_BYTES; length += count) {
    count = readSync(file, shared, length, MOST_BYTES - length, length);
  }
  return textOf(shared, length);
}

/** The same on a thread, which waits where a driver lets it wait. */
export function readAllOnThread(file: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(FIRST_BYTES);
    let length = 0;
    const next = (): void => {
      read(file, buffer, length, buffer.length - length, length, (error, count) => {
        if (error !== null) {
          reject(error);
          return;
        }
        length += count;
        const isEnd = count === 0 || length === MOST_BYTES || (count < HALF_PAGE && length < buffer.length);
        if (isEnd) {
          resolve(textOf(buffer, length));
          return;
        }
        if (length === buffer.length) {
          buffer = Buffer.concat([buffer], Math.min(MOST_BYTES, 4 * length));
        }
        next();
      });
    };
    next();
  });
}

/** Files of the kernel are ASCII; another byte is a character that nothing looks for. */
function textOf(buffer: Buffer, length: number): string {
  return buffer.toString('latin1', 0, length).trim();
}
