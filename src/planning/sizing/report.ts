/**
 * A sizing as text.
 */
import pico from 'picocolors';
import { counted, printable } from '../../facts/words';
import { tellDuration } from '../simulation';
import { type MixReport, type SizingMethod, type SizingResult } from './result';
import { HOURS_OF_MONTH, intervalText, mixText, money, percent, targetName } from './words';

export interface SizingTextOptions {
  readonly color: boolean;
  readonly file: string;
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => string;
}

/** More gangs are not listed. */
const LISTED = 10;

export function sizingText(result: SizingResult, { color, file, table }: SizingTextOptions): string {
  const { bold, dim, green, red } = pico.createColors(color);
  const { best, today } = result;
  const verdict =
    best === undefined
      ? [red(noneText(result))]
      : [green(`cheapest mix: ${mixText(best)}, ${costText(best, result)}`), ...factsOf(best, result)];
  const blocks = [
    [`${bold(printable(result.name))}  ${dim(printable(file))}`, ...verdict.map((line) => `  ${line}`)].join('\n'),
    ...(today === undefined ? [] : [todayText(today, result)]),
    ...(best === undefined ? [] : tablesOf(best, result, table)),
    methodLines(result.method).join('\n'),
  ];
  return `${blocks.map((block, i) => (i === 0 ? block : indented(block.trimEnd()))).join('\n\n')}\n`;
}

function costText({ costPerHour }: MixReport, result: SizingResult): string {
  return `${money(costPerHour, result)} per hour, ${money(costPerHour * HOURS_OF_MONTH, result)} per month of ${HOURS_OF_MONTH} hours`;
}

function noneText({ method, pools }: SizingResult): string {
  const largest = pools.map(({ name, most }) => `${most} ${name}`).join(', ');
  return method.open === 0
    ? `no mix up to ${printable(largest)} meets the targets; raise max, or relax the targets`
    : `no mix that meets the targets was found in ${method.evaluated} evaluations; raise search.evaluations`;
}

function factsOf(mix: MixReport, result: SizingResult): readonly string[] {
  return [
    ...mix.targets.map(
      (target) =>
        `${targetName(target)} ${intervalText(target.wait)}, ${target.wait.high <= target.seconds ? 'within' : 'above'} the target of ${tellDuration(target.seconds)}`,
    ),
    `devices in use ${percent(mix.utilization.mean)}, ${money(mix.idle * mix.costPerHour, result)} per hour idle (${percent(mix.idle)}), ` +
      `${Math.round(mix.evictions.mean * 10) / 10} evictions`,
    ...(mix.unstarted > 0 ? [`${counted(mix.unstarted, 'gang')} of all replications never started`] : []),
  ];
}

function todayText(today: MixReport, result: SizingResult): string {
  const { best } = result;
  const saved = best === undefined ? 0 : today.costPerHour - best.costPerHour;
  const difference =
    best === undefined || Math.abs(saved) < 0.005
      ? ''
      : `; the cheapest mix costs ${money(Math.abs(saved), result)} per hour ${saved > 0 ? 'less' : 'more'}`;
  return [`today: ${mixText(today)}, ${costText(today, result)}${difference}`, ...factsOf(today, result)].join('\n');
}

function tablesOf(mix: MixReport, result: SizingResult, table: SizingTextOptions['table']): readonly string[] {
  const amount = (value: number): string => money(value, { currency: undefined });
  const share = (value: number): string => percent(mix.costPerHour > 0 ? value / mix.costPerHour : 0);
  const isNested = mix.queues.some(({ parent }) => parent !== undefined);
  const listed = mix.gangs.slice(0, LISTED);
  const more = mix.gangs.length - listed.length;
  const unit = result.currency === undefined ? 'cost per hour' : `${result.currency} per hour`;
  return [
    table(
      ['pool', 'purchase', 'nodes', 'limits', unit, 'idle'],
      mix.pools.map(({ name, nodes, meanNodes, costPerHour, idlePerHour }, i) => {
        const { purchase, least, most } = result.pools[i];
        const mean = meanNodes === undefined ? '' : ` (mean ${Math.round(meanNodes * 100) / 100})`;
        return [name, purchase, `${nodes}${mean}`, `${least} to ${most}`, amount(costPerHour), amount(idlePerHour)];
      }),
    ),
    table(
      ['queue', unit, 'share', 'p95 wait'],
      mix.queues.map(({ name, costPerHour, p95 }) => [
        name,
        amount(costPerHour),
        share(costPerHour),
        intervalText(p95),
      ]),
    ),
    ...(isNested
      ? [
          table(
            ['team', unit, 'share'],
            mix.teams.map(({ name, costPerHour }) => [name, amount(costPerHour), share(costPerHour)]),
          ),
        ]
      : []),
    table(
      ['gangs', unit, 'share'],
      listed.map(({ name, costPerHour }) => [name, amount(costPerHour), share(costPerHour)]),
    ) + (more > 0 ? `and ${more} more; --format json lists them all` : ''),
  ];
}

export function methodLines(method: SizingMethod): readonly string[] {
  const { replications, seconds, warmupSeconds, confidence, measuredGangs, seed, blockSeconds } = method;
  const warmup = warmupSeconds === 0 ? '' : ` with a warm-up of ${tellDuration(warmupSeconds)}`;
  const how =
    replications === 1
      ? `1 simulation of ${tellDuration(seconds)}${warmup}: nothing is random, so there is no confidence interval`
      : `${replications} replications of ${tellDuration(seconds)}${warmup}, seed ${seed}; intervals are ${Math.round(confidence * 1000) / 10} % confidence intervals of the mean (Student's t)`;
  const blocks =
    blockSeconds === undefined
      ? []
      : [`each replication draws blocks of ${tellDuration(blockSeconds)} from the history`];
  return [`${how}; ${measuredGangs} gangs measured in each`, ...blocks, searchLine(method)];
}

function searchLine({ mixes, evaluated, assumed, open, limit }: SizingMethod): string {
  const counts = `${evaluated} of ${mixes} mixes simulated`;
  if (open > 0) {
    return `${counts}; the limit of ${limit} evaluations was reached, and ${open} cheaper mixes are unknown: raise search.evaluations`;
  }
  return assumed === 0
    ? `${counts}; every cheaper mix misses a target`
    : `${counts}; ${assumed} cheaper mixes were not simulated, because a mix that contains them misses a target (limit of ${limit} evaluations)`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
