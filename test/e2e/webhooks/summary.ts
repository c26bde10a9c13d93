/**
 * Agreement with projects in numbers, for each kind, and the shortest examples of each difference.
 */
import { percent } from '../agreement/summary';
import { type WebhookAnswer } from './differential';

export interface KindAgreement {
  readonly kind: string;
  readonly asked: number;
  readonly agree: number;
  readonly falseAccepts: number;
  readonly falseRejects: number;
  readonly unclear: number;
  /** How many the project refused, and of those, how many Gantry did. */
  readonly refused: number;
  readonly found: number;
}

export function agreementByKind(answers: readonly WebhookAnswer[]): readonly KindAgreement[] {
  const kinds = [...new Set(answers.map(({ kind }) => kind))].sort();
  return kinds.map((kind) =>
    agreementOf(
      kind,
      answers.filter((answer) => answer.kind === kind),
    ),
  );
}

export function agreementOf(kind: string, answers: readonly WebhookAnswer[]): KindAgreement {
  const of = (outcome: WebhookAnswer['outcome']): number =>
    answers.filter((answer) => answer.outcome === outcome).length;
  const refused = answers.filter(({ project }) => project.verdict === 'refused');
  return {
    kind,
    asked: answers.length,
    agree: of('agree'),
    falseAccepts: of('false accept'),
    falseRejects: of('false reject'),
    unclear: of('unclear'),
    refused: refused.length,
    found: refused.filter(({ outcome }) => outcome === 'agree').length,
  };
}

export function agreementTable(rows: readonly KindAgreement[]): string {
  const head = ['', 'asked', 'refused', 'found', 'false accept', 'false reject', 'unclear', 'agreement'];
  const cells = rows.map(({ kind, asked, refused, found, falseAccepts, falseRejects, unclear, agree }) => [
    kind,
    ...[asked, refused, found, falseAccepts, falseRejects, unclear].map(String),
    percentOf(agree, asked - unclear),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((row) => row[column].length)));
  return [head, ...cells]
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  '),
    )
    .join('\n');
}

/** The same as a table of Markdown. */
export function agreementMarkdown(rows: readonly KindAgreement[]): string {
  const lines = rows.map(
    ({ kind, asked, refused, found, falseAccepts, falseRejects, agree, unclear }) =>
      `| ${kind} | ${asked} | ${refused} | ${found} | ${falseAccepts} | ${falseRejects} | ${percentOf(agree, asked - unclear)} |`,
  );
  return [
    '| kind | objects | rejected by the project | of those found | false accepts | false rejects | agreement |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...lines,
    '',
  ].join('\n');
}

function percentOf(part: number, whole: number): string {
  return percent(part, whole).replace(/^(\d+\.\d)\b/, whole === 0 ? '$1' : ((100 * part) / whole).toFixed(2));
}

/** The shortest example of each sort of difference, the most frequent sorts first. */
export function differences(
  answers: readonly WebhookAnswer[],
): readonly (WebhookAnswer & { readonly times: number })[] {
  const sorts = new Map<string, WebhookAnswer[]>();
  for (const answer of answers.filter(({ outcome }) => outcome === 'false accept' || outcome === 'false reject')) {
    const why =
      answer.outcome === 'false accept'
        ? answer.project.message.replace(/"[^"]*"|\d+|'[^']*'/g, '…').slice(0, 80)
        : answer.gantry.findings.map(({ rule }) => rule).join(' ');
    const sort = `${answer.outcome} ${answer.kind} ${why}`;
    sorts.set(sort, [...(sorts.get(sort) ?? []), answer]);
  }
  return [...sorts.values()]
    .sort((a, b) => b.length - a.length)
    .map((group) => ({
      ...group.reduce((best, answer) =>
        JSON.stringify(answer.object).length < JSON.stringify(best.object).length ? answer : best,
      ),
      times: group.length,
    }));
}
