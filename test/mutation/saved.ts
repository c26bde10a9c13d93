/**
 * The file of `--json`: how far a run is, so that another one can continue it or ask again about what survived.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Mutant } from './mutants';
import { isKilled, type Row } from './report';
import { type SuiteRecord } from './suites';

export interface Saved {
  readonly records: readonly SuiteRecord[];
  readonly rows: readonly Row[];
}

export function save(file: string, saved: Saved): void {
  writeFileSync(file, `${JSON.stringify(saved, undefined, 1)}\n`);
}

export function load(file: string): Saved {
  return JSON.parse(readFileSync(file, 'utf8')) as Saved;
}

/** What a mutant is called in another run: the code may have moved, its sample may be another. */
export function keyOf({ file, operator, code, text }: Mutant): string {
  return JSON.stringify([file, operator, code, text]);
}

export function survivorsIn({ rows }: Saved): ReadonlySet<string> {
  const survived = rows.flatMap(({ results }) => results).filter(({ verdict }) => !isKilled(verdict));
  return new Set(survived.map(({ mutant }) => keyOf(mutant)));
}
