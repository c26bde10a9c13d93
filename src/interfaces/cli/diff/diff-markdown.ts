/**
 * A diff as Markdown, for a comment on a pull request. What manifests contain is untrusted: it is shown in fenced blocks, which it cannot end.
 */
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

/** GitHub takes 65,536 characters; some are left for what a workflow adds. */
const LONGEST = 60_000;

export function diffMarkdown(diff: Diff): string {
  const rejected = rejectedAmong(diff);
  const limits = limitLines(diff);
  const head = [
    `### Manifests: ${diff.differences.length === 0 ? 'no differences' : countsText(diff)}`,
    ...(rejected.length === 0
      ? []
      : [
          `**${counted(rejected.length, 'update')} rejected when applied**`,
          fenced(rejected.map(objectBlock).join('\n')),
        ]),
    ...(diff.sums.length === 0 ? [] : ['**Queues and quotas**', fenced(diff.sums.map(sumText).join('\n'))]),
    ...(diff.plan === undefined
      ? []
      : [fenced(planDifferenceText('Plan', diff.plan, { color: false, asked: 0 }).trimEnd())]),
    ...(limits.length === 0 ? [] : [fenced(limits.join('\n'))]),
  ];
  const all = diff.differences.map(objectBlock);
  return `${[...head, ...details(all, LONGEST - head.join('\n\n').length)].join('\n\n')}\n`;
}

function objectBlock(difference: ObjectDifference): string {
  return [
    `${SIGNS[difference.object.change]} ${objectText(difference)}`,
    ...[...fieldLines(difference), ...consequenceLines(difference)].map((line) => `    ${line}`),
  ].join('\n');
}

/** As many objects as there is room for. */
function details(blocks: readonly string[], room: number): readonly string[] {
  if (blocks.length === 0) {
    return [];
  }
  let left = room;
  const shown = blocks.filter((block) => (left -= block.length + 1) > 0);
  const more = blocks.length - shown.length;
  return [
    `<details><summary>All changes</summary>`,
    ...(shown.length === 0 ? [] : [fenced(shown.join('\n'))]),
    ...(more === 0 ? [] : [`${counted(more, 'object')} more: run \`gantry diff\`.`]),
    '</details>',
  ];
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
