/**
 * Which suites can notice a mutant, and in which order to ask them.
 */
import { type Mutant } from './mutants';
import { type Hits, type Order } from './plan';

/** What the unchanged code did in one suite. */
export interface SuiteRecord {
  readonly suite: string;
  readonly seconds: number;
  readonly hits: Hits;
}

export interface TimedOrder extends Order {
  /** Of processor time that the suite took in the unchanged code. */
  readonly seconds: number;
}

/**
 * The suites that met the mutant: those of its own folder first, then the quick ones. Most mutants are noticed by the first.
 *
 * A suite that met it only while its files were loaded counts as one in which every test can notice it.
 */
export function ordersFor(mutant: Mutant, records: readonly SuiteRecord[]): readonly TimedOrder[] {
  return records
    .flatMap(({ suite, seconds, hits }): readonly TimedOrder[] => {
      if (hits.outside.includes(mutant.id)) {
        return [{ mutant: mutant.id, suite, tests: 'all', seconds }];
      }
      const tests = Object.entries(hits.byTest)
        .filter(([, ids]) => ids.includes(mutant.id))
        .map(([name]) => name);
      return tests.length === 0 ? [] : [{ mutant: mutant.id, suite, tests, seconds }];
    })
    .sort((a, b) => nearness(mutant.file, b.suite) - nearness(mutant.file, a.suite) || a.seconds - b.seconds);
}

/** How many folders `src/a/b/c.ts` and `test/a/b/d.test.ts` share. A suite that is named for the file is nearest. */
export function nearness(file: string, suite: string): number {
  const [one, other] = [file, suite].map((path) =>
    path
      .replace(/(\.test)?\.ts$/, '')
      .split('/')
      .slice(1),
  );
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) {
    shared++;
  }
  return shared;
}
