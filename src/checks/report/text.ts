/**
 * Reports as text for people.
 */
import pico from 'picocolors';
import { type JsonValue } from '../../facts/api/schema';
import { type Finding, type NotChecked, occurrencesOf, type Severity } from './finding';
import { groupBy } from '../../facts/collections';
import { type SkippedSource } from '../../manifests/manifest';
import { countsOf, type Report, type SuppressedFinding } from './report';
import { counted, printable } from '../../facts/words';

type Colors = ReturnType<typeof pico.createColors>;

/** Options of `findingText`. */
export interface FindingTextOptions {
  /**
   * Leaves out the construct path, where the reader has it already.
   * @default false
   */
  readonly withoutConstruct?: boolean;
}

/** Options of `renderText`. */
export interface TextOptions {
  /**
   * Colors for a terminal.
   * @default false
   */
  readonly color?: boolean;
  /**
   * Columns that a line may take; longer ones are broken between words.
   * @default - lines are not broken
   */
  readonly width?: number;
  /**
   * Only findings of severity error, and nothing else.
   * @default false
   */
  readonly quiet?: boolean;
}

/** One finding on its own: what is wrong and where on the first line, then what was found, what was expected and what to do. */
export function findingText(finding: Finding, options: FindingTextOptions = {}): string {
  const place = placeOf(finding, options);
  const head = [finding.severity, `[${finding.rule}]`, finding.object, finding.path]
    .filter((part) => part !== '')
    .join(' ');
  const details = detailsOf(finding).map(([label, text]) => `    ${label}: ${text}`);
  return [printable(`${place === '' ? '' : `${place}: `}${head}: ${finding.message}`), ...details].join('\n');
}

/** `file:line:column`, or the construct path. */
function placeOf(
  finding: Pick<Finding, 'file' | 'line' | 'column' | 'construct'>,
  options: FindingTextOptions = {},
): string {
  if (finding.file !== undefined) {
    return [finding.file, finding.line, finding.column].filter((part) => part !== undefined).join(':');
  }
  return options.withoutConstruct === true ? '' : (finding.construct ?? '');
}

/** The whole report: findings by object, what was not checked, and a line that counts. */
export function renderText(report: Report, options: TextOptions = {}): string {
  const colors = pico.createColors(options.color ?? false);
  const quiet = options.quiet === true;
  const findings = quiet ? report.findings.filter(({ severity }) => severity === 'error') : report.findings;
  const repeated = repeatedInfos(findings);
  const blocks = grouped(findings.filter((finding) => !repeated.has(finding.rule) || finding.severity !== 'info')).map(
    (group) => renderGroup(group, colors, options.width),
  );
  if (repeated.size > 0) {
    blocks.push(renderRepeated([...repeated.values()], colors, options.width));
  }
  const notChecked = quiet ? report.notChecked.filter(({ failed }) => failed === true) : report.notChecked;
  if (notChecked.length > 0) {
    blocks.push(renderNotChecked(notChecked, colors, options.width));
  }
  if (!quiet && report.skipped.length > 0) {
    blocks.push(renderSkipped(report.skipped, colors, options.width));
  }
  if (!quiet) {
    blocks.push(summary(report, colors));
  }
  return blocks.join('\n\n');
}

/** Findings that follow one another and lie in the same object of the same place. */
function grouped(findings: readonly Finding[]): readonly (readonly Finding[])[] {
  const groups: Finding[][] = [];
  let last = '';
  for (const finding of findings) {
    const key = [finding.file, finding.construct, finding.object].join('\n');
    if (key === last) {
      groups.at(-1)!.push(finding);
    } else {
      groups.push([finding]);
    }
    last = key;
  }
  return groups;
}

/** Hints of one rule, from this number on, are listed once with their places. */
const REPEATED_FROM = 3;

/** The most places of a repeated finding that are listed. */
const PLACES_LISTED = 5;

/** Hints that several objects get, by rule: most are about all pods or none. */
function repeatedInfos(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const byRule = groupBy(
    findings.filter(({ severity }) => severity === 'info'),
    ({ rule }) => rule,
  );
  return new Map([...byRule].filter(([, infos]) => infos.length >= REPEATED_FROM));
}

function renderRepeated(repeated: readonly (readonly Finding[])[], colors: Colors, width: number | undefined): string {
  const lines = repeated.flatMap((infos) => {
    const [{ rule, tier, message, fix }] = infos;
    const messages = new Set(infos.map((info) => info.message));
    const places = infos.map((info) => [placeOf(info), info.object.replace(/^\S+ /, '')].filter(Boolean).join(' '));
    const more = places.length > PLACES_LISTED ? ` and ${places.length - PLACES_LISTED} more` : '';
    const details: (readonly [string, string])[] = [
      ['at', printable(`${places.slice(0, PLACES_LISTED).join(', ')}${more}`)],
      ...(fix === undefined ? [] : [['fix', printable(fix)] as const]),
    ];
    return [
      `  ${severityText('info', colors)}  ${colors.cyan(rule)} ${colors.dim(`(${tier}, ${occurrencesOfAll(infos)} times)`)}`,
      ...wrap(printable(messages.size === 1 ? message : `${message}, and others like it`), INDENT, INDENT, width),
      ...details.flatMap(([label, text]) => detailLines(label, text, colors, width)),
    ];
  });
  return [colors.bold('Repeated findings'), ...lines].join('\n');
}

function detailLines(label: string, text: string, colors: Colors, width: number | undefined): readonly string[] {
  const head = `${INDENT}${label.padEnd(8)}  `;
  return wrap(text, head, ' '.repeat(head.length), width).map((line, index) =>
    index === 0 ? dimHead(line, head, colors) : line,
  );
}

function renderGroup(group: readonly Finding[], colors: Colors, width: number | undefined): string {
  const { file, construct, object } = group[0];
  const title = [file ?? construct ?? '', object].filter((part) => part !== '').map(printable);
  const lines = [[colors.bold(title[0] ?? ''), ...title.slice(1)].join('  ')];
  for (const finding of group) {
    lines.push(
      `  ${severityText(finding.severity, colors)}  ${colors.cyan(finding.rule)} ${colors.dim(`(${finding.group ?? finding.tier})`)}`,
    );
    lines.push(...wrap(printable(finding.message), INDENT, INDENT, width));
    const at = [finding.file === undefined ? '' : placeOf(finding), finding.path]
      .filter((part) => part !== '')
      .map(printable)
      .join(' ');
    for (const [label, text] of [['at', at] as const, ...detailsOf(finding)].filter(([, value]) => value !== '')) {
      lines.push(...detailLines(label, text, colors, width));
    }
  }
  return lines.join('\n');
}

const INDENT = ' '.repeat(11);

function dimHead(line: string, head: string, colors: Colors): string {
  return colors.dim(head) + line.slice(head.length);
}

function severityText(severity: Severity, colors: Colors): string {
  const paint = { error: colors.red, warning: colors.yellow, info: colors.blue }[severity];
  return paint(severity.padEnd(7));
}

function detailsOf({ found, expected, fix }: Finding): readonly (readonly [string, string])[] {
  const details: (readonly [string, string])[] = [];
  if (found !== undefined) {
    details.push(['found', inline(found)]);
  }
  if (expected !== undefined) {
    details.push(['expected', printable(expected)]);
  }
  if (fix !== undefined) {
    details.push(['fix', printable(fix)]);
  }
  return details;
}

/** A value on one line, cut where it is long. */
function inline(value: JsonValue, limit = 120): string {
  const text = printable(JSON.stringify(value));
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** A reason is printed once, even if several objects are not checked for it. */
function renderNotChecked(notChecked: readonly NotChecked[], colors: Colors, width: number | undefined): string {
  const lines = notCheckedByReason(notChecked).flatMap(([why, objects]) => {
    const [first] = objects;
    const place = first?.file ?? first?.construct;
    const alone = `${place === undefined ? '' : `${place}  `}${first?.object ?? ''}: ${why}`;
    const several = `${objects.length} objects: ${why} (${objects.map(({ object }) => object.replace(/^\S+ /, '')).join(', ')})`;
    return wrap(printable(objects.length === 1 ? alone : several), '  ', '    ', width);
  });
  return [colors.bold('Not checked'), ...lines].join('\n');
}

/** Reasons in the order in which they come up, each with its objects. */
export function notCheckedByReason(
  notChecked: readonly NotChecked[],
): readonly (readonly [string, readonly NotChecked[]])[] {
  return [...groupBy(notChecked, ({ why }) => why)];
}

/** How many files of each kind; `--format json` lists them. */
function renderSkipped(skipped: readonly SkippedSource[], colors: Colors, width: number | undefined): string {
  const kinds = new Map<string, Set<string>>();
  for (const { file, why } of skipped) {
    kinds.set(why, (kinds.get(why) ?? new Set()).add(file));
  }
  const lines = [...kinds].flatMap(([why, files]) => {
    const named = [...files].slice(0, 3).join(', ');
    const text = `${named}${files.size > 3 ? ` and ${files.size - 3} more` : ''}: ${why}`;
    return wrap(printable(text), '  ', '    ', width);
  });
  return [colors.bold('Skipped'), ...lines].join('\n');
}

function summary(report: Report, colors: Colors): string {
  const { documents, findings, notChecked, suppressed, skipped } = report;
  if (documents === 0 && findings.length === 0 && suppressed.length === 0) {
    return `no Kubernetes objects: nothing to check${skipped.length > 0 ? ` (${skipped.length} skipped)` : ''}`;
  }
  const { error: errors, warning: warnings, info: infos, hygiene } = countsOf(report);
  const parts = [
    errors > 0 ? colors.red(counted(errors, 'error')) : colors.green('no errors'),
    ...(warnings > 0 ? [colors.yellow(counted(warnings, 'warning'))] : []),
    ...(infos > 0 ? [colors.blue(`${infos} info`)] : []),
    ...(hygiene > 0 ? [colors.yellow(`${hygiene} for hygiene`)] : []),
    ...(notChecked.length > 0 ? [`${notChecked.length} not checked`] : []),
    ...(suppressed.length > 0 ? [suppressedText(suppressed)] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  return `${counted(documents, 'document')}: ${parts.join(', ')}`;
}

/** By what, where there are several. */
function suppressedText(suppressed: readonly SuppressedFinding[]): string {
  const groups = groupBy(suppressed, ({ by = 'annotations' }) => by);
  const by = [...groups].map(([what, findings]) => `${occurrencesOfAll(findings)} by ${what}`);
  return `${occurrencesOfAll(suppressed)} suppressed${by.length > 1 ? ` (${by.join(', ')})` : ''}`;
}

function occurrencesOfAll(findings: readonly Finding[]): number {
  return findings.reduce((sum, finding) => sum + occurrencesOf(finding), 0);
}

/** Breaks a text between words. A word that is longer than a line stays whole, so that names and paths can be copied. */
function wrap(text: string, first: string, rest: string, width: number | undefined): string[] {
  if (width === undefined) {
    return [first + text];
  }
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > Math.max(width, 40)) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
