/**
 * Records what happens in random worlds (`test/support/recorded-histories.ts`). Each world is made by its seed alone.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { printHistories, readHistories } from '../support/recorded-histories';
import { type MutatedCode } from './in-process';
import { type Mutant } from './mutants';
import { record, recordOptions } from './recording';

export interface HistoryRecording {
  readonly fixture: string;
  /** First line of the fixture. */
  readonly head: string;
  readonly code: MutatedCode;
  readonly mutants: readonly Mutant[];
  readonly historyOf: (seed: number) => readonly string[];
}

export function recordHistories(recording: HistoryRecording, args: readonly string[]): void {
  const { fixture, head, code, mutants, historyOf } = recording;
  const listed = existsSync(fixture) ? [...readHistories(fixture).keys()] : [];
  record(
    {
      code,
      mutants,
      listed,
      tries: 12,
      observe: historyOf,
      further: (count, from) =>
        Array.from({ length: count }, (_, index) => from + index).filter((seed) => !listed.includes(seed)),
      write: (kept) => {
        const bySeed = [...kept].sort((a, b) => a.subject - b.subject);
        writeFileSync(fixture, printHistories(head, new Map(bySeed.map(({ subject, lines }) => [subject, lines]))));
      },
      noun: 'worlds',
    },
    recordOptions(args),
  );
}
