/**
 * Mutation results for people: a line for each mutant that no test notices, and a table of kill rates.
 */
import { type Mutant } from './mutants';

export interface Result {
  readonly mutant: Mutant;
  /** `timed out` counts as noticed: a loop that never ends does not pass a test. */
  readonly verdict: 'killed' | 'timed out' | 'survived' | 'not covered';
  readonly note: string;
}

export function isKilled(verdict: Result['verdict']): boolean {
  return verdict === 'killed' || verdict === 'timed out';
}

export function print({ mutant, verdict, note }: Result, where: string): void {
  if (!isKilled(verdict)) {
    console.log(`[${where}] ${verdict}: ${described(mutant)} (${note})`);
  }
}

/** `src/placement/search/room.ts:12 comparison: a < b -> (a) <= (b)` */
export function described({ file, line, code, operator, text }: Mutant): string {
  return `${file}:${line} ${operator}: ${short(code)} -> ${text === '' ? 'nothing' : short(text)}`;
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 88)}…` : line;
}

export interface Row {
  readonly folder: string;
  readonly all: number;
  readonly results: readonly Result[];
}

/** The rows of the table in CONTRIBUTING.md. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ folder, all, results }) => {
    const count = (verdict: Result['verdict']): number => results.filter((result) => result.verdict === verdict).length;
    const killed = results.filter(({ verdict }) => isKilled(verdict)).length;
    const rate = results.length === 0 ? '-' : `${((100 * killed) / results.length).toFixed(1)} %`;
    return `| \`${folder}\` | ${all} | ${results.length} | ${killed} | ${count('not covered')} | ${rate} |`;
  });
  return ['| folder | mutants | sample | killed | not covered | rate |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}
