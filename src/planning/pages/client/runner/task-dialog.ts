/**
 * One task: what it is, why it waits and what would help, its output as it comes, and the button that cancels it.
 */
import { type RunnerView, type RunnerViewTask } from '../../runner-view';
import { el, refill } from '../dom';
import { ranges, tellSeconds } from '../words';
import { openDialog } from './dialog';
import { FrameReader, OutputText } from './output-text';
import { type PageState } from './page-state';
import { type PlanOfTask, problemText, type Service } from './service';
import { commandOf, isEnded, ranText, sentence, stateChip } from './task-panel';

const TAIL = '1000';

export interface TaskDialog {
  /** Shows the task as it is in a newer view. */
  readonly show: (view: RunnerView) => void;
}

export function openTaskDialog(first: RunnerViewTask, state: PageState, closed: () => void): TaskDialog {
  const { service } = state;
  const facts = el('div', { class: 'task-facts' });
  const output = new OutputView(service, first.id);
  const cancel = el(
    'button',
    {
      class: 'danger',
      type: 'button',
      click: () => {
        cancel.disabled = true;
        service.cancel(first.id).catch((error: unknown) => {
          cancel.disabled = false;
          refused.textContent = problemText(error);
        });
      },
    },
    'Cancel task',
  );
  const refused = el('span', { class: 'bad', role: 'alert' });
  let task = first;
  let plan: PlanOfTask | undefined;
  const draw = (now: number): void => {
    refill(facts, ...details(task, plan, now));
    cancel.hidden = isEnded(task) || task.state === 'stopping';
    output.show(task);
  };
  const end = new AbortController();
  openDialog(
    {
      title: first.name === undefined ? `Task ${first.id}` : `${first.name} (task ${first.id})`,
      closed: () => {
        end.abort();
        output.close();
        closed();
      },
    },
    facts,
    output.element,
    el('p', { class: 'dialog-actions' }, cancel, refused),
  );
  draw(state.view.at);
  if (first.state === 'queued') {
    void service
      .plan(first.id)
      .then((found) => {
        plan = found;
        draw(state.view.at);
      })
      // It may have started in between; the next view shows it.
      .catch(() => undefined);
  }
  return {
    show: (view) => {
      task = view.tasks.find(({ id }) => id === task.id) ?? task;
      draw(view.at);
    },
  };
}

function details(task: RunnerViewTask, plan: PlanOfTask | undefined, now: number): readonly HTMLElement[] {
  const isWaiting = task.state === 'queued';
  const reason = task.reason ?? (isWaiting ? plan?.waits : undefined);
  const changes = task.wouldHelp ?? plan?.wouldHelp ?? [];
  const rows: readonly (readonly [string, HTMLElement | string])[] = [
    ['State', stateChip(task)],
    ...(reason === undefined ? [] : [[isWaiting ? 'Why it waits' : 'Reason', sentence(reason)] as const]),
    ['Runs', el('code', {}, commandOf(task))],
    ['GPUs', task.request === '-' ? 'none' : task.request],
    ...(task.devices.length === 0 ? [] : [['Devices', ranges(task.devices)] as const]),
    ['Tenant', `${task.tenant}, priority ${task.priority}`],
    ['Submitted', `${tellSeconds((now - task.submittedAt) / 1000)} ago`],
    ...(task.startedAt === undefined ? [] : [['Ran', ranText(task, now)] as const]),
    ...(task.startAt === undefined
      ? []
      : [['Earliest start', `in ${tellSeconds(Math.max(0, task.startAt - now) / 1000)}`] as const]),
    ...(task.attempt > 1 ? [['Attempt', String(task.attempt)] as const] : []),
  ];
  return [
    el('dl', { class: 'rows' }, ...rows.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)])),
    ...(isWaiting && changes.length > 0
      ? [
          el(
            'div',
            { class: 'changes' },
            el('b', {}, changes.length === 1 ? 'What would help' : 'Any of these would help'),
            el('ul', {}, ...changes.map((change) => el('li', {}, change))),
          ),
        ]
      : []),
  ];
}

/** The output of the current attempt; it is asked for again when the task is tried again. */
class OutputView {
  readonly element = el('section', { class: 'output', 'aria-label': 'Output' });
  private readonly text = el('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'Output', 'data-key': 'output' });
  private readonly note = el('p', { class: 'hint', role: 'status' });
  private attempt = 0;
  private end: AbortController | undefined;
  private isDue = false;

  constructor(
    private readonly service: Service,
    private readonly id: string,
  ) {
    this.element.append(this.text, this.note);
    this.text.hidden = true;
  }

  show(task: RunnerViewTask): void {
    if (task.startedAt !== undefined && task.attempt !== this.attempt) {
      this.close();
      this.attempt = task.attempt;
      this.end = new AbortController();
      void this.read(isEnded(task), this.end.signal);
    }
  }

  close(): void {
    this.end?.abort();
  }

  private async read(hasEnded: boolean, signal: AbortSignal): Promise<void> {
    const shown = new OutputText();
    const frames = new FrameReader();
    this.note.textContent = hasEnded ? '' : 'The output comes as it is written.';
    try {
      const stream = await this.service.logs(this.id, { tail: TAIL, ...(hasEnded ? {} : { follow: '1' }) }, signal);
      const reader = stream.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        shown.add(frames.read(read.value));
        this.draw(shown);
      }
      this.draw(shown);
      this.note.textContent = shown.text.trim() === '' ? 'It wrote nothing.' : 'End of the output.';
    } catch (error) {
      if (!signal.aborted) {
        this.note.textContent = problemText(error);
      }
    }
  }

  /** Once for each picture, however fast it comes. */
  private draw(shown: OutputText): void {
    if (this.isDue) {
      return;
    }
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const { text } = this;
      const isAtEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 24;
      text.hidden = false;
      text.textContent = `${shown.isCut ? '…\n' : ''}${shown.text}`;
      if (isAtEnd) {
        text.scrollTop = text.scrollHeight;
      }
    });
  }
}
