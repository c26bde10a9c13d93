/**
 * `test/fixtures/decisions.txt`: a line with the seed of a world, and below it what is decided there.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FIXTURE = join(__dirname, '../../fixtures/decisions.txt');

const HEAD = '# Decisions of the placement core in random worlds, written by "npm run record:decisions".';

export function printed(histories: ReadonlyMap<number, readonly string[]>): string {
  return [HEAD, ...[...histories].flatMap(([seed, lines]) => [`world ${seed}`, ...lines]), ''].join('\n');
}

export function recordedHistories(): ReadonlyMap<number, readonly string[]> {
  const histories = new Map<number, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(FIXTURE, 'utf8').split('\n').slice(1, -1)) {
    const seed = /^world (\d+)$/.exec(line)?.[1];
    if (seed === undefined) {
      lines.push(line);
    } else {
      lines = [];
      histories.set(Number(seed), lines);
    }
  }
  return histories;
}
