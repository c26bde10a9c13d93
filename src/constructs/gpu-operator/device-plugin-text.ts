/**
 * Reads the configuration of NVIDIA's device plugin as the plugin reads it, and records what the plugin does with each part: fail to start,
 * ignore the part and log a line, or ignore it silently.
 *
 * Source: k8s-device-plugin, api/config/v1 (each reader there is its own), cmd/nvidia-device-plugin/main.go (validateFlags).
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { oneOf } from '../../facts/words';
import { placesByKey } from '../../checks/rules/unknown-key-fix';
import { configurationIn, kindOf, noteUnknown } from './config-problem';
import { fieldBelow } from '../../manifests/pointer';
import {
  type DevicePluginNote,
  type DevicePluginProblem,
  mapping,
  membersOf,
  noteTypes,
  PREFIX,
  type ValueType,
} from './device-plugin-reading';
import { nameProblem, readReplicas } from './device-plugin-sharing-text';

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
const ROOT_KEYS = ['version', 'flags', 'resources', 'sharing', 'imex'];
const FLAGS: Readonly<Record<string, ValueType>> = {
  migStrategy: 'string',
  failOnInitError: 'boolean',
  mpsRoot: 'string',
  nvidiaDriverRoot: 'string',
  nvidiaDevRoot: 'string',
  gdrcopyEnabled: 'boolean',
  gdsEnabled: 'boolean',
  mofedEnabled: 'boolean',
  useNodeFeatureAPI: 'boolean',
  deviceDiscoveryStrategy: 'string',
};
const PLUGIN_FLAGS: Readonly<Record<string, ValueType>> = {
  passDeviceSpecs: 'boolean',
  deviceIDStrategy: 'string',
  cdiAnnotationPrefix: 'string',
  nvidiaCTKPath: 'string',
  containerDriverRoot: 'string',
};
const GFD_FLAGS: Readonly<Record<string, ValueType>> = {
  oneshot: 'boolean',
  noTimestamp: 'boolean',
  sleepInterval: 'duration',
  outputFile: 'string',
  machineTypeFile: 'string',
};

const PLACES = placesByKey({
  flags: [...Object.keys(FLAGS), 'plugin', 'gfd'],
  'flags.plugin': [...Object.keys(PLUGIN_FLAGS), 'deviceListStrategy'],
  'flags.gfd': Object.keys(GFD_FLAGS),
  sharing: ['timeSlicing', 'mps'],
  'sharing.timeSlicing': ['failRequestsGreaterThanOne'],
});

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
  const note: DevicePluginNote = (kind, at, message, found, expected, fix) =>
    problems.push({ kind, at, message, found, expected, fix });
  const nothing = { problems, strategy: 'none', migStrategy: '', askedOnce: [], shared: [] } as const;
  const written = configurationIn(text, 'version: v1, flags, and sharing', note);
  if (written === undefined) {
    return nothing;
  }
  const { members: config, replaced } = membersOf(written, ROOT_KEYS);
  for (const { version, ...sections } of replaced) {
    noteTypes({ version: version ?? null }, '', { version: 'string' }, note);
    for (const [key, section] of Object.entries(sections)) {
      mapping(section, key, note, '{}');
    }
  }
  noteUnknown(config, '', ROOT_KEYS, note, PLACES);
  if (![undefined, null, '', 'v1'].includes(config.version as string | null | undefined)) {
    note('version', 'version', 'version must be v1', config.version, 'v1', 'Set version: v1.');
  }
  if (config.resources !== undefined && config.resources !== null) {
    note(
      'ignored',
      'resources',
      'the device plugin ignores resources, so the resources are not renamed',
      undefined,
      undefined,
      'Remove resources.',
    );
    readResources(mapping(config.resources, 'resources', note, '{gpus: []}'), note);
  }
  const migStrategy = readFlags(mapping(config.flags, 'flags', note, '{migStrategy: mixed}'), note);
  readImex(mapping(config.imex, 'imex', note, '{channelIDs: [0]}'), note);
  return {
    problems,
    migStrategy,
    ...readSharing(
      mapping(config.sharing, 'sharing', note, '{timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}'),
      migStrategy,
      note,
    ),
  };
}

function readFlags(written: JsonObject, note: DevicePluginNote): string {
  const flags = typedMembers(written, 'flags', FLAGS, ['plugin', 'gfd'], note);
  const plugin = typedMembers(
    mapping(flags.plugin, 'flags.plugin', note, '{passDeviceSpecs: true}'),
    'flags.plugin',
    PLUGIN_FLAGS,
    ['deviceListStrategy'],
    note,
  );
  typedMembers(mapping(flags.gfd, 'flags.gfd', note, '{oneshot: false}'), 'flags.gfd', GFD_FLAGS, [], note);
  choice(flags.migStrategy, 'flags.migStrategy', MIG_STRATEGIES, note);
  choice(flags.deviceDiscoveryStrategy, 'flags.deviceDiscoveryStrategy', DISCOVERY_STRATEGIES, note);
  choice(plugin.deviceIDStrategy, 'flags.plugin.deviceIDStrategy', DEVICE_ID_STRATEGIES, note);
  readListStrategies(plugin.deviceListStrategy, note);
  return typeof flags.migStrategy === 'string' ? flags.migStrategy : '';
}

/** The members of a mapping, with notes of those that are not known or not of their types. */
function typedMembers(
  written: JsonObject,
  at: string,
  types: Readonly<Record<string, ValueType>>,
  others: readonly string[],
  note: DevicePluginNote,
): JsonObject {
  const known = [...Object.keys(types), ...others];
  const { members, replaced } = membersOf(written, known);
  noteUnknown(members, at, known, note, PLACES);
  for (const one of [members, ...replaced]) {
    noteTypes(one, at, types, note);
  }
  return members;
}

function readListStrategies(value: JsonValue | undefined, note: DevicePluginNote): void {
  const at = 'flags.plugin.deviceListStrategy';
  const absent = value === undefined || value === null;
  for (const one of Array.isArray(value) ? value : absent ? [] : [value]) {
    if (typeof one === 'string') {
      choice(one, at, DEVICE_LIST_STRATEGIES, note);
    } else {
      note(
        'shape',
        at,
        `deviceListStrategy must be a string, but is ${kindOf(one)}`,
        one,
        oneOf(DEVICE_LIST_STRATEGIES),
        `Set ${at} to ${oneOf(DEVICE_LIST_STRATEGIES)}.`,
      );
    }
  }
}

/** The section has no effect, but the plugin reads it, and does not start where it cannot. */
function readResources(resources: JsonObject, note: DevicePluginNote): void {
  for (const key of ['gpus', 'mig']) {
    const list = resources[key] ?? [];
    const at = fieldBelow('resources', key);
    if (!Array.isArray(list)) {
      note(
        'shape',
        at,
        `${at} must be a list, but is ${kindOf(list)}`,
        list,
        'a list of patterns and names',
        `Remove ${at}, which the device plugin ignores.`,
      );
      continue;
    }
    for (const [index, item] of list.entries()) {
      const entry = mapping(item, fieldBelow(at, index), note, '{pattern: "*", name: nvidia.com/gpu}');
      const broken =
        nameProblem(entry.name) ??
        // Go reads null as an empty pattern.
        (entry.pattern === null || typeof entry.pattern === 'string' ? undefined : 'pattern must be set');
      if (broken !== undefined) {
        const place = fieldBelow(at, index);
        const fix = `Set pattern and name in ${place}, for example {pattern: "*", name: nvidia.com/gpu}, or remove resources.`;
        note('resource', place, broken, item, 'pattern and name', fix);
      }
    }
  }
}

function readImex(written: JsonObject, note: DevicePluginNote): void {
  const imex = typedMembers(written, 'imex', { required: 'boolean' }, ['channelIDs'], note);
  const ids = imex.channelIDs;
  if (ids === undefined || ids === null) {
    return;
  }
  if (!Array.isArray(ids) || ids.length > 1 || (ids.length === 1 && ids[0] !== 0 && ids[0] !== null)) {
    note(
      'flag',
      'imex.channelIDs',
      'channelIDs must be [] or [0]',
      ids,
      '[] or [0]',
      'Set imex.channelIDs to [] or [0].',
    );
  }
}

function readSharing(
  written: JsonObject,
  migStrategy: string,
  note: DevicePluginNote,
): Pick<DevicePluginReading, 'strategy' | 'askedOnce' | 'shared'> {
  const sharing = membersOf(written, ['timeSlicing', 'mps']).members;
  noteUnknown(sharing, 'sharing', ['timeSlicing', 'mps'], note, PLACES);
  const slicing = sharing.timeSlicing;
  const mps = sharing.mps;
  const has = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
  if (slicing === null) {
    note(
      'resource',
      'sharing.timeSlicing',
      'timeSlicing must have at least one resource',
      null,
      'at least one resource, or timeSlicing unset',
      'Set sharing.timeSlicing.resources to a list such as [{ name: nvidia.com/gpu, replicas: 4 }], or remove sharing.timeSlicing.',
    );
  }
  if (has(slicing) && has(mps)) {
    note(
      'both-kinds',
      'sharing',
      'timeSlicing must not be set when mps is set, because the device plugin then ignores timeSlicing',
      undefined,
      'only timeSlicing or only mps',
    );
  }
  const sliced = has(slicing) ? readReplicas(slicing, 'sharing.timeSlicing', note) : undefined;
  const served = has(mps) ? readReplicas(mps, 'sharing.mps', note) : undefined;
  if (served !== undefined) {
    if (migStrategy === 'mixed') {
      note(
        'mps',
        'sharing.mps',
        'sharing.mps must not be set when flags.migStrategy is mixed',
        migStrategy,
        'migStrategy none or single',
      );
    }
    for (const name of served.names.filter((one) => one.startsWith(`${PREFIX}mig-`))) {
      note(
        'mps',
        'sharing.mps.resources',
        `MPS shares only whole GPUs, but ${name} is a MIG slice`,
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
      'failRequestsGreaterThanOne is not true, so a pod that requests two replicas starts, but gets no more compute than with one',
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

/** Notes a text that is not one of those allowed. */
function choice(value: JsonValue | undefined, at: string, allowed: readonly string[], note: DevicePluginNote): void {
  if (typeof value === 'string' && !allowed.includes(value)) {
    note('flag', at, `unsupported value "${value}"`, value, oneOf(allowed), `Set ${at} to ${oneOf(allowed)}.`);
  }
}
