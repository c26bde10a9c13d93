/**
 * Which devices the kubelet gave to which pod, as an agent on the node reports it in an annotation of the Node: a device plugin leaves the
 * choice to the kubelet, so that a scheduler can only find out.
 *
 * `{"nvidia.com/gpu": {"POD-UID": [7, 6]}}`: by device resource and uid, the indices that the vendor's tools show. What cannot be is left out.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';

export type AllocatedDevices = ReadonlyMap<string, readonly number[]>;

export const NO_DEVICES_REPORTED: AllocatedDevices = new Map();
/** Longer reports are not read: annotations of an object have at most 256 KiB in all. */
const MOST_TEXT = 256 * 1024;

/**
 * @param resource the node's device resource
 * @param count its devices
 */
export function allocatedDevices(
  report: string | undefined,
  resource: string | undefined,
  count: number,
): AllocatedDevices {
  if (report === undefined || resource === undefined || report.length > MOST_TEXT) {
    return NO_DEVICES_REPORTED;
  }
  const all = parsed(report);
  const pods = isObject(all) && Object.hasOwn(all, resource) ? all[resource] : undefined;
  if (!isObject(pods)) {
    return NO_DEVICES_REPORTED;
  }
  return new Map(
    Object.entries(pods).flatMap(([uid, value]): [string, readonly number[]][] =>
      areIndices(value, count) ? [[uid, value]] : [],
    ),
  );
}

function areIndices(value: unknown, count: number): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= count &&
    value.every((index) => Number.isInteger(index) && index >= 0 && index < count) &&
    new Set(value).size === value.length
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
