/**
 * Why a task waits and what would help, in the words of one host: the placement core speaks of nodes, pods, gangs, and queues.
 */
import { type Constraint, type Counterfactual, type PendingGang, type PendingKind } from '../../../placement';
import { amountText } from '../../../planning/cluster';
import { type Inventory } from '../devices/inventory';
import { isOfModels } from '../devices/model-names';
import { DEVICES } from '../scheduling/question';
import { type DeviceRequest, type TaskSpec } from '../task/task';

const UNITS: ReadonlyMap<string, string> = new Map([
  ['cpu', 'CPU'],
  [DEVICES, 'GPU'],
]);

/** What a task could have of the host if nothing else ran. */
export interface Capacity {
  readonly inventory: Inventory;
  readonly reserved: { readonly cpus: number; readonly memoryBytes: number };
}

/** What the host does not have, however empty it is; `undefined` if the task can start some day. */
export function neverText(spec: TaskSpec, capacity: Capacity): string | undefined {
  return devicesNever(spec, capacity.inventory) ?? amountsNever(spec, capacity);
}

function devicesNever({ devices: request, replicas }: TaskSpec, { devices }: Inventory): string | undefined {
  if (request.kind === 'none') {
    return undefined;
  }
  const { models } = request;
  const fitting = devices.filter(({ model }) => isOfModels(model, models));
  if (devices.length === 0) {
    return 'the host has no devices';
  }
  if (models !== undefined && fitting.length === 0) {
    const known = distinct(devices.flatMap(({ model }) => model ?? []));
    return known === ''
      ? 'the models of its devices are unknown: state them as "model" under "devices" in runner.yaml'
      : `the host has no device of the model ${models.join(' or ')}, only ${known}`;
  }
  switch (request.kind) {
    case 'whole': {
      const needed = request.count * replicas;
      const all = fitting.filter(({ mig }) => mig === undefined).length;
      return needed > all ? `it needs ${amount(DEVICES, needed)}${ofModels(request)}; the host has ${all}` : undefined;
    }
    case 'memory': {
      const known = fitting.flatMap(({ memoryMiB }) => memoryMiB ?? []);
      const needed = mebibytes(request.mebibytes);
      if (known.length === 0) {
        return 'the memory of its devices is unknown: state it as "memory" under "devices" in runner.yaml';
      }
      const largest = Math.max(...known);
      return request.mebibytes > largest
        ? `it needs ${needed} of one device; the largest has ${mebibytes(largest)}`
        : undefined;
    }
    case 'mig': {
      const profiles = fitting.flatMap(({ mig = [] }) => mig.map(({ profile }) => profile));
      const all = profiles.filter((profile) => profile === request.profile).length;
      const needed = request.count * replicas;
      return needed > all
        ? `it needs ${needed} MIG ${needed === 1 ? 'instance' : 'instances'} ${request.profile}; the host has ${all === 0 && profiles.length > 0 ? distinct(profiles) : all}`
        : undefined;
    }
  }
}

function amountsNever({ cpus = 0, memoryBytes = 0, replicas }: TaskSpec, capacity: Capacity): string | undefined {
  const { inventory, reserved } = capacity;
  const pairs = [
    ['cpu', cpus * replicas * 1000, (inventory.cpus.length - reserved.cpus) * 1000],
    ['memory', memoryBytes * replicas, inventory.memoryBytes - reserved.memoryBytes],
  ] as const;
  const short = pairs.find(([, needed, all]) => needed > all);
  return short === undefined
    ? undefined
    : `it needs ${amount(short[0], short[1])}; tasks may use ${amountText(short[0], Math.max(0, short[2]))} on this host`;
}

type Reason = (waits: PendingGang, spec: TaskSpec, first: string | undefined) => string;

/** The reasons that a single host has. */
const REASONS: Readonly<Partial<Record<PendingKind, Reason>>> = {
  'queue-capability': ({ counterfactuals }, { tenant }) => {
    const [raise] = counterfactuals.flatMap((change) => (change.kind === 'raise-capability' ? change.raises : []));
    const by = raise === undefined ? '' : ` by ${amount(raise.resource, raise.by)}`;
    return `it would exceed the limit of tenant ${tenant}${by}`;
  },
  'quota-of-non-preemptible': (_, { tenant }) =>
    `the quota of tenant ${tenant} is in use, and only preemptible tasks may exceed it`,
  'unknown-queue': (_, { tenant }) => `tenant ${tenant} is no longer in runner.yaml`,
  reserved: (_, __, first) =>
    `it fits, but would delay ${first === undefined ? 'a task before it' : `task ${first}`}, for which devices are reserved`,
  'no-fit': (waits, spec) => {
    const { replicas } = spec;
    const some = replicas > 1 && waits.fits > 0 ? `only ${waits.fits} of ${replicas} containers fit: ` : '';
    return `${some}${shortageText(waits, spec)}`;
  },
};

/** Why a task that can start some day waits now. @param first the task for which devices are reserved */
export function waitingText(waits: PendingGang | undefined, spec: TaskSpec, first?: string): string {
  return waits === undefined || waits.kind === 'outranked'
    ? 'tasks ahead of it take the free devices'
    : (REASONS[waits.kind]?.(waits, spec, first) ?? waits.message);
}

function shortageText({ blocked: [first], nearest, message }: PendingGang, { devices }: TaskSpec): string {
  if (first === undefined) {
    return message;
  }
  const { constraint, detail = '' } = first;
  const missing = nearest?.missing;
  const more = (resource: string): string =>
    missing === undefined ? '' : `; it needs ${amountText(resource, missing)} more`;
  const texts: Partial<Record<Constraint, string>> = {
    devices: `too few devices${ofModels(devices)} are free${more(DEVICES)}`,
    'device-model': `no device${ofModels(devices)} is free`,
    'device-memory': 'no device has enough memory free',
    'mig-profile': `no MIG instance ${detail} is free`,
    resources: `${detail === 'cpu' ? 'too few CPUs are' : 'too little memory is'} free${more(detail)}`,
  };
  return texts[constraint] ?? message;
}

/** `" of the model H100 or A100"`; nothing where the task takes any. */
function ofModels(devices: DeviceRequest): string {
  const models = devices.kind === 'none' ? undefined : devices.models;
  return models === undefined ? '' : ` of the model ${models.join(' or ')}`;
}

/** A change that would help, as a sentence; `undefined` for one that a single host does not have. */
export function helpText(change: Counterfactual, { replicas, tenant }: TaskSpec): string | undefined {
  if (change.kind === 'more-on-node') {
    return `Fits with ${amount(change.resource, change.amount, ' more')}.`;
  }
  if (change.kind === 'fewer-pods') {
    return `Fits with ${replicas - change.by} of its ${replicas} containers.`;
  }
  if (change.kind === 'raise-capability') {
    const raises = change.raises.map(({ resource, by }) => amount(resource, by));
    return `Fits if the limit of tenant ${tenant} is raised by ${raises.join(' and ')}.`;
  }
  if (change.kind === 'make-preemptible') {
    return 'Starts above the quota of its tenant with --preemptible.';
  }
  return change.kind === 'wait-until' ? 'Starts when running tasks have reached their time limits.' : undefined;
}

/** `2 GPUs`, `1 more CPU`, `64Gi of memory`. */
function amount(resource: string, value: number, more = ''): string {
  const text = amountText(resource, value);
  const name = UNITS.get(resource);
  return name === undefined
    ? `${text}${more || ' of'} ${resource}`
    : `${text}${more} ${name}${text === '1' ? '' : 's'}`;
}

function mebibytes(value: number): string {
  return amountText('memory', value * 2 ** 20);
}

function distinct(names: readonly string[]): string {
  return [...new Set(names)].sort().join(', ');
}
