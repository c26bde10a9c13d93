/**
 * Records what the code makes of the subjects of a fixture, and selects subjects for it: those of which a mutant of the code makes something else.
 *
 * `[--mutants N] [--seed S] [--further N] [--from SEED] [--seconds S]`: the subjects of the fixture are recorded again. With `--mutants`, prints how
 * many of a sample of mutants, which `--seed` selects, they notice, and which ones they do not. With `--further` too, of so many further subjects, from
 * the seed `--from`, those are added that notice one of the others. `--seconds` limits the search.
 */
import { parseArgs } from 'node:util';
import { type Mutant, sampled } from './mutants';
import { described } from './report';
import { type Observed, Selection, type Subjects } from './selection';

export interface Recording<T> extends Subjects<T> {
  readonly mutants: readonly Mutant[];
  /** The subjects of the fixture. */
  readonly listed: readonly T[];
  /** So many random subjects, from a seed on. */
  readonly further: (count: number, from: number) => readonly T[];
  readonly write: (kept: readonly Observed<T>[]) => void;
  /** What the subjects are, in the plural. */
  readonly noun: string;
}

export interface RecordOptions {
  readonly further: number;
  readonly from: number;
  readonly mutants: number;
  readonly seed: number;
  readonly seconds: number;
  readonly positionals: readonly string[];
}

export function recordOptions(args: readonly string[]): RecordOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      further: { type: 'string', default: '0' },
      from: { type: 'string', default: '1' },
      mutants: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: 'Infinity' },
    },
  });
  return {
    further: Number(values.further),
    from: Number(values.from),
    mutants: Number(values.mutants),
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    positionals,
  };
}

export function record<T>(recording: Recording<T>, { further, from, mutants, seed, seconds }: RecordOptions): void {
  const deadline = performance.now() + 1000 * seconds;
  const selection = new Selection(recording, recording.listed, recording.further(further, from));
  if (mutants > 0) {
    const { asked, unnoticed } = selection.extend(sampled(recording.mutants, mutants, seed), deadline);
    unnoticed.forEach((mutant) => console.log(described(mutant)));
    const [noticed, rate] = [asked - unnoticed.length, (100 * (1 - unnoticed.length / asked)).toFixed(1)];
    console.log(`${selection.kept.length} ${recording.noun} notice ${noticed} of ${asked} mutants (${rate} %)`);
  }
  recording.write(selection.kept);
}
