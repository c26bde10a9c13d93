/**
 * The card of node health in a simulation: the picture, what happened to each node in words, and how much of each budget was in use.
 */
import {
  type BudgetOutcome,
  type HealthSpan,
  type NodeHealth,
  type NodeHealthOutcome,
  type SimulationResult,
} from '../../simulation/result';
import { card, legend, shownFirst } from './cards';
import { el } from './dom';
import { HealthPicture, spanText } from './health-picture';
import { Pane } from './pane';
import { scroller } from './table-scroller';
import { count, tell, tellSeconds } from './words';

const ABOUT: Readonly<Record<NodeHealth['remediation'], string>> = {
  none: 'The scenario has no remediation: nothing acts on these nodes.',
  'dry-run': 'Dry run: outlined bars are marks that remediation would have made. Nothing was changed.',
  active:
    'A mark is made when a cause has lasted long enough and the budget has room, and removed when the node was healthy for a time.',
};

export interface HealthCard {
  readonly element: HTMLElement;
  /** Draws the picture; call it once the card is on the page. */
  readonly draw: () => void;
}

export function healthCard(result: SimulationResult, health: NodeHealth, left: (width: number) => number): HealthCard {
  const pane = new Pane(
    new HealthPicture(result, health, left),
    'Problems of nodes and marks of remediation over time. Use the arrow keys to go from node to node.',
  );
  const hasMarks = health.nodes.some(({ marks }) => marks.length > 0);
  const mark = health.remediation === 'dry-run' ? 'outlined' : '';
  const element = card('health', 'Node health', headline(health), [
    pane.element,
    legend([
      ['problem', { class: 'swatch span', '--swatch': 'var(--bad)' }],
      ...(hasMarks ? [['mark of remediation', { class: `swatch ${mark}`, '--swatch': 'var(--accent)' }] as const] : []),
    ]),
    el('p', { class: 'hint' }, ABOUT[health.remediation]),
    nodeTable(health),
    ...(health.budgets.length === 0 ? [] : [budgetTable(health.budgets, result.seconds)]),
  ]);
  return { element, draw: () => pane.refresh() };
}

function headline({ nodes, remediation }: NodeHealth): string {
  const marked = nodes.filter(({ marks }) => marks.length > 0).length;
  const acted = remediation === 'dry-run' ? 'would have been acted on' : 'acted on';
  return `${count(nodes.length, 'node')} with a problem${remediation === 'none' ? '' : `, ${tell(marked)} ${acted}`}`;
}

/** From the first problem to the first mark, and from the end of the last problem to the end of the last mark. */
function delays({ problems, marks }: NodeHealthOutcome): readonly [acted: string, givenBack: string] {
  const [problem, mark] = [problems[0], marks[0]];
  const ended = lastEnd(problems);
  const undone = lastEnd(marks);
  return [
    problem === undefined || mark === undefined ? '' : tellSeconds(Math.max(0, mark.from - problem.from)),
    mark === undefined
      ? ''
      : undone === undefined || ended === undefined
        ? 'not yet'
        : tellSeconds(Math.max(0, undone - ended)),
  ];
}

function lastEnd(spans: readonly HealthSpan[]): number | undefined {
  return spans.some(({ to }) => to === undefined) ? undefined : Math.max(0, ...spans.map(({ to }) => to ?? 0));
}

function nodeTable({ nodes, remediation }: NodeHealth): HTMLElement {
  const acts = remediation !== 'none';
  const head = [
    'Node',
    'Problem',
    ...(acts ? [remediation === 'dry-run' ? 'Would have' : 'Done', 'Acted after', 'Given back after'] : []),
  ];
  const rows = alike(nodes).map(([node, ...others]) => {
    const [acted, givenBack] = delays(node);
    const name = others.length === 0 ? node.name : `${node.name} and ${count(others.length, 'more node')}`;
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, name),
      lines(node.problems.map(spanText)),
      ...(acts
        ? [
            lines([...node.marks.map(spanText), ...node.refusals.map((span) => `not done: ${spanText(span)}`)]),
            el('td', { class: 'n' }, acted),
            el('td', { class: 'n' }, givenBack),
          ]
        : []),
    );
  });
  const body = el('tbody');
  const more = shownFirst(body, rows);
  return el(
    'div',
    { class: 'below' },
    scroller(
      { labelledBy: 'health-title', key: 'health table' },
      el('table', {}, headOf(head, ['Acted after', 'Given back after']), body),
    ),
    more,
  );
}

/** Nodes to which the same happened at the same time. */
function alike(nodes: readonly NodeHealthOutcome[]): readonly (readonly NodeHealthOutcome[])[] {
  const groups = new Map<string, NodeHealthOutcome[]>();
  for (const node of nodes) {
    const key = JSON.stringify([node.problems, node.marks, node.refusals]);
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups.values()];
}

function lines(texts: readonly string[]): HTMLElement {
  return el('td', { class: 'lines' }, ...texts.map((text) => el('span', {}, text)));
}

function budgetTable(budgets: readonly BudgetOutcome[], seconds: number): HTMLElement {
  const rows = budgets.map(({ kind, name, at, unavailable, most, nodes }) => {
    const peak = Math.max(...unavailable);
    const i = unavailable.indexOf(peak);
    const full = at.reduce(
      (sum, from, j) =>
        sum + (unavailable[j] >= most[j] ? Math.min(seconds, at[j + 1] ?? seconds) - Math.min(seconds, from) : 0),
      0,
    );
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, name === '' ? 'Nodes without a pool' : `${kind === 'pool' ? 'Pool' : 'Rack'} ${name}`),
      el('td', { class: 'n' }, tell(nodes[i])),
      el('td', { class: 'n' }, tell(most[i])),
      el('td', { class: 'n' }, tell(peak)),
      el('td', { class: 'n' }, full === 0 ? 'never' : tellSeconds(full)),
    );
  });
  const body = el('tbody');
  const more = shownFirst(body, rows);
  return el(
    'div',
    { class: 'below' },
    el('h3', { id: 'budget-title' }, 'Budget'),
    scroller(
      { labelledBy: 'budget-title', key: 'budget table' },
      el(
        'table',
        {},
        headOf(
          ['Of', 'Nodes', 'May be unavailable', 'Most that were', 'In use completely for'],
          ['Nodes', 'May be unavailable', 'Most that were', 'In use completely for'],
        ),
        body,
      ),
    ),
    more,
  );
}

function headOf(titles: readonly string[], numbers: readonly string[]): HTMLElement {
  return el(
    'thead',
    {},
    el('tr', {}, ...titles.map((title) => el('th', { scope: 'col', class: numbers.includes(title) && 'n' }, title))),
  );
}
