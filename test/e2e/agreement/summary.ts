/**
 * Agreement in numbers, per kind, per operator and per judge, with the smallest example of each disagreement.
 */
import { type Answer } from './differential';

export interface Count {
  readonly asked: number;
  readonly agree: number;
  readonly falseAccepts: number;
  readonly falseRejects: number;
  /** The answer depends on other objects in the cluster, or there was none. */
  readonly unclear: number;
}

export interface Example {
  readonly operator: string;
  readonly what: string;
  readonly server: string;
  readonly gantry: readonly string[];
  readonly object: unknown;
}

export interface KindSummary extends Count {
  readonly kind: string;
  readonly falseAccept?: Example;
  readonly falseReject?: Example;
}

export interface Summary extends Count {
  readonly byKind: readonly KindSummary[];
  readonly byOperator: readonly (Count & { readonly operator: string })[];
  /** Of the documents that the server refused, by who on its side did. */
  readonly byJudge: readonly (Count & { readonly judge: string })[];
}

export function summarize(answers: readonly Answer[]): Summary {
  return {
    ...count(answers),
    byKind: grouped(answers, ({ question }) => question.kind).map(([kind, group]) => ({
      kind,
      ...count(group),
      ...example('falseAccept', smallest(group, 'false accept')),
      ...example('falseReject', smallest(group, 'false reject')),
    })),
    byOperator: grouped(answers, ({ question }) => question.operator).map(([operator, group]) => ({
      operator,
      ...count(group),
    })),
    byJudge: grouped(
      answers.filter(({ judge }) => judge !== undefined),
      ({ judge }) => judge ?? '',
    ).map(([judge, group]) => ({ judge, ...count(group) })),
  };
}

function count(answers: readonly Answer[]): Count {
  const of = (outcome: Answer['outcome']): number => answers.filter((answer) => answer.outcome === outcome).length;
  return {
    asked: answers.length,
    agree: of('agree'),
    falseAccepts: of('false accept'),
    falseRejects: of('false reject'),
    unclear: of('unclear'),
  };
}

function grouped(
  answers: readonly Answer[],
  keyOf: (answer: Answer) => string,
): readonly (readonly [string, readonly Answer[]])[] {
  const groups = new Map<string, Answer[]>();
  for (const answer of answers) {
    groups.set(keyOf(answer), [...(groups.get(keyOf(answer)) ?? []), answer]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function smallest(answers: readonly Answer[], outcome: Answer['outcome']): Answer | undefined {
  const size = ({ question }: Answer): number => JSON.stringify(question.object).length;
  return answers
    .filter((answer) => answer.outcome === outcome)
    .sort((a, b) => size(a) - size(b) || a.question.index - b.question.index)[0];
}

function example(
  key: 'falseAccept' | 'falseReject',
  answer: Answer | undefined,
): Partial<Record<'falseAccept' | 'falseReject', Example>> {
  return answer === undefined ? {} : { [key]: exampleOf(answer) };
}

/** The answers in which Gantry and the server do not agree, as examples. */
export function disagreementsIn(answers: readonly Answer[]): readonly Example[] {
  return answers.filter(({ outcome }) => outcome === 'false accept' || outcome === 'false reject').map(exampleOf);
}

export function exampleOf({ question, server, gantry }: Answer): Example {
  return {
    operator: question.operator,
    what: question.what,
    server: server.verdict === 'accepted' ? 'accepts' : `${server.status} ${server.reason}: ${server.message}`,
    gantry: gantry.findings.map(({ rule, tier, path, message }) => `${tier} ${rule} ${path}: ${message}`),
    object: question.object,
  };
}

/** Lines for people: one per kind, then the totals. */
export function table(rows: readonly (Count & { readonly name: string })[]): string {
  const head = ['', 'asked', 'agree', 'false accept', 'false reject', 'unclear', 'agreement'];
  const cells = rows.map(({ name, asked, agree, falseAccepts, falseRejects, unclear }) => [
    name,
    ...[asked, agree, falseAccepts, falseRejects, unclear].map(String),
    percent(agree, asked - unclear),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  return [head, ...cells].map(line).join('\n');
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}
