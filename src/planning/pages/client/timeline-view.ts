/**
 * The page of a simulation: verdict, figures, use over time, who ran when, node health, queues, what happened.
 */
import { type SimulationResult } from '../../simulation/result';
import { card, legend, shownFirst } from './cards';
import { el } from './dom';
import { GanttPicture } from './gantt-picture';
import { healthCard } from './health-card';
import { Pane } from './pane';
import { ColorBook } from './palette';
import { scroller } from './table-scroller';
import { UsePicture } from './use-picture';
import { count, percent, tell, tellSeconds } from './words';

export function renderTimeline(root: Element, result: SimulationResult): void {
  const book = new ColorBook();
  book.admit(result.queues.map(({ name }) => name).filter((name) => result.gangs.some(({ queue }) => queue === name)));
  const gantt = new GanttPicture(result, book);
  const ganttPane = new Pane(gantt, 'Gangs over time. Use the arrow keys to go from gang to gang.');
  const use = new UsePicture(result, book, (width) => gantt.left(width));
  const usePane = new Pane(use, 'Devices in use over time. Use the arrow keys to go from change to change.');
  const queueLegend = legend([...book.names()].map((name) => [name, { class: 'swatch', '--swatch': book.css(name) }]));
  const health = result.health && healthCard(result, result.health, (width) => gantt.left(width));
  const found = el('p', { class: 'found', role: 'status' });
  const search = el('input', {
    type: 'search',
    placeholder: 'Find a gang or queue',
    'aria-label': 'Find a gang or queue',
    autocomplete: 'off',
    spellcheck: 'false',
    input: () => look(search.value),
  });
  const look = (query: string): void => {
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const meant = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
    const matching = result.gangs.flatMap(({ name, queue }, index) => (meant(`${name} ${queue}`) ? [index] : []));
    gantt.lit = words.length === 0 ? undefined : new Set(matching);
    found.textContent = words.length === 0 ? '' : `${matching.length} of ${result.gangs.length} gangs`;
    ganttPane.paint();
  };
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !(event.target instanceof HTMLInputElement)) {
      event.preventDefault();
      search.focus();
    } else if (event.key === 'Escape' && search.value !== '') {
      search.value = '';
      look('');
    }
  });
  root.replaceChildren(
    el('h1', {}, result.name),
    el(
      'p',
      { class: 'lead' },
      result.about ?? `${count(result.gangs.length, 'gang')} on ${count(result.nodes, 'node')}.`,
    ),
    facts(result),
    ...(result.expectations.length > 0 ? [expectations(result)] : []),
    card('use', 'Devices in use', `${tell(result.devices)} ${result.device}`, [
      usePane.element,
      queueLegend,
      el('p', { class: 'hint' }, 'Stacked by queue. Dashed line: devices on nodes that are ready.'),
    ]),
    el(
      'div',
      { class: 'tools below' },
      el('div', { class: 'search' }, search, el('kbd', { 'aria-hidden': 'true' }, '/')),
      found,
    ),
    card('gangs', 'Gangs over time', count(result.gangs.length, 'gang'), [
      ganttPane.element,
      queueLegend.cloneNode(true),
      el(
        'p',
        { class: 'hint' },
        'Thin line: pending. Bar: running; a low bar runs with part of its pods. Red mark: pods were evicted or lost. Dotted line: nodes or queues changed.',
      ),
    ]),
    ...(health === undefined ? [] : [health.element]),
    queues(result),
    ...(result.happenings.length > 0 ? [happenings(result)] : []),
  );
  ganttPane.refresh();
  usePane.refresh();
  health?.draw();
}

function facts({ summary, seconds, ended, device, gangs, decisions }: SimulationResult): HTMLElement {
  const { waits } = summary;
  const left =
    summary.pending > 0
      ? `${tell(summary.pending)} pending at the end`
      : summary.running > 0
        ? `${tell(summary.running)} still running`
        : 'none is left';
  const list: readonly (readonly [string, string, string])[] = [
    ['Finished', `${tell(summary.finished)} of ${tell(gangs.length)}`, left],
    ['Simulated', tellSeconds(seconds), ended === 'time' ? 'until the time limit' : `${count(decisions, 'decision')}`],
    ['Devices in use', percent(summary.utilization[device] ?? 0), 'mean, of devices that were ready'],
    ['Goodput', percent(summary.goodput), 'of the devices in use; the rest is lost work'],
    ['Wait', tellSeconds(waits.median), `median; p90 ${tellSeconds(waits.p90)}, longest ${tellSeconds(waits.longest)}`],
    ['Fragmentation', percent(summary.fragmentation), 'of the free devices fit no pod of the scenario'],
    ['Evictions', tell(summary.evictions), summary.moves > 0 ? `and ${count(summary.moves, 'move')}` : 'pods'],
  ];
  return el(
    'dl',
    { class: 'facts' },
    ...list.map(([term, value, more]) => el('div', {}, el('dt', {}, term), el('dd', {}, value, el('small', {}, more)))),
  );
}

function expectations({ expectations: list }: SimulationResult): HTMLElement {
  const unmet = list.filter(({ met }) => !met).length;
  const sorted = [...list].sort((a, b) => Number(a.met) - Number(b.met));
  return card(
    'expected',
    'Expectations',
    unmet === 0 ? `all ${list.length} met` : `${unmet} of ${list.length} not met`,
    [
      el(
        'ul',
        { class: 'checks' },
        ...sorted.map(({ expected, met, found }) =>
          el(
            'li',
            {},
            el('b', { class: met ? 'good' : 'bad' }, met ? 'met' : 'not met'),
            el('span', {}, expected, el('span', { class: 'sub' }, found)),
          ),
        ),
      ),
    ],
  );
}

function queues(result: SimulationResult): HTMLElement {
  const head = ['Queue', 'Gangs', 'Median wait', 'p90', 'Longest', 'Mean devices', 'Deserved'];
  return card('queues', 'Queues', '', [
    scroller(
      { labelledBy: 'queues-title', key: 'queues table' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el('tr', {}, ...head.map((title, i) => el('th', { scope: 'col', class: i === 0 ? undefined : 'n' }, title))),
        ),
        el(
          'tbody',
          {},
          ...result.queues.map(({ name, waits, meanDevices, deservedDevices }) =>
            el(
              'tr',
              {},
              el('th', { scope: 'row' }, name),
              ...[
                tell(waits.gangs),
                tellSeconds(waits.median),
                tellSeconds(waits.p90),
                tellSeconds(waits.longest),
                tell(meanDevices),
                deservedDevices === undefined ? '' : tell(deservedDevices),
              ].map((text) => el('td', { class: 'n' }, text)),
            ),
          ),
        ),
      ),
    ),
  ]);
}

function happenings({ happenings: list }: SimulationResult): HTMLElement {
  const body = el('tbody');
  const more = shownFirst(
    body,
    list.map(({ at, kind, text }) =>
      el(
        'tr',
        {},
        el('td', { class: 'when' }, tellSeconds(at)),
        el('td', { class: kind === 'fail' || kind === 'fault' || kind === 'evict' ? 'bad' : undefined }, text),
      ),
    ),
  );
  return card('happened', 'Events', tell(list.length), [
    scroller(
      { labelledBy: 'happened-title', key: 'events table' },
      el(
        'table',
        {},
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), el('th', { scope: 'col' }, 'Event'))),
        body,
      ),
    ),
    ...(more === undefined ? [] : [more]),
  ]);
}
