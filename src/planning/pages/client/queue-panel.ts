/**
 * Queues: what each uses of one resource, against its deserved amount, guarantee, and capability.
 */
import { type ClusterView, type ViewQueue } from '../../cluster/view/view';
import { type Actions } from './actions';
import { el, refill, svg } from './dom';
import { more } from './more-button';
import { tell, tellAmount } from './words';

const FIRST = 16;

/**
 * The resources that queues can be compared by, the one to begin with first: devices by how much queues use and request, then CPU and
 * memory.
 */
export function queueResources({ queues, deviceKinds }: ClusterView): readonly string[] {
  const devices = [...new Set(deviceKinds.map(({ resource }) => resource))];
  const sumOf = (resource: string): number =>
    queues.reduce((sum, { allocated, requested }) => sum + (allocated[resource] ?? 0) + (requested[resource] ?? 0), 0);
  const sums = new Map(devices.map((resource) => [resource, sumOf(resource)]));
  const named = (resource: string): boolean =>
    sumOf(resource) > 0 ||
    queues.some(({ deserved, capability }) => (deserved ?? capability)?.[resource] !== undefined);
  const list = [
    ...devices
      .sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0) || (a < b ? -1 : 1))
      .filter((resource, index) => index === 0 || named(resource)),
    ...['cpu', 'memory'].filter(named),
  ];
  return list.length === 0 ? ['cpu'] : list;
}

export function queuePanel(panel: Element, view: ClusterView, actions: Actions): void {
  const resources = queueResources(view);
  const resource = resources.find((name) => name === actions.resource) ?? resources[0];
  const total = view.pools.reduce((sum, { allocatable }) => sum + (allocatable[resource] ?? 0), 0);
  const marks = new Map(view.queues.map((queue) => [queue, marksOf(queue, resource)]));
  const most = mostByDepth(view.queues, marks, total);
  const shown = actions.opened.has('queues') ? view.queues : view.queues.slice(0, FIRST);
  refill(
    panel,
    el('header', {}, el('h2', { id: 'queues-title' }, 'Queues'), resourceChoice(resources, resource, actions)),
    legend([...marks.values()]),
    el(
      'div',
      { class: 'bars' },
      ...shown.map((queue) =>
        queueBar(queue, { resource, marks: marks.get(queue)!, most: most.get(queue.depth) ?? 1, actions }),
      ),
    ),
    hints(most.size, [...marks.values()]),
    more('queues', shown.length, view.queues.length, actions),
  );
}

function hints(levels: number, marks: readonly Marks[]): HTMLElement | false {
  const sentences = [
    ...(marks.some(({ deserved }) => typeof deserved === 'number') ? ['Numbers: in use, of the deserved amount.'] : []),
    ...(levels > 1 ? ['Bars of queues on the same level have the same scale.'] : []),
  ];
  return sentences.length > 0 && el('p', { class: 'hint' }, sentences.join(' '));
}

/** What a queue's bar shows. */
interface Marks {
  readonly used: number;
  readonly deserved: number | 'unlimited' | undefined;
  readonly guarantee: number;
  readonly capability: number | undefined;
}

function marksOf({ allocated, deserved, guarantee, capability }: ViewQueue, resource: string): Marks {
  return {
    used: allocated[resource] ?? 0,
    deserved: deserved?.[resource],
    guarantee: guarantee?.[resource] ?? 0,
    capability: capability?.[resource],
  };
}

/**
 * The end of the scale on each level of the tree: the largest amount of its queues, or what the cluster has where none of them has a bound.
 * A bound beyond what the cluster has does not stretch the scale.
 */
function mostByDepth(
  queues: readonly ViewQueue[],
  marks: ReadonlyMap<ViewQueue, Marks>,
  total: number,
): ReadonlyMap<number, number> {
  const most = new Map<number, number>();
  const bounded = new Set<number>();
  for (const queue of queues) {
    const { used, deserved, guarantee, capability } = marks.get(queue)!;
    const bounds = [deserved, guarantee, capability].filter((bound) => typeof bound === 'number' && bound > 0);
    most.set(
      queue.depth,
      Math.max(most.get(queue.depth) ?? 0, used, ...bounds.map((bound) => Math.min(Number(bound), total || Infinity))),
    );
    if (bounds.length > 0) {
      bounded.add(queue.depth);
    }
  }
  return new Map([...most].map(([depth, end]) => [depth, Math.max(1, end, bounded.has(depth) ? 0 : total)]));
}

function resourceChoice(resources: readonly string[], chosen: string, actions: Actions): HTMLElement {
  if (resources.length === 1) {
    return el('p', { class: 'sub' }, chosen);
  }
  const select = el(
    'select',
    {
      'aria-label': 'Resource that the queues are compared by',
      'data-key': 'queue resource',
      change: () => actions.compareBy(select.value),
    },
    ...resources.map((name) => el('option', { value: name, selected: name === chosen }, name)),
  );
  return select;
}

/** Shapes in the box of a bar, `22` high. */
const SHAPES = {
  used: (width: string | number) => svg('rect', { x: 0, y: 5, width, height: 12, rx: 3, fill: 'var(--accent)' }),
  deserved: (x: string | number) =>
    svg('svg', { x, overflow: 'visible' }, svg('rect', { x: -1.25, y: 1, width: 2.5, height: 20, fill: 'var(--ink)' })),
  guarantee: (width: string | number) => svg('rect', { x: 0, y: 19.5, width, height: 2.5, fill: 'var(--good)' }),
  capability: (x: string | number) =>
    svg(
      'svg',
      { x, overflow: 'visible' },
      svg('path', { d: 'M-5 1.5H-1V20.5H-5', fill: 'none', stroke: 'var(--ink-2)', 'stroke-width': 1.75 }),
    ),
} as const;

/** Only what some queue has. */
function legend(marks: readonly Marks[]): HTMLElement {
  const key = (label: string, shape: SVGElement): HTMLElement =>
    el('span', { class: 'chip key' }, svg('svg', { width: 16, height: 22, 'aria-hidden': 'true' }, shape), label);
  return el(
    'div',
    { class: 'legend keys' },
    key('in use', SHAPES.used(16)),
    marks.some(({ deserved }) => typeof deserved === 'number') && key('deserved', SHAPES.deserved(8)),
    marks.some(({ guarantee }) => guarantee > 0) && key('guarantee', SHAPES.guarantee(16)),
    marks.some(({ capability }) => capability !== undefined) && key('capability', SHAPES.capability(12)),
  );
}

interface BarProps {
  readonly resource: string;
  readonly marks: Marks;
  /** The end of the scale. */
  readonly most: number;
  readonly actions: Actions;
}

function queueBar(queue: ViewQueue, { resource, marks, most, actions }: BarProps): HTMLElement {
  const { used, deserved, guarantee, capability } = marks;
  const part = (amount: number): string => `${Math.min(100, (amount / most) * 100)}%`;
  const words = amountsText(queue, resource, marks);
  return el(
    'div',
    { class: 'bar', title: `${queue.name}: ${words}` },
    queueLabel(queue, aboveDeserved(resource, marks), actions),
    svg(
      'svg',
      { role: 'img', 'aria-label': words },
      svg('rect', { class: 'track', x: 0, y: 5, width: '100%', height: 12, rx: 3, fill: 'var(--track)' }),
      used > 0 && SHAPES.used(part(used)),
      guarantee > 0 && SHAPES.guarantee(part(guarantee)),
      capability !== undefined && SHAPES.capability(part(capability)),
      typeof deserved === 'number' && SHAPES.deserved(part(deserved)),
    ),
    el(
      'div',
      { class: 'value' },
      el('b', {}, tellAmount(resource, used)),
      typeof deserved === 'number' && ` of ${tellAmount(resource, deserved)}`,
    ),
  );
}

/** `51 in use, 202 deserved, guarantee 30, capability 300, fair share 202`. */
function amountsText(
  { fairShare }: ViewQueue,
  resource: string,
  { used, deserved, guarantee, capability }: Marks,
): string {
  const amount = (value: number): string => tellAmount(resource, value);
  return [
    `${amount(used)} in use`,
    deserved === undefined ? '' : `deserved ${typeof deserved === 'number' ? amount(deserved) : 'unlimited'}`,
    guarantee > 0 ? `guarantee ${amount(guarantee)}` : '',
    capability === undefined ? '' : `capability ${amount(capability)}`,
    fairShare[resource] === undefined ? '' : `fair share ${amount(fairShare[resource])}`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** Less than this above the deserved amount is rounding. */
const ROUNDING = 1e-6;

function aboveDeserved(resource: string, { used, deserved }: Marks): string {
  return typeof deserved === 'number' && used > deserved + ROUNDING
    ? `${tellAmount(resource, used - deserved)} above deserved`
    : '';
}

function queueLabel(queue: ViewQueue, above: string, { focus, pickQueue }: Actions): HTMLElement {
  const about = [
    queue.pending > 0 ? `${tell(queue.pending)} pending` : '',
    above,
    queue.closed === true ? 'closed' : '',
  ].filter((text) => text !== '');
  const label = el(
    'div',
    { class: 'label' },
    el(
      'button',
      {
        class: 'name',
        type: 'button',
        'aria-pressed': focus.queue === queue.name ? 'true' : 'false',
        'data-key': `queue ${queue.name}`,
        click: () => pickQueue(queue.name),
      },
      queue.name,
    ),
    about.length > 0 && el('span', { class: 'sub' }, about.join(', ')),
  );
  label.style.paddingLeft = `${queue.depth * 14}px`;
  return label;
}
