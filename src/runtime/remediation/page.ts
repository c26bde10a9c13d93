/**
 * The page of remediation: what is wrong with nodes, what was done or would be done, how much of each budget is in use, and the latest actions.
 *
 * It has the style of the other pages and no script: it is loaded again from time to time, unless the reader turns that off.
 */
import { createHash } from 'node:crypto';
import { counted } from '../../facts/words';
import { type BudgetUse } from '../../planning/remediation';
import { STYLE } from '../../planning/pages/assets';
import { type NodeStatus, type Status } from './status';

const REFRESH_SECONDS = 10;
/** More nodes than this are counted and not listed; `/status` has them all. */
const MOST_NODES = 500;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export function statusPage(status: Status, refreshes = true): string {
  const { mode, nodes, budget, recent } = status;
  const isDryRun = mode === 'dry-run';
  const withCause = nodes.filter(({ causes }) => causes.length > 0).length;
  const acted = nodes.filter(({ record }) => record.marks.length > 0).length;
  const prevented = nodes.filter(({ refusals }) => refusals.length > 0).length;
  const shown = nodes.slice(0, MOST_NODES);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    ...(refreshes ? [`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`] : []),
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<title>Gantry remediation</title><style>${STYLE}</style></head><body><div class="page">`,
    '<header class="top"><p class="brand"><span><b>Gantry</b> remediation</span></p>',
    refreshes
      ? `<p class="brand">Reloads every ${REFRESH_SECONDS} seconds. <a href="/?refresh=off">Stop</a></p></header>`
      : '<p class="brand">Does not reload. <a href="/">Start</a></p></header>',
    `<main><h1>${withCause === 0 ? 'No node has a cause' : `${counted(withCause, 'node')} with a cause`}</h1>`,
    `<p class="lead">${escaped(aboutOf(status))}</p>`,
    facts([
      ['Nodes with a cause', String(withCause)],
      [isDryRun ? 'Nodes that would be marked' : 'Nodes that are marked', String(acted)],
      ['Nodes with something not done', String(prevented)],
    ]),
    card(
      'nodes',
      'Nodes',
      table(
        'nodes',
        ['Node', 'Conditions', 'Causes', isDryRun ? 'Would be done' : 'Done', 'Why'],
        shown.map((node) => nodeRow(node)),
        'No node has a cause, and none is acted on.',
      ),
      nodes.length > shown.length ? `and ${nodes.length - shown.length} more nodes; /status lists them all` : '',
    ),
    card(
      'budget',
      'Budget',
      table(
        'budget',
        ['Of', 'Nodes', 'Unavailable', 'May be unavailable'],
        budget.map(budgetRow),
        'No node is unavailable.',
      ),
    ),
    card(
      'recent',
      'Recent actions',
      table(
        'recent',
        ['Time', 'Node', 'Action'],
        recent.map(({ at, node, text }) => [[at], [node], [text]]),
        'None since this replica started.',
      ),
    ),
    '</main></div></body></html>',
    '',
  ].join('\n');
}

function aboutOf({ mode, leads, holder }: Status): string {
  if (mode === 'dry-run') {
    return 'Dry run: this page shows what would be done. Nothing is changed.';
  }
  return leads
    ? 'This replica acts on nodes.'
    : holder === ''
      ? 'No replica acts on nodes.'
      : `This replica is on standby. ${holder} acts on nodes.`;
}

type Row = readonly (readonly string[])[];

function nodeRow({ name, conditions, causes, record, refusals }: NodeStatus): Row {
  return [
    [name],
    conditions,
    causes,
    [...record.marks, ...record.clearing.map(({ gang }) => `evicts ${gang}`)],
    [...record.why, ...refusals.map((refusal) => `not done: ${refusal}`)],
  ];
}

function budgetRow({ kind, name, nodes, unavailable, most }: BudgetUse): Row {
  const group = name === '' ? 'nodes without a pool' : `${kind} ${name}`;
  return [[group], [String(nodes)], [String(unavailable)], [`${most}${unavailable >= most ? ', all in use' : ''}`]];
}

function card(id: string, title: string, content: string, hint = ''): string {
  return [
    `<section class="card below" aria-labelledby="${id}-title"><header><h2 id="${id}-title">${title}</h2></header>`,
    content,
    ...(hint === '' ? [] : [`<p class="hint">${escaped(hint)}</p>`]),
    '</section>',
  ].join('\n');
}

function facts(list: readonly (readonly [term: string, value: string])[]): string {
  const entries = list.map(([term, value]) => `<div><dt>${escaped(term)}</dt><dd>${escaped(value)}</dd></div>`);
  return `<dl class="facts">${entries.join('')}</dl>`;
}

function table(id: string, head: readonly string[], rows: readonly Row[], empty: string): string {
  if (rows.length === 0) {
    return `<p class="none">${escaped(empty)}</p>`;
  }
  const cell = (texts: readonly string[]): string => texts.map((text) => `<span>${escaped(text)}</span>`).join('');
  const line = ([first, ...others]: Row): string =>
    `<tr><th scope="row">${first.map(escaped).join('')}</th>${others.map((texts) => `<td class="lines">${cell(texts)}</td>`).join('')}</tr>`;
  return [
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-title"><table aria-labelledby="${id}-title">`,
    `<thead><tr>${head.map((title) => `<th scope="col">${escaped(title)}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map(line),
    '</tbody></table></div>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
