/**
 * Amounts of a sizing as text.
 */
import { printable } from '../../facts/words';
import { tellDuration } from '../simulation';
import { type Interval } from './confidence';
import { type MixReport, type SizingResult, type TargetOutcome } from './result';

/** As cloud providers count a month. */
export const HOURS_OF_MONTH = 730;

export function money(amount: number, { currency }: Pick<SizingResult, 'currency'>): string {
  const digits = Math.abs(amount) >= 1000 ? 0 : 2;
  const text = amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return currency === undefined ? text : `${text} ${printable(currency)}`;
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** Such as `6 h100, up to 2 burst`. */
export function mixText({ pools }: Pick<MixReport, 'pools'>): string {
  const parts = pools.flatMap(({ name, nodes, meanNodes }) =>
    nodes === 0 ? [] : [`${meanNodes === undefined ? '' : 'up to '}${nodes} ${name}`],
  );
  return parts.length === 0 ? 'no nodes' : printable(parts.join(', '));
}

export function intervalText({ mean, low, high }: Interval): string {
  return low === high ? tellDuration(mean) : `${tellDuration(mean)} (${tellDuration(low)} to ${tellDuration(high)})`;
}

/** Such as `p95 wait of queue research`. */
export function targetName({ percentile, queue }: Pick<TargetOutcome, 'percentile' | 'queue'>): string {
  return `p${percentile} wait${queue === undefined ? '' : ` of queue ${printable(queue)}`}`;
}
