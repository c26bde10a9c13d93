/**
 * What the processes of a run share: the mutants by file, which test met which of them, and how long the suites took.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Mutant } from './mutants';

/** Environment variable that names the folder of the run. */
export const RUN_FOLDER = 'GANTRY_MUTATION_RUN';

export interface Plan {
  readonly mutants: readonly Mutant[];
}

export function planFile(folder: string): string {
  return join(folder, 'plan.json');
}

/** The plan of the run that this process belongs to. */
export function currentPlan(): Plan {
  return JSON.parse(readFileSync(planFile(process.env[RUN_FOLDER] ?? ''), 'utf8')) as Plan;
}

/** What one suite met: ids of mutants that ran outside of its tests, and by the name of each test. */
export interface Hits {
  readonly outside: readonly number[];
  readonly byTest: Readonly<Record<string, readonly number[]>>;
}

/** Tests of a suite that can notice a mutant; all of them where it already runs before the first one. */
export type TestsToRun = readonly string[] | 'all';

/** The parent tells the worker what to run, and gets one answer to each. */
export interface Order {
  /** 0 for the unchanged code, whose hits are recorded. */
  readonly mutant: number;
  readonly suite: string;
  readonly tests: TestsToRun;
}

export interface Outcome {
  readonly passed: boolean;
  /** Of processor time, so that a busy machine changes nothing. */
  readonly seconds: number;
  readonly hits?: Hits;
  /** The first failure, in a few lines. */
  readonly failure?: string;
  /** Memory of the worker in MiB. */
  readonly memory: number;
}
