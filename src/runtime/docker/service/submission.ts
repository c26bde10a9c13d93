/**
 * What a client submits, read as what it is: text of somebody else. Everything is bounded, and own properties only are read.
 */
import { nearestName } from '../../../facts/spelling';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { NAME } from '../../../planning/runner-settings/settings';
import { RunnerError } from '../runner-error';
import { type Submission } from '../runner/runner-types';
import { DEFAULT_RETRY_ON, FAILURE_CLASSES, FAILURE_GROUPS, type FailureClass } from '../task/failure';
import { type DeviceRequest, type TaskSpec } from '../task/task';

const FIELDS = [
  'name',
  'tenant',
  'priority',
  'image',
  'command',
  'entrypoint',
  'env',
  'volumes',
  'workdir',
  'user',
  'network',
  'devices',
  'cpus',
  'memoryBytes',
  'shmBytes',
  'replicas',
  'retries',
  'retryOn',
  'timeLimitSeconds',
  'after',
  'preemptible',
  'graceSeconds',
  'readOnly',
  'array',
];
const LONGEST_TEXT = 4096;
const MOST_ENTRIES = 1000;
const MOST_ELEMENTS = 10_000;
const YEAR = 366 * 86_400;

/** @throws RunnerError with the field and what was expected */
export function submissionOf(value: JsonValue): Submission {
  if (!isObject(value)) {
    throw invalid('task', 'must be an object');
  }
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    const near = nearestName(unknown, FIELDS);
    throw invalid(
      'task',
      `unknown field ${JSON.stringify(unknown.slice(0, 64))}${near === undefined ? '' : ` (did you mean "${near}"?)`}`,
    );
  }
  const spec: TaskSpec = {
    ...optional('name', nameAt(value, 'name')),
    tenant: nameAt(value, 'tenant') ?? 'default',
    priority: nameAt(value, 'priority') ?? 'normal',
    image: imageAt(value),
    command: texts(value, 'command', 65_536),
    ...optional('entrypoint', text(value, 'entrypoint')),
    env: environment(value),
    volumes: volumes(value),
    ...optional('workdir', absolute(value, 'workdir')),
    ...optional('user', text(value, 'user')),
    ...optional('network', text(value, 'network')),
    devices: devicesAt(value),
    ...optional('cpus', number(value, 'cpus', { least: 0.01, most: 4096 })),
    // The engine takes no less than 6 MiB.
    ...optional('memoryBytes', number(value, 'memoryBytes', { least: 6 * 2 ** 20, most: 2 ** 50, whole: true })),
    ...optional('shmBytes', number(value, 'shmBytes', { least: 1, most: 2 ** 50, whole: true })),
    replicas: number(value, 'replicas', { least: 1, most: 64, whole: true }) ?? 1,
    retries: number(value, 'retries', { least: 0, most: 1000, whole: true }) ?? 0,
    retryOn: retryOn(value),
    ...optional('timeLimitSeconds', number(value, 'timeLimitSeconds', { least: 1, most: YEAR })),
    after: texts(value, 'after', 100),
    preemptible: flag(value, 'preemptible') ?? false,
    graceSeconds: number(value, 'graceSeconds', { least: 0, most: 86_400, whole: true }) ?? 10,
    readOnly: flag(value, 'readOnly') ?? false,
  };
  const array = arrayAt(value);
  return array === undefined ? { spec } : { spec, array };
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: T };
}

function own(value: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(value, field) ? (value[field] ?? undefined) : undefined;
}

function text(value: JsonObject, field: string): string | undefined {
  const found = own(value, field);
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'string' || found === '' || found.length > LONGEST_TEXT || found.includes('\0')) {
    throw invalid(field, `must be a string of 1 to ${LONGEST_TEXT} characters`);
  }
  return found;
}

function nameAt(value: JsonObject, field: string): string | undefined {
  const found = text(value, field);
  if (found !== undefined && (!NAME.test(found) || (field === 'name' && /^\d+(-\d+)?$/.test(found)))) {
    throw invalid(
      field,
      `must consist of lowercase letters, digits, "-", "_", and ".", at most 63, and must not look like an id, not ${JSON.stringify(found.slice(0, 64))}`,
    );
  }
  return found;
}

function imageAt(value: JsonObject): string {
  const image = text(value, 'image');
  if (image === undefined || !/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/.test(image) || image.includes('..')) {
    throw invalid('image', 'must be the name of an image');
  }
  return image;
}

function texts(value: JsonObject, field: string, longest: number): readonly string[] {
  const found = own(value, field) ?? [];
  if (!Array.isArray(found) || found.length > MOST_ENTRIES) {
    throw invalid(field, `must be a list of at most ${MOST_ENTRIES} strings`);
  }
  return found.map((entry) => {
    if (typeof entry !== 'string' || entry.length > longest || entry.includes('\0')) {
      throw invalid(field, `must contain strings of at most ${longest} characters`);
    }
    return entry;
  });
}

function environment(value: JsonObject): readonly string[] {
  const entries = texts(value, 'env', 131_072);
  const wrong = entries.find((entry) => !/^[^=]+=/.test(entry));
  if (wrong !== undefined) {
    throw invalid('env', `must be NAME=value, not ${JSON.stringify(wrong.slice(0, 64))}`);
  }
  return entries;
}

function volumes(value: JsonObject): readonly string[] {
  const entries = texts(value, 'volumes', LONGEST_TEXT);
  const wrong = entries.find((entry) => !/^(\/[^:]*|[A-Za-z0-9][A-Za-z0-9_.-]*):\/[^:]*(:[a-zA-Z,]+)?$/.test(entry));
  if (wrong !== undefined) {
    throw invalid(
      'volumes',
      `must be SOURCE:/TARGET or SOURCE:/TARGET:ro with an absolute path or the name of a volume as source, not ${JSON.stringify(wrong.slice(0, 64))}`,
    );
  }
  return entries;
}

function absolute(value: JsonObject, field: string): string | undefined {
  const found = text(value, field);
  if (found !== undefined && !found.startsWith('/')) {
    throw invalid(field, 'must be an absolute path');
  }
  return found;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

function number(value: JsonObject, field: string, { least, most, whole = false }: Bounds): number | undefined {
  const found = own(value, field);
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'number' || !(found >= least && found <= most) || (whole && !Number.isInteger(found))) {
    throw invalid(field, `must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
  }
  return found;
}

function flag(value: JsonObject, field: string): boolean | undefined {
  const found = own(value, field);
  if (found !== undefined && typeof found !== 'boolean') {
    throw invalid(field, 'must be true or false');
  }
  return found;
}

function retryOn(value: JsonObject): readonly FailureClass[] {
  const names = own(value, 'retryOn') === undefined ? undefined : texts(value, 'retryOn', 32);
  if (names === undefined) {
    return DEFAULT_RETRY_ON;
  }
  return [
    ...new Set(
      names.flatMap((name) => {
        const known = FAILURE_GROUPS.get(name) ?? FAILURE_CLASSES.filter((one) => one === name);
        if (known.length === 0) {
          const all = [...FAILURE_CLASSES, ...FAILURE_GROUPS.keys()];
          throw invalid('retryOn', `unknown class ${JSON.stringify(name)}; classes are ${all.join(', ')}`);
        }
        return known;
      }),
    ),
  ];
}

function devicesAt(value: JsonObject): DeviceRequest {
  const found = own(value, 'devices');
  if (found === undefined) {
    return { kind: 'none' };
  }
  if (!isObject(found)) {
    throw invalid('devices', 'must be an object');
  }
  const kind = own(found, 'kind');
  const models = own(found, 'models') === undefined ? {} : { models: texts(found, 'models', 128) };
  const count = number(found, 'count', { least: 1, most: 64, whole: true }) ?? 1;
  switch (typeof kind === 'string' ? kind : '') {
    case 'none':
      return { kind: 'none' };
    case 'whole':
      return { kind: 'whole', count, ...models };
    case 'memory': {
      const mebibytes = number(found, 'mebibytes', { least: 1, most: 2 ** 30, whole: true });
      if (mebibytes === undefined) {
        throw invalid('devices.mebibytes', 'required');
      }
      return { kind: 'memory', mebibytes, ...models };
    }
    case 'mig': {
      const profile = text(found, 'profile');
      if (profile === undefined || !/^(\d+c\.)?\d+g\.\d+gb(\+[a-z.]+)?$/.test(profile)) {
        throw invalid('devices.profile', 'must be a MIG profile such as 1g.10gb');
      }
      return { kind: 'mig', profile, count, ...models };
    }
    default:
      throw invalid('devices.kind', 'must be none, whole, memory, or mig');
  }
}

function arrayAt(value: JsonObject): readonly number[] | undefined {
  const found = own(value, 'array');
  if (found === undefined) {
    return undefined;
  }
  const isList = Array.isArray(found) && found.length > 0 && found.length <= MOST_ELEMENTS;
  if (
    !isList ||
    !found.every((index) => Number.isInteger(index) && (index as number) >= 0 && (index as number) <= 1e6)
  ) {
    throw invalid('array', `must be a list of 1 to ${MOST_ELEMENTS} indices from 0 to 1000000`);
  }
  if (new Set(found).size !== found.length) {
    throw invalid('array', 'must not contain an index twice');
  }
  return found as number[];
}

function invalid(field: string, problem: string): RunnerError {
  return new RunnerError(`${field}: ${problem}`, undefined, 'invalid');
}
