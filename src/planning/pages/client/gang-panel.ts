/**
 * All gangs as a table: what they are, their state, and where they are or why they are not placed.
 */
import { type ClusterView, type ViewGang, type ViewGangState, type ViewPending } from '../../cluster/view/view';
import { type Actions } from './actions';
import { el, refill } from './dom';
import { placeName } from './fleet-layout';
import { more } from './more-button';
import { scroller } from './table-scroller';
import { count, tell } from './words';

const FIRST = 25;

const STATES: Readonly<Record<ViewGangState, string>> = {
  placed: 'starts now',
  running: 'running',
  partial: 'partly running',
  nominated: 'starts after evictions',
  pending: 'pending',
  evicting: 'being evicted',
};

export function gangPanel(panel: Element, view: ClusterView, actions: Actions): void {
  const found = view.gangs.filter((_, index) => actions.focus.litGang(index));
  const shown = actions.opened.has('gangs') ? found : found.slice(0, FIRST);
  refill(
    panel,
    el('header', {}, el('h2', { id: 'gangs-title' }, 'Gangs', el('span', {}, tell(found.length)))),
    scroller(
      { labelledBy: 'gangs-title', key: 'gangs table' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ...['Gang', 'Queue', 'State'].map((title) => el('th', { scope: 'col' }, title)),
            ...['Pods', 'Devices', 'Priority'].map((title) => el('th', { scope: 'col', class: 'n' }, title)),
            el('th', { scope: 'col' }, 'Nodes, or why pending'),
          ),
        ),
        el('tbody', {}, ...shown.map((gang) => row(gang, view, actions))),
      ),
    ),
    more('gangs', shown.length, found.length, actions),
  );
}

function row(gang: ViewGang, view: ClusterView, { focus, book, pickGang }: Actions): HTMLElement {
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
          'aria-pressed': focus.gang === gang.name ? 'true' : 'false',
          'data-key': `gang ${gang.name}`,
          click: () => pickGang(gang.name),
        },
        el('i', {
          class: `swatch ${gang.placed > 0 ? '' : 'free'}`,
          '--swatch': gang.placed > 0 ? book.css(`gang ${gang.name}`) : undefined,
        }),
        gang.name,
      ),
    ),
    el('td', {}, gang.queue),
    el('td', {}, el('span', { class: `state ${gang.state}` }, STATES[gang.state])),
    el(
      'td',
      { class: 'n' },
      gang.placed === gang.pods ? tell(gang.pods) : `${tell(gang.placed)} of ${tell(gang.pods)}`,
    ),
    el('td', { class: 'n' }, gang.deviceUnits ?? tell(gang.devices)),
    el('td', { class: 'n' }, tell(gang.priority)),
    el('td', {}, whereOf(gang, view)),
  );
}

/** By `PendingKind` of the placement core; the panel of pending gangs has the sentence. */
const SHORT_REASONS: Readonly<Record<string, string>> = {
  'unknown-queue': 'queue does not exist',
  'queue-closed': 'queue is closed',
  'too-few-pods': 'has fewer pods than its minimum',
  'queue-capability': 'above the capability of its queue',
  'queue-guarantees': 'other queues have guarantees',
  'quota-of-non-preemptible': 'above the quota of its queue',
  'unknown-topology': 'topology level does not exist',
  topology: 'no domain is large enough',
  'no-fit': 'no node fits',
  reserved: 'nodes are reserved for another gang',
  outranked: 'next cycle',
};

function shortReason({ kind, fits, needed }: ViewPending): string {
  return kind === 'no-fit' && fits > 0
    ? `${tell(fits)} of ${count(needed, 'pod')} fit`
    : ((Object.hasOwn(SHORT_REASONS, kind) ? SHORT_REASONS[kind] : undefined) ?? 'see Pending');
}

function whereOf({ where, domain, state, pending }: ViewGang, view: ClusterView): string {
  if (where.length === 0) {
    return state === 'pending' && pending !== undefined ? shortReason(pending) : '';
  }
  const names = where.slice(0, 3).map(([node]) => view.nodes[node].name);
  const nodes = where.length <= 3 ? names.join(', ') : `${names[0]} and ${where.length - 1} more`;
  if (domain === undefined || domain.level < 0) {
    return nodes;
  }
  return `${placeName(view, domain.level, domain.name)}: ${nodes}`;
}
