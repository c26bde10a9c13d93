/**
 * Fixtures with what happens in random worlds: a line with the seed of a world, and below it what happens there, as lines of text.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Histories = ReadonlyMap<number, readonly string[]>;

/** Path of a file of `test/fixtures`. */
export function fixture(name: string): string {
  return join(__dirname, '../fixtures', name);
}

export function readHistories(file: string): Histories {
  const histories = new Map<number, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n').slice(1, -1)) {
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

/** @param head the first line, which says what the file is */
export function printHistories(head: string, histories: Histories): string {
  return [head, ...[...histories].flatMap(([seed, lines]) => [`world ${seed}`, ...lines]), ''].join('\n');
}
