/**
 * What remediation knows and did, as JSON and as a page for people. The page has no script: it is loaded again from time to time.
 */
import { type RemediationRecord } from '../../planning/remediation';

export interface NodeStatus {
  readonly name: string;
  /** Causes that hold, in sentences. */
  readonly causes: readonly string[];
  /** What is on the node because of remediation. */
  readonly record: Pick<RemediationRecord, 'marks' | 'why' | 'clearing'>;
  /** What a rule demands and something prevents. */
  readonly refusals: readonly string[];
}

export interface Act {
  /** RFC 3339, the API server's time. */
  readonly at: string;
  readonly node: string;
  readonly text: string;
}

export interface Status {
  readonly mode: 'dry-run' | 'active';
  /** Whether this replica acts. */
  readonly leads: boolean;
  /** Which one does. */
  readonly holder: string;
  readonly nodes: readonly NodeStatus[];
  /** The latest first. */
  readonly recent: readonly Act[];
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8884; }
p.mode { border-left: 4px solid #1b5cc4; padding-left: .75rem; }
`;

export function statusPage({ mode, leads, holder, nodes, recent }: Status): string {
  const about =
    mode === 'dry-run'
      ? 'Dry run: this page shows what would be done. Nothing is changed.'
      : leads
        ? 'This replica acts on nodes.'
        : holder === ''
          ? 'No replica acts on nodes.'
          : `This replica is on standby. ${holder} acts on nodes.`;
  const rows = nodes.map(({ name, causes, record, refusals }) => [
    [name],
    causes,
    [...record.marks, ...record.clearing.map(({ gang }) => `evicts ${gang}`)],
    [...record.why, ...refusals.map((refusal) => `not done: ${refusal}`)],
  ]);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="10">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Gantry remediation</title><style>${STYLE}</style></head><body>`,
    '<h1>Remediation</h1>',
    `<p class="mode">${escaped(about)}</p>`,
    '<h2>Nodes</h2>',
    nodes.length === 0
      ? '<p>No node has a cause, and none is acted on.</p>'
      : table(['Node', 'Causes', 'Done', 'Why'], rows),
    '<h2>Recent actions</h2>',
    recent.length === 0
      ? '<p>None since this replica started.</p>'
      : table(
          ['Time', 'Node', 'Action'],
          recent.map(({ at, node, text }) => [[at], [node], [text]]),
        ),
    '</body></html>',
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly (readonly string[])[])[]): string {
  const cells = (row: readonly (readonly string[])[]): string =>
    row.map((lines) => `<td>${lines.map(escaped).join('<br>')}</td>`).join('');
  return [
    `<table><thead><tr>${head.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map((row) => `<tr>${cells(row)}</tr>`),
    '</tbody></table>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
