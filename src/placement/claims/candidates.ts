/**
 * Which devices of a node each alternative of each request can have at all, whatever is chosen for the others.
 */
import { compareText } from '../model/names';
import { type PoolDevice } from './books';
import { type Device, type DeviceClaim, deviceKey, type HeldDevices, type RequestAlternative } from '../model/claims';
import { type DevicePool } from './pools';
import { taintInTheWay } from './taints';

/** A device that an alternative can have. */
export interface Candidate extends PoolDevice {
  /** Devices with one number are interchangeable for all claims of the search. */
  readonly alike: number;
}

export type CandidateLists = ReadonlyMap<RequestAlternative, readonly Candidate[]>;

/**
 * The candidates of each alternative, in the order in which they are tried; whatever is held.
 *
 * @param scopeOf what else tells devices apart, such as the nodes that can use them
 */
export function candidatesOf(
  claims: readonly DeviceClaim[],
  pools: readonly DevicePool[],
  scopeOf: (device: Device) => string = () => '',
): CandidateLists {
  const alternatives = claims.flatMap(({ requests }) => requests.flatMap((request) => request.alternatives));
  const lists = new Map<RequestAlternative, Candidate[]>(alternatives.map((alternative) => [alternative, []]));
  const numbers = new Map<string, number>();
  const text = textOfDevices(claims, alternatives);
  for (const pool of pools) {
    for (const device of pool.devices) {
      const id = { driver: pool.driver, pool: pool.pool, device: device.name };
      const takers = alternatives.flatMap((alternative, at) => (canHave(alternative, pool.driver, device) ? [at] : []));
      const likeness = `${pool.driver}\0${pool.pool}\0${scopeOf(device)}\0${takers.join()}\0${text(pool, device)}`;
      const alike = numbers.get(likeness) ?? numbers.size;
      numbers.set(likeness, alike);
      for (const taker of takers) {
        lists.get(alternatives[taker])?.push({ id, key: deviceKey(id), device, pool, alike });
      }
    }
  }
  return lists;
}

/** The candidates as they are now: without those that another claim holds whole; a shared device is like no other. */
export function stillFree(lists: CandidateLists, held: HeldDevices): CandidateLists {
  if (held.whole.size === 0 && held.shares.size === 0) {
    return lists;
  }
  const free = new Map<RequestAlternative, readonly Candidate[]>();
  for (const [alternative, list] of lists) {
    free.set(
      alternative,
      list.flatMap((candidate, at): readonly Candidate[] => {
        if (held.shares.has(candidate.key)) {
          return [{ ...candidate, alike: -1 - at }];
        }
        if (!held.whole.has(candidate.key)) {
          return [candidate];
        }
        return alternative.adminAccess || alternative.count === 'all'
          ? [{ ...candidate, alike: candidate.alike + USED }]
          : [];
      }),
    );
  }
  return free;
}

/** Tells devices that are held from those that are free, and is more than any node has. */
const USED = 2 ** 30;

/** A request for all devices counts tainted ones too, and then fails. */
function canHave({ accepts, count, tolerations }: RequestAlternative, driver: string, device: Device): boolean {
  return accepts(driver, device) && (count === 'all' || taintInTheWay(device.taints, tolerations) === undefined);
}

/** What of a device the claims depend on, beside their selectors: constrained attributes, capacity, counters, taints. */
function textOfDevices(
  claims: readonly DeviceClaim[],
  alternatives: readonly RequestAlternative[],
): (pool: DevicePool, device: Device) => string {
  const named = new Set(
    claims.flatMap(({ constraints }) =>
      constraints.flatMap(({ attribute }) => [attribute, attribute.slice(attribute.indexOf('/') + 1)]),
    ),
  );
  const isSized = alternatives.some(({ capacity }) => capacity.size > 0);
  return (_, { attributes, capacity, consumes, taints, shareable, bindsLater }) =>
    JSON.stringify(
      [
        [...named].map((name) => attributes.get(name) ?? null),
        shareable || isSized ? [...capacity].sort(byName) : [],
        consumes.map(({ set, counters }) => [set, [...counters].sort(byName)]),
        taints,
        shareable,
        bindsLater,
      ],
      (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value instanceof Map ? [...value] : value),
    );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b);
}
