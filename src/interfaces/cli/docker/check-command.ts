/**
 * `gantry docker check`: what the host has, what is missing, and the command that fixes it.
 */
import { hostFacts } from '../../../runtime/docker/preflight/facts';
import { type Check, preflight } from '../../../runtime/docker/preflight/preflight';
import { type Terminal } from '../terminal';
import { configurationOfFlags, reported } from './connection';

export interface CheckFlags {
  readonly config?: string;
  readonly format?: 'text' | 'json';
}

export async function checkCommand(flags: CheckFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const checks = preflight(await hostFacts(configurationOfFlags(flags, terminal), terminal.env));
    terminal.out(flags.format === 'json' ? `${JSON.stringify(checks, undefined, 2)}\n` : checks.map(lineOf).join(''));
    return checks.some(({ state }) => state === 'missing') ? 1 : 0;
  });
}

/** One or two lines. */
export function lineOf({ name, state, found, fix }: Check): string {
  return `${state.padEnd(8)} ${name}: ${found}\n${fix === undefined ? '' : `${' '.repeat(9)}${fix}\n`}`;
}
