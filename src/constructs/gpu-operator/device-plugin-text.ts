/**
 * Reads the configuration of NVIDIA's device plugin as the plugin reads it, and records what the plugin does with each part: fail to start,
 * ignore the part and log a line, or ignore it silently.
 *
 * Source: k8s-device-plugin, api/config/v1 (each reader there is its own), cmd/nvidia-device-plugin/main.go (validateFlags).
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, isObject } from '../../manifests/read';
import { type ConfigProblem, kindOf, type Note, unknownKeys, valueOf, within } from './config-problem';

export type DevicePluginProblemKind =
  /** Not YAML, or a value of the wrong kind: the plugin does not start. */
  | 'shape'
  | 'version'
  /** Ignored silently. */
  | 'unknown-key'
  | 'both-kinds'
  /** What is shared is not stated well: the plugin does not start. */
  | 'resource'
  /** Ignored, with a line in the log. */
  | 'ignored'
  | 'flag'
  | 'mps'
  /** A name that the plugin serves nothing under, so that nothing is shared. */
  | 'no-such-device'
  | 'request-of-several';

export type DevicePluginProblem = ConfigProblem<DevicePluginProblemKind>;

export interface DevicePluginReading {
  readonly problems: readonly DevicePluginProblem[];
  /** How GPUs are shared. */
  readonly strategy: 'none' | 'time-slicing' | 'mps';
  /** `flags.migStrategy`; empty where it is not stated. */
  readonly migStrategy: string;
  /** Resources as pods ask for them whose requests above 1 fail. */
  readonly askedOnce: readonly string[];
  /** Resources that are shared, under the names that pods request. */
  readonly shared: readonly string[];
}

const MIG_STRATEGIES = ['none', 'single', 'mixed'] as const;
const DEVICE_LIST_STRATEGIES = ['envvar', 'volume-mounts', 'cdi-annotations', 'cdi-cri'] as const;
const DEVICE_ID_STRATEGIES = ['uuid', 'index'] as const;
const DISCOVERY_STRATEGIES = ['auto', 'nvml', 'tegra'] as const;
const PREFIX = 'nvidia.com/';
const LONGEST_NAME = 63;
const ROOT_KEYS = ['version', 'flags', 'resources', 'sharing', 'imex'];
const FLAG_KEYS = [
  'migStrategy',
  'failOnInitError',
  'mpsRoot',
  'nvidiaDriverRoot',
  'nvidiaDevRoot',
  'gdrcopyEnabled',
  'gdsEnabled',
  'mofedEnabled',
  'useNodeFeatureAPI',
  'deviceDiscoveryStrategy',
  'plugin',
  'gfd',
];
const PLUGIN_KEYS = [
  'passDeviceSpecs',
  'deviceListStrategy',
  'deviceIDStrategy',
  'cdiAnnotationPrefix',
  'nvidiaCTKPath',
  'containerDriverRoot',
];
const GFD_KEYS = ['oneshot', 'noTimestamp', 'sleepInterval', 'outputFile', 'machineTypeFile'];

/** Whether a string looks like a configuration of the device plugin. */
export function isDevicePluginConfig(text: string): boolean {
  if (!/^[ \t]*["']?(sharing|flags|version)["']?[ \t]*:/m.test(text) && !/^\s*\{/.test(text)) {
    return false;
  }
  return (
    /["']?(timeSlicing|time-slicing|timeslicing|failRequestsGreaterThanOne|renameByDefault|migStrategy|deviceListStrategy)["']?[ \t]*:/.test(
      text,
    ) || /^[ \t]*["']?sharing["']?[ \t]*:[ \t]*\n[ \t]+["']?mps["']?[ \t]*:/m.test(text)
  );
}

export function readDevicePluginConfig(text: string): DevicePluginReading {
  const problems: DevicePluginProblem[] = [];
  const note: Note<DevicePluginProblemKind> = (kind, at, message, found, expected) =>
    problems.push({ kind, at, message, found, expected });
  const nothing = { problems, strategy: 'none', migStrategy: '', askedOnce: [], shared: [] } as const;
  const parsed = valueOf(text);
  if ('broken' in parsed) {
    note('shape', '', `the text is not YAML: ${parsed.broken}`);
    return nothing;
  }
  if (!isObject(parsed.value)) {
    note(
      'shape',
      '',
      `the text is ${kindOf(parsed.value)}, not a mapping`,
      undefined,
      'version: v1, flags and sharing',
    );
    return nothing;
  }
  const config = parsed.value;
  noteUnknown(config, '', ROOT_KEYS, note);
  if (config.version !== undefined && config.version !== '' && config.version !== 'v1') {
    note(
      'version',
      'version',
      `the version is ${kindOf(config.version)}, which the plugin does not know`,
      config.version,
      'v1',
    );
  }
  if (config.resources !== undefined && config.resources !== null) {
    note('ignored', 'resources', 'resources cannot be renamed here: the section is ignored');
  }
  const migStrategy = readFlags(mapping(config.flags, 'flags', note), note);
  readImex(mapping(config.imex, 'imex', note), note);
  return { problems, migStrategy, ...readSharing(mapping(config.sharing, 'sharing', note), migStrategy, note) };
}

function readFlags(flags: JsonObject, note: Note<DevicePluginProblemKind>): string {
  noteUnknown(flags, 'flags', FLAG_KEYS, note);
  const plugin = mapping(flags.plugin, 'flags.plugin', note);
  noteUnknown(plugin, 'flags.plugin', PLUGIN_KEYS, note);
  noteUnknown(mapping(flags.gfd, 'flags.gfd', note), 'flags.gfd', GFD_KEYS, note);
  choice(flags.migStrategy, 'flags.migStrategy', MIG_STRATEGIES, note);
  choice(flags.deviceDiscoveryStrategy, 'flags.deviceDiscoveryStrategy', DISCOVERY_STRATEGIES, note);
  choice(plugin.deviceIDStrategy, 'flags.plugin.deviceIDStrategy', DEVICE_ID_STRATEGIES, note);
  const list = plugin.deviceListStrategy;
  for (const one of Array.isArray(list) ? list : [list]) {
    choice(one, 'flags.plugin.deviceListStrategy', DEVICE_LIST_STRATEGIES, note);
  }
  return typeof flags.migStrategy === 'string' ? flags.migStrategy : '';
}

function readImex(imex: JsonObject, note: Note<DevicePluginProblemKind>): void {
  noteUnknown(imex, 'imex', ['channelIDs', 'required'], note);
  const ids = imex.channelIDs;
  if (ids === undefined || ids === null) {
    return;
  }
  if (!Array.isArray(ids) || ids.length > 1 || (ids.length === 1 && ids[0] !== 0)) {
    note('flag', 'imex.channelIDs', `channelIDs ${JSON.stringify(ids)} is neither [] nor [0]`, ids, '[] or [0]');
  }
}

function readSharing(
  sharing: JsonObject,
  migStrategy: string,
  note: Note<DevicePluginProblemKind>,
): Pick<DevicePluginReading, 'strategy' | 'askedOnce' | 'shared'> {
  noteUnknown(sharing, 'sharing', ['timeSlicing', 'mps'], note);
  const slicing = sharing.timeSlicing;
  const mps = sharing.mps;
  const has = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
  if (has(slicing) && has(mps)) {
    note(
      'both-kinds',
      'sharing',
      'timeSlicing must not be set when mps is set: timeSlicing is ignored',
      undefined,
      'one of the two',
    );
  }
  const sliced = has(slicing) ? readReplicas(slicing, 'sharing.timeSlicing', note) : undefined;
  const served = has(mps) ? readReplicas(mps, 'sharing.mps', note) : undefined;
  if (served !== undefined) {
    if (migStrategy === 'mixed') {
      note(
        'mps',
        'sharing.mps',
        'MPS does not go together with migStrategy mixed: the plugin does not start',
        migStrategy,
        'migStrategy none or single',
      );
    }
    for (const name of served.names.filter((one) => one.startsWith(`${PREFIX}mig-`))) {
      note(
        'mps',
        'sharing.mps.resources',
        `${name} is a MIG slice; MPS shares whole GPUs only`,
        name,
        'nvidia.com/gpu',
      );
    }
  }
  const active = served ?? sliced;
  if (active === undefined) {
    return { strategy: 'none', askedOnce: [], shared: [] };
  }
  if (served === undefined && !active.fails) {
    note(
      'request-of-several',
      'sharing.timeSlicing.failRequestsGreaterThanOne',
      'a pod that requests two replicas is admitted and gets no more than the compute of one',
      false,
      'failRequestsGreaterThanOne: true',
    );
  }
  const shared = active.names.map((name) => (active.renamed ? `${name}.shared` : name));
  return {
    strategy: served === undefined ? 'time-slicing' : 'mps',
    askedOnce: served !== undefined || active.fails ? shared : [],
    shared,
  };
}

interface Replicas {
  readonly names: readonly string[];
  readonly renamed: boolean;
  readonly fails: boolean;
}

function readReplicas(value: JsonValue | undefined, at: string, note: Note<DevicePluginProblemKind>): Replicas {
  const sharing = mapping(value, at, note);
  noteUnknown(sharing, at, ['renameByDefault', 'failRequestsGreaterThanOne', 'resources'], note);
  for (const key of ['renameByDefault', 'failRequestsGreaterThanOne']) {
    const flag = sharing[key];
    if (flag !== undefined && flag !== null && typeof flag !== 'boolean') {
      note('shape', within(at, key), `${key} is ${kindOf(flag)}`, flag, 'true or false');
    }
  }
  const resources = asArray(sharing.resources);
  if (resources.length === 0) {
    note(
      'resource',
      within(at, 'resources'),
      'no resource is stated',
      undefined,
      'resources: [{ name: nvidia.com/gpu, replicas: 4 }]',
    );
  }
  const renamed = sharing.renameByDefault === true;
  const names = resources.map((resource, index) =>
    readResource(resource, within(within(at, 'resources'), index), renamed, note),
  );
  return {
    names: names.filter((name): name is string => name !== undefined),
    renamed,
    fails: sharing.failRequestsGreaterThanOne === true,
  };
}

function readResource(
  value: JsonValue,
  at: string,
  renamed: boolean,
  note: Note<DevicePluginProblemKind>,
): string | undefined {
  const resource = mapping(value, at, note);
  noteUnknown(resource, at, ['name', 'rename', 'devices', 'replicas'], note);
  readReplicaCount(resource.replicas, at, note);
  if (resource.rename !== undefined && resource.rename !== null) {
    note(
      'ignored',
      within(at, 'rename'),
      'a name of its own is ignored; renameByDefault gives nvidia.com/gpu.shared',
      resource.rename,
    );
  }
  readDevices(resource.devices, within(at, 'devices'), note);
  if (typeof resource.name !== 'string' || resource.name === '') {
    note(
      'resource',
      within(at, 'name'),
      resource.name === undefined ? 'the resource has no name' : `the name is ${kindOf(resource.name)}`,
      resource.name,
      'nvidia.com/gpu',
    );
    return undefined;
  }
  const name = resource.name.startsWith(PREFIX) ? resource.name : `${PREFIX}${resource.name}`;
  const own = name.slice(PREFIX.length);
  if (name.length > LONGEST_NAME) {
    note(
      'resource',
      within(at, 'name'),
      `${name} has ${name.length} characters`,
      resource.name,
      `at most ${LONGEST_NAME}`,
    );
  } else if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(own)) {
    note(
      'resource',
      within(at, 'name'),
      `"${resource.name}" must be a resource name with the prefix nvidia.com/`,
      resource.name,
      'nvidia.com/gpu, or nvidia.com/mig-<profile> with a dot for each +',
    );
  } else if (own !== 'gpu' && !/^mig-\d+(c\.\d+)?g\.\d+gb/.test(own)) {
    note(
      'no-such-device',
      within(at, 'name'),
      `the plugin serves nothing named ${name}${renamed ? ' before renaming' : ''}, so nothing is shared`,
      resource.name,
      'nvidia.com/gpu or nvidia.com/mig-<profile>',
    );
  }
  return name;
}

function readReplicaCount(replicas: JsonValue | undefined, at: string, note: Note<DevicePluginProblemKind>): void {
  const place = within(at, 'replicas');
  if (replicas === undefined) {
    note('resource', place, 'the number of replicas is not stated', undefined, '2 or more');
  } else if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    note('resource', place, `replicas is ${kindOf(replicas)}`, replicas, 'a whole number, 2 or more');
  } else if (replicas < 2) {
    note('resource', place, `${replicas} replicas share nothing`, replicas, '2 or more');
  }
}

function readDevices(devices: JsonValue | undefined, at: string, note: Note<DevicePluginProblemKind>): void {
  if (devices === undefined || devices === 'all') {
    return;
  }
  const valid =
    (typeof devices === 'number' && Number.isInteger(devices) && devices > 0) ||
    (Array.isArray(devices) &&
      devices.every(
        (one) =>
          (typeof one === 'number' && one >= 0) || (typeof one === 'string' && /^(\d+(:\d+)?|(GPU|MIG)-.+)$/.test(one)),
      ));
  if (valid) {
    note('ignored', at, 'devices cannot be chosen: all are shared', devices, 'all');
  } else {
    note('resource', at, `devices is ${kindOf(devices)}`, devices, 'all');
  }
}

function choice(
  value: JsonValue | undefined,
  at: string,
  allowed: readonly string[],
  note: Note<DevicePluginProblemKind>,
): void {
  if (value === undefined || value === null) {
    return;
  }
  const name = at.split('.').at(-1) ?? at;
  if (typeof value !== 'string') {
    note('flag', at, `${name} is ${kindOf(value)}`, value, allowed.join(', '));
  } else if (!allowed.includes(value)) {
    note('flag', at, `${name} "${value}" does not exist`, value, allowed.join(', '));
  }
}

function mapping(value: JsonValue | undefined, at: string, note: Note<DevicePluginProblemKind>): JsonObject {
  if (isObject(value)) {
    return value;
  }
  if (value !== undefined && value !== null) {
    note('shape', at, `${at} is ${kindOf(value)}, not a mapping`, value);
  }
  return {};
}

function noteUnknown(
  value: JsonObject,
  at: string,
  known: readonly string[],
  note: Note<DevicePluginProblemKind>,
): void {
  for (const { key, near } of unknownKeys(value, known)) {
    note(
      'unknown-key',
      within(at, key),
      `there is no key "${key}"${at === '' ? '' : ` in ${at}`}`,
      key,
      near ?? known.join(', '),
    );
  }
}
