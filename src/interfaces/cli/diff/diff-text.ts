/**
 * A diff as text for people.
 */
import pico from 'picocolors';
import { counted } from '../../../facts/words';
import { type ObjectDifference } from '../../difference';
import { type Diff } from './diff-report';
import {
  consequenceLines,
  countsText,
  fieldLines,
  limitLines,
  objectText,
  rejectedAmong,
  SIGNS,
  sumText,
} from './diff-lines';
import { planDifferenceText } from '../plan/plan-text';

export interface DiffTextOptions {
  readonly color: boolean;
  /** @default - lines are not broken */
  readonly width?: number;
}

export function diffText(diff: Diff, options: DiffTextOptions): string {
  const colors = pico.createColors(options.color);
  const blocks = [
    ...diff.differences.map((difference) => objectBlock(difference, colors)),
    ...(diff.sums.length === 0
      ? []
      : [[colors.bold('Queues and quotas'), ...diff.sums.map((sum) => `  ${sumText(sum)}`)].join('\n')]),
    ...(diff.plan === undefined ? [] : [planDifferenceText('Plan', diff.plan, { ...options, asked: 0 }).trimEnd()]),
    limitLines(diff).map(colors.dim).join('\n'),
    verdict(diff, colors),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

type Colors = ReturnType<typeof pico.createColors>;

function objectBlock(difference: ObjectDifference, colors: Colors): string {
  const { change } = difference.object;
  const tint = change === 'added' ? colors.green : change === 'removed' ? colors.red : colors.yellow;
  return [
    tint(`${SIGNS[change]} ${objectText(difference)}`),
    ...fieldLines(difference).map((line) => `    ${line}`),
    ...consequenceLines(difference).map((line) => `    ${line.startsWith('error') ? colors.red(line) : line}`),
  ].join('\n');
}

function verdict(diff: Diff, colors: Colors): string {
  const rejected = rejectedAmong(diff).length;
  const counts = diff.differences.length === 0 ? 'no differences' : countsText(diff);
  return rejected === 0 ? counts : `${counts}; ${colors.red(`${counted(rejected, 'update')} rejected`)}`;
}
