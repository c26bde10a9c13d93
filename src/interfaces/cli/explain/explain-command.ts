/**
 * `gantry explain WHAT`: a rule, a place in a file, work of a cluster that waits, or messages on standard input.
 */
import { messagesIn } from '../../../facts/messages/known-messages';
import { nearestName } from '../../../facts/spelling';
import { ruleFacts } from '../../checks/rule-facts';
import { oneOf } from '../check/check-options';
import { type ClusterFlags, readClusterOption } from '../cluster-option';
import { explainedWork } from './explain-cluster';
import { type ExplanationStyle, explainedMessages } from './explain-messages';
import { explainedPlace, filePlace } from './explain-place';
import { rulesAndOwn, rulesCommand } from '../check/rules-command';
import { UsageError, wantsColor, type Terminal } from '../terminal';

export interface ExplainFlags extends ClusterFlags {
  readonly format?: string;
  readonly namespace?: string;
  readonly color?: boolean;
}

/** Bytes of standard input that are read: what somebody pasted, or the end of a log. */
const MOST_TEXT = 4 * 1024 * 1024;

/** What may be a rule of one's own, for which the configuration file is read. */
const RULE_ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;

/** @returns 0 if it was explained, 1 if a message is not known */
export async function explainCommand(what: string, flags: ExplainFlags, terminal: Terminal): Promise<number> {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, ['text', 'json'], 'format');
  const style = { format, color: wantsColor(terminal, flags.color) };
  if (what === '-') {
    return explainMessages(await pastedText(terminal), style, terminal);
  }
  const { cluster, namespace } = flags;
  if (cluster !== undefined) {
    const input = await readClusterOption({ ...flags, cluster }, terminal);
    terminal.out(explainedWork(what, input, { ...style, ...(namespace !== undefined && { namespace }) }));
    return 0;
  }
  const rules = RULE_ID.test(what) ? await rulesAndOwn(terminal) : ruleFacts();
  const ids = rules.map(({ id }) => id);
  if (ids.includes(what)) {
    return rulesCommand(what, flags, terminal);
  }
  const place = filePlace(what, terminal.cwd);
  if (place !== undefined) {
    terminal.out(await explainedPlace(place, terminal, style));
    return 0;
  }
  if (messagesIn(what).length > 0) {
    return explainMessages(what, style, terminal);
  }
  const near = ids.find((id) => id.endsWith(`/${what}`)) ?? nearestName(what, ids);
  throw new UsageError(
    `explain ${what}: not a rule, a file, or a known message${near === undefined ? '' : ` (did you mean ${near}?)`}; work of a cluster requires --cluster, and messages are read from standard input with -`,
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
