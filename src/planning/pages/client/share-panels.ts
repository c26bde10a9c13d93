/**
 * Queues against what they may count on, and pools by how full they are.
 */
import { type ClusterView, type ViewAmounts, type ViewQueue } from '../../cluster/view';
import { type Actions } from './actions';
import { el, refill, svg } from './dom';
import { more } from './more-button';
import { count, percent, tell, tellAmount } from './words';

/** The resource that queues are compared in: the devices that queues have most of, else CPU. */
export function mainResource({ queues, deviceKinds }: ClusterView): string {
  const devices = new Set(deviceKinds.map(({ resource }) => resource));
  const sums = new Map<string, number>();
  for (const { allocated, requested } of queues) {
    for (const [resource, amount] of [...Object.entries(allocated), ...Object.entries(requested)]) {
      if (devices.has(resource)) {
        sums.set(resource, (sums.get(resource) ?? 0) + amount);
      }
    }
  }
  const [most] = [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return most?.[0] ?? [...devices][0] ?? 'cpu';
}

const FIRST = 30;

export function queuePanel(panel: Element, view: ClusterView, actions: Actions): void {
  const resource = mainResource(view);
  const total = view.pools.reduce((sum, { allocatable }) => sum + (allocatable[resource] ?? 0), 0);
  const known = (amount: number | 'unlimited' | undefined): number =>
    typeof amount === 'number' ? Math.min(amount, total || amount) : 0;
  const most = Math.max(
    1,
    ...view.queues.flatMap(({ allocated, deserved, capability, guarantee }) => [
      allocated[resource] ?? 0,
      ...[deserved, capability, guarantee].map((amounts) => known(amounts?.[resource])),
    ]),
  );
  const { queue: picked } = actions.focus;
  const all = actions.opened.has('queues');
  const shown = all ? view.queues : view.queues.slice(0, FIRST);
  refill(
    panel,
    el('header', {}, el('h2', { id: 'queues-title' }, 'Queues', el('span', {}, resource)), legend()),
    el(
      'div',
      { class: 'bars' },
      ...shown.map((queue) => queueBar(queue, resource, most, picked === queue.name, actions)),
    ),
    more('queues', shown.length, view.queues.length, actions),
  );
}

function legend(): HTMLElement {
  const mark = (label: string, ...parts: readonly SVGElement[]): HTMLElement =>
    el(
      'span',
      { class: 'chip key' },
      svg('svg', { width: 14, height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true' }, ...parts),
      label,
    );
  return el(
    'div',
    { class: 'tools keys' },
    mark('in use', svg('rect', { x: 0, y: 3, width: 14, height: 8, rx: 2, fill: 'var(--accent)' })),
    mark('deserved', svg('rect', { x: 6, y: 0, width: 2.5, height: 14, fill: 'var(--ink)' })),
    mark('guaranteed', svg('rect', { x: 0, y: 6, width: 14, height: 2, fill: 'var(--good)' })),
    mark('ceiling', svg('rect', { x: 6, y: 0, width: 1.5, height: 14, fill: 'var(--ink-3)' })),
  );
}

function queueBar(
  queue: ViewQueue,
  resource: string,
  most: number,
  picked: boolean,
  { pickQueue }: Actions,
): HTMLElement {
  const allocated = queue.allocated[resource] ?? 0;
  const deserved = queue.deserved?.[resource];
  const ceiling = queue.capability?.[resource];
  const guarantee = queue.guarantee?.[resource] ?? 0;
  const over = typeof deserved === 'number' && allocated > deserved + 1e-6;
  const part = (amount: number): string => `${Math.min(100, (amount / most) * 100)}%`;
  const words = [
    `${tellAmount(resource, allocated)} in use`,
    deserved === undefined
      ? ''
      : `${typeof deserved === 'number' ? tellAmount(resource, deserved) : 'everything'} deserved`,
    guarantee > 0 ? `${tellAmount(resource, guarantee)} guaranteed` : '',
    ceiling === undefined ? '' : `at most ${tellAmount(resource, ceiling)}`,
    queue.fairShare[resource] === undefined ? '' : `fair share ${tellAmount(resource, queue.fairShare[resource])}`,
  ].filter((text) => text !== '');
  const value = typeof deserved === 'number' ? ` of ${tellAmount(resource, deserved)}` : '';
  return el(
    'div',
    { class: 'bar', title: `${queue.name}: ${words.join(', ')}` },
    el(
      'div',
      { class: 'label', '--depth': queue.depth },
      indented(
        queue.depth,
        el(
          'button',
          {
            class: 'name',
            type: 'button',
            'aria-pressed': picked ? 'true' : 'false',
            'data-key': `queue ${queue.name}`,
            click: () => pickQueue(queue.name),
          },
          queue.name,
        ),
      ),
      queue.pending > 0 && el('span', { class: 'sub' }, `${queue.pending} waiting`),
      queue.closed === true && el('span', { class: 'sub' }, 'closed'),
    ),
    svg(
      'svg',
      { preserveAspectRatio: 'none', role: 'img', 'aria-label': words.join(', ') },
      svg('rect', { x: 0, y: 5, width: '100%', height: 12, rx: 3, fill: 'var(--track)' }),
      ceiling !== undefined && svg('rect', { x: part(ceiling), y: 1, width: 1.5, height: 20, fill: 'var(--ink-3)' }),
      svg('rect', { x: 0, y: 5, width: part(allocated), height: 12, rx: 3, fill: 'var(--accent)' }),
      guarantee > 0 && svg('rect', { x: 0, y: 19, width: part(guarantee), height: 2, fill: 'var(--good)' }),
      typeof deserved === 'number' &&
        svg('rect', { x: part(deserved), y: 1, width: 2.5, height: 20, fill: 'var(--ink)' }),
    ),
    el(
      'div',
      { class: 'value' },
      el('b', {}, tellAmount(resource, allocated)),
      value,
      over && el('span', { class: 'sub' }, ' borrowed'),
    ),
  );
}

function indented(depth: number, name: HTMLElement): HTMLElement {
  name.style.paddingLeft = `${depth * 14}px`;
  return name;
}

export function poolPanel(panel: Element, view: ClusterView): void {
  refill(
    panel,
    el('header', {}, el('h2', { id: 'pools-title' }, 'Pools')),
    el(
      'div',
      { class: 'bars' },
      ...view.pools.map((pool) => {
        const byDevices = pool.devices > 0;
        const part = byDevices ? pool.devicesUsed / pool.devices : partOf(pool.used, pool.allocatable, 'cpu');
        const about = [
          pool.model === undefined && byDevices
            ? count(pool.nodes, 'node')
            : `${tell(pool.nodes)} × ${pool.model ?? 'no devices'}`,
          pool.unavailable > 0 ? `${tell(pool.unavailable)} out of use` : '',
        ]
          .filter((text) => text !== '')
          .join(', ');
        const words =
          `${percent(part)} of ${byDevices ? 'devices' : 'CPU'}, ${percent(partOf(pool.used, pool.allocatable, 'cpu'))} of CPU, ` +
          `${percent(partOf(pool.used, pool.allocatable, 'memory'))} of memory in use`;
        return el(
          'div',
          { class: 'bar', title: words },
          el('div', { class: 'label' }, pool.name, el('span', { class: 'sub' }, about)),
          svg(
            'svg',
            { role: 'img', 'aria-label': words },
            svg('rect', { x: 0, y: 3, width: '100%', height: 12, rx: 3, fill: 'var(--track)' }),
            svg('rect', {
              x: 0,
              y: 3,
              width: `${part * 100}%`,
              height: 12,
              rx: 3,
              fill: byDevices ? 'var(--accent)' : 'var(--other)',
            }),
            byDevices && svg('rect', { x: 0, y: 17, width: '100%', height: 3, rx: 1.5, fill: 'var(--track)' }),
            byDevices &&
              svg('rect', {
                x: 0,
                y: 17,
                width: `${partOf(pool.used, pool.allocatable, 'cpu') * 100}%`,
                height: 3,
                rx: 1.5,
                fill: 'var(--other)',
              }),
          ),
          el(
            'div',
            { class: 'value' },
            el('b', {}, percent(part)),
            byDevices ? ` of ${tell(pool.devices)}` : ' of CPU',
          ),
        );
      }),
    ),
    view.pools.some(({ devices }) => devices > 0) && el('p', { class: 'hint' }, 'Wide bar: devices. Narrow bar: CPU.'),
  );
}

function partOf(used: ViewAmounts, allocatable: ViewAmounts, resource: string): number {
  const all = allocatable[resource] ?? 0;
  return all > 0 ? Math.min(1, (used[resource] ?? 0) / all) : 0;
}
