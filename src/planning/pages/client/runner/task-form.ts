/**
 * The form of a new task. The service checks everything again; what it refuses is shown.
 */
import { type RunnerView } from '../../runner-view';
import { el } from '../dom';
import { openDialog } from './dialog';
import { type PlanOfTask, problemText, type Service } from './service';
import { FieldProblem, taskOf } from './task-of-form';

const AMOUNTS: Readonly<Record<string, { readonly label: string; readonly initial: string }>> = {
  none: { label: 'Amount', initial: '' },
  whole: { label: 'Number', initial: '1' },
  memory: { label: 'Memory', initial: '20Gi' },
  mig: { label: 'Profile', initial: '1g.10gb' },
};

/** @param submitted called with the id of the new task */
export function openTaskForm(view: RunnerView, service: Service, submitted: (id: string) => void): void {
  const status = el('div', { class: 'form-status', role: 'status' });
  const form = el('form', { class: 'form', novalidate: true }, ...fields(view), status);
  const amount = form.querySelector<HTMLInputElement>('[name=amount]')!;
  const kind = form.querySelector<HTMLSelectElement>('[name=devices]');
  kind?.addEventListener('change', () => {
    const { label, initial } = AMOUNTS[kind.value];
    amount.previousElementSibling!.textContent = label;
    amount.value = initial;
    amount.disabled = kind.value === 'none';
  });
  const work = (ask: (task: unknown) => Promise<void>): void => {
    form.querySelectorAll('[aria-invalid]').forEach((field) => field.removeAttribute('aria-invalid'));
    void (async () => {
      try {
        await ask(
          taskOf(
            Object.fromEntries(
              [...new FormData(form)].map(([name, text]) => [name, typeof text === 'string' ? text : '']),
            ),
          ),
        );
      } catch (error) {
        const text = error instanceof FieldProblem ? error.message : problemText(error);
        status.replaceChildren(el('p', { class: 'bad' }, text));
        if (error instanceof FieldProblem) {
          const field = form.querySelector<HTMLElement>(`[name=${error.field}]`);
          field?.setAttribute('aria-invalid', 'true');
          field?.closest('details')?.setAttribute('open', '');
          field?.focus();
        }
      }
    })();
  };
  const dialog = openDialog({ title: 'New task' }, form);
  form.append(
    el(
      'p',
      { class: 'dialog-actions' },
      el('button', { class: 'primary', type: 'submit' }, 'Queue task'),
      el(
        'button',
        {
          class: 'quiet',
          type: 'button',
          click: () => work(async (task) => status.replaceChildren(planText(await service.planned(task)))),
        },
        'Where would it start?',
      ),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    work(async (task) => {
      const [{ id }] = await service.submit(task);
      dialog.close();
      submitted(id);
    });
  });
}

function fields({ tenant, tenants, priorities, devices }: RunnerView): readonly HTMLElement[] {
  const models = [...new Set(devices.flatMap(({ model }) => model ?? []))];
  return [
    input('image', 'Image', {
      required: true,
      placeholder: 'pytorch/pytorch',
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    input('command', 'Command', {
      placeholder: 'python train.py --epochs 10',
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    el(
      'div',
      { class: 'row' },
      choice('devices', 'GPUs', [
        ['none', 'None'],
        ['whole', 'Whole devices'],
        ['memory', 'Memory of one device'],
        ['mig', 'MIG instance'],
      ]),
      input('amount', 'Amount', { disabled: true, autocomplete: 'off' }),
      models.length > 0 && choice('model', 'Model', [['', 'Any'], ...models.map((model) => [model, model] as const)]),
    ),
    el(
      'div',
      { class: 'row' },
      choice(
        'priority',
        'Priority',
        priorities.map((name) => [name, name] as const),
        'normal',
      ),
      input('timeout', 'Time limit', { placeholder: '12h' }),
      input('name', 'Name', { placeholder: 'optional', autocomplete: 'off' }),
      tenant === undefined &&
        tenants.length > 1 &&
        choice(
          'tenant',
          'Tenant',
          tenants.map(({ name }) => [name, name] as const),
        ),
      tenant === undefined &&
        tenants.length === 1 &&
        el('input', { type: 'hidden', name: 'tenant', value: tenants[0].name }),
    ),
    el(
      'details',
      {},
      el('summary', {}, 'More'),
      el(
        'div',
        { class: 'row' },
        input('cpus', 'CPUs', { inputmode: 'decimal', placeholder: 'no limit' }),
        input('memory', 'Memory', { placeholder: 'no limit' }),
        input('retries', 'Retries', { inputmode: 'numeric', placeholder: '0' }),
      ),
      area('env', 'Environment, one NAME=value per line'),
      area('volumes', 'Volumes, one SOURCE:/TARGET per line'),
      el(
        'label',
        { class: 'check' },
        el('input', { type: 'checkbox', name: 'preemptible' }),
        'May be stopped for tasks of higher priority, and is queued again',
      ),
    ),
  ];
}

type Attributes = Readonly<Record<string, string | boolean>>;

function input(name: string, label: string, attributes: Attributes = {}): HTMLElement {
  return el('label', {}, el('span', {}, label), el('input', { name, ...attributes }));
}

function area(name: string, label: string): HTMLElement {
  return el('label', {}, el('span', {}, label), el('textarea', { name, rows: 2, spellcheck: 'false' }));
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen?: string,
): HTMLElement {
  return el(
    'label',
    {},
    el('span', {}, label),
    el(
      'select',
      { name },
      ...options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)),
    ),
  );
}

function planText({ starts, waits, wouldHelp, stops, startAt }: PlanOfTask): HTMLElement {
  const devices = starts?.flatMap((start) => start.devices) ?? [];
  return el(
    'div',
    { class: 'changes' },
    starts === undefined
      ? el('p', {}, `It would wait: ${waits ?? 'the reason is unknown'}`)
      : el('b', {}, devices.length === 0 ? 'It would start now.' : `It would start now on ${devices.join(', ')}.`),
    stops.length > 0 && el('p', {}, `Stopped for it: ${stops.join(', ')}`),
    startAt !== undefined && el('p', {}, `Earliest start: ${new Date(startAt).toLocaleString()}`),
    wouldHelp.length > 0 && el('ul', {}, ...wouldHelp.map((change) => el('li', {}, change))),
  );
}
