/**
 * Nodes with a problem: what their conditions say, and what remediation did about it.
 */
import { type ClusterView, type ViewNode } from '../../cluster/view/view';
import { type Actions } from './actions';
import { el, refill } from './dom';
import { more } from './more-button';
import { stateOf } from './node-drawing';
import { scroller } from './table-scroller';
import { count } from './words';

const FIRST = 24;

export function nodeHealthPanel(panel: HTMLElement, view: ClusterView, actions: Actions): void {
  const all = view.nodes.filter(({ health }) => health !== undefined);
  const shown = actions.opened.has('health') ? all : all.slice(0, FIRST);
  panel.hidden = all.length === 0;
  const head = ['Node', 'Problem', 'Done by remediation', 'Why'];
  refill(
    panel,
    el('header', {}, el('h2', { id: 'health-title' }, 'Node health', el('span', {}, count(all.length, 'node')))),
    scroller(
      { labelledBy: 'health-title', key: 'health table' },
      el(
        'table',
        {},
        el('thead', {}, el('tr', {}, ...head.map((title) => el('th', { scope: 'col' }, title)))),
        el('tbody', {}, ...shown.map((node) => row(node, actions))),
      ),
    ),
    more('health', shown.length, all.length, actions),
  );
}

function row(node: ViewNode, actions: Actions): HTMLElement {
  const { problems, marks = [], evicts = [], why = [] } = node.health!;
  const done = [...marks, ...evicts.map((gang) => `evicts ${gang}`)];
  return el(
    'tr',
    {},
    el(
      'th',
      { scope: 'row' },
      el(
        'button',
        {
          class: 'name',
          type: 'button',
          'data-key': `health ${node.name}`,
          title: 'Find the node in the picture',
          click: () => actions.findNode(node.name),
        },
        node.name,
      ),
      el('span', { class: 'sub' }, stateOf(node)),
    ),
    lines(problems.map(problemText), 'none any more'),
    lines(done, 'nothing'),
    lines(why, ''),
  );
}

function lines(texts: readonly string[], otherwise: string): HTMLElement {
  const shown = texts.length === 0 ? [otherwise] : texts;
  return el('td', { class: 'lines' }, ...shown.map((text) => el('span', {}, text)));
}

function problemText({ condition, message }: NonNullable<ViewNode['health']>['problems'][number]): string {
  return message === undefined ? condition : `${condition}: ${message}`;
}

/** For the card of a node. */
export function healthTexts({ health }: ViewNode): readonly { readonly text: string; readonly isBad: boolean }[] {
  if (health === undefined) {
    return [];
  }
  const { problems, marks = [], evicts = [] } = health;
  const done = [...marks, ...evicts.map((gang) => `evicts ${gang}`)];
  return [
    ...problems.map((problem) => ({ text: problemText(problem), isBad: true })),
    ...(done.length > 0 ? [{ text: `Remediation: ${done.join(', ')}`, isBad: false }] : []),
  ];
}
