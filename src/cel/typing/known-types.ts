/**
 * Types that every expression knows: by name, of constants, and of messages that can be written.
 */
import { BOOL, INT, readType, STRING, type CelType } from './types';

/** Types that an expression can name. */
export const TYPE_NAMES: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint', 'optional_type'],
  ...['google.protobuf.Duration', 'google.protobuf.Timestamp', 'net.IP', 'net.CIDR'],
  ...['kubernetes.URL', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.NamedFormat'],
]);
/** Types of constants by their kind in the tree. */
export const CONSTANTS: Readonly<Record<string, CelType>> = {
  boolValue: BOOL,
  stringValue: STRING,
  bytesValue: readType('bytes'),
  nullValue: readType('null_type'),
  int64Value: INT,
  uint64Value: readType('uint'),
  doubleValue: readType('double'),
};
/** Messages that are types of CEL. */
export const WELL_KNOWN: Readonly<Record<string, CelType>> = {
  'google.protobuf.Duration': readType('duration'),
  'google.protobuf.Timestamp': readType('timestamp'),
};
