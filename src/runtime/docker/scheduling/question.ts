/**
 * The host and its tasks in the terms of the placement core: one node, a queue for each tenant, a gang for each task.
 *
 * Values that did not change are the same objects as before, so that the core's session follows only what changed.
 */
import {
  type AcceleratorRequest,
  type Amounts,
  type ClusterNode,
  type Gang,
  type Pod,
  type PodTemplate,
  type Queue,
  type Snapshot,
} from '../../../placement';
import { type Tenant, type TenantAmounts } from '../../../planning/runner-settings/settings';
import { type HostDevice, type Inventory } from '../devices/inventory';
import { type Task } from '../task/task';

export const NODE = 'host';
export const DEVICES = 'gpu';
const ROLE = 'container';
/** More containers than one host runs: the core counts them, and they are no limit here. */
const MOST_CONTAINERS = 1_000_000;

export interface World {
  readonly now: number;
  readonly inventory: Inventory;
  readonly reserved: { readonly cpus: number; readonly memoryBytes: number };
  readonly tenants: readonly Tenant[];
  readonly priorities: ReadonlyMap<string, number>;
  /** Tasks that hold something. */
  readonly active: readonly Task[];
  /** Tasks that could start, in the order of submission. */
  readonly waiting: readonly Task[];
  /** Stable names of devices that containers hold which are not the runner's. */
  readonly foreign: ReadonlySet<string>;
  /** Stable names of devices on which nothing starts. */
  readonly outOfService: ReadonlySet<string>;
}

/** @param known what the last question was made of */
export function snapshotOf(world: World, known: Known = new Known()): Snapshot {
  const tasks = [...world.active, ...world.waiting];
  const byDevice = isByDevice(world);
  return {
    now: world.now,
    nodes: [known.node(world, byDevice)],
    queues: known.queues(world),
    gangs: tasks.map((task) => known.gang(task, world, byDevice)),
    pods: [
      ...world.active.flatMap((task) => known.activePods(task)),
      ...world.waiting.flatMap((task) => known.waitingPods(task)),
      ...foreignPods(world),
    ],
  };
}

/** Whether a task avoids a device: then the core is asked for devices by name. */
export function isByDevice({ active, waiting }: World): boolean {
  const avoids = ({ avoid }: Task): boolean => avoid !== undefined && avoid.length > 0;
  return active.some(avoids) || waiting.some(avoids);
}

/** Values of earlier questions. */
export class Known {
  private readonly gangs = new WeakMap<Task, { readonly key: string; readonly gang: Gang }>();
  private readonly pods = new WeakMap<Task, readonly Pod[]>();
  private nodeKey = '';
  private lastNode: ClusterNode | undefined;
  private queueList: readonly Queue[] | undefined;
  private queueTenants: readonly Tenant[] | undefined;
  private inventory: Inventory | undefined;

  node(world: World, byDevice: boolean): ClusterNode {
    const { inventory, outOfService } = world;
    const key = JSON.stringify([[...outOfService].sort(), byDevice, world.reserved]);
    if (this.lastNode === undefined || this.inventory !== inventory || this.nodeKey !== key) {
      [this.inventory, this.nodeKey] = [inventory, key];
      this.lastNode = nodeOf(world, byDevice);
    }
    return this.lastNode;
  }

  queues({ tenants }: World): readonly Queue[] {
    if (this.queueList === undefined || this.queueTenants !== tenants) {
      this.queueTenants = tenants;
      this.queueList = tenants.map(queueOf);
    }
    return this.queueList;
  }

  gang(task: Task, world: World, byDevice: boolean): Gang {
    const key = byDevice ? 'device' : 'model';
    let entry = this.gangs.get(task);
    if (entry?.key !== key || byDevice) {
      entry = { key, gang: gangOf(task, world, byDevice) };
      this.gangs.set(task, entry);
    }
    return entry.gang;
  }

  activePods(task: Task): readonly Pod[] {
    return this.keptPods(task, () =>
      task.members
        .filter(({ state }) => state !== 'exited')
        .map(({ index, devices, startedAt }) => ({
          name: podName(task, index),
          gang: task.id,
          role: ROLE,
          node: NODE,
          state: task.state === 'stopping' ? 'releasing' : 'running',
          ...(devices.length === 0 ? {} : { devices }),
          startedAt: startedAt ?? task.placedAt ?? task.submittedAt,
          ...(task.stop === undefined ? {} : { releasedBy: task.stop.at + task.spec.graceSeconds * 1000 }),
          order: index,
        })),
    );
  }

  waitingPods(task: Task): readonly Pod[] {
    return this.keptPods(task, () =>
      Array.from({ length: task.spec.replicas }, (_, index) => ({
        name: podName(task, index),
        gang: task.id,
        role: ROLE,
        state: 'pending',
        order: index,
      })),
    );
  }

  /** The pods of a task that an earlier question was about. */
  podsOf(task: Task): readonly Pod[] {
    return this.pods.get(task) ?? [];
  }

  private keptPods(task: Task, make: () => readonly Pod[]): readonly Pod[] {
    let pods = this.pods.get(task);
    if (pods === undefined) {
      pods = make();
      this.pods.set(task, pods);
    }
    return pods;
  }
}

export function podName({ id }: Pick<Task, 'id'>, member: number): string {
  return `${id}/${member}`;
}

function nodeOf({ inventory, reserved, outOfService }: World, byDevice: boolean): ClusterNode {
  const { devices, cpus, memoryBytes, name } = inventory;
  return {
    name: NODE,
    pool: name,
    allocatable: {
      cpu: Math.max(0, cpus.length - reserved.cpus) * 1000,
      memory: Math.max(0, memoryBytes - reserved.memoryBytes),
      pods: MOST_CONTAINERS,
      [DEVICES]: devices.length,
    },
    deviceResource: DEVICES,
    devices: devices.map((device) => ({
      ...(byDevice ? { model: device.id } : device.model === undefined ? {} : { model: device.model }),
      ...(device.memoryMiB === undefined ? {} : { memoryMiB: device.memoryMiB }),
      ...(device.numa === undefined ? {} : { numa: device.numa }),
      ...(device.island === undefined ? {} : { island: device.island }),
      ...(device.mig === undefined ? {} : { mig: profileCounts(device) }),
      healthy: device.fault === undefined && !outOfService.has(device.id),
    })),
  };
}

function profileCounts({ mig = [] }: HostDevice): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  mig.forEach(({ profile }) => (counts[profile] = (counts[profile] ?? 0) + 1));
  return counts;
}

function queueOf({ name, weight, quota, limit }: Tenant): Queue {
  return {
    name,
    weight,
    ...(quota === undefined ? {} : { deserved: amountsOf(quota) }),
    ...(limit === undefined ? {} : { capability: amountsOf(limit) }),
  };
}

function amountsOf({ gpus, cpus, memoryBytes }: TenantAmounts): Amounts {
  return {
    ...(gpus === undefined ? {} : { [DEVICES]: gpus }),
    ...(cpus === undefined ? {} : { cpu: Math.round(cpus * 1000) }),
    ...(memoryBytes === undefined ? {} : { memory: memoryBytes }),
  };
}

function gangOf(task: Task, world: World, byDevice: boolean): Gang {
  const { spec, id, sequence } = task;
  const expectedSeconds = takesNothing(spec) ? 0 : spec.timeLimitSeconds;
  return {
    name: id,
    queue: spec.tenant,
    priority: world.priorities.get(spec.priority) ?? 0,
    // Of two tasks of one moment the first one submitted comes first: a clock that was set back must not turn the queue around.
    arrival: sequence,
    preemptible: spec.preemptible,
    ...(expectedSeconds === undefined ? {} : { expectedSeconds }),
    roles: [{ name: ROLE, count: spec.replicas, template: templateOf(task, world, byDevice) }],
  };
}

/** It delays no task for which the host is reserved, however long it runs. */
function takesNothing({ devices, cpus, memoryBytes }: Task['spec']): boolean {
  return devices.kind === 'none' && cpus === undefined && memoryBytes === undefined;
}

function templateOf(task: Task, world: World, byDevice: boolean): PodTemplate {
  const { cpus, memoryBytes } = task.spec;
  const accelerator = acceleratorOf(task, world, byDevice);
  return {
    request: {
      ...(cpus === undefined ? {} : { cpu: Math.round(cpus * 1000) }),
      ...(memoryBytes === undefined ? {} : { memory: memoryBytes }),
    },
    ...(accelerator === undefined ? {} : { accelerator }),
  };
}

function acceleratorOf({ spec, avoid = [] }: Task, world: World, byDevice: boolean): AcceleratorRequest | undefined {
  const { devices } = spec;
  if (devices.kind === 'none') {
    return undefined;
  }
  const models = byDevice ? allowedDevices(world.inventory, devices.models, avoid) : devices.models;
  const rest = models === undefined ? {} : { models };
  switch (devices.kind) {
    case 'whole':
      return { kind: 'whole', count: devices.count, ...rest };
    case 'memory':
      return { kind: 'memory', mebibytes: devices.mebibytes, ...rest };
    case 'mig':
      return { kind: 'mig', profile: devices.profile, count: devices.count, ...rest };
  }
}

/** Where a task avoids a device, each device is a model of its own. A task that failed on all of them may use all again. */
function allowedDevices(
  { devices }: Inventory,
  models: readonly string[] | undefined,
  avoid: readonly string[],
): readonly string[] {
  const fitting = devices.filter(
    ({ model }) => models === undefined || (model !== undefined && models.includes(model)),
  );
  const others = fitting.filter(({ id }) => !avoid.includes(id));
  return (others.length > 0 ? others : fitting).map(({ id }) => id);
}

/** Containers of others hold whole devices; what else they use is not known. */
function foreignPods({ inventory, foreign }: World): readonly Pod[] {
  return inventory.devices.flatMap(({ id, mig }, index) =>
    foreign.has(id) && mig === undefined
      ? [
          {
            name: `other containers on ${id}`,
            state: 'running' as const,
            node: NODE,
            devices: [index],
            template: { request: {}, accelerator: { kind: 'whole' as const, count: 1 } },
          },
        ]
      : [],
  );
}
