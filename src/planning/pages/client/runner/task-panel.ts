/**
 * The tasks: those that run, those that wait and why, and the latest that ended.
 */
import { type RunnerViewTask } from '../../runner-view';
import { el, refill } from '../dom';
import { scroller } from '../table-scroller';
import { ranges, tell, tellSeconds } from '../words';
import { type PageState } from './page-state';

const FIRST = 20;
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);

export function isEnded({ state }: RunnerViewTask): boolean {
  return ENDED.has(state);
}

export function openTasksPanel(panel: HTMLElement, state: PageState): void {
  const { view } = state;
  const open = view.tasks.filter((task) => !isEnded(task));
  const hidden = view.counts.active + view.counts.queued - open.length;
  fill(panel, state, {
    key: 'open',
    title: 'Queue and running tasks',
    count: view.counts.active + view.counts.queued,
    tasks: open,
    none: 'No task is running or waiting.',
    columns: ['Task', 'State', 'GPUs', 'Devices', 'Tenant', 'Time', 'Why it waits, or what it runs'],
    note: hidden > 0 ? `${tell(hidden)} more tasks wait behind these; "gantry docker queue" lists them.` : undefined,
  });
}

export function endedTasksPanel(panel: HTMLElement, state: PageState): void {
  const ended = state.view.tasks.filter(isEnded);
  panel.hidden = ended.length === 0;
  fill(panel, state, {
    key: 'ended',
    title: 'Ended tasks',
    count: undefined,
    tasks: ended,
    none: '',
    columns: ['Task', 'State', 'GPUs', 'Tenant', 'Ran', 'Ended', 'What it ran'],
    note: undefined,
  });
}

interface List {
  readonly key: 'open' | 'ended';
  readonly title: string;
  readonly count: number | undefined;
  readonly tasks: readonly RunnerViewTask[];
  readonly none: string;
  readonly columns: readonly string[];
  readonly note: string | undefined;
}

function fill(panel: HTMLElement, state: PageState, { key, title, count, tasks, none, columns, note }: List): void {
  const shown = state.opened.has(key) ? tasks : tasks.slice(0, FIRST);
  const id = `${key}-title`;
  refill(
    panel,
    el('header', {}, el('h2', { id }, title, count !== undefined && el('span', {}, tell(count)))),
    tasks.length === 0 && el('p', { class: 'none' }, none),
    tasks.length > 0 &&
      scroller(
        { labelledBy: id, key: `${key} table` },
        el(
          'table',
          { class: 'tasks' },
          el('thead', {}, el('tr', {}, ...columns.map((column) => el('th', { scope: 'col' }, column)))),
          el('tbody', {}, ...shown.map((task) => row(task, key, state))),
        ),
      ),
    shown.length < tasks.length &&
      el(
        'button',
        {
          class: 'quiet more',
          type: 'button',
          'data-key': `more ${key}`,
          click: () => {
            state.opened.add(key);
            state.update();
          },
        },
        `Show all ${tell(tasks.length)}`,
      ),
    note !== undefined && el('p', { class: 'hint' }, note),
  );
}

function row(task: RunnerViewTask, key: List['key'], state: PageState): HTMLElement {
  const { book, openTask, view } = state;
  const name = el(
    'th',
    { scope: 'row' },
    el(
      'button',
      { class: 'name', type: 'button', 'data-key': `task ${task.id}`, click: () => openTask(task) },
      el('i', {
        class: `swatch ${task.startedAt === undefined ? 'free' : ''}`,
        '--swatch': task.startedAt === undefined ? undefined : book.css(`tenant ${task.tenant}`),
      }),
      task.name ?? task.id,
    ),
    task.name !== undefined && el('div', { class: 'sub' }, task.id),
  );
  const status = el(
    'td',
    {},
    stateChip(task),
    task.attempt > 1 && el('div', { class: 'sub' }, `attempt ${task.attempt}`),
  );
  const cells =
    key === 'open'
      ? [
          el('td', {}, task.request === '-' ? '' : task.request),
          el('td', {}, ranges(task.devices)),
          el('td', {}, task.tenant, el('div', { class: 'sub' }, task.priority)),
          el('td', { class: 'when' }, timeText(task, view.at)),
          el('td', {}, ...whyOf(task, view.at)),
        ]
      : [
          el('td', {}, task.request === '-' ? '' : task.request),
          el('td', {}, task.tenant),
          el('td', { class: 'when' }, ranText(task, view.at)),
          el('td', { class: 'when' }, `${tellSeconds((view.at - (task.endedAt ?? view.at)) / 1000)} ago`),
          el(
            'td',
            {},
            el('code', {}, commandOf(task)),
            task.reason !== undefined && el('div', { class: 'sub' }, task.reason),
          ),
        ];
  return el('tr', {}, name, status, ...cells);
}

const TONES: Readonly<Record<string, string>> = { failed: 'bad', succeeded: 'good', stopping: 'warn', queued: 'warn' };

export function stateChip(task: RunnerViewTask): HTMLElement {
  const text = task.state === 'queued' ? 'waiting' : task.state;
  const exit = task.state === 'failed' && task.exitCode !== undefined ? ` (exit ${task.exitCode})` : '';
  return el('span', { class: `state ${TONES[task.state] ?? ''}` }, `${text}${exit}`);
}

export function commandOf({ image, command }: RunnerViewTask): string {
  return `${image} ${command}`.trim();
}

function timeText(task: RunnerViewTask, now: number): string {
  return task.startedAt === undefined ? tellSeconds((now - task.submittedAt) / 1000) : ranText(task, now);
}

export function ranText({ startedAt, endedAt }: RunnerViewTask, now: number): string {
  return startedAt === undefined ? '' : tellSeconds(((endedAt ?? now) - startedAt) / 1000);
}

function whyOf(task: RunnerViewTask, now: number): readonly (HTMLElement | string)[] {
  const command = el('code', {}, commandOf(task));
  if (task.state !== 'queued') {
    return task.reason === undefined ? [command] : [sentence(task.reason), el('div', { class: 'sub' }, command)];
  }
  const start =
    task.startAt === undefined ? '' : `Earliest start in ${tellSeconds(Math.max(0, task.startAt - now) / 1000)}.`;
  return [
    sentence(task.reason ?? 'waits for the tasks before it'),
    ...(start === '' ? [] : [el('div', { class: 'sub' }, start)]),
    el('div', { class: 'sub' }, command),
  ];
}

/** Reasons of the runner are clauses. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
