/**
 * Reads which resources the device plugin shares, and how many times.
 *
 * Source: k8s-device-plugin, api/config/v1/replicas.go, resources.go.
 */
import { type JsonValue } from '../../facts/api/schema';
import { asArray } from '../../manifests/read';
import { kindOf, noteUnknown } from './config-problem';
import { fieldBelow } from '../../manifests/pointer';
import { type DevicePluginNote, mapping, PREFIX } from './device-plugin-reading';

const LONGEST_NAME = 63;
const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** An index, an index of a MIG slice, or a UUID. */
const DEVICE = new RegExp(`^(\\d+(:\\d+)?|(GPU|MIG)-${UUID}|MIG-GPU-${UUID}/\\d+/\\d+)$`);
const MOST = 2 ** 63;

/** A number that Go reads into an integer of 64 bits. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < MOST;
}

/** An entry of a list of shared resources. */
const REPLICAS = '{name: nvidia.com/gpu, replicas: 4}';

export interface Replicas {
  readonly names: readonly string[];
  readonly renamed: boolean;
  readonly fails: boolean;
}

export function readReplicas(value: JsonValue | undefined, at: string, note: DevicePluginNote): Replicas {
  const sharing = mapping(value, at, note, `{resources: [${REPLICAS}]}`);
  noteUnknown(sharing, at, ['renameByDefault', 'failRequestsGreaterThanOne', 'resources'], note);
  for (const key of ['renameByDefault', 'failRequestsGreaterThanOne']) {
    const flag = sharing[key];
    if (flag !== undefined && flag !== null && typeof flag !== 'boolean') {
      note('shape', fieldBelow(at, key), `${key} must be true or false, but is ${kindOf(flag)}`, flag, 'true or false');
    }
  }
  const resources = asArray(sharing.resources);
  if (resources.length === 0) {
    note(
      'resource',
      fieldBelow(at, 'resources'),
      'resources must have at least one resource',
      undefined,
      'resources: [{ name: nvidia.com/gpu, replicas: 4 }]',
      `Set ${fieldBelow(at, 'resources')} to a list such as [{ name: nvidia.com/gpu, replicas: 4 }].`,
    );
  }
  const renamed = sharing.renameByDefault === true;
  const names = resources.map((resource, index) =>
    readResource(resource, fieldBelow(fieldBelow(at, 'resources'), index), note),
  );
  return {
    names: names.filter((name): name is string => name !== undefined),
    renamed,
    fails: sharing.failRequestsGreaterThanOne === true,
  };
}

function readResource(value: JsonValue, at: string, note: DevicePluginNote): string | undefined {
  const resource = mapping(value, at, note, REPLICAS);
  noteUnknown(resource, at, ['name', 'rename', 'devices', 'replicas'], note);
  readReplicaCount(resource.replicas, at, note);
  if (resource.rename !== undefined) {
    const broken = nameProblem(resource.rename, 'rename');
    note(
      broken === undefined ? 'ignored' : 'resource',
      fieldBelow(at, 'rename'),
      broken ?? 'the device plugin ignores rename; renameByDefault sets the name nvidia.com/gpu.shared',
      resource.rename,
      undefined,
      `Remove ${fieldBelow(at, 'rename')}, and set renameByDefault: true to rename shared resources.`,
    );
  }
  readDevices(resource.devices, fieldBelow(at, 'devices'), note);
  const broken = nameProblem(resource.name);
  if (broken !== undefined) {
    note(
      'resource',
      fieldBelow(at, 'name'),
      broken,
      resource.name,
      'nvidia.com/gpu, or nvidia.com/mig-<profile>',
      `Set ${fieldBelow(at, 'name')} to nvidia.com/gpu, or to nvidia.com/mig-<profile>.`,
    );
  }
  if (typeof resource.name !== 'string' || resource.name === '') {
    return undefined;
  }
  const name = fullName(resource.name);
  const own = name.slice(PREFIX.length);
  if (broken === undefined && own !== 'gpu' && !/^mig-\d+(c\.\d+)?g\.\d+gb/.test(own)) {
    note(
      'no-such-device',
      fieldBelow(at, 'name'),
      `the device plugin offers no resource ${name} to share`,
      resource.name,
      'nvidia.com/gpu or nvidia.com/mig-<profile>',
      `Set ${fieldBelow(at, 'name')} to nvidia.com/gpu, or to nvidia.com/mig-<profile> with the MIG strategy mixed.`,
    );
  }
  return name;
}

function fullName(name: string): string {
  return name.startsWith(PREFIX) ? name : `${PREFIX}${name}`;
}

/** What keeps a value from being the name of a resource of the plugin; `undefined` where nothing does. */
export function nameProblem(value: JsonValue | undefined, field = 'name'): string | undefined {
  if (value === undefined) {
    return `${field} must be set`;
  }
  if (typeof value !== 'string') {
    return `${field} must be a string, but is ${kindOf(value)}`;
  }
  const name = fullName(value);
  if (name.length > LONGEST_NAME) {
    return `"${name}" must be no more than ${LONGEST_NAME} characters, but has ${name.length}`;
  }
  return DNS_NAME.test(name.slice(PREFIX.length))
    ? undefined
    : `"${value}" must be a resource name with the prefix ${PREFIX}`;
}

function readReplicaCount(replicas: JsonValue | undefined, at: string, note: DevicePluginNote): void {
  const place = fieldBelow(at, 'replicas');
  if (replicas === undefined) {
    note('resource', place, 'replicas must be set', undefined, 'at least 2', `Set ${place} to at least 2.`);
  } else if (typeof replicas !== 'number' || !isWhole(replicas)) {
    note(
      'resource',
      place,
      'replicas must be an integer',
      replicas,
      'an integer of at least 2',
      `Set ${place} to an integer of at least 2.`,
    );
  } else if (replicas < 2) {
    note(
      'resource',
      place,
      `replicas must be greater than or equal to 2, but is ${replicas}`,
      replicas,
      'at least 2',
      `Set ${place} to at least 2.`,
    );
  }
}

function readDevices(devices: JsonValue | undefined, at: string, note: DevicePluginNote): void {
  if (devices === undefined || devices === 'all') {
    return;
  }
  const valid =
    (typeof devices === 'number' && isWhole(devices) && devices > 0) ||
    (Array.isArray(devices) &&
      devices.every(
        // Go reads null as 0.
        (one) =>
          one === null ||
          (typeof one === 'number' && isWhole(one) && one >= 0) ||
          (typeof one === 'string' && DEVICE.test(one)),
      ));
  if (valid) {
    note('ignored', at, 'the device plugin ignores devices, and shares all GPUs', devices, '"all"', `Remove ${at}.`);
  } else {
    note(
      'resource',
      at,
      `devices must be "all", but is ${kindOf(devices)}`,
      devices,
      '"all"',
      `Set ${at} to "all", or remove it.`,
    );
  }
}
