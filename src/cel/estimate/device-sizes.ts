/**
 * Sizes of the devices that selectors see (`dynamic-resource-allocation/cel/compile.go`), from the limits of a ResourceSlice.
 */
import { type Declared, type SizeAt, sizeBelow } from './declared-sizes';

/** Attributes and capacities of one device. */
const MOST_ATTRIBUTES = 32;
const LONGEST_DOMAIN = 63;
const LONGEST_ID = 32;
const LONGEST_DRIVER = 63;
const LONGEST_VALUE = 64;

const VALUE: Declared = { most: LONGEST_VALUE };

const ATTRIBUTES = mapOf(LONGEST_DOMAIN, { ...mapOf(LONGEST_ID, VALUE), field: () => VALUE });
const CAPACITY = mapOf(LONGEST_DOMAIN, mapOf(LONGEST_ID, { most: 0 }));

const FIELDS: ReadonlyMap<string, Declared> = new Map([
  ['driver', { most: LONGEST_DRIVER }],
  ['allowMultipleAllocations', { most: 1 }],
  ['attributes', ATTRIBUTES],
  ['capacity', CAPACITY],
]);

const DEVICE: Declared = { most: 0, field: (name) => FIELDS.get(name) };

function mapOf(longestKey: number, items: Declared): Declared {
  return { most: MOST_ATTRIBUTES, keys: { most: longestKey }, items };
}

export const deviceSizes: SizeAt = ([variable, ...steps]) =>
  variable === 'device' ? sizeBelow(DEVICE, steps) : undefined;
