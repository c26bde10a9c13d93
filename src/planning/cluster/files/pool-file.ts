/**
 * One pool of a cluster file: alike nodes with their devices, labels and places.
 */
import { type JsonObject } from '../../../facts/api/schema';
import {
  acceleratorProblem,
  acceleratorsNamed,
  findAccelerator,
  type KnownAcceleratorFacts,
  migResource,
  parseMigProfile,
  uniformMigConfigs,
  VENDORS,
} from '../../../facts/catalog';
import { memoryMiBOf } from '../../../facts/catalog/reported-memory';
import { type Amounts, type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device, type Taint } from '../../../placement';

import { type Fields } from './fields';
import { claimableOf, driverOf, sliceOfNode } from './pool-slices';
import { addTo } from '../../../manifests/pods/resource-amounts';
import { taintEffect } from '../objects/selectors';

export interface Pool {
  readonly name: string;
  readonly nodes: readonly ClusterNode[];
  readonly levels: readonly PoolLevel[];
  /** ResourceSlices of its nodes, where a DRA driver publishes the devices. */
  readonly slices: readonly JsonObject[];
}

/** Adjacent nodes share a domain of a level. */
export interface PoolLevel {
  readonly label: string;
  /** Nodes of one domain. */
  readonly size: number;
  /** `#` represents the number of the domain, from 1; `##` for two digits of it. */
  readonly pattern: string;
}

/** The members that describe places, and the node label of each; outermost first. */
export const LEVELS = [
  { member: 'zones', label: 'topology.kubernetes.io/zone', word: 'zone' },
  { member: 'blocks', label: 'cloud.provider.com/topology-block', word: 'block' },
  { member: 'racks', label: 'cloud.provider.com/topology-rack', word: 'rack' },
] as const;

/** What a node has where the file does not say: a host of the usual size for its devices. */
const CPU = { perDevice: 16_000, alone: 32_000 };
const MEMORY = { perDevice: 128 * 2 ** 30, alone: 128 * 2 ** 30 };
const PODS = 110;
/** Nodes of all pools. Every node and device is held in memory; no cluster has more. */
export const MOST_NODES = 100_000;
const MOST_DEVICES = 1024;

/** @param mostNodes nodes that the cluster may still have */
export function readPool(fields: Fields, mostNodes = MOST_NODES): Pool {
  const wanted = fields.number('count', { least: 1, most: MOST_NODES, whole: true }) ?? 1;
  if (wanted > mostNodes) {
    fields.wrong('count', wanted, `at most ${mostNodes}, because all pools together can have ${MOST_NODES} nodes`);
  }
  return readPoolOf(fields, Math.min(wanted, mostNodes));
}

/** A pool of the given number of nodes. */
export function readPoolOf(fields: Fields, count: number): Pool {
  const name = fields.required('name');
  const { devices, resource, labels: deviceLabels, migConfigs, published } = readDevices(fields);
  const levels = readLevels(fields, count, name);
  const pattern = fields.text('names') ?? `${name}-#`;
  if (count > 1 && !pattern.includes('#')) {
    fields.wrong('names', pattern, 'a string that contains #, the number of the node');
  }
  const labels = { ...deviceLabels, ...fields.map('labels') };
  const taints = readTaints(fields);
  const used = fields.amounts('used', resource);
  const allocatable = readAmounts(fields, devices, resource);
  const nodes = Array.from({ length: count }, (_, index): ClusterNode => {
    const nodeName = numbered(pattern, index + 1, count);
    const places = Object.fromEntries(
      levels.map((level) => [level.label, numbered(level.pattern, Math.floor(index / level.size) + 1, 1)]),
    );
    return {
      name: nodeName,
      allocatable,
      ...(used !== undefined && { used }),
      labels: { 'kubernetes.io/hostname': nodeName, ...places, ...labels },
      pool: name,
      ...(taints.length > 0 && { taints }),
      ...(devices.length > 0 && { devices, deviceResource: resource, ...(migConfigs !== undefined && { migConfigs }) }),
      ...(published !== undefined && { claimable: claimableOf(nodeName, published.driver, devices.length) }),
    };
  });
  const marked = mark(fields, nodes);
  fields.done();
  const slices =
    published === undefined
      ? []
      : nodes.map((node) => sliceOfNode(node.name, published.facts, published.product, devices));
  return { name, nodes: marked, levels, slices };
}

/** `#` as the number, with as many digits as the largest number needs; `###` with three digits. */
function numbered(pattern: string, number: number, most: number): string {
  return pattern.replace(/#+/g, (digits) =>
    String(number).padStart(digits.length === 1 ? String(most).length : digits.length, '0'),
  );
}

interface PoolDevices {
  readonly devices: readonly Device[];
  readonly resource: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly migConfigs?: ClusterNode['migConfigs'];
  readonly published?: PublishedDevices;
}

/** Devices that pods get by claim. */
interface PublishedDevices {
  readonly driver: string;
  readonly facts: KnownAcceleratorFacts;
  readonly product: string;
}

function readDevices(fields: Fields): PoolDevices {
  const accelerator = fields.text('accelerator');
  const facts = accelerator === undefined ? undefined : findAccelerator(accelerator);
  const perNode =
    fields.number('perNode', { least: 0, most: MOST_DEVICES, whole: true }) ?? (accelerator === undefined ? 0 : 8);
  const resource = fields.text('resource') ?? facts?.resource ?? DEFAULT_DEVICE_RESOURCE;
  const memoryMiB =
    fields.number('memoryMiB', { least: 1, whole: true }) ?? (facts === undefined ? undefined : memoryMiBOf(facts));
  const product = fields.text('product') ?? usualProduct(facts, accelerator);
  const numaNodes = fields.number('numaNodes', { least: 1, whole: true }) ?? usualNumaNodes(facts, perNode);
  const islandSize = fields.number('islandSize', { least: 1, whole: true }) ?? usualIsland(facts);
  const replicas = fields.number('replicas', { least: 2, most: MOST_DEVICES, whole: true });
  const mig = readMig(fields);
  if (perNode > 0 || accelerator !== undefined) {
    requireKnown(fields, { accelerator, resource, isKnown: facts !== undefined || memoryMiB !== undefined });
  }
  // Replicas under the name of the devices are requested, and counted, like devices.
  const parts = replicas !== undefined && resource === DEFAULT_DEVICE_RESOURCE ? replicas : 1;
  if (perNode * parts > MOST_DEVICES) {
    fields.wrong('replicas', parts, `at most ${Math.floor(MOST_DEVICES / perNode)} for ${perNode} devices`);
  }
  const deviceOf = (index: number): Device => ({
    ...(accelerator !== undefined && { model: facts?.name ?? accelerator }),
    ...(memoryMiB !== undefined && { memoryMiB: Math.floor(memoryMiB / parts) }),
    ...(numaNodes !== undefined && { numa: Math.floor((index * numaNodes) / perNode) }),
    ...(islandSize !== undefined && { island: String(Math.floor(index / islandSize)) }),
    ...(replicas !== undefined && parts === 1 && { replicas }),
    ...(mig !== undefined && { mig }),
  });
  const most = Math.min(perNode * parts, MOST_DEVICES);
  const devices = Array.from({ length: most }, (_, index) => deviceOf(Math.floor(index / parts)));
  return {
    devices,
    resource,
    migConfigs: readMigManager(fields, facts),
    published: readDriver(fields, facts, product),
    labels: devices.length === 0 ? {} : deviceLabels(resource, facts, { product, perNode, memoryMiB, replicas }),
  };
}

interface NamedAccelerator {
  readonly accelerator: string | undefined;
  readonly resource: string;
  /** Its memory is known, by the catalog or by the file. */
  readonly isKnown: boolean;
}

/** Reports devices without a name, and names that mean nothing or several accelerators. */
function requireKnown(fields: Fields, { accelerator, resource, isKnown }: NamedAccelerator): void {
  if (accelerator === undefined) {
    fields.wrongAt(
      'accelerator',
      'is required; name the device, such as H100-SXM-80GB (`gantry catalog accelerators`)',
    );
    return;
  }
  if (!isKnown && (acceleratorsNamed(accelerator).length > 0 || resource === DEFAULT_DEVICE_RESOURCE)) {
    fields.wrong(
      'accelerator',
      accelerator,
      'an accelerator of the catalog, or any name together with memoryMiB',
      `: ${acceleratorProblem(accelerator) ?? ''}`,
    );
  }
}

/** The product label: the accelerator as it is named, if that is a label; else the usual one of its kind. */
function usualProduct(facts: KnownAcceleratorFacts | undefined, accelerator: string | undefined): string | undefined {
  return facts?.productLabels.find((label) => label === accelerator) ?? facts?.productLabels[0] ?? accelerator;
}

interface NvidiaNode {
  readonly product: string | undefined;
  readonly perNode: number;
  readonly memoryMiB: number | undefined;
  /** Pods that share a device, where they do. */
  readonly replicas: number | undefined;
  readonly family: string | undefined;
  /** Shares have a resource name of their own. */
  readonly isRenamed: boolean;
}

/** Devices of the usual node of an accelerator are distributed evenly on its NUMA nodes; of other nodes nothing is known. */
function usualNumaNodes(facts: KnownAcceleratorFacts | undefined, perNode: number): number | undefined {
  return facts?.host?.devices === perNode ? facts.host.numaNodes : undefined;
}

function usualIsland(facts: KnownAcceleratorFacts | undefined): number | undefined {
  return facts === undefined || facts.fabric.island === 1 ? undefined : facts.fabric.island;
}

/** What feature discovery, node labellers, and clouds write on such nodes. */
function deviceLabels(
  resource: string,
  facts: KnownAcceleratorFacts | undefined,
  { product, perNode, memoryMiB, replicas }: Omit<NvidiaNode, 'family' | 'isRenamed'>,
): Readonly<Record<string, string>> {
  if (resource === DEFAULT_DEVICE_RESOURCE || facts?.vendor === 'nvidia') {
    const isRenamed = resource !== DEFAULT_DEVICE_RESOURCE;
    return nvidiaLabels({ product, perNode, memoryMiB, replicas, family: facts?.architecture, isRenamed });
  }
  if (facts === undefined) {
    return {};
  }
  const { presentLabel } = VENDORS[facts.vendor];
  // The label of Ascend names the resource; that of TPUs is the product label itself.
  const present = facts.vendor === 'huawei' ? resource.replace('huawei.com/', 'huawei-') : (presentLabel?.value ?? '');
  return {
    ...(presentLabel !== undefined && !present.startsWith('<') && { [presentLabel.key]: present }),
    ...(facts.productLabelKey !== undefined && product !== undefined && { [facts.productLabelKey]: product }),
    ...(facts.vendor === 'amd' &&
      memoryMiB !== undefined && { 'amd.com/gpu.vram': `${Math.round(memoryMiB / 1024)}G` }),
  };
}

/** What GPU feature discovery writes on such nodes; that they share by time-slicing, unless the labels of the pool say otherwise. */
function nvidiaLabels(node: NvidiaNode): Readonly<Record<string, string>> {
  const { product, perNode, memoryMiB, replicas, family, isRenamed } = node;
  const productSuffix = replicas === undefined || isRenamed ? '' : '-SHARED';
  return {
    'nvidia.com/gpu.present': 'true',
    'nvidia.com/gpu.count': String(perNode),
    ...(product !== undefined && { 'nvidia.com/gpu.product': `${product}${productSuffix}` }),
    ...(memoryMiB !== undefined && { 'nvidia.com/gpu.memory': String(memoryMiB) }),
    ...(family !== undefined && { 'nvidia.com/gpu.family': family }),
    ...(replicas !== undefined && {
      'nvidia.com/gpu.replicas': String(replicas),
      'nvidia.com/gpu.sharing-strategy': 'time-slicing',
    }),
  };
}

function readMig(fields: Fields): Readonly<Record<string, number>> | undefined {
  const layout = fields.fields('mig');
  if (layout === undefined) {
    return undefined;
  }
  const mig: Record<string, number> = {};
  for (const profile of Object.keys(fields.raw('mig') as object)) {
    if (parseMigProfile(profile) === undefined) {
      layout.wrongAt(profile, 'is not a MIG profile; write for example 1g.10gb');
    }
    mig[profile] = layout.number(profile, { least: 1, most: MOST_DEVICES, whole: true }) ?? 1;
  }
  return mig;
}

/** Whether the vendor's DRA driver publishes the devices, which it does for whole ones. */
function readDriver(
  fields: Fields,
  facts: KnownAcceleratorFacts | undefined,
  product: string | undefined,
): PublishedDevices | undefined {
  if (fields.flag('draDriver') !== true) {
    return undefined;
  }
  const driver = facts === undefined ? undefined : driverOf(facts);
  const other = ['mig', 'migManager', 'replicas'].find((key) => fields.raw(key) !== undefined);
  if (other !== undefined) {
    fields.wrongAt('draDriver', `must not be set together with ${other}, because its devices are whole accelerators`);
  } else if (facts === undefined || driver === undefined) {
    fields.wrong('draDriver', true, 'false, or an accelerator of NVIDIA or AMD from the catalog');
  }
  return facts === undefined || driver === undefined ? undefined : { driver, facts, product: product ?? facts.name };
}

/** The configurations of a MIG manager that has its built-in file. */
function readMigManager(fields: Fields, facts: KnownAcceleratorFacts | undefined): ClusterNode['migConfigs'] {
  if (fields.flag('migManager') !== true) {
    return undefined;
  }
  const profiles = facts?.mig ?? [];
  if (profiles.length === 0) {
    fields.wrong('migManager', true, 'false, because the accelerator has no MIG profiles in the catalog');
  }
  return uniformMigConfigs(profiles);
}

function readAmounts(fields: Fields, devices: readonly Device[], resource: string): Amounts {
  const count = devices.length;
  const own = fields.amounts('resources', resource) ?? {};
  const read = (key: 'cpu' | 'memory', usual: { readonly perDevice: number; readonly alone: number }): number => {
    const value = fields.raw(key);
    return value === undefined ? Math.max(usual.alone, usual.perDevice * count) : fields.amountOf(key, value, key);
  };
  const amounts: Record<string, number> = {
    cpu: read('cpu', CPU),
    memory: read('memory', MEMORY),
    pods: fields.number('pods', { least: 1, whole: true }) ?? PODS,
    // Disks are seldom what decides; who wants them to says so in `resources`.
    'ephemeral-storage': 2 ** 42,
  };
  const divided = devices.filter(({ mig }) => mig !== undefined);
  if (count > divided.length) {
    amounts[resource] = count - divided.length;
  }
  for (const { mig } of divided) {
    addTo(amounts, Object.fromEntries(Object.entries(mig!).map(([profile, each]) => [migResource(profile), each])));
  }
  return { ...amounts, ...own };
}

function readLevels(fields: Fields, count: number, pool: string): readonly PoolLevel[] {
  const named = LEVELS.flatMap(({ member, label, word }): PoolLevel[] => {
    const value = fields.raw(member);
    if (value === undefined) {
      return [];
    }
    if (typeof value === 'number') {
      const domains = fields.number(member, { least: 1, whole: true }) ?? 1;
      return [{ label, size: Math.ceil(count / domains), pattern: `${word}-#` }];
    }
    const level = fields.fields(member)!;
    return [readLevel(level, count, `${word}-#`, level.text('label') ?? label)];
  });
  const others = fields.list('domains').map((level) => readLevel(level, count, `${pool}-#`, level.required('label')));
  return [...named, ...others];
}

function readLevel(fields: Fields, nodes: number, usual: string, label: string): PoolLevel {
  const size = fields.number('size', { least: 1, whole: true });
  const count = fields.number('count', { least: 1, whole: true });
  const pattern = fields.text('name') ?? usual;
  if (size !== undefined && count !== undefined) {
    fields.wrongAt('', 'must not set both size and count, because each follows from the other');
  }
  fields.done();
  const own = size ?? Math.ceil(nodes / (count ?? 1));
  if (own < nodes && !pattern.includes('#')) {
    fields.wrong('name', pattern, 'a string that contains #, the number of the domain');
  }
  return { label, size: own, pattern };
}

/** `key=value:Effect` or `key:Effect`, as kubectl writes them. */
function readTaints(fields: Fields): readonly Taint[] {
  return (fields.texts('taints') ?? []).flatMap((text): Taint[] => {
    const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
    const known = taintEffect(effect);
    if (key !== undefined && known !== undefined) {
      return [{ key, ...(value !== undefined && { value }), effect: known }];
    }
    fields.wrong(
      'taints',
      text,
      'key=value:EFFECT or key:EFFECT, where EFFECT is NoSchedule, PreferNoSchedule, or NoExecute',
    );
    return [];
  });
}

/** Nodes that are cordoned or broken, by name. */
function mark(fields: Fields, nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const names = nodes.map(({ name }) => name);
  const said = (key: 'cordoned' | 'notReady'): ReadonlySet<string> => {
    const list = fields.texts(key) ?? [];
    for (const name of list) {
      if (!names.includes(name)) {
        fields.wrong(key, name, `a node of this pool: ${names[0]}${names.length > 1 ? ` to ${names.at(-1)}` : ''}`);
      }
    }
    return new Set(list);
  };
  const cordoned = said('cordoned');
  const notReady = said('notReady');
  return nodes.map((node) => ({
    ...node,
    ...(cordoned.has(node.name) && { unschedulable: true }),
    ...(notReady.has(node.name) && { ready: false }),
  }));
}
