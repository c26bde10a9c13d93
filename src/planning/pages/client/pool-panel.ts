/**
 * Pools of nodes, by how full their devices and CPUs are.
 */
import { type ClusterView, type ViewAmounts, type ViewPool } from '../../cluster/view/view';
import { el, refill, svg } from './dom';
import { count, percent, tell } from './words';

export function poolPanel(panel: Element, view: ClusterView): void {
  refill(
    panel,
    el('header', {}, el('h2', { id: 'pools-title' }, 'Pools')),
    el('div', { class: 'bars' }, ...view.pools.map(poolBar)),
    view.pools.some(({ devices }) => devices > 0) &&
      el('p', { class: 'hint' }, 'Wide bar: devices in use. Narrow bar: CPU in use.'),
  );
}

function poolBar(pool: ViewPool): HTMLElement {
  const cpu = partOf(pool.used, pool.allocatable, 'cpu');
  const part = pool.devices > 0 ? pool.devicesUsed / pool.devices : cpu;
  const words = [
    ...(pool.devices > 0 ? [`${percent(part)} of devices`] : []),
    `${percent(cpu)} of CPU`,
    `${percent(partOf(pool.used, pool.allocatable, 'memory'))} of memory in use`,
  ].join(', ');
  return el(
    'div',
    { class: 'bar', title: `${pool.name}: ${words}` },
    el('div', { class: 'label' }, el('span', {}, pool.name), el('span', { class: 'sub' }, about(pool))),
    svg(
      'svg',
      { role: 'img', 'aria-label': words },
      ...fill(part, { y: 3, height: 12, radius: 3, color: pool.devices > 0 ? 'var(--accent)' : 'var(--other)' }),
      ...(pool.devices > 0 ? fill(cpu, { y: 17, height: 4, radius: 2, color: 'var(--other)' }) : []),
    ),
    el(
      'div',
      { class: 'value' },
      el('b', {}, percent(part)),
      pool.devices > 0 ? ` of ${tell(pool.devices)}` : ' of CPU',
    ),
  );
}

/** The model only where the pool is not named after it. */
function about({ name, nodes, model, devices, unavailable }: ViewPool): string {
  return [
    count(nodes, 'node'),
    devices === 0 ? 'no devices' : model === undefined || name.startsWith(model) ? '' : model,
    unavailable > 0 ? `${tell(unavailable)} unavailable` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

interface Fill {
  readonly y: number;
  readonly height: number;
  readonly radius: number;
  readonly color: string;
}

function fill(part: number, { y, height, radius, color }: Fill): readonly SVGElement[] {
  return [
    svg('rect', { class: 'track', x: 0, y, width: '100%', height, rx: radius, fill: 'var(--track)' }),
    ...(part > 0 ? [svg('rect', { x: 0, y, width: `${part * 100}%`, height, rx: radius, fill: color })] : []),
  ];
}

function partOf(used: ViewAmounts, allocatable: ViewAmounts, resource: string): number {
  const all = allocatable[resource] ?? 0;
  return all > 0 ? Math.min(1, (used[resource] ?? 0) / all) : 0;
}
