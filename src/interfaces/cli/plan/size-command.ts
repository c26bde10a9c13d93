/**
 * `gantry size FILE`: the cheapest mix of nodes that keeps waits under their targets.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { ScenarioError } from '../../../planning/simulation';
import {
  readSizing,
  size,
  type Sizing,
  sizingComparison,
  type SizingResult,
  sizingText,
  timelineOf,
} from '../../../planning/sizing';
import { renderSizingPage } from '../../../planning/pages';
import { type Policy } from '../../../placement';
import { readManifestFiles, readText } from '../../checks/read-files';
import { printable } from '../../../facts/words';
import { oneOf } from '../check/check-options';
import { type ClusterFlags, readClusterOption } from '../cluster-option';
import { wholeSet } from '../inputs';
import { explained } from './plan-command';
import { policyNamed } from './policy-option';
import { table } from '../table';
import { Progress, type Terminal, UsageError, wantsColor } from '../terminal';
import { deliver } from '../whole-file';

/** As commander hands them over. */
export interface SizeFlags extends ClusterFlags {
  readonly format: string;
  readonly output?: string;
  readonly color?: boolean;
  /** Names of policies, or files; the file's own without any. */
  readonly policy?: readonly string[];
  readonly seed?: string;
  readonly evaluations?: string;
}

/** @returns the exit status: 0 if a mix meets the targets, 1 if none was found */
export async function sizeCommand(file: string, flags: SizeFlags, terminal: Terminal): Promise<number> {
  const format = oneOf('--format', flags.format, ['text', 'json', 'html'], 'format');
  const policies = (flags.policy ?? []).map((name) => ({ name, policy: policyNamed(name, terminal) }));
  if (format === 'html' && policies.length > 1) {
    throw new UsageError(
      `--format html: requires at most one --policy, but ${policies.length} were given; --format text and json compare policies`,
    );
  }
  const read = await sizingIn(file, flags, terminal);
  const sizing = { ...read, search: searchOf(read.search, flags) };
  const progress = new Progress(terminal);
  try {
    const results = explained(() =>
      policies.length === 0
        ? [run(sizing, undefined, progress)]
        : policies.map((policy) => run(sizing, policy, progress)),
    );
    progress.done();
    const text =
      format === 'html'
        ? pageOf(results[0], { ...sizing, policy: policies[0]?.policy ?? sizing.policy })
        : written(format, results, { file, flags, terminal });
    if (text === undefined) {
      terminal.err(`gantry: ${file}: no mix that meets the targets was found, so there is no page\n`);
    } else {
      deliver(text, flags.output, terminal);
    }
    return results.every(({ best }) => best !== undefined) ? 0 : 1;
  } finally {
    progress.done();
  }
}

interface NamedPolicy {
  readonly name: string;
  readonly policy: Policy;
}

function run(sizing: Sizing, named: NamedPolicy | undefined, progress: Progress): SizingResult {
  const of = named === undefined ? '' : ` with policy ${named.name}`;
  const result = size(named === undefined ? sizing : { ...sizing, policy: named.policy }, {
    tell: (evaluated) => progress.say(`${sizing.name}: ${evaluated} mixes simulated${of}`),
  });
  return named === undefined ? result : { ...result, policy: named.name };
}

interface Destination {
  readonly file: string;
  readonly flags: SizeFlags;
  readonly terminal: Terminal;
}

/** @returns nothing if there is no mix to show */
function pageOf(result: SizingResult, sizing: Sizing): string | undefined {
  const { best } = result;
  return best === undefined ? undefined : renderSizingPage({ ...result, best }, timelineOf(sizing, best));
}

function written(
  format: 'text' | 'json',
  results: readonly SizingResult[],
  { file, flags, terminal }: Destination,
): string {
  if (format === 'json') {
    return `${JSON.stringify(results, null, 2)}\n`;
  }
  const color = flags.output === undefined && wantsColor(terminal, flags.color);
  const width = terminal.columns === undefined ? undefined : terminal.columns - 2;
  const asTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
    table(
      head,
      rows.map((row) => row.map(printable)),
      { color, width },
    );
  return results.length > 1
    ? sizingComparison(results, { file, table: asTable })
    : sizingText(results[0], { color, file, table: asTable });
}

/** Options of the command line replace those of the file. */
function searchOf(search: Sizing['search'], { seed, evaluations }: SizeFlags): Sizing['search'] {
  return {
    ...search,
    ...(seed !== undefined && { seed: wholeNumber('--seed', seed, 0) }),
    ...(evaluations !== undefined && { evaluations: wholeNumber('--evaluations', evaluations, 1) }),
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) {
    throw new UsageError(`${option} ${text}: must be a whole number greater than or equal to ${least}`);
  }
  return value;
}

/** Files that the sizing file names are looked for beside it. */
async function sizingIn(file: string, flags: SizeFlags, terminal: Terminal): Promise<Sizing> {
  const { cwd } = terminal;
  const beside = (name: string): string => (isAbsolute(name) ? name : join(dirname(file), name));
  const cluster =
    flags.cluster === undefined
      ? undefined
      : (await readClusterOption({ ...flags, cluster: flags.cluster }, terminal)).state();
  try {
    return explained(() =>
      readSizing(readText(file, cwd), file, {
        text: (name) => ({ text: readText(beside(name), cwd), file: beside(name) }),
        manifests: (name) => wholeSet(readManifestFiles(beside(name), { cwd }), [beside(name)]),
        ...(cluster !== undefined && { cluster }),
      }),
    );
  } catch (error) {
    throw error instanceof ScenarioError ? new UsageError(error.message) : error;
  }
}
