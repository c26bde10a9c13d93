/**
 * The devices: what runs on each, how busy it is, and how it was used in the last hours.
 */
import {
  type RunnerHistoryOfDevice,
  type RunnerView,
  type RunnerViewDevice,
  type RunnerViewTask,
} from '../../runner-view';
import { el, refill, svg } from '../dom';
import { count, percent, tell } from '../words';
import { areaPath, condensed, linePath, mean, type Values } from './history-line';
import { key } from './key';
import { type PageState } from './page-state';

const RANGES = [
  { minutes: 60, label: '1 h', title: 'last hour' },
  { minutes: 360, label: '6 h', title: 'last 6 hours' },
  { minutes: 1440, label: '24 h', title: 'last 24 hours' },
] as const;
const BOX = { width: 240, height: 56 };

export function devicePanel(panel: HTMLElement, state: PageState): void {
  const { view, history } = state;
  const measured =
    history?.devices.some(({ busy, memoryMiB }) => mean(busy) !== null || mean(memoryMiB) !== null) ?? false;
  panel.hidden = view.devices.length === 0;
  refill(
    panel,
    el(
      'header',
      {},
      el('h2', { id: 'devices-title' }, 'Devices', el('span', {}, tell(view.devices.length))),
      ranges(state),
    ),
    el('ul', { class: 'devices' }, ...view.devices.map((device) => card(device, state, measured))),
    el(
      'p',
      { class: 'legend keys' },
      measured && key('busy', 'busy'),
      measured && key('memory', 'memory'),
      key('held', 'held by tasks'),
    ),
  );
}

function ranges({ minutes, setMinutes }: PageState): HTMLElement {
  return el(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'Time range of the charts' },
    ...RANGES.map((range) =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': range.minutes === minutes ? 'true' : 'false',
          'aria-label': range.title,
          'data-key': `range ${range.minutes}`,
          click: () => setMinutes(range.minutes),
        },
        range.label,
      ),
    ),
  );
}

const USABLE: ReadonlySet<string> = new Set(['free', 'used', 'shared', 'used by others']);

function card(device: RunnerViewDevice, state: PageState, measured: boolean): HTMLElement {
  const { view, history } = state;
  const isUsable = USABLE.has(device.state);
  const use = history?.devices.find(({ id }) => id === device.id);
  return el(
    'li',
    { class: 'device' },
    el(
      'p',
      { class: 'device-name' },
      el('b', {}, `${device.index}`),
      el('span', {}, device.model ?? device.id),
      el('span', { class: `state ${isUsable ? '' : 'bad'}` }, device.state),
    ),
    el('p', { class: 'sub', title: device.id }, factsOf(device)),
    device.fault !== undefined && el('p', { class: 'why bad' }, device.fault),
    holders(device, state),
    meters(device),
    use !== undefined && chart(device, use, state, measured),
    view.tenant === undefined &&
      el(
        'button',
        {
          class: 'quiet small',
          type: 'button',
          'data-key': `drain ${device.id}`,
          'aria-label': `${isUsable ? 'Drain' : 'Resume'} device ${device.index}`,
          click: () => state.act(() => state.service.drain(device.id, isUsable)),
        },
        isUsable ? 'Drain' : 'Resume',
      ),
  );
}

function factsOf({ memoryMiB, numa, island }: RunnerViewDevice): string {
  return [
    memoryMiB === undefined ? '' : `${tell(Math.round(memoryMiB / 1024))} GiB`,
    numa === undefined ? '' : `NUMA ${numa}`,
    island === undefined ? '' : `island ${island}`,
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

function holders(device: RunnerViewDevice, { view, book, openTask }: PageState): HTMLElement {
  const known = new Map(view.tasks.map((task) => [task.id, task]));
  const others = device.tasks.filter((id) => !known.has(id)).length;
  const own = device.tasks.flatMap((id) => known.get(id) ?? []);
  return el(
    'p',
    { class: 'holders' },
    ...own.map((task) => holder(device, task, book.css(`tenant ${task.tenant}`), openTask)),
    others > 0 && el('span', { class: 'sub' }, `${count(others, 'task')} of other tenants`),
    device.tasks.length === 0 && el('span', { class: 'sub' }, 'No tasks'),
  );
}

function holder(
  device: RunnerViewDevice,
  task: RunnerViewTask,
  color: string,
  openTask: PageState['openTask'],
): HTMLElement {
  return el(
    'button',
    { class: 'name', type: 'button', 'data-key': `on ${device.id} ${task.id}`, click: () => openTask(task) },
    el('i', { class: 'swatch', '--swatch': color }),
    task.name ?? `task ${task.id}`,
    el('span', { class: 'sub' }, task.tenant),
  );
}

function meters({ use, memoryMiB }: RunnerViewDevice): HTMLElement | false {
  if (use === undefined || (use.busy === undefined && use.memoryMiB === undefined)) {
    return false;
  }
  const part = use.memoryMiB === undefined || memoryMiB === undefined ? undefined : use.memoryMiB / memoryMiB;
  return el(
    'div',
    { class: 'meters' },
    ...(use.busy === undefined ? [] : [meter('Busy', use.busy, percent(use.busy), 'busy')]),
    ...(use.memoryMiB === undefined ? [] : [meter('Memory', part, memoryText(use.memoryMiB, memoryMiB), 'memory')]),
  );
}

function memoryText(used: number, all: number | undefined): string {
  const gibibytes = tell(used / 1024);
  return all === undefined ? `${gibibytes} GiB` : `${gibibytes} of ${tell(Math.round(all / 1024))} GiB`;
}

function meter(label: string, part: number | undefined, value: string, kind: string): HTMLElement {
  return el(
    'div',
    { class: 'meter' },
    el('span', { class: 'sub' }, label),
    el('span', { class: 'value' }, value),
    part !== undefined &&
      el('span', {
        class: `track ${kind}`,
        '--part': `${Math.min(100, Math.round(part * 100))}%`,
        'aria-hidden': 'true',
      }),
  );
}

function chart(
  device: RunnerViewDevice,
  use: RunnerHistoryOfDevice,
  { minutes }: PageState,
  measured: boolean,
): HTMLElement {
  const busy = condensed(use.busy);
  const memory = condensed(
    use.memoryMiB.map((value) => (value === null || device.memoryMiB === undefined ? null : value / device.memoryMiB)),
  );
  const held = condensed(use.held);
  const range = RANGES.find((one) => one.minutes === minutes)!;
  return el(
    'figure',
    { class: 'history', role: 'img', 'aria-label': summary(device, range.title, { busy, memory, held }) },
    svg(
      'svg',
      {
        viewBox: `0 0 ${BOX.width} ${BOX.height + 8}`,
        preserveAspectRatio: 'none',
        class: measured ? 'lines' : 'lines plain',
        'aria-hidden': 'true',
      },
      svg('path', { class: 'axis', d: `M0 ${BOX.height}H${BOX.width}` }),
      svg('path', { class: 'busy-area', d: areaPath(busy, BOX) }),
      svg('path', { class: 'busy-line', d: linePath(busy, BOX) }),
      svg('path', { class: 'memory-line', d: linePath(memory, BOX) }),
      svg(
        'g',
        { transform: `translate(0 ${BOX.height + 2})` },
        svg('path', {
          class: 'held',
          d: areaPath(
            held.map((value) => (value === null || value === 0 ? null : 1)),
            { ...BOX, height: 6 },
          ),
        }),
      ),
    ),
    el('figcaption', { class: 'sub' }, el('span', {}, `${range.label} ago`), el('span', {}, 'now')),
  );
}

function summary(
  { index }: RunnerViewDevice,
  range: string,
  { busy, memory, held }: Readonly<Record<'busy' | 'memory' | 'held', Values>>,
): string {
  const parts = [
    ['busy', busy],
    ['memory in use', memory],
    ['held by tasks', held],
  ] as const;
  const told = parts.flatMap(([label, values]) => {
    const average = mean(values);
    return average === null ? [] : [`${label} ${percent(average)}`];
  });
  return `Device ${index}, means of the ${range}: ${told.length === 0 ? 'nothing was measured' : told.join(', ')}`;
}

/** `3 of 8 devices in use`. */
export function useText({ devices }: RunnerView): string {
  const used = devices.filter(({ state, tasks }) => tasks.length > 0 || state === 'used by others').length;
  return devices.length === 0 ? '' : `${tell(used)} of ${count(devices.length, 'device')} in use`;
}
