/**
 * Reads the configuration of the MIG manager (mig-parted) as mig-parted reads it: an unknown key, a missing one or a count of the
 * wrong kind refuses the whole file, and the layout of each entry is held against the GPUs that it can be meant for.
 *
 * Source: mig-parted, api/spec/v1/spec.go, pkg/types/mig_config.go; the layouts, deployments/systemd/config-default.yaml.
 */
import { nearestName } from '../../facts/spelling';
import { type AcceleratorFacts, ACCELERATORS, parseMigProfile } from '../../facts/catalog';
import { type MigLayout, migLayoutProblems } from '../../facts/catalog/mig-layout';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { allOf, oneOf, withArticle } from '../../facts/words';
import { asArray, asObject, isObject } from '../../manifests/read';
import { type ConfigProblem, configurationIn, kindOf, type Note, noteUnknown } from './config-problem';
import { fieldBelow } from '../../manifests/pointer';
import { gpusForLayout, gpusWithProfiles } from './mig-layout';

export type MigConfigProblemKind =
  | 'shape'
  | 'version'
  | 'unknown-key'
  | 'entry'
  | 'profile'
  | 'count'
  | 'layout'
  | 'profiles-apart'
  | 'unknown-profile';
export type MigConfigProblem = ConfigProblem<MigConfigProblemKind>;

export interface MigConfigReading {
  /** Names that the node label `nvidia.com/mig.config` can have. */
  readonly names: readonly string[];
  /** Profiles that any entry makes instances of. */
  readonly profiles: readonly string[];
  readonly problems: readonly MigConfigProblem[];
}

/** The key of the ConfigMap that the MIG manager mounts. */
export const MIG_CONFIG_KEY = 'config.yaml';

export function isMigConfig(text: string): boolean {
  return (
    /^[ \t]*["']?mig[-_]?configs["']?[ \t]*:/im.test(text) ||
    /^[ \t]*(?:-[ \t]*)?["']?mig-(enabled|devices)["']?[ \t]*:/m.test(text)
  );
}

export function readMigConfig(text: string): MigConfigReading {
  const problems: MigConfigProblem[] = [];
  const note: Note<MigConfigProblemKind> = (kind, at, message, found, expected, fix) =>
    problems.push({ kind, at, message, found, expected, fix });
  const config = configurationIn(text, 'version: v1 and mig-configs', note);
  if (config === undefined) {
    return { names: [], profiles: [], problems };
  }
  const { version } = config;
  if (version !== 'v1') {
    note(
      'version',
      'version',
      version === undefined ? 'version must be set' : `version must be v1, but is ${kindOf(version)}`,
      version,
      'v1',
      'Set version: v1.',
    );
  }
  noteUnknown(config, '', ['version', 'mig-configs'], note);
  const configs = config['mig-configs'];
  if (!isObject(configs) || Object.keys(configs).length === 0) {
    if (configs !== undefined) {
      note(
        'shape',
        'mig-configs',
        `mig-configs must have at least one entry, but is ${isObject(configs) ? 'empty' : kindOf(configs)}`,
        undefined,
        'a mapping of names to lists of entries',
        'Set mig-configs to a mapping such as { all-disabled: [{ devices: all, mig-enabled: false }] }.',
      );
    }
    return { names: [], profiles: [], problems };
  }
  for (const [name, entries] of Object.entries(configs)) {
    const at = fieldBelow('mig-configs', name);
    if (asArray(entries).length === 0) {
      note(
        'shape',
        at,
        `${at} must be a list with at least one entry, but is ${Array.isArray(entries) ? 'empty' : kindOf(entries)}`,
        undefined,
        'a list of entries with devices and mig-enabled',
        `Set ${at} to a list such as [{ devices: all, mig-enabled: false }].`,
      );
    }
    asArray(entries).forEach((entry, index) => readEntry(entry, fieldBelow(at, index), note));
  }
  return { names: Object.keys(configs), profiles: profilesIn(Object.values(configs).flatMap(asArray)), problems };
}

function profilesIn(entries: readonly JsonValue[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => Object.keys(asObject(asObject(entry)['mig-devices']))))];
}

const devicesFix = (at: string): string =>
  `Set ${fieldBelow(at, 'devices')} to "all", or to a list of indexes such as [0, 1].`;

/** Which GPUs of a node an entry is about. Go reads null as 0, or as an empty filter. */
function readDevices(
  { devices, 'device-filter': filter }: JsonObject,
  at: string,
  note: Note<MigConfigProblemKind>,
): void {
  if (devices === undefined) {
    note(
      'entry',
      fieldBelow(at, 'devices'),
      'devices must be set',
      undefined,
      '"all", or a list of indexes such as [0, 1]',
      devicesFix(at),
    );
  } else if (devices !== 'all' && !(Array.isArray(devices) && devices.every((one) => one === null || isGoInt(one)))) {
    note(
      'entry',
      fieldBelow(at, 'devices'),
      'devices must be "all" or a list of indexes',
      devices,
      '"all", or a list of indexes such as [0, 1]',
      devicesFix(at),
    );
  }
  if (
    filter !== undefined &&
    filter !== null &&
    typeof filter !== 'string' &&
    !(Array.isArray(filter) && filter.every((one) => one === null || typeof one === 'string'))
  ) {
    note(
      'entry',
      fieldBelow(at, 'device-filter'),
      'device-filter must be a PCI ID or a list of PCI IDs',
      filter,
      'a PCI ID such as "0x233010DE", or a list of PCI IDs',
    );
  }
}

/** Whether the number fits in 64 bits. */
function isGoInt(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

function readEntry(value: JsonValue, at: string, note: Note<MigConfigProblemKind>): void {
  if (!isObject(value)) {
    note(
      'shape',
      at,
      `${at} must be a mapping, but is ${kindOf(value)}`,
      value,
      'a mapping with devices and mig-enabled',
      `Set ${at} to a mapping such as { devices: all, mig-enabled: false }.`,
    );
    return;
  }
  noteUnknown(value, at, ['device-filter', 'devices', 'mig-enabled', 'mig-devices'], note);
  const { 'mig-enabled': enabled, 'mig-devices': instances, 'device-filter': filter } = value;
  readDevices(value, at, note);
  // Go reads null as false.
  if (typeof enabled !== 'boolean' && enabled !== null) {
    note(
      'entry',
      fieldBelow(at, 'mig-enabled'),
      enabled === undefined
        ? 'mig-enabled must be set'
        : `mig-enabled must be true or false, but is ${kindOf(enabled)}`,
      enabled,
      'true or false',
    );
  }
  if (instances !== undefined && instances !== null && !isObject(instances)) {
    note(
      'shape',
      fieldBelow(at, 'mig-devices'),
      `mig-devices must be a mapping of profiles to counts, but is ${kindOf(instances)}`,
      instances,
      'counts by profile',
      `Set ${fieldBelow(at, 'mig-devices')} to a mapping such as { 1g.10gb: 7 }.`,
    );
  }
  if (enabled === true && (instances === undefined || instances === null)) {
    note(
      'entry',
      fieldBelow(at, 'mig-devices'),
      'mig-devices must be set when mig-enabled is true',
      undefined,
      'counts by profile, or {} for no instances',
      `Set ${fieldBelow(at, 'mig-devices')} to a mapping such as { 1g.10gb: 7 }, or to {} for no instances.`,
    );
  }
  if (!isObject(instances)) {
    return;
  }
  if ((enabled === false || enabled === null) && Object.keys(instances).length > 0) {
    note(
      'entry',
      fieldBelow(at, 'mig-devices'),
      'mig-devices must be empty when mig-enabled is false',
      undefined,
      'mig-devices unset, or mig-enabled: true',
      `Set ${fieldBelow(at, 'mig-enabled')} to true, or remove ${fieldBelow(at, 'mig-devices')}.`,
    );
  }
  readInstances(instances, fieldBelow(at, 'mig-devices'), gpusOfFilter(filter), note);
}

function readInstances(
  instances: JsonObject,
  at: string,
  gpus: readonly AcceleratorFacts[],
  note: Note<MigConfigProblemKind>,
): void {
  const entries = Object.entries(instances);
  let sound = true;
  for (const [profile, count] of entries) {
    if (parseMigProfile(profile) === undefined) {
      sound = false;
      note(
        'profile',
        fieldBelow(at, profile),
        `"${profile}" is not a valid MIG profile`,
        profile,
        '<slices>g.<memory>gb, for example 1g.10gb or 1g.10gb+me',
        `Rename the key "${profile}" in ${at} to a MIG profile of the GPU, such as 1g.10gb, or remove it.`,
      );
      continue;
    }
    if (count !== null && !(isGoInt(count) && count >= 0)) {
      sound = false;
      note(
        'count',
        fieldBelow(at, profile),
        `the number of ${profile} instances must be an integer greater than or equal to 0`,
        count,
        'an integer greater than or equal to 0',
      );
    }
  }
  if (!sound || entries.length === 0) {
    return;
  }
  const layout = Object.fromEntries(entries.map(([profile, count]) => [profile, count ?? 0])) as MigLayout;
  if (Object.values(layout).every((count) => count === 0)) {
    note(
      'count',
      at,
      'mig-devices must have at least one instance',
      undefined,
      'at least one instance, or {} for none',
      `Set at least one count in ${at} to 1 or more, or set ${at} to {}.`,
    );
    return;
  }
  readLayout(layout, at, gpus, note);
}

/** Where the file does not say which GPU it means, a layout is right if any GPU of the catalog takes it. */
function readLayout(
  layout: MigLayout,
  at: string,
  gpus: readonly AcceleratorFacts[],
  note: Note<MigConfigProblemKind>,
): void {
  if (gpus.length > 0) {
    const problems = gpus.map((gpu) => migLayoutProblems(gpu, layout));
    const [first] = problems;
    if (problems.every((reasons) => reasons.length > 0)) {
      note(
        'layout',
        at,
        first?.join('; ') ?? '',
        undefined,
        `instances that fit on ${oneOf(gpus.map(({ name }) => withArticle(name)))}`,
        unlistedProfileFix(gpus, layout, at),
      );
    }
    return;
  }
  if (gpusForLayout(layout).length > 0) {
    return;
  }
  const [candidate] = gpusWithProfiles(layout);
  if (candidate !== undefined) {
    note(
      'layout',
      at,
      migLayoutProblems(candidate, layout).join('; '),
      undefined,
      `instances that fit together on ${withArticle(candidate.name)}`,
    );
  } else {
    // New GPUs have profiles that the catalog has not.
    const listed = (name: string): boolean => gpusWithProfiles({ [name]: 1 }).length > 0;
    note(
      Object.keys(layout).every(listed) ? 'profiles-apart' : 'unknown-profile',
      at,
      noSuchGpu(Object.keys(layout)),
      Object.keys(layout),
      'MIG profiles of one GPU model',
    );
  }
}

/** What to write instead of a profile that the GPU does not have; nothing where it has all of them. */
function unlistedProfileFix(gpus: readonly AcceleratorFacts[], layout: MigLayout, at: string): string | undefined {
  const [gpu] = gpus;
  const listed = gpu?.mig.map(({ name }) => name) ?? [];
  const unlisted = Object.keys(layout).find((name) => !listed.includes(name));
  return gpu === undefined || unlisted === undefined
    ? undefined
    : `Rename the key "${unlisted}" in ${at} to a MIG profile of ${withArticle(gpu.name)}, such as ${nearestName(unlisted, listed) ?? listed[0]}.`;
}

function noSuchGpu(profiles: readonly string[]): string {
  return `no known GPU supports ${profiles.length === 1 ? 'the MIG profile' : `${profiles.length === 2 ? 'both' : 'all'} of the MIG profiles`} ${allOf(profiles)}`;
}

function gpusOfFilter(filter: JsonValue | undefined): readonly AcceleratorFacts[] {
  const ids = (Array.isArray(filter) ? filter : [filter]).filter((one): one is string => typeof one === 'string');
  const wanted = ids.map((id) => (/^0x([0-9a-f]{4})10de$/i.exec(id)?.[1] ?? '').toUpperCase());
  return ACCELERATORS.filter((gpu) => gpu.vendor === 'nvidia' && gpu.pciDeviceIds.some((id) => wanted.includes(id)));
}
