/**
 * Pending gangs: why, and what would help.
 */
import { type ClusterView, type ViewGang } from '../../cluster/view/view';
import { type Actions } from './actions';
import { el, refill } from './dom';
import { more } from './more-button';
import { count, tell, tellSeconds } from './words';

const FIRST = 8;

export function pendingPanel(panel: Element, view: ClusterView, actions: Actions): void {
  const waiting = view.gangs.filter(({ pending }, index) => pending !== undefined && actions.focus.litGang(index));
  const reserved = new Set(view.reservations.map(({ gang }) => view.gangs[gang]));
  const alike = new Map<string, ViewGang[]>();
  for (const gang of waiting) {
    const key = reserved.has(gang) ? gang.name : keyOf(gang);
    const group = alike.get(key);
    if (group === undefined) {
      alike.set(key, [gang]);
    } else {
      group.push(gang);
    }
  }
  const groups = [...alike.values()];
  const shown = actions.opened.has('pending') ? groups : groups.slice(0, FIRST);
  refill(
    panel,
    el('header', {}, el('h2', { id: 'pending-title' }, 'Pending', el('span', {}, tell(view.counters.pending)))),
    shown.length === 0 && el('p', { class: 'none' }, 'No pending gang matches the search.'),
    el('ul', { class: 'pending' }, ...shown.map((group) => item(group, view, actions))),
    more('pending', shown.length, groups.length, actions),
  );
}

/** Gangs with the same request and the same reason are shown once; a gang with a reservation is shown separately. */
function keyOf({ queue, pods, devices, topology, pending }: ViewGang): string {
  return JSON.stringify([queue, pods, devices, topology, pending?.message, pending?.changes]);
}

const NAMED = 4;

function item(group: readonly ViewGang[], view: ClusterView, actions: Actions): HTMLElement {
  const [gang] = group;
  const promised = view.reservations.find((reservation) => view.gangs[reservation.gang] === gang);
  const { pending } = gang;
  const list = `pending like ${gang.name}`;
  const named = actions.opened.has(list) ? group : group.slice(0, NAMED);
  const { excluded = [], changes = [], message = '' } = pending ?? {};
  const wants = [
    `queue ${gang.queue}`,
    count(gang.pods, 'pod'),
    gang.deviceUnits ?? (gang.devices > 0 ? count(gang.devices, 'device') : ''),
    gang.topology ?? '',
  ].filter((text) => text !== '');
  return el(
    'li',
    {},
    el(
      'p',
      { class: 'names' },
      ...named.map((one) => nameButton(one.name, actions)),
      named.length < group.length &&
        el(
          'button',
          {
            class: 'name rest',
            type: 'button',
            'data-key': `rest of ${gang.name}`,
            click: () => {
              actions.opened.add(list);
              actions.update();
            },
          },
          `and ${tell(group.length - named.length)} more`,
        ),
    ),
    el('p', { class: 'sub' }, `${group.length > 1 ? 'each: ' : ''}${wants.join(', ')}`),
    el('p', { class: 'why' }, message),
    promised !== undefined &&
      el(
        'p',
        { class: 'sub' },
        `Reserved: ${count(promised.nodes.length, 'node')} ${when(promised.startAt, view.at)}.`,
      ),
    changes.length > 0 &&
      el(
        'div',
        { class: 'changes' },
        el('b', {}, changes.length === 1 ? 'What would help' : 'Any of these would help'),
        el('ul', {}, ...changes.map((change) => el('li', {}, change))),
      ),
    excluded.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, 'Why nodes are excluded'),
        el('ul', {}, ...excluded.map((sentence) => el('li', {}, sentence))),
      ),
  );
}

function nameButton(name: string, { focus, pickGang }: Actions): HTMLElement {
  return el(
    'button',
    {
      class: 'name',
      type: 'button',
      'aria-pressed': focus.gang === name ? 'true' : 'false',
      'data-key': `pending ${name}`,
      click: () => pickGang(name),
    },
    name,
  );
}

function when(at: number, now: number | undefined): string {
  return now === undefined
    ? `at ${new Date(at).toLocaleTimeString()}`
    : `in ${tellSeconds(Math.max(0, at - now) / 1000)}`;
}
