/**
 * What a free part of a device is worth to the workload, as a part of a whole device.
 *
 * The fractions that a workload requests are cut from devices (`cutting-stock.ts`). Their prices say which part of a device a fraction
 * costs at best: 0.5 for 470 thousandths if two of them share a device, and 1 for 810 if only small requests fit beside it and there are
 * too few of these. A free part is worth the most valuable fractions that fit it.
 *
 * The demand is rounded before it is priced, and prices of rounded demands are remembered: a cycle in which few pods come and go does not
 * price again. Values depend on the demand alone, so they are the same whether remembered or not.
 */
import { WHOLE } from '../../nodes/node-table';
import { cutDevices } from './cutting-stock';

/** Only the most frequent fractions count. */
const MOST_KINDS = 32;
/** Counts keep this number of binary digits after the first: they are at most a sixteenth wrong, and up to 16 exact. */
const DIGITS = 3;
/** How many demands are remembered. */
const MOST_KNOWN = 32;

/** Thousandths of a device, and how many such parts are requested. */
type Kind = readonly [milli: number, count: number];

/** The values for workloads, remembered for those asked for last. */
export class PartValues {
  private readonly known = new Map<string, Float64Array>();

  /**
   * Values by free thousandths: 1 for a whole device, 0 where no fraction fits or too many such parts are free anyway.
   *
   * @param counts Numbers of requests by their thousandths of a device; whole devices do not count.
   */
  of(counts: ReadonlyMap<number, number>): Float64Array {
    const { known } = this;
    const kinds = roundedDemand(counts);
    const key = kinds.join();
    const values = known.get(key) ?? valuesOf(kinds);
    known.delete(key);
    known.set(key, values);
    if (known.size > MOST_KNOWN) {
      const [oldest] = known.keys();
      known.delete(oldest);
    }
    return values;
  }
}

/** The most frequent fractions, smallest first. */
function roundedDemand(counts: ReadonlyMap<number, number>): readonly Kind[] {
  return [...counts]
    .map(([milli, count]): Kind => [Math.ceil(milli), rounded(count)])
    .filter(([milli, count]) => milli > 0 && milli < WHOLE && count > 0)
    .sort(([a, m], [b, n]) => n - m || a - b)
    .slice(0, MOST_KINDS)
    .sort(([a], [b]) => a - b);
}

function rounded(count: number): number {
  const step = 2 ** (Math.floor(Math.log2(count)) - DIGITS);
  return Math.round(count / step) * step;
}

function valuesOf(kinds: readonly Kind[]): Float64Array {
  const values = new Float64Array(WHOLE + 1);
  values[WHOLE] = 1;
  if (kinds.length > 0) {
    const { unit, worth } = cutDevices(
      kinds.map(([milli]) => milli),
      kinds.map(([, count]) => count),
    );
    const most = worth[worth.length - 1];
    for (let milli = 0; milli < WHOLE; milli++) {
      values[milli] = worth[Math.floor(milli / unit)] / most;
    }
  }
  return values;
}
