/**
 * Seconds of processor time that a process has used, seen from outside. Where the system does not say, the time that has passed.
 */
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel was built with. */
const TICKS = 100;

export function processorSeconds(pid: number): number {
  try {
    // The name in parentheses may contain blanks; utime and stime are the 12th and 13th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return performance.now() / 1000;
  }
}
