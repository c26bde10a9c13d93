/**
 * What a Node says to, and hears from, NVIDIA's MIG manager: the configurations that it can get, and the one that is being applied.
 *
 * The MIG manager reacts to changes of the label `nvidia.com/mig.config` alone: a configuration that failed is not tried again until the label
 * changes. While it works, it stops the device plugin and feature discovery, so the node may offer no device and lose the labels that describe
 * them; the scheduler keeps these in the annotation that it writes together with the label.
 *
 * Sources: mig-parted, cmd/nvidia-mig-manager and deployments/container/reconfigure-mig.sh (labels, order of the steps).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import {
  findAccelerator,
  GANTRY_MIG_CHANGE,
  type KnownAcceleratorFacts,
  migResource,
  uniformMigConfigs,
} from '../../../facts/catalog';
import { asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { type Amounts, type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device } from '../../../placement';
import { isInstanceResource } from '../../../placement/nodes/mig-config';
import { physicalDevices } from './node-devices';

type Labels = Readonly<Record<string, string>>;
type Configs = NonNullable<ClusterNode['migConfigs']>;

/** Label: the configuration that the MIG manager is to apply. */
export const MIG_CONFIG = 'nvidia.com/mig.config';
/** Label: what became of it. */
export const MIG_STATE = 'nvidia.com/mig.config.state';

/** States of a change that is under way. */
const UNDER_WAY: ReadonlySet<string | undefined> = new Set(['pending', 'rebooting']);
/** Labels that describe the devices, of which a node loses some while its configuration changes. */
const DESCRIBING = [
  'nvidia.com/gpu.count',
  'nvidia.com/gpu.memory',
  'nvidia.com/gpu.product',
  'nvidia.com/mig.capable',
  'nvidia.com/mig.strategy',
] as const;
/** Longer texts are not read: any label is shorter. */
const MOST_TEXT = 4096;

/** What the scheduler wrote when it last changed the configuration of a node. */
export interface MigChange {
  readonly config: string;
  /** In the API server's time, milliseconds since the epoch. */
  readonly at: number;
  /** Name of the gang that the change was for. */
  readonly gang: string;
  /** Those labels of the node that describe its devices. */
  readonly labels: Labels;
}

/** What follows from the labels of a node for its MIG configuration. */
export interface MigTerms extends Pick<ClusterNode, 'migConfigs' | 'migChange'> {
  /** The labels of the node, with those that it has lost for the time of the change. */
  readonly labels: Labels;
  /** The physical devices, while the configuration changes. */
  readonly devices?: readonly Device[];
}

/** The annotation as text. */
export function migChangeText({ config, at, gang, labels }: MigChange): string {
  const described = DESCRIBING.flatMap((key): readonly (readonly [string, string])[] =>
    labels[key] === undefined ? [] : [[key, labels[key]]],
  );
  return JSON.stringify({ config, at: new Date(at).toISOString(), gang, labels: Object.fromEntries(described) });
}

/** What the annotation of the node says; undefined if it has none, or none that can be read. */
export function migChangeOf(node: JsonObject): MigChange | undefined {
  const text = asString(asObject(asObject(node.metadata).annotations)[GANTRY_MIG_CHANGE]);
  const read = text === undefined || text.length > MOST_TEXT ? undefined : parsed(text);
  const config = asString(read?.config);
  const at = Date.parse(asString(read?.at) ?? '');
  if (config === undefined || Number.isNaN(at)) {
    return undefined;
  }
  const known: ReadonlySet<string> = new Set(DESCRIBING);
  const labels = stringEntries(asObject(read?.labels)).filter(([key]) => known.has(key));
  return { config, at, gang: asString(read?.gang) ?? '', labels: Object.fromEntries(labels) };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param allocatable what the node offers to pods */
export function migTermsOf(node: JsonObject, own: Labels, allocatable: Amounts): MigTerms {
  const config = own[MIG_CONFIG];
  const state = own[MIG_STATE];
  const change = migChangeOf(node);
  const isOurs = change !== undefined && change.config === config;
  const isUnderWay = state !== 'failed' && (isOurs || UNDER_WAY.has(state));
  const labels = isUnderWay && isOurs ? { ...change.labels, ...own } : own;
  const configs = configsOf(labels);
  const devices = configs === undefined ? undefined : physicalDevices(labels);
  if (configs === undefined || devices === undefined || (config !== undefined && !Object.hasOwn(configs, config))) {
    return { labels: own };
  }
  if (isUnderWay && config !== undefined && !isApplied(configs[config], devices.length, allocatable)) {
    return { labels, migConfigs: configs, migChange: config, devices };
  }
  // With a broken device it offers less, and nothing is said about what a change would make of it.
  const isWhole = Object.values(configs).some((layout) => isApplied(layout, devices.length, allocatable));
  return isWhole
    ? { labels: own, migConfigs: state === 'failed' && config !== undefined ? without(configs, config) : configs }
    : { labels: own };
}

/** The configurations of a node that has a MIG manager, and a device plugin that names the instances after their profiles. */
function configsOf(labels: Labels): Configs | undefined {
  const hasManager = labels['nvidia.com/gpu.deploy.mig-manager'] === 'true' || labels[MIG_STATE] !== undefined;
  const isMixed = labels['nvidia.com/mig.capable'] === 'true' && labels['nvidia.com/mig.strategy'] === 'mixed';
  const product = labels['nvidia.com/gpu.product'];
  const isShared = Number(labels['nvidia.com/gpu.replicas'] ?? 1) > 1 || product?.endsWith('-SHARED') === true;
  const facts = product === undefined ? undefined : findAccelerator(product);
  return hasManager && isMixed && !isShared && facts !== undefined && facts.mig.length > 0 ? builtIn(facts) : undefined;
}

const CONFIGS = new Map<KnownAcceleratorFacts, Configs>();

/** One value for all nodes with these devices. */
function builtIn(facts: KnownAcceleratorFacts): Configs {
  const known = CONFIGS.get(facts) ?? uniformMigConfigs(facts.mig);
  CONFIGS.set(facts, known);
  return known;
}

/** Does the node offer what the configuration makes of its devices, and no other device or instance? */
function isApplied(layout: Readonly<Record<string, number>>, devices: number, allocatable: Amounts): boolean {
  const profiles = Object.entries(layout);
  const expected = new Map<string, number>(
    profiles.length === 0
      ? [[DEFAULT_DEVICE_RESOURCE, devices]]
      : profiles.map(([profile, count]) => [migResource(profile), count * devices]),
  );
  const offered = Object.keys(allocatable).filter(
    (name) => name === DEFAULT_DEVICE_RESOURCE || isInstanceResource(name),
  );
  return [...new Set([...expected.keys(), ...offered])].every(
    (name) => (allocatable[name] ?? 0) === (expected.get(name) ?? 0),
  );
}

function without(configs: Configs, config: string): Configs {
  return Object.fromEntries(Object.entries(configs).filter(([name]) => name !== config));
}
