/**
 * Sizings of one file with several policies, side by side.
 */
import { printable } from '../../facts/words';
import { tellDuration } from '../simulation';
import { type MixReport, type SizingResult } from './result';
import { type SizingTextOptions } from './report';
import { mixText, money, percent, targetName } from './words';

/** One row for each figure, one column for each policy. */
export function sizingComparison(
  results: readonly SizingResult[],
  { file, table }: Pick<SizingTextOptions, 'file' | 'table'>,
): string {
  const rows = [
    ...rowsOf('cheapest mix', ({ best }) => best),
    ...(results.some(({ today }) => today !== undefined) ? rowsOf('today', ({ today }) => today) : []),
  ];
  const text = table(
    ['', ...results.map(({ policy = '' }) => policy)],
    rows.map(({ name, textOf }) => [name, ...results.map(textOf)]),
  );
  return `${printable(results[0].name)}  ${printable(file)}\n${text.trimEnd().replaceAll(/^(?=.)/gm, '  ')}\n`;

  function rowsOf(title: string, mixOf: (result: SizingResult) => MixReport | undefined): readonly Row[] {
    const row = (name: string, textOf: (mix: MixReport, result: SizingResult) => string): Row => ({
      name,
      textOf: (result) => {
        const mix = mixOf(result);
        return mix === undefined ? '-' : textOf(mix, result);
      },
    });
    const targets = mixOf(results.find((result) => mixOf(result) !== undefined) ?? results[0])?.targets ?? [];
    return [
      row(title, mixText),
      row('  per hour', ({ costPerHour }, result) => money(costPerHour, result)),
      ...targets.map((target, i) =>
        row(`  ${targetName(target)}`, (mix) => {
          const { wait, met } = mix.targets[i];
          return `${tellDuration(wait.mean)}${met ? '' : ' (above the target)'}`;
        }),
      ),
      row('  devices in use', ({ utilization }) => percent(utilization.mean)),
      row('  idle', ({ idle }) => percent(idle)),
      row('  evictions', ({ evictions }) => String(Math.round(evictions.mean * 10) / 10)),
    ];
  }
}

interface Row {
  readonly name: string;
  readonly textOf: (result: SizingResult) => string;
}
