/**
 * Who waits, why, and what would change that.
 */
import { type ClusterView, type ViewGang } from '../../cluster/view';
import { type Actions } from './actions';
import { el, refill } from './dom';
import { more } from './more-button';
import { count, tell, tellSeconds } from './words';

const FIRST = 8;

export function pendingPanel(panel: Element, view: ClusterView, actions: Actions): void {
  const waiting = view.gangs.filter(({ pending }, index) => pending !== undefined && actions.focus.litGang(index));
  const all = actions.opened.has('pending');
  const shown = all ? waiting : waiting.slice(0, FIRST);
  refill(panel,
    el('header', {}, el('h2', { id: 'pending-title' }, 'Waiting', el('span', {}, tell(view.counters.pending)))),
    shown.length === 0 && el('p', { class: 'none' }, 'None of what was looked for waits.'),
    el('ul', { class: 'pending' }, ...shown.map((gang) => item(gang, view, actions))),
    more('pending', shown.length, waiting.length, actions));
}

function item(gang: ViewGang, view: ClusterView, { focus, pickGang }: Actions): HTMLElement {
  const promised = view.reservations.find((reservation) => view.gangs[reservation.gang] === gang);
  const { pending } = gang;
  const { blocked = [], changes = [], nearest, message = '' } = pending ?? {};
  const wants = [`queue ${gang.queue}`, count(gang.pods, 'pod'), gang.devices > 0 ? count(gang.devices, 'device') : '', gang.topology ?? ''].filter((text) => text !== '');
  return el('li', {},
    el('button', {
      'class': 'name', 'type': 'button', 'aria-pressed': focus.gang === gang.name ? 'true' : 'false', 'data-key': `pending ${gang.name}`, 'click': () => pickGang(gang.name),
    }, gang.name),
    el('p', { class: 'sub' }, wants.join(', ')),
    el('p', { class: 'why' }, message),
    promised !== undefined && el('p', { class: 'sub' }, `Promised ${count(promised.nodes.length, 'node')} ${when(promised.startAt, view.at)}.`),
    changes.length > 0 && el('div', { class: 'changes' },
      el('b', {}, changes.length === 1 ? 'What lets it in' : 'Any of these lets it in'), el('ul', {}, ...changes.map((change) => el('li', {}, change)))),
    (blocked.length > 0 || nearest !== undefined) && el('details', {},
      el('summary', {}, 'What keeps nodes out'),
      el('ul', {},
        ...blocked.map(({ constraint, detail, nodes }) => el('li', {}, `${count(nodes, 'node')}: ${constraint}${detail === undefined ? '' : ` (${detail})`}`)),
        nearest !== undefined && el('li', {}, `nearest: ${nearest.node}${nearest.missing === undefined ? '' : `, ${tell(nearest.missing)} ${nearest.detail ?? nearest.constraint} short`}`))));
}

function when(at: number, now: number | undefined): string {
  return now === undefined ? `at ${new Date(at).toLocaleTimeString()}` : `in ${tellSeconds(Math.max(0, at - now) / 1000)}`;
}
