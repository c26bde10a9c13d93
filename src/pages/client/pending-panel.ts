/**
 * Who waits, why, and what would change that.
 */
import { type ClusterView, type ViewGang } from '../../cluster/view';
import { el, refill } from './dom';
import { type Actions } from './actions';
import { count, tell } from './words';

const FIRST = 12;

export function pendingPanel(panel: Element, view: ClusterView, actions: Actions): void {
  const waiting = view.gangs.filter(({ pending }, index) => pending !== undefined && actions.focus.litGang(index));
  const all = actions.opened.has('pending');
  const shown = all ? waiting : waiting.slice(0, FIRST);
  refill(panel,
    el('header', {}, el('h2', { id: 'pending-title' }, 'Waiting', el('span', {}, tell(view.counters.pending)))),
    shown.length === 0 && el('p', { class: 'none' }, 'None of what was looked for waits.'),
    el('ul', { class: 'pending' }, ...shown.map((gang) => item(gang, actions))),
    shown.length < waiting.length && el('button', {
      'class': 'quiet more', 'type': 'button', 'data-key': 'more pending',
      'click': () => {
        actions.opened.add('pending');
        actions.update();
      },
    }, `Show all ${tell(waiting.length)}`));
}

function item(gang: ViewGang, { focus, pickGang }: Actions): HTMLElement {
  const { pending } = gang;
  const { blocked = [], changes = [], nearest, message = '' } = pending ?? {};
  const wants = [`queue ${gang.queue}`, count(gang.pods, 'pod'), gang.devices > 0 ? count(gang.devices, 'device') : '', gang.topology ?? ''].filter((text) => text !== '');
  return el('li', {},
    el('button', {
      'class': 'name', 'type': 'button', 'aria-pressed': focus.gang === gang.name ? 'true' : 'false', 'data-key': `pending ${gang.name}`, 'click': () => pickGang(gang.name),
    }, gang.name),
    el('p', { class: 'sub' }, wants.join(', ')),
    el('p', { class: 'why' }, message),
    changes.length > 0 && el('div', { class: 'changes' },
      el('b', {}, changes.length === 1 ? 'It would start with' : 'It would start with any of'), el('ul', {}, ...changes.map((change) => el('li', {}, change)))),
    (blocked.length > 0 || nearest !== undefined) && el('details', {},
      el('summary', {}, 'What keeps nodes out'),
      el('ul', {},
        ...blocked.map(({ constraint, detail, nodes }) => el('li', {}, `${count(nodes, 'node')}: ${constraint}${detail === undefined ? '' : ` (${detail})`}`)),
        nearest !== undefined && el('li', {}, `nearest: ${nearest.node}${nearest.missing === undefined ? '' : `, ${tell(nearest.missing)} ${nearest.detail ?? nearest.constraint} short`}`))));
}
