/**
 * Reads the configurations of the two device plugins for network cards as they and the network operator's webhook read them, and records
 * what each rejects or ignores.
 *
 * Sources: k8s-rdma-shared-dev-plugin, pkg/resources/resources_manager.go; sriov-network-device-plugin, cmd/sriovdp/manager.go;
 * network-operator, webhook-schemas and api/v1alpha1/validator.
 */
import { oneOf } from '../../facts/words';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { unknownKeyFix } from '../../checks/rules/unknown-key-fix';
import { nearestName } from '../../facts/spelling';
import { asArray, asString, isObject } from '../../manifests/read';

export type PluginProblemKind =
  /** No JSON, or a value of the wrong kind: refused, and the plugin does not start. */
  | 'shape'
  /** A name or prefix that is none, or that two pools have. */
  | 'name'
  /** No card is selected, or by both of two ways. */
  | 'selectors'
  /** Ignored silently. */
  | 'unknown-key'
  /** No share is exposed. */
  | 'no-share';

export interface PluginProblem {
  readonly kind: PluginProblemKind;
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  /** What to write. @default - that of the rule */
  readonly fix?: string;
  /** The plugin takes it; only the operator's webhook does not. */
  readonly webhookOnly?: true;
  /** For an unknown key: whether it resembles one that the plugin reads. */
  readonly near?: boolean;
}

export interface PluginReading {
  readonly problems: readonly PluginProblem[];
  /** Resources that pods can request, with their prefix; `*` is the default prefix of the plugin. */
  readonly resources: readonly string[];
}

type Note = (kind: PluginProblemKind, message: string, more?: Omit<PluginProblem, 'kind' | 'message'>) => void;

const SHARED_NAME = /^[a-zA-Z0-9_]+$/;
const SRIOV_NAME = /^[a-zA-Z0-9_.]+$/;
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z]{2,})+$/;
const SHARED_KEYS = ['resourceName', 'resourcePrefix', 'rdmaHcaMax', 'devices', 'selectors'];
const SHARED_SELECTORS = ['vendors', 'deviceIDs', 'drivers', 'ifNames', 'linkTypes'];
const SRIOV_KEYS = ['resourceName', 'resourcePrefix', 'deviceType', 'excludeTopology', 'selectors', 'additionalInfo'];
const NET_SELECTORS = [
  'vendors',
  'devices',
  'drivers',
  'pciAddresses',
  'acpiIndexes',
  'pfNames',
  'rootDevices',
  'linkTypes',
  'ddpProfiles',
  'isRdma',
  'needVhostNet',
  'vdpaType',
  'pKeys',
];
const DEVICE_TYPES = ['accelerator', 'netDevice', 'auxNetDevice'];

/** Whether a string in a ConfigMap is one of the two configurations. */
export function pluginOfText(text: string): 'shared' | 'sriov' | undefined {
  if (/"configList"\s*:/.test(text) && /"(rdmaHcaMax|resourceName)"\s*:/.test(text)) {
    return 'shared';
  }
  return /"resourceList"\s*:/.test(text) && /"resourceName"\s*:/.test(text) ? 'sriov' : undefined;
}

export function readSharedDeviceConfig(text: string): PluginReading {
  return reading(text, (config, note) => {
    const interval = config.periodicUpdateInterval;
    if (interval !== undefined && (typeof interval !== 'number' || !Number.isInteger(interval) || interval < 0)) {
      note('shape', `periodicUpdateInterval ${JSON.stringify(interval)} must be a number of seconds`, {
        found: interval,
        expected: '0 or more',
      });
    }
    noteUnknown(config, ['periodicUpdateInterval', 'configList'], note);
    return poolsOf(config, 'configList', note).map((pool) => readSharedPool(pool, note));
  });
}

export function readSriovDeviceConfig(text: string): PluginReading {
  return reading(text, (config, note) => {
    noteUnknown(config, ['resourceList'], note);
    return poolsOf(config, 'resourceList', note).map((pool) => readSriovPool(pool, note));
  });
}

function reading(
  text: string,
  read: (config: JsonObject, note: Note) => readonly (string | undefined)[],
): PluginReading {
  const problems: PluginProblem[] = [];
  const note: Note = (kind, message, more = {}) => problems.push({ kind, message, ...more });
  let config: JsonValue;
  try {
    config = JSON.parse(text) as JsonValue;
  } catch (error) {
    note('shape', `the configuration is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    return { problems, resources: [] };
  }
  if (!isObject(config)) {
    note('shape', 'the configuration must be a JSON object');
    return { problems, resources: [] };
  }
  const resources = read(config, note).filter((name): name is string => name !== undefined);
  for (const name of new Set(resources.filter((one, index) => resources.indexOf(one) !== index))) {
    note('name', `duplicate resourceName "${name.split('/').at(-1) ?? ''}"`, {
      found: name.split('/').at(-1),
      expected: 'a unique resourceName for each pool',
      fix: 'Set resourceName to another name in one of the pools, or remove that pool.',
    });
  }
  return { problems, resources };
}

function poolsOf(config: JsonObject, key: string, note: Note): readonly JsonObject[] {
  const list = config[key];
  if (!Array.isArray(list) || list.length === 0) {
    note('shape', list === undefined ? `${key} must be set` : `${key} must be a list of pools`, {
      fix: `Set "${key}" to a list of pools, such as {"${key}": [{"resourceName": "rdma_a"}]}.`,
      found: list,
      expected: `${key}: [{ resourceName, selectors }]`,
    });
    return [];
  }
  if (!list.every(isObject)) {
    note('shape', `each pool in ${key} must be an object`);
  }
  return list.filter(isObject);
}

function readSharedPool(pool: JsonObject, note: Note): string | undefined {
  noteUnknown(pool, SHARED_KEYS, note);
  const name = readName(pool, 'rdma', SHARED_NAME, note);
  const max = pool.rdmaHcaMax;
  if (max === undefined) {
    note('no-share', `rdmaHcaMax must be set in the pool ${shown(pool)}: without it, the pool serves no devices`, {
      expected: 'rdmaHcaMax: 63',
    });
  } else if (typeof max !== 'number' || !Number.isInteger(max) || max < 0) {
    note('shape', `rdmaHcaMax must be an integer, but is ${JSON.stringify(max)}`, {
      found: max,
      expected: 'an integer greater than or equal to 1',
      fix: 'Set rdmaHcaMax to the number of pods that share a card, for example 63.',
    });
  } else if (max === 0) {
    note('no-share', `rdmaHcaMax in the pool ${shown(pool)} must be greater than or equal to 1, but is ${max}`, {
      found: max,
      expected: 'at least 1',
    });
  }
  const selectors = readSelectors(pool.selectors, SHARED_SELECTORS, shown(pool), note);
  const devices = listOf(pool.devices, 'devices', note);
  if (selectors === 0 && devices === 0) {
    note('selectors', `the pool ${shown(pool)} has no selectors, so it contains no cards`, {
      expected: `selectors with ${SHARED_SELECTORS.join(', ')}`,
    });
  }
  if (selectors > 0 && devices > 0) {
    note('selectors', `devices must not be set when selectors is set in the pool ${shown(pool)}`, {
      expected: 'only selectors',
      fix: 'Remove devices or selectors from the pool.',
    });
  }
  return name;
}

function readSriovPool(pool: JsonObject, note: Note): string | undefined {
  noteUnknown(pool, SRIOV_KEYS, note);
  const name = readName(pool, '*', SRIOV_NAME, note);
  const type = pool.deviceType;
  if (type !== undefined && type !== '' && !DEVICE_TYPES.some((one) => one === type)) {
    note('shape', `unsupported value ${JSON.stringify(type)} for deviceType`, {
      found: type,
      expected: oneOf(DEVICE_TYPES),
    });
  }
  const known = type === 'accelerator' || type === 'auxNetDevice' ? undefined : NET_SELECTORS;
  const { selectors } = pool;
  const sets = Array.isArray(selectors) ? selectors : [selectors];
  const stated = sets.map((set) => readSelectors(set, known, shown(pool), note));
  if (stated.every((count) => count === 0)) {
    note('selectors', `the pool ${shown(pool)} has no selectors, so it contains all cards`, {
      expected: 'selectors',
      webhookOnly: true,
    });
  }
  return name;
}

function readName(pool: JsonObject, prefix: string, valid: RegExp, note: Note): string | undefined {
  const { resourceName: name, resourcePrefix: own } = pool;
  if (typeof name !== 'string' || name === '') {
    note(
      'name',
      name === undefined
        ? 'resourceName must be set in each pool'
        : `resourceName ${JSON.stringify(name)} is not a valid name`,
      { found: name },
    );
    return undefined;
  }
  if (!valid.test(name)) {
    note(
      'name',
      `resourceName "${name}" must consist of letters, digits, and underscores; otherwise the plugin does not start`,
      { found: name, expected: name.replace(/[^a-zA-Z0-9_]/g, '_') },
    );
  }
  if (own !== undefined && own !== '' && typeof own !== 'string') {
    note('name', 'resourcePrefix must be a string', { found: own });
  } else if (typeof own === 'string' && own !== '' && !DOMAIN.test(own)) {
    note('name', `resourcePrefix "${own}" must be a DNS domain name`, {
      found: own,
      expected: 'a DNS domain name such as nvidia.com',
      webhookOnly: true,
    });
  }
  return `${(asString(own) ?? '') === '' ? prefix : (asString(own) ?? '')}/${name}`;
}

/** How many selectors choose something. @param known the keys that there are; `undefined` for kinds that are not looked at */
function readSelectors(
  value: JsonValue | undefined,
  known: readonly string[] | undefined,
  pool: string,
  note: Note,
): number {
  if (value === undefined || value === null) {
    return 0;
  }
  if (!isObject(value)) {
    note('shape', `selectors of the pool ${pool} must be an object`, { found: value });
    return 0;
  }
  if (known !== undefined) {
    noteUnknown(value, known, note);
  }
  const states = ([key, one]: readonly [string, JsonValue]): boolean => {
    if (key === 'vdpaType') {
      return typeof one === 'string' && one !== '';
    }
    return typeof one === 'boolean' ? one : listOf(one, key, note) > 0;
  };
  return Object.entries(value).filter(states).length;
}

function listOf(value: JsonValue | undefined, key: string, note: Note): number {
  if (value === undefined || value === null) {
    return 0;
  }
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    note('shape', `${key} must be a list of strings`, { found: value, expected: `${key}: ["…"]` });
    return asArray(value).length;
  }
  return value.length;
}

function shown(pool: JsonObject): string {
  return `"${asString(pool.resourceName) ?? ''}"`;
}

function noteUnknown(value: JsonObject, known: readonly string[], note: Note): void {
  for (const key of Object.keys(value)) {
    // Go's reader does not look at case.
    if (!known.some((name) => name.toLowerCase() === key.toLowerCase())) {
      const near = nearestName(key, known);
      note('unknown-key', `unknown key "${key}"`, {
        found: key,
        expected: oneOf(known),
        near: near !== undefined,
        fix: unknownKeyFix({ key, at: '', near }),
      });
    }
  }
}
