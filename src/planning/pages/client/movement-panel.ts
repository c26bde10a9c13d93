/**
 * Which pods are evicted and for which gang; and, on the page of a running scheduler, its recent decisions.
 */
import { type ClusterView, type ViewEviction } from '../../cluster/view/view';
import { type LiveView } from '../live-view';
import { type Actions } from './actions';
import { el, refill } from './dom';
import { more } from './more-button';
import { scroller } from './table-scroller';
import { count, tell } from './words';

const FIRST = 12;

/** Evictions of one gang for one gang, by one action. */
interface Movement {
  readonly first: ViewEviction;
  pods: number;
  moved: number;
}

export function evictionPanel(panel: HTMLElement, view: ClusterView, actions: Actions): void {
  const movements = new Map<string, Movement>();
  for (const eviction of view.evictions) {
    const key = `${eviction.gang} ${eviction.for ?? ''} ${eviction.action}`;
    const movement = movements.get(key) ?? { first: eviction, pods: 0, moved: 0 };
    movement.pods++;
    movement.moved += eviction.movesTo === undefined ? 0 : 1;
    movements.set(key, movement);
  }
  const all = [...movements.values()];
  const shown = actions.opened.has('evictions') ? all : all.slice(0, FIRST);
  panel.hidden = all.length === 0;
  refill(
    panel,
    el(
      'header',
      {},
      el('h2', { id: 'evictions-title' }, 'Evictions', el('span', {}, count(view.evictions.length, 'pod'))),
    ),
    el('ul', { class: 'notes' }, ...shown.map((movement) => el('li', {}, ...sentence(movement, view, actions)))),
    more('evictions', shown.length, all.length, actions),
  );
}

function sentence({ first, pods, moved }: Movement, view: ClusterView, actions: Actions): readonly (Node | string)[] {
  const verb =
    moved === pods
      ? `${pods === 1 ? 'moves' : 'move'} to another node`
      : `${pods === 1 ? 'is' : 'are'} evicted${moved === 0 ? '' : `, ${tell(moved)} of them to another node,`}`;
  return [
    `${count(pods, 'pod')} of `,
    name(view.gangs[first.gang]?.name ?? '', 'from', actions),
    ` ${verb}`,
    ...(first.for === undefined ? [] : [' for ', name(view.gangs[first.for]?.name ?? '', 'for', actions)]),
    ` (${first.action})`,
  ];
}

function name(gang: string, which: string, { focus, pickGang }: Actions): HTMLElement {
  return el(
    'button',
    {
      class: 'name',
      type: 'button',
      'aria-pressed': focus.gang === gang ? 'true' : 'false',
      'data-key': `evicted ${which} ${gang}`,
      click: () => pickGang(gang),
    },
    gang,
  );
}

export function recentPanel(panel: HTMLElement, { recent = [] }: LiveView, actions: Actions): void {
  const shown = actions.opened.has('recent') ? recent : recent.slice(0, FIRST);
  panel.hidden = recent.length === 0;
  refill(
    panel,
    el('header', {}, el('h2', { id: 'recent-title' }, 'Recent decisions')),
    scroller(
      { labelledBy: 'recent-title', key: 'recent table' },
      el(
        'table',
        {},
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), el('th', { scope: 'col' }, 'Decision'))),
        el(
          'tbody',
          {},
          ...shown.map(({ at, text, kind }) =>
            el(
              'tr',
              {},
              el('td', { class: 'when' }, new Date(at).toLocaleTimeString()),
              el('td', { class: kind === 'bad' ? 'bad' : undefined }, text),
            ),
          ),
        ),
      ),
    ),
    more('recent', shown.length, recent.length, actions),
  );
}
