/**
 * `gantry explain WHAT`: a rule, a workload of a cluster that waits, or messages on standard input.
 */
import pico from 'picocolors';
import { messagesIn } from '../../facts/messages/known-messages';
import { nearestName, nearestNames } from '../../facts/spelling';
import { ManifestSet } from '../../manifests/manifest-set';
import { planOf } from '../../planning/cluster';
import { type ViewGang } from '../../planning/cluster/view';
import { ruleFacts } from '../checks/rule-facts';
import { oneOf } from './check-options';
import { type ClusterFlags, readClusterOption } from './cluster-option';
import { type ExplanationStyle, explainedMessages } from './explain-messages';
import { rulesCommand } from './rules-command';
import { UsageError, wantsColor, type Terminal } from './terminal';

export interface ExplainFlags extends ClusterFlags {
  readonly format?: string;
  readonly color?: boolean;
}

/** Bytes of standard input that are read: what somebody pasted, or the end of a log. */
const MOST_TEXT = 4 * 1024 * 1024;

/** @returns 0 if it was explained, 1 if a message is not known */
export async function explainCommand(what: string, flags: ExplainFlags, terminal: Terminal): Promise<number> {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, ['text', 'json'], 'format');
  const style = { format, color: wantsColor(terminal, flags.color) };
  if (what === '-') {
    return explainMessages(await pastedText(terminal), style, terminal);
  }
  if (flags.cluster !== undefined) {
    return explainWorkload(what, { ...flags, cluster: flags.cluster }, terminal);
  }
  if (ruleFacts().some(({ id }) => id === what)) {
    return rulesCommand(what, flags, terminal);
  }
  if (messagesIn(what).length > 0) {
    return explainMessages(what, style, terminal);
  }
  const ids = ruleFacts().map(({ id }) => id);
  const near = ids.find((id) => id.endsWith(`/${what}`)) ?? nearestName(what, ids);
  throw new UsageError(
    `explain ${what}: neither a rule nor a known message${near === undefined ? '' : ` (did you mean ${near}?)`}; a workload requires --cluster, and messages are read from standard input with -`,
  );
}

/** The end of standard input, where the last messages of a log are. */
async function pastedText({ stdin, err }: Terminal): Promise<string> {
  const bytes = await stdin();
  if (bytes.length > MOST_TEXT) {
    err('gantry: warning: standard input is longer than 4 MiB; only its end is searched\n');
  }
  return new TextDecoder().decode(bytes.subarray(-MOST_TEXT));
}

function explainMessages(text: string, style: ExplanationStyle, terminal: Terminal): number {
  const explained = explainedMessages(text, style);
  if (explained === undefined && style.format === 'text') {
    terminal.out('The input contains no known message.\n');
    return 1;
  }
  terminal.out(explained ?? '{ "messages": [] }\n');
  return explained === undefined ? 1 : 0;
}

/** What the plan on the cluster says of a workload, and who is in front of it. */
async function explainWorkload(
  what: string,
  flags: ExplainFlags & { readonly cluster: string },
  terminal: Terminal,
): Promise<number> {
  const input = await readClusterOption(flags, terminal);
  const { view } = planOf(new ManifestSet([]), input.state());
  const gang =
    view.gangs.find(({ name }) => name === what) ?? only(view.gangs.filter(({ name }) => endsIn(name, what)));
  if (gang === undefined) {
    const near = nearestNames(
      what,
      view.gangs.map(({ name }) => name),
      1,
    );
    throw new UsageError(
      `explain ${what}: not found in ${view.cluster}${near.length === 0 ? '' : ` (did you mean ${near[0]}?)`}; name a workload as NAMESPACE/NAME`,
    );
  }
  const { bold } = pico.createColors(wantsColor(terminal, flags.color));
  const ahead = view.gangs.filter(
    (other) => other.state === 'pending' && other.queue === gang.queue && other.priority > gang.priority,
  );
  const rows: readonly (readonly [string, string])[] = [
    ['state', gang.state],
    ['queue', gang.queue],
    ['priority', String(gang.priority)],
    ['pods', `${gang.placed} of ${gang.pods} placed, ${gang.minimum} required, ${gang.devices} devices`],
    ...(gang.pending === undefined ? [] : ([['reason', gang.pending.message]] as const)),
    ...(gang.pending?.changes ?? []).map((change) => ['helps', change] as const),
    ...(ahead.length === 0 ? [] : ([['before it', ahead.map(({ name }) => name).join(', ')]] as const)),
  ];
  terminal.out(
    `${bold(`${gang.kind} ${gang.name}`)} on ${view.cluster}\n${rows.map(([label, text]) => `  ${label.padEnd(9)}  ${text}\n`).join('')}`,
  );
  return 0;
}

function endsIn(name: string, what: string): boolean {
  return name.endsWith(`/${what}`);
}

function only(found: readonly ViewGang[]): ViewGang | undefined {
  return found.length === 1 ? found[0] : undefined;
}
