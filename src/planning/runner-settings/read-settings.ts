/**
 * Reads the contents of `runner.yaml`. Nothing here touches the host, so the check and the construct read it as the runner does.
 */
import { resolve } from 'node:path';
import { type JsonObject } from '../../facts/api/schema';
import { RUNNER_FIELDS } from '../../manifests/documents/host-document';
import { definedMembers } from '../../manifests/values/members';
import { devicesOf } from './devices';
import { type Fault, Section } from './section';
import { NAME, type NetworkListener, type RunnerConfiguration, type Tenant, type TenantAmounts } from './settings';

export interface ReadSettings {
  /** What the file sets, with defaults for the rest. Of use only if there are no faults. */
  readonly configuration: RunnerConfiguration;
  /** Every mistake, in the order of the fields. */
  readonly faults: readonly Fault[];
}

/** @param file path of the file, which relative paths in it begin at */
export function readSettings(value: JsonObject, file: string, defaults: RunnerConfiguration): ReadSettings {
  const faults: Fault[] = [];
  const all = new Section(value, faults).known(RUNNER_FIELDS);
  const pathOf = pathsFrom(file);
  const reserved = all.section('reserved').known(['cpus', 'memory']);
  const configuration = definedMembers({
    state: pathOf(all, 'state') ?? defaults.state,
    socket: pathOf(all, 'socket') ?? defaults.socket,
    tenantSockets: pathOf(all, 'tenantSockets'),
    listen: all.has('listen') ? listenerOf(all.section('listen'), pathOf) : undefined,
    engine: all.text('engine') ?? defaults.engine,
    tenants: tenantsOf(all.section('tenants')) ?? defaults.tenants,
    priorities: prioritiesOf(all) ?? defaults.priorities,
    devices: devicesOf(all),
    reserved: {
      cpus: reserved.count('cpus') ?? defaults.reserved.cpus,
      memoryBytes: reserved.bytes('memory') ?? defaults.reserved.memoryBytes,
    },
    keepDays: all.amount('keepDays') ?? defaults.keepDays,
    lockMemory: all.flag('lockMemory') ?? defaults.lockMemory,
    devicePollSeconds: pollSecondsOf(all) ?? defaults.devicePollSeconds,
  });
  return { configuration, faults };
}

/** A mistake as one text. */
export function faultText({ place, message, suggestion }: Fault): string {
  const where = place === '' ? '' : `${place}: `;
  return `${where}${message}${suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`}`;
}

type PathOf = (section: Section, field: string) => string | undefined;

function pathsFrom(file: string): PathOf {
  const folder = resolve(file, '..');
  return (section, field) => {
    const found = section.text(field);
    return found === undefined ? undefined : resolve(folder, found);
  };
}

const MOST_PORT = 65_535;

function listenerOf(section: Section, pathOf: PathOf): NetworkListener {
  section.known(['address', 'port', 'certificate', 'key', 'tokens']);
  const required = (field: string): string => {
    if (!section.has(field)) {
      section.faultHere(`${field} is required`);
    }
    return pathOf(section, field) ?? '';
  };
  const port = section.count('port') ?? 8443;
  if (port > MOST_PORT) {
    section.fault('port', `must be a number from 0 to ${MOST_PORT}`);
  }
  return {
    address: section.text('address') ?? '0.0.0.0',
    port,
    certificate: required('certificate'),
    key: required('key'),
    tokens: required('tokens'),
  };
}

function pollSecondsOf(all: Section): number | undefined {
  const seconds = all.amount('devicePollSeconds');
  return seconds === undefined || (seconds >= 1 && seconds <= 3600)
    ? seconds
    : all.fault('devicePollSeconds', 'must be a number from 1 to 3600');
}

const NAMES = 'names must consist of lowercase letters, digits, "-", "_", and ".", at most 63';

function tenantsOf(section: Section): readonly Tenant[] | undefined {
  const { names } = section;
  return names.length === 0 ? undefined : names.map((name) => tenantOf(section, name));
}

function tenantOf(tenants: Section, name: string): Tenant {
  if (!NAME.test(name)) {
    tenants.fault(name, NAMES);
  }
  const tenant = tenants.section(name).known(['weight', 'quota', 'limit']);
  const weight = tenant.amount('weight') ?? 1;
  if (weight <= 0) {
    tenant.fault('weight', 'must be greater than 0');
  }
  return definedMembers({ name, weight, quota: amountsOf(tenant, 'quota'), limit: amountsOf(tenant, 'limit') });
}

function amountsOf(tenant: Section, field: string): TenantAmounts | undefined {
  if (!tenant.has(field)) {
    return undefined;
  }
  const amounts = tenant.section(field).known(['gpus', 'cpus', 'memory']);
  return definedMembers({
    gpus: amounts.count('gpus'),
    cpus: amounts.amount('cpus'),
    memoryBytes: amounts.bytes('memory'),
  });
}

const MOST_PRIORITY = 1e9;

function prioritiesOf(all: Section): ReadonlyMap<string, number> | undefined {
  const section = all.section('priorities');
  const { names } = section;
  if (names.length === 0) {
    return undefined;
  }
  const entries = names.flatMap((name): readonly (readonly [string, number])[] => {
    if (!NAME.test(name)) {
      section.fault(name, NAMES);
    }
    const number = section.raw(name);
    if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > MOST_PRIORITY) {
      section.fault(name, `must be a whole number from -${MOST_PRIORITY} to ${MOST_PRIORITY}`);
      return [];
    }
    return [[name, number]];
  });
  if (!names.includes('normal')) {
    all.fault('priorities', 'must include "normal", the default priority of tasks', 'Add normal: 0 to priorities.');
  }
  return new Map(entries);
}
