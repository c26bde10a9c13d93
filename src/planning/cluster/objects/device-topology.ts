/**
 * How the devices of a node are connected, as the node agent reports it in the annotation `gantry.dev/device-topology`.
 *
 * `{"nvidia.com/gpu": [{"index": 0, "numa": 0, "island": "nvlink-0", "mig": {"1g.10gb": 7}, "available": false}]}`: by device resource, one entry
 * for each physical device. The report counts only while it agrees with what the kubelet offers: devices that were added, or divided in another
 * way, since it was written would be placed by a wrong map.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { migResource } from '../../../facts/catalog';
import { isObject } from '../../../manifests/read';
import { type Amounts, DEFAULT_DEVICE_RESOURCE, type Device } from '../../../placement';
import { MOST_DEVICES, type NodeDevices } from './node-devices';

interface Entry {
  readonly index: number;
  readonly numa?: number;
  readonly island?: string;
  readonly mig?: Readonly<Record<string, number>>;
  readonly available: boolean;
}

/** Longer reports are not read: annotations of an object have at most 256 KiB in all. */
const MOST_TEXT = 256 * 1024;
const MOST_NAME = 253;
const MOST_INSTANCES = 64;

/**
 * @param guessed what labels and amounts say, which names model and memory
 * @returns the guess where there is no report, or it does not agree with the amounts
 */
export function withTopology(guessed: NodeDevices, report: string | undefined, allocatable: Amounts): NodeDevices {
  const { deviceResource: resource, devices } = guessed;
  if (report === undefined || resource === undefined || devices === undefined || report.length > MOST_TEXT) {
    return guessed;
  }
  const entries = entriesOf(report, resource);
  return entries === undefined || !agrees(entries, resource, allocatable)
    ? guessed
    : { deviceResource: resource, devices: entries.map((entry) => deviceOf(entry, devices[0] ?? {})) };
}

function deviceOf({ numa, island, mig, available }: Entry, { model, memoryMiB }: Device): Device {
  return {
    ...(model === undefined ? {} : { model }),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(numa === undefined ? {} : { numa }),
    ...(island === undefined ? {} : { island }),
    ...(mig === undefined ? {} : { mig }),
    ...(available ? {} : { healthy: false }),
  };
}

/** Does the kubelet offer as many whole devices and instances as the report describes? */
function agrees(entries: readonly Entry[], resource: string, allocatable: Amounts): boolean {
  const counted = new Map<string, number>([[resource, 0]]);
  const add = (name: string, count: number): unknown => counted.set(name, (counted.get(name) ?? 0) + count);
  for (const { mig, available } of entries) {
    if (mig === undefined) {
      add(resource, available ? 1 : 0);
    } else {
      Object.entries(mig).forEach(([profile, count]) => add(migResource(profile), count));
    }
  }
  const instances =
    resource === DEFAULT_DEVICE_RESOURCE
      ? Object.keys(allocatable).filter((name) => name.startsWith('nvidia.com/mig-') && allocatable[name] > 0)
      : [];
  return [...new Set([...counted.keys(), ...instances])].every(
    (name) => (allocatable[name] ?? 0) === (counted.get(name) ?? 0),
  );
}

/** In the order of their indices, which are 0 to one less than their number. */
function entriesOf(report: string, resource: string): readonly Entry[] | undefined {
  let all: JsonValue;
  try {
    all = JSON.parse(report) as JsonValue;
  } catch {
    return undefined;
  }
  const list = isObject(all) && Object.hasOwn(all, resource) ? all[resource] : undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_DEVICES) {
    return undefined;
  }
  const entries = list.flatMap((value) => entryOf(value) ?? []).sort((a, b) => a.index - b.index);
  return entries.length === list.length && entries.every(({ index }, place) => index === place) ? entries : undefined;
}

function entryOf(value: JsonValue): Entry | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  const { index, numa, island, mig, available } = value;
  const instances = mig === undefined ? undefined : instancesOf(mig);
  const isRead =
    isCount(index) &&
    (numa === undefined || isCount(numa)) &&
    (island === undefined || (typeof island === 'string' && island !== '' && island.length <= MOST_NAME)) &&
    (mig === undefined || instances !== undefined) &&
    (available === undefined || typeof available === 'boolean');
  return isRead
    ? {
        index,
        ...(numa === undefined ? {} : { numa }),
        ...(island === undefined ? {} : { island }),
        ...(instances === undefined ? {} : { mig: instances }),
        available: available ?? true,
      }
    : undefined;
}

function instancesOf(value: JsonValue): Readonly<Record<string, number>> | undefined {
  const entries = isObject(value) ? Object.entries(value) : undefined;
  const isRead = entries?.every(
    ([profile, count]) => /^\d+[cg][\w.+]*$/.test(profile) && isCount(count) && count <= MOST_INSTANCES,
  );
  return isRead === true ? Object.fromEntries(entries as [string, number][]) : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
