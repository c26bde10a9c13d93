/**
 * Which devices of a node each alternative of each request can have at all, whatever is chosen for the others.
 */
import { compareText } from '../model/names';
import { type PoolDevice } from './books';
import { type Device, type DeviceClaim, deviceKey, type HeldDevices, type RequestAlternative } from './model';
import { type DevicePool } from './pools';
import { taintInTheWay } from './taints';

/** A device that an alternative can have. */
export interface Candidate extends PoolDevice {
  /** Devices with one number are interchangeable for all claims of the search. */
  readonly alike: number;
}

export type CandidateLists = ReadonlyMap<RequestAlternative, readonly Candidate[]>;

/** The candidates of each alternative, in the order in which they are tried. */
export function candidatesOf(
  claims: readonly DeviceClaim[],
  pools: readonly DevicePool[],
  held: HeldDevices,
): CandidateLists {
  const alternatives = claims.flatMap(({ requests }) => requests.flatMap((request) => request.alternatives));
  const lists = new Map<RequestAlternative, Candidate[]>(alternatives.map((alternative) => [alternative, []]));
  const numbers = new Map<string, number>();
  for (const pool of pools) {
    const text = textOfDevices(pool);
    for (const device of pool.devices) {
      const id = { driver: pool.driver, pool: pool.pool, device: device.name };
      const key = deviceKey(id);
      const takers = alternatives.filter((alternative) => canHave(alternative, pool.driver, device));
      const state = [held.whole.has(key), held.shares.has(key) ? key : ''];
      const likeness = JSON.stringify([text(device), state, takers.map((taker) => alternatives.indexOf(taker))]);
      const alike = numbers.get(likeness) ?? numbers.size;
      numbers.set(likeness, alike);
      for (const taker of takers) {
        lists.get(taker)?.push({ id, key, device, pool, alike });
      }
    }
  }
  return lists;
}

/** A request for all devices counts tainted ones too, and then fails. */
function canHave({ accepts, count, tolerations }: RequestAlternative, driver: string, device: Device): boolean {
  return accepts(driver, device) && (count === 'all' || taintInTheWay(device.taints, tolerations) === undefined);
}

/** What tells devices of a pool apart, but for their names. */
function textOfDevices({ driver, pool }: DevicePool): (device: Device) => string {
  return ({ attributes, capacity, consumes, taints, shareable, bindsLater }) =>
    JSON.stringify(
      [
        driver,
        pool,
        [...attributes].sort(byName),
        [...capacity].sort(byName),
        consumes.map(({ set, counters }) => [set, [...counters].sort(byName)]),
        taints,
        shareable,
        bindsLater,
      ],
      (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
    );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b);
}
