/**
 * Simulations of one scenario with several policies, side by side.
 */
import pico from 'picocolors';
import { printable } from '../../facts/words';
import { type SimulationResult, type TimeSummary } from './result';
import { tellDuration } from './time';

export interface Compared {
  /** Name or file of the policy. */
  readonly policy: string;
  readonly result: SimulationResult;
}

export interface CompareOptions {
  readonly color: boolean;
  readonly file: string;
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
}

/** One row for each figure, one column for each policy. */
export function comparisonText(runs: readonly Compared[], { color, file, table }: CompareOptions): string {
  const { bold, dim } = pico.createColors(color);
  const [{ result: first }] = runs;
  const rows = [
    row('finished', ({ summary }) => String(summary.finished)),
    row('not started', ({ summary }) => String(summary.waits.unstarted)),
    row('mean wait', ({ summary }) => tellDuration(summary.waits.mean)),
    row('median wait', ({ summary }) => tellDuration(summary.waits.median)),
    row('p95 wait', ({ summary }) => tellDuration(summary.waits.p95)),
    row('longest wait', ({ summary }) => tellDuration(summary.waits.longest)),
    ...namesOf(runs, ({ summary }) => summary.sizes).map((name) =>
      row(`mean wait, ${name}`, ({ summary }) =>
        tellIfAny(summary.sizes.find((size) => size.name === name)?.waits, 'mean'),
      ),
    ),
    ...(first.queues.length > 1 ? namesOf(runs, ({ queues }) => queues) : []).map((name) =>
      row(`mean wait, queue ${name}`, ({ queues }) =>
        tellIfAny(queues.find((queue) => queue.name === name)?.waits, 'mean'),
      ),
    ),
    row('mean completion', ({ summary }) => tellIfAny(summary.completion, 'mean')),
    row('p95 completion', ({ summary }) => tellIfAny(summary.completion, 'p95')),
    row('devices in use', ({ summary, device }) => percent(summary.utilization[device])),
    row('goodput', ({ summary }) => percent(summary.goodput)),
    row('fairness', ({ summary }) => percent(summary.fairness)),
    row('fragmentation', ({ summary }) => percent(summary.fragmentation)),
    row('evictions', ({ summary }) => String(summary.evictions)),
    row('moves', ({ summary }) => String(summary.moves)),
    row('unmet expectations', ({ expectations }) => String(expectations.filter(({ met }) => !met).length)),
  ];
  const text = table(
    ['', ...runs.map(({ policy }) => policy)],
    rows.map(({ name, valueOf }) => [name, ...runs.map(({ result }) => valueOf(result))]),
  );
  const indented = text.trimEnd().replaceAll(/^/gm, '  ');
  return `${bold(printable(first.name))}  ${dim(printable(file))}\n${indented}\n`;
}

/** Of no gangs there is no figure. */
function tellIfAny(summary: TimeSummary | undefined, figure: 'mean' | 'p95'): string {
  return summary === undefined || summary.gangs === 0 ? '-' : tellDuration(summary[figure]);
}

interface Row {
  readonly name: string;
  readonly valueOf: (result: SimulationResult) => string;
}

function row(name: string, valueOf: Row['valueOf']): Row {
  return { name, valueOf };
}

function namesOf(
  runs: readonly Compared[],
  listOf: (result: SimulationResult) => readonly { readonly name: string }[],
): string[] {
  return [...new Set(runs.flatMap(({ result }) => listOf(result).map(({ name }) => name)))];
}

function percent(part = 0): string {
  return `${Math.round(part * 100)}%`;
}
