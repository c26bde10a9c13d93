/**
 * A simulation as text for people.
 */
import pico from 'picocolors';
import { type GangOutcome, type Happening, type SimulationResult } from './result';
import { tellDuration } from './time';
import { counted, printable } from '../../facts/words';

export interface ReportOptions {
  readonly color: boolean;
  /** What the scenario was read from. */
  readonly file: string;
  /** Writes a table; the command line's own. */
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
  /** Leave out what went as expected. @default false */
  readonly quiet?: boolean;
}

/** More gangs than this are not listed one by one. */
const LISTED = 24;

export function simulationText(result: SimulationResult, { color, file, table, quiet = false }: ReportOptions): string {
  const { bold, dim } = pico.createColors(color);
  const unmet = result.expectations.filter(({ met }) => !met);
  const lines = [`${bold(printable(result.name))}  ${dim(printable(file))}`];
  if (!quiet) {
    lines.push(...facts(result).map((line) => `  ${line}`), '', indented(gangTable(result, table)));
    if (result.queues.length > 1) {
      lines.push('', indented(queueTable(result, table)));
    }
    if (result.summary.sizes.length > 1) {
      lines.push('', indented(sizeTable(result, table)));
    }
    const told = nodeLines(result);
    if (told.length > 0) {
      lines.push('', ...told);
    }
    if (result.expectations.length > 0) {
      lines.push('');
    }
  }
  const told = quiet ? unmet : result.expectations;
  return [...lines, ...told.flatMap((expectation) => tellExpectation(expectation, color)), ''].join('\n');
}

const TOLD: ReadonlySet<Happening['kind']> = new Set(['fail', 'drain', 'return', 'fault', 'fault-ends', 'remediate']);

/** What happened to nodes, and what remediation did about it. */
function nodeLines({ happenings }: SimulationResult): string[] {
  const told = happenings.filter(({ kind }) => TOLD.has(kind));
  const more = told.length > LISTED ? [`  and ${told.length - LISTED} more; --format json lists them all`] : [];
  return [
    ...told.slice(0, LISTED).map(({ at, text }) => `  ${tellDuration(at).padStart(7)}  ${printable(text)}`),
    ...more,
  ];
}

/** The last line: how many expectations of all scenarios were met. */
export function verdictLine(results: readonly SimulationResult[], color: boolean): string {
  const { green, red } = pico.createColors(color);
  const all = results.flatMap(({ expectations }) => expectations);
  const unmet = all.filter(({ met }) => !met).length;
  const what = `${counted(results.length, 'scenario')}, ${counted(all.length, 'expectation')}`;
  if (all.length === 0) {
    return `${what}\n`;
  }
  return unmet === 0 ? green(`${what}: all met\n`) : red(`${what}: ${unmet} not met\n`);
}

function facts({ summary, seconds, ended, gangs, nodes, devices, device, decisions }: SimulationResult): string[] {
  const states = (['finished', 'running', 'pending', 'canceled'] as const).filter((state) => summary[state] > 0);
  const { waits, completion } = summary;
  return [
    `${tellDuration(seconds)} simulated${ended === 'time' ? ', stopped at the time limit' : ''}; ${counted(gangs.length, 'gang')} on ${counted(nodes, 'node')} ` +
      `with ${devices} ${device}: ${states.map((state) => `${summary[state]} ${state}`).join(', ')}`,
    `devices in use ${percent(summary.utilization[device])}, goodput ${percent(summary.goodput)}, fragmentation ${percent(summary.fragmentation)}; ` +
      `${counted(summary.evictions, 'eviction')}, ${counted(summary.moves, 'move')}, ${counted(decisions, 'decision')}`,
    `wait: mean ${tellDuration(waits.mean)}, median ${tellDuration(waits.median)}, p95 ${tellDuration(waits.p95)}, longest ${tellDuration(waits.longest)}` +
      `${waits.unstarted > 0 ? ` (${waits.unstarted} not started)` : ''}${summary.makespanSeconds === undefined ? '' : `; all done in ${tellDuration(summary.makespanSeconds)}`}`,
    `completion: ${completion.gangs === 0 ? '-' : `mean ${tellDuration(completion.mean)}, median ${tellDuration(completion.median)}, p95 ${tellDuration(completion.p95)}`}; ` +
      `fairness ${percent(summary.fairness)}`,
  ];
}

/** Waits and completion by size, where gangs differ in it. */
function sizeTable({ summary: { sizes } }: SimulationResult, table: ReportOptions['table']): string {
  return table(
    ['size', 'gangs', 'mean wait', 'median', 'p95', 'longest', 'mean completion'],
    sizes.map(({ name, waits, completion }) => [
      name,
      String(waits.gangs),
      ...[waits.mean, waits.median, waits.p95, waits.longest].map(tellDuration),
      completion.gangs === 0 ? '-' : tellDuration(completion.mean),
    ]),
  ).trimEnd();
}

function gangTable({ gangs }: SimulationResult, table: ReportOptions['table']): string {
  const rows = notable(gangs).map((gang) => [
    gang.name,
    gang.queue,
    gang.state,
    tellDuration(gang.arrivedAt),
    gang.startedAt === undefined ? '-' : tellDuration(gang.startedAt),
    gang.endedAt === undefined ? '-' : tellDuration(gang.endedAt),
    tellDuration(gang.waitSeconds),
    gang.evictions + gang.moves + gang.losses === 0
      ? ''
      : [
          gang.evictions > 0 ? `${gang.evictions} evicted` : '',
          gang.moves > 0 ? `${gang.moves} moved` : '',
          gang.losses > 0 ? `${gang.losses} lost` : '',
        ]
          .filter((text) => text !== '')
          .join(', '),
  ]);
  const text = table(['gang', 'queue', 'state', 'arrived', 'started', 'ended', 'waited', 'pods'], rows);
  return gangs.length > rows.length
    ? `${text}and ${gangs.length - rows.length} more; --format json lists them all`
    : text.trimEnd();
}

/** All where they are few; else those that people will ask about: unfinished, then the longest waits. */
function notable(gangs: readonly GangOutcome[]): readonly GangOutcome[] {
  if (gangs.length <= LISTED) {
    return gangs;
  }
  const ranked = [...gangs].sort(
    (a, b) => Number(a.state === 'finished') - Number(b.state === 'finished') || b.waitSeconds - a.waitSeconds,
  );
  const chosen = new Set(ranked.slice(0, LISTED));
  return gangs.filter((gang) => chosen.has(gang));
}

function queueTable({ queues, device }: SimulationResult, table: ReportOptions['table']): string {
  return table(
    ['queue', 'gangs', 'mean wait', 'median', 'p95', 'longest', `mean ${device}`, 'deserved', 'below it'],
    queues.map(({ name, waits, meanDevices, deservedDevices, belowDeservedSeconds }) => [
      name,
      String(waits.gangs),
      ...[waits.mean, waits.median, waits.p95, waits.longest].map(tellDuration),
      String(Math.round(meanDevices * 10) / 10),
      deservedDevices === undefined ? '-' : String(deservedDevices),
      deservedDevices === undefined ? '-' : tellDuration(belowDeservedSeconds),
    ]),
  ).trimEnd();
}

function tellExpectation({ expected, met, found }: SimulationResult['expectations'][number], color: boolean): string[] {
  const { green, red, dim } = pico.createColors(color);
  if (met) {
    return [`  ${green('met')}      ${expected}  ${dim(found)}`];
  }
  return [`  ${red('not met')}  ${expected}`, `           ${found}`];
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}

function percent(part = 0): string {
  return `${Math.round(part * 100)}%`;
}
