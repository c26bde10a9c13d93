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
      note('shape', place, `${place} must be a ${type}, but is ${kindOf(given)}`, given, `a ${type}`);
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
