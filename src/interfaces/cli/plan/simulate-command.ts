/**
 * `gantry simulate SCENARIO...`: runs scenarios through the placement core and compares the results with their expectations.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { renderTimelinePage } from '../../../planning/pages';
import {
  type CompareOptions,
  comparisonText,
  readScenario,
  type Scenario,
  ScenarioError,
  simulate,
  simulationText,
  type SimulationResult,
  tellDuration,
  verdictLine,
} from '../../../planning/simulation';
import { printable } from '../../../facts/words';
import { oneOf } from '../check/check-options';
import { filesOf } from '../../checks/find-files';
import { readText } from '../../checks/read-files';
import { policyNamed } from './policy-option';
import { table } from '../table';
import { Progress, UsageError, wantsColor, type Terminal } from '../terminal';
import { deliver } from '../whole-file';

/** As commander hands them over. */
export interface SimulateFlags {
  readonly format: string;
  readonly output?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
  /** Names of policies, or files; the scenario's own without any. */
  readonly policy?: readonly string[];
}

/** @returns the exit status */
export function simulateCommand(paths: readonly string[], flags: SimulateFlags, terminal: Terminal): number {
  const format = oneOf('--format', flags.format, ['text', 'json', 'html'], 'format');
  const files = filesOf(paths, terminal.cwd);
  if (format === 'html' && files.length > 1) {
    throw new UsageError(`--format html: requires exactly one scenario, but ${files.length} were given`);
  }
  const policies = (flags.policy ?? []).map((name) => ({ name, policy: policyNamed(name, terminal) }));
  if (format === 'html' && policies.length > 1) {
    throw new UsageError(
      `--format html: requires at most one --policy, but ${policies.length} were given; --format text and json compare policies`,
    );
  }
  const scenarios = files.map((file) => ({ file, scenario: scenarioIn(file, terminal) }));
  const progress = new Progress(terminal);
  const color = flags.output === undefined && wantsColor(terminal, flags.color);
  try {
    const results = scenarios.flatMap(({ file, scenario }): Run[] =>
      policies.length === 0
        ? [{ file, result: run(scenario, progress) }]
        : policies.map(({ name, policy }) => ({
            file,
            policy: name,
            result: run({ ...scenario, policy }, progress),
          })),
    );
    progress.done();
    const text = written(format, results, flags, terminal, color);
    deliver(text, flags.output, terminal);
    return results.every(({ result }) => result.expectations.every(({ met }) => met)) ? 0 : 1;
  } finally {
    progress.done();
  }
}

interface Run {
  readonly file: string;
  /** As it was given, where one was. */
  readonly policy?: string;
  readonly result: SimulationResult;
}

function written(
  format: 'text' | 'json' | 'html',
  runs: readonly Run[],
  flags: SimulateFlags,
  terminal: Terminal,
  color: boolean,
): string {
  const results = runs.map(({ result }) => result);
  switch (format) {
    case 'json':
      return `${JSON.stringify(
        runs.map(({ file, policy, result }) => ({ file, ...(policy !== undefined && { policy }), ...result })),
        null,
        2,
      )}\n`;
    case 'html':
      return renderTimelinePage(results[0]);
    case 'text': {
      const width = terminal.columns === undefined ? undefined : terminal.columns - 2;
      const asTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
        table(
          head,
          rows.map((row) => row.map(printable)),
          { color, width },
        );
      if (runs.some(({ policy }, i) => policy !== undefined && policy !== runs[0].policy && i > 0)) {
        return comparisons(runs, { color, table: asTable });
      }
      const told = runs.filter(({ result }) => flags.quiet !== true || result.expectations.some(({ met }) => !met));
      const texts = told.map(
        ({ file, result }) =>
          `${simulationText(result, { color, file, table: asTable, quiet: flags.quiet === true })}\n`,
      );
      return `${texts.join('')}${verdictLine(results, color)}`;
    }
  }
}

/** A table for each scenario. */
function comparisons(runs: readonly Run[], options: Omit<CompareOptions, 'file'>): string {
  return [...new Set(runs.map(({ file }) => file))]
    .map((file) => {
      const own = runs.filter((run) => run.file === file);
      return comparisonText(
        own.map(({ policy = '', result }) => ({ policy, result })),
        { ...options, file },
      );
    })
    .join('\n');
}

function scenarioIn(file: string, terminal: Terminal): Scenario {
  try {
    return readScenario(readText(file, terminal.cwd), file, (name) => {
      // A file that is named in a scenario is looked for beside it.
      const path = isAbsolute(name) ? name : join(dirname(file), name);
      return { text: readText(path, terminal.cwd), file: path };
    });
  } catch (error) {
    if (error instanceof ScenarioError) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}

function run(scenario: Scenario, progress: Progress): SimulationResult {
  const every = 100;
  let last = Date.now();
  return simulate(scenario, {
    tell: ({ at, finished, gangs }) => {
      const now = Date.now();
      if (now - last < every) {
        return;
      }
      last = now;
      progress.say(`${scenario.name}: ${tellDuration(at)} simulated, ${finished} of ${gangs} gangs done`);
    },
  });
}
