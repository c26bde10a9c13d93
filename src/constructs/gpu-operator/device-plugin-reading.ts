/**
 * What the readers of the device plugin's configuration share: the problems that they note, and how Go reads a value into a type.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import { type ConfigProblem, kindOf, type Note } from './config-problem';
import { fieldBelow } from '../../manifests/pointer';

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

/** Notes a problem of a configuration. */
export type DevicePluginNote = Note<DevicePluginProblemKind>;

/** A duration of Go, or the word that the plugin adds. */
const DURATION = /^(infinite|[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+))$/;

/** The prefix of every resource of the plugin. */
export const PREFIX = 'nvidia.com/';

/** @param example what such a mapping looks like */
export function mapping(value: JsonValue | undefined, at: string, note: DevicePluginNote, example: string): JsonObject {
  if (isObject(value)) {
    return value;
  }
  if (value !== undefined && value !== null) {
    note('shape', at, `${at} must be a mapping, but is ${kindOf(value)}`, value, `a mapping such as ${example}`);
  }
  return {};
}

/** The members of a mapping as Go reads them into a struct. */
export interface Members {
  /** By the names that the struct knows; others keep theirs. */
  readonly members: JsonObject;
  /** What other spellings of a name say: it is read, and replaced by what comes last. */
  readonly replaced: readonly JsonObject[];
}

/** Go reads a key in any case, in the order of the bytes of the keys, so that of two spellings the last one counts. */
export function membersOf(value: JsonObject, known: readonly string[]): Members {
  const nameOf = new Map(known.map((name) => [name.toLowerCase(), name]));
  const members = new Map<string, JsonValue>();
  const replaced: JsonObject[] = [];
  for (const key of Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1))) {
    const name = nameOf.get(key.toLowerCase()) ?? key;
    const before = members.get(name);
    if (before !== undefined) {
      replaced.push({ [name]: before });
    }
    members.set(name, value[key] ?? before ?? null);
  }
  return { members: Object.fromEntries(members), replaced };
}

/** What the strings of a configuration are. */
const CONTENTS: Readonly<Record<string, string>> = {
  version: 'v1',
  migStrategy: 'none, single, or mixed',
  deviceDiscoveryStrategy: 'auto, nvml, or tegra',
  deviceIDStrategy: 'uuid or index',
  mpsRoot: 'a path such as /run/nvidia/mps',
  nvidiaDriverRoot: 'a path such as /run/nvidia/driver',
  nvidiaDevRoot: 'a path such as /',
  nvidiaCTKPath: 'a path such as /usr/bin/nvidia-ctk',
  containerDriverRoot: 'a path such as /driver-root',
  cdiAnnotationPrefix: 'a prefix such as cdi.k8s.io/',
  outputFile: 'the path of a file',
  machineTypeFile: 'the path of a file',
};

/** Types of values. */
export type ValueType = 'string' | 'boolean' | 'duration';

/** Notes the values of a mapping that are not of their types. The plugin reads null as absent. */
export function noteTypes(
  value: JsonObject,
  at: string,
  types: Readonly<Record<string, ValueType>>,
  note: DevicePluginNote,
): void {
  for (const [key, type] of Object.entries(types)) {
    const given = value[key];
    const place = fieldBelow(at, key);
    if (given !== undefined && given !== null && !isOf(type, given)) {
      const what = type === 'boolean' ? 'true or false' : `a ${type}`;
      const expected = CONTENTS[key] ?? (type === 'duration' ? 'a duration such as 60s' : what);
      const message = `${place} must be ${what}, but is ${kindOf(given)}`;
      note('shape', place, message, given, expected, `Set ${place} to ${expected}.`);
    }
  }
}

function isOf(type: ValueType, value: JsonValue): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'duration':
      return typeof value === 'number' || (typeof value === 'string' && DURATION.test(value));
  }
}
