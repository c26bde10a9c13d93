/**
 * `runner.yaml`: what the runner may use, who its tenants are, and where it keeps things.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { nearestName } from '../../facts/spelling';
import { parseQuantity } from '../../manifests/quantity';
import { asArray, isObject } from '../../manifests/read';
import { parseValue } from '../../manifests/yaml';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type HostDevice, type MigInstance } from './devices/inventory';
import { RunnerError } from './runner-error';

/** Where the runner listens besides its sockets: TLS, with a token in each request. */
export interface NetworkListener {
  readonly address: string;
  readonly port: number;
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
  /** File with a line `NAME TOKEN` for each caller. */
  readonly tokens: string;
}

/** What a tenant may count on, and use at most. */
export interface Tenant {
  readonly name: string;
  /** Part of what is left that it gets among its peers. */
  readonly weight: number;
  readonly quota?: TenantAmounts;
  readonly limit?: TenantAmounts;
}

export interface TenantAmounts {
  readonly gpus?: number;
  readonly cpus?: number;
  readonly memoryBytes?: number;
}

export interface RunnerConfiguration {
  /** Folder of the tasks and their logs. */
  readonly state: string;
  /** Socket of administrators, who may act for every tenant. */
  readonly socket: string;
  /** Folder with one socket for each tenant. @default - none */
  readonly tenantSockets?: string;
  /** @default - it listens on sockets only */
  readonly listen?: NetworkListener;
  /** @default - DOCKER_HOST, or the local socket */
  readonly engine?: string;
  readonly tenants: readonly Tenant[];
  readonly priorities: ReadonlyMap<string, number>;
  /** @default - what is discovered */
  readonly devices?: readonly HostDevice[];
  /** What is kept from tasks. */
  readonly reserved: { readonly cpus: number; readonly memoryBytes: number };
  /** Days that ended tasks and their logs are kept. */
  readonly keepDays: number;
  /** Containers with devices may lock as much memory as they like, as pinned memory needs it. An engine without CAP_SYS_RESOURCE cannot allow it. */
  readonly lockMemory: boolean;
  /** Seconds from one look at the health of the devices to the next. */
  readonly devicePollSeconds: number;
}

export const DEFAULT_TENANT = 'default';
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['low', -100],
  ['normal', 0],
  ['high', 100],
]);
/** Names of tenants, tasks, and priorities; they become names of files, queues, and labels. */
export const NAME = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/;

const FIELDS = [
  'state',
  'socket',
  'tenantSockets',
  'listen',
  'engine',
  'tenants',
  'priorities',
  'devices',
  'reserved',
  'keepDays',
  'lockMemory',
  'devicePollSeconds',
];

/** Where things are without a configuration: system folders for root, folders of the user otherwise. */
export function defaultConfiguration(
  env: Readonly<Record<string, string | undefined>>,
  isRoot: boolean,
): RunnerConfiguration {
  const state = isRoot
    ? '/var/lib/gantry-docker'
    : join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local/state'), 'gantry-docker');
  return {
    state,
    socket: isRoot ? '/run/gantry-docker/runner.sock' : join(env.XDG_RUNTIME_DIR ?? state, 'gantry-docker.sock'),
    tenants: [{ name: DEFAULT_TENANT, weight: 1 }],
    priorities: PRIORITIES,
    reserved: { cpus: 0, memoryBytes: 0 },
    keepDays: 30,
    lockMemory: true,
    devicePollSeconds: 15,
  };
}

/** @throws RunnerError with the file, the field, and what was expected */
export function readConfiguration(path: string, defaults: RunnerConfiguration): RunnerConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid(path, (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message);
  }
  const parsed = parseValue(text, path);
  if ('problem' in parsed) {
    throw invalid(path, parsed.problem.message);
  }
  const value = parsed.value ?? {};
  if (!isObject(value)) {
    throw invalid(path, 'must be an object');
  }
  return configurationOf(value, path, defaults);
}

export function configurationOf(value: JsonObject, path: string, defaults: RunnerConfiguration): RunnerConfiguration {
  known(value, FIELDS, path, '');
  const folder = resolve(path, '..');
  const file = (field: string): string | undefined => {
    const found = text(value, field, path);
    return found === undefined ? undefined : resolve(folder, found);
  };
  const tenantSockets = file('tenantSockets');
  const listen = own(value, 'listen') === undefined ? undefined : listenerOf(objectAt(value, 'listen', path), path);
  const engine = text(value, 'engine', path) ?? defaults.engine;
  const devices = own(value, 'devices') === undefined ? undefined : devicesOf(own(value, 'devices'), path);
  const reserved = objectAt(value, 'reserved', path);
  known(reserved, ['cpus', 'memory'], path, 'reserved.');
  return {
    state: file('state') ?? defaults.state,
    socket: file('socket') ?? defaults.socket,
    ...(tenantSockets === undefined ? {} : { tenantSockets }),
    ...(listen === undefined ? {} : { listen }),
    ...(engine === undefined ? {} : { engine }),
    tenants: tenantsOf(objectAt(value, 'tenants', path), path) ?? defaults.tenants,
    priorities: prioritiesOf(objectAt(value, 'priorities', path), path) ?? defaults.priorities,
    ...(devices === undefined ? {} : { devices }),
    reserved: {
      cpus: count(reserved, 'cpus', path, 'reserved.') ?? defaults.reserved.cpus,
      memoryBytes: bytes(reserved, 'memory', path, 'reserved.') ?? defaults.reserved.memoryBytes,
    },
    keepDays: amount(value, 'keepDays', path, '') ?? defaults.keepDays,
    lockMemory: flag(value, 'lockMemory', path) ?? defaults.lockMemory,
    devicePollSeconds: pollSeconds(value, path) ?? defaults.devicePollSeconds,
  };
}

function listenerOf(value: JsonObject, path: string): NetworkListener {
  known(value, ['address', 'port', 'certificate', 'key', 'tokens'], path, 'listen.');
  const required = (field: string): string => {
    const found = text(value, field, path, 'listen.');
    if (found === undefined) {
      throw invalid(path, `listen.${field}: required`);
    }
    return resolve(path, '..', found);
  };
  const port = count(value, 'port', path, 'listen.') ?? 8443;
  if (port > 65_535) {
    throw invalid(path, 'listen.port: must be a number from 0 to 65535');
  }
  return {
    address: text(value, 'address', path, 'listen.') ?? '0.0.0.0',
    port,
    certificate: required('certificate'),
    key: required('key'),
    tokens: required('tokens'),
  };
}

function pollSeconds(value: JsonObject, path: string): number | undefined {
  const seconds = amount(value, 'devicePollSeconds', path, '');
  if (seconds !== undefined && !(seconds >= 1 && seconds <= 3600)) {
    throw invalid(path, 'devicePollSeconds: must be a number from 1 to 3600');
  }
  return seconds;
}

function tenantsOf(value: JsonObject, path: string): readonly Tenant[] | undefined {
  const names = Object.keys(value);
  if (names.length === 0) {
    return undefined;
  }
  return names.map((name) => {
    const at = `tenants.${name}`;
    named(name, path, at);
    const tenant = objectAt(value, name, path, 'tenants.');
    known(tenant, ['weight', 'quota', 'limit'], path, `${at}.`);
    const weight = amount(tenant, 'weight', path, `${at}.`) ?? 1;
    if (weight <= 0) {
      throw invalid(path, `${at}.weight: must be greater than 0`);
    }
    const quota = amounts(tenant, 'quota', path, at);
    const limit = amounts(tenant, 'limit', path, at);
    return { name, weight, ...(quota === undefined ? {} : { quota }), ...(limit === undefined ? {} : { limit }) };
  });
}

function amounts(tenant: JsonObject, field: string, path: string, at: string): TenantAmounts | undefined {
  if (own(tenant, field) === undefined) {
    return undefined;
  }
  const value = objectAt(tenant, field, path, `${at}.`);
  const prefix = `${at}.${field}.`;
  known(value, ['gpus', 'cpus', 'memory'], path, prefix);
  const gpus = count(value, 'gpus', path, prefix);
  const cpus = amount(value, 'cpus', path, prefix);
  const memoryBytes = bytes(value, 'memory', path, prefix);
  return {
    ...(gpus === undefined ? {} : { gpus }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  };
}

function prioritiesOf(value: JsonObject, path: string): ReadonlyMap<string, number> | undefined {
  const names = Object.keys(value);
  if (names.length === 0) {
    return undefined;
  }
  const entries = names.map((name) => {
    named(name, path, `priorities.${name}`);
    const number = own(value, name);
    if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 1e9) {
      throw invalid(path, `priorities.${name}: must be a whole number from -1000000000 to 1000000000`);
    }
    return [name, number] as const;
  });
  if (!names.includes('normal')) {
    throw invalid(path, 'priorities: must include "normal", which tasks have unless they name another');
  }
  return new Map(entries);
}

function devicesOf(value: JsonValue | undefined, path: string): readonly HostDevice[] {
  if (!Array.isArray(value)) {
    throw invalid(path, 'devices: must be a list');
  }
  const ids = new Set<string>();
  return asArray(value).map((entry, index) => {
    const at = `devices[${index}]`;
    if (!isObject(entry)) {
      throw invalid(path, `${at}: must be an object`);
    }
    const prefix = `${at}.`;
    known(entry, ['cdi', 'uuid', 'model', 'memory', 'numa', 'island', 'mig'], path, prefix);
    const cdi = text(entry, 'cdi', path, prefix);
    const id = text(entry, 'uuid', path, prefix) ?? cdi;
    if (id === undefined) {
      throw invalid(path, `${at}: must have "cdi", a name such as nvidia.com/gpu=0, or "uuid"`);
    }
    if (cdi !== undefined && !/^[^/=\s]+\/[^/=\s]+=\S+$/.test(cdi)) {
      throw invalid(path, `${prefix}cdi: must be a full CDI name such as nvidia.com/gpu=0, not ${JSON.stringify(cdi)}`);
    }
    if (ids.has(id)) {
      throw invalid(path, `${at}: duplicate device ${JSON.stringify(id)}`);
    }
    ids.add(id);
    const memory = bytes(entry, 'memory', path, prefix);
    const model = text(entry, 'model', path, prefix);
    const numa = count(entry, 'numa', path, prefix);
    const island = text(entry, 'island', path, prefix);
    return {
      id,
      ...(cdi === undefined ? {} : { cdi }),
      ...(model === undefined ? {} : { model }),
      ...(memory === undefined ? {} : { memoryMiB: Math.floor(memory / 2 ** 20) }),
      ...(numa === undefined ? {} : { numa }),
      ...(island === undefined ? {} : { island }),
      ...(own(entry, 'mig') === undefined ? {} : { mig: instancesOf(own(entry, 'mig'), path, `${prefix}mig`) }),
    };
  });
}

function instancesOf(value: JsonValue | undefined, path: string, at: string): readonly MigInstance[] {
  if (!Array.isArray(value)) {
    throw invalid(path, `${at}: must be a list of { uuid, profile }`);
  }
  return value.map((entry, index) => {
    const prefix = `${at}[${index}].`;
    if (!isObject(entry)) {
      throw invalid(path, `${at}[${index}]: must be { uuid, profile }`);
    }
    known(entry, ['uuid', 'profile'], path, prefix);
    const id = text(entry, 'uuid', path, prefix);
    const profile = text(entry, 'profile', path, prefix);
    if (id === undefined || profile === undefined) {
      throw invalid(path, `${at}[${index}]: must have "uuid" and "profile"`);
    }
    return { id, profile };
  });
}

function own(value: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(value, field) ? (value[field] ?? undefined) : undefined;
}

function objectAt(value: JsonObject, field: string, path: string, prefix = ''): JsonObject {
  const found = own(value, field) ?? {};
  if (!isObject(found)) {
    throw invalid(path, `${prefix}${field}: must be an object`);
  }
  return found;
}

function text(value: JsonObject, field: string, path: string, prefix = ''): string | undefined {
  const found = own(value, field);
  if (found !== undefined && (typeof found !== 'string' || found === '')) {
    throw invalid(path, `${prefix}${field}: must be a string`);
  }
  return found;
}

function flag(value: JsonObject, field: string, path: string): boolean | undefined {
  const found = own(value, field);
  if (found !== undefined && typeof found !== 'boolean') {
    throw invalid(path, `${field}: must be true or false`);
  }
  return found;
}

function amount(value: JsonObject, field: string, path: string, prefix: string): number | undefined {
  const found = own(value, field);
  if (found !== undefined && (typeof found !== 'number' || !(found >= 0) || !Number.isFinite(found))) {
    throw invalid(path, `${prefix}${field}: must be a number greater than or equal to 0`);
  }
  return found;
}

function count(value: JsonObject, field: string, path: string, prefix: string): number | undefined {
  const found = amount(value, field, path, prefix);
  if (found !== undefined && !Number.isSafeInteger(found)) {
    throw invalid(path, `${prefix}${field}: must be a whole number`);
  }
  return found;
}

function bytes(value: JsonObject, field: string, path: string, prefix: string): number | undefined {
  const found = own(value, field);
  if (found === undefined) {
    return undefined;
  }
  const quantity = typeof found === 'string' || typeof found === 'number' ? parseQuantity(found) : undefined;
  const number = quantity === undefined ? Number.NaN : quantity.toNumber();
  if (!(number >= 0)) {
    throw invalid(path, `${prefix}${field}: must be a quantity such as 64Gi`);
  }
  return Math.floor(number);
}

function known(value: JsonObject, fields: readonly string[], path: string, prefix: string): void {
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    const near = nearestName(unknown, fields);
    throw invalid(path, `unknown field "${prefix}${unknown}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`);
  }
}

function named(name: string, path: string, at: string): void {
  if (!NAME.test(name)) {
    throw invalid(path, `${at}: names must consist of lower case letters, digits, "-", "_", and ".", at most 63`);
  }
}

function invalid(path: string, problem: string): RunnerError {
  return new RunnerError(`${path}: ${problem}`, undefined, 'invalid');
}
