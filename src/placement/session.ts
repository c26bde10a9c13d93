/**
 * One decision's world, made from a snapshot: node columns, pod classes, records of queues and gangs, and every running pod on the books.
 *
 * O(nodes + devices + pods). What depends on a class and a node alone is worked out when it is first asked for.
 */
import { type Constraint } from './decision';
import { staticRow } from './filters/static';
import { PodsOnNodes } from './filters/pods-on-nodes';
import { type Gang, type Pod, type PodTemplate, type Queue, type Role, type Snapshot, type Subgroup } from './model';
import { compareNames } from './names';
import { clusterTotal, NodeTable } from './node-table';
import { canonicalText, nodeConstraints, type PodClass, PodClasses } from './pod-class';
import { type Policy } from './policy';
import {
  ELSEWHERE,
  type GangRecord,
  NOWHERE,
  type PodRecord,
  podOrder,
  type QueueRecord,
  type RoleRecord,
  type Turn,
  type UnitRecord,
} from './records';
import { Ledger } from './ledger';
import { TopologyTrees } from './domains';

/** The snapshot contradicts itself. The message names the pod or gang and what is missing. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export class Session {
  readonly now: number;
  readonly table: NodeTable;
  readonly classes: PodClasses;
  readonly others: PodsOnNodes;
  readonly ledger: Ledger;
  readonly topologies: TopologyTrees;
  /** What queues are charged in. */
  readonly accounts: readonly string[];
  /** What the cluster has, by account. */
  readonly totals: Float64Array;
  /** Pods that are on their way out. */
  readonly leaving: readonly PodRecord[];
  readonly queues: readonly QueueRecord[];
  readonly gangs: readonly GangRecord[];
  readonly pods: readonly PodRecord[];
  /** Gangs whose end is known while they run. */
  readonly timed: readonly GangRecord[];
  /** How many pods there are of each class, running or not. */
  readonly classCounts = new Map<PodClass, number>();
  /** What gangs without running pods need to start. */
  readonly firstTurns = new Map<GangRecord, Turn>();
  private readonly kinds = new Map<string, number>();
  private readonly staticRows: (Uint8Array | undefined)[] = [];
  /** Classes that ask the same of a node share a row. */
  private readonly staticKinds = new Map<string, Uint8Array>();

  constructor(
    readonly snapshot: Snapshot,
    readonly policy: Policy,
  ) {
    this.now = snapshot.now;
    const templates = new Set<PodTemplate>();
    // In the order of names, so that classes have the same numbers whatever the order of the snapshot.
    byName(snapshot.gangs).forEach(({ roles }) => roles.forEach(({ template }) => templates.add(template)));
    byName(snapshot.pods.filter(({ template }) => template !== undefined)).forEach(({ template }) =>
      templates.add(template!),
    );

    const requested = new Set([...templates].flatMap(({ request }) => Object.keys(request)));
    this.table = new NodeTable(snapshot, policy.capacityReportSeconds, requested);
    this.classes = new PodClasses(this.table, templates);
    templates.forEach((template) => this.classes.of(template));
    this.others = new PodsOnNodes(this.table);
    this.others.register(this.classes.list);
    this.topologies = new TopologyTrees(this.table, snapshot.topologies ?? []);

    this.accounts = accountNames(this.classes.list, snapshot.queues);
    this.totals = Float64Array.from(this.accounts, (name) => clusterTotal(this.table, name));
    this.queues = queueRecords(snapshot.queues, this.accounts);
    this.ledger = new Ledger(this.table, this.others, this.accounts);

    const pods: PodRecord[] = [];
    this.gangs = this.gangRecords(pods);
    this.timed = this.gangs.filter(({ gang }) => gang.expectedSeconds !== undefined);
    this.foreignPods(pods);
    this.pods = pods;
    this.leaving = pods.filter(({ releasing, stuck }) => releasing && !stuck);
    // First those whose devices are known, so that no other pod gets one of them.
    for (const pod of [...pods].sort(
      (a, b) => Number(b.devices.length > 0) - Number(a.devices.length > 0) || a.index - b.index,
    )) {
      const row = pod.row;
      if (row !== NOWHERE) {
        const devices = pod.devices;
        pod.row = NOWHERE;
        this.ledger.load(pod, row, devices);
      }
    }
    this.requested();
  }

  /** The class with another template, which must differ in what it asks of nodes alone. */
  variant(podClass: PodClass, template: PodTemplate): PodClass {
    const made = this.classes.of(template);
    this.others.registerLike(made, podClass);
    return made;
  }

  /** Codes of `STATIC_CONSTRAINTS` by row. */
  staticRow(podClass: PodClass): Uint8Array {
    return (this.staticRows[podClass.id] ??= this.sharedStaticRow(podClass));
  }

  private sharedStaticRow(podClass: PodClass): Uint8Array {
    const { template, accelerator, models, deviceCount, deviceResource } = podClass;
    const key = canonicalText([nodeConstraints(template), accelerator?.models, models && deviceCount, deviceResource]);
    const row = this.staticKinds.get(key) ?? staticRow(this.table, podClass);
    this.staticKinds.set(key, row);
    return row;
  }

  /** Everything but resources and devices, which the ledger knows. */
  allowed(podClass: PodClass, row: number): boolean {
    return (
      this.staticRow(podClass)[row] === 0 &&
      (!this.others.active || this.others.constraint(podClass, row) === undefined)
    );
  }

  dynamicConstraint(podClass: PodClass, row: number): Constraint | undefined {
    return this.others.active ? this.others.constraint(podClass, row) : undefined;
  }

  private gangRecords(pods: PodRecord[]): GangRecord[] {
    const queues = new Map(this.queues.map((record) => [record.queue.name, record]));
    const listed = new Map<string, Pod[]>();
    for (const pod of this.snapshot.pods) {
      if (pod.gang !== undefined) {
        const list = listed.get(pod.gang);
        if (list === undefined) {
          listed.set(pod.gang, [pod]);
        } else {
          list.push(pod);
        }
      }
    }
    const gangs = [...this.snapshot.gangs].sort((a, b) => compareNames(a.name, b.name));
    const records = gangs.map((gang, index) => {
      const record = gangRecord(gang, index, queues.get(gang.queue));
      const own = listed.get(gang.name) ?? [];
      listed.delete(gang.name);
      for (const role of record.roles) {
        this.rolePods(
          role,
          own.filter((pod) => (pod.role ?? record.roles[0].role.name) === role.role.name),
          pods,
        );
      }
      const lost = own.find((pod) => pod.role !== undefined && !gang.roles.some(({ name }) => name === pod.role));
      if (lost !== undefined) {
        throw new SnapshotError(
          `Pod "${lost.name}" names role "${lost.role}", which gang "${gang.name}" does not have.`,
        );
      }
      record.kind = this.kindOf(record);
      return record;
    });
    for (const [name, [pod]] of listed) {
      throw new SnapshotError(`Pod "${pod.name}" names gang "${name}", which is not in the snapshot.`);
    }
    return records;
  }

  /** Gangs of one kind fit or do not fit alike. */
  private kindOf({ gang, roles, root }: GangRecord): number | undefined {
    const stated = (unit: UnitRecord): boolean => unit.minimum !== undefined || unit.children.some(stated);
    const alike = roles.every(
      ({ pods, minimum }) =>
        minimum === pods.length && pods.every(({ existed, podClass }) => !existed && podClass === pods[0].podClass),
    );
    if (!alike || stated(root) || this.others.active) {
      return undefined;
    }
    const text = canonicalText([
      gang.topology,
      gang.subgroups,
      roles.map(({ role, pods }) => [pods[0]?.podClass.id, pods.length, role.topology, role.subgroup, role.leader]),
    ]);
    const kind = this.kinds.get(text) ?? this.kinds.size;
    this.kinds.set(text, kind);
    return kind;
  }

  private rolePods(role: RoleRecord, listed: readonly Pod[], pods: PodRecord[]): void {
    const sorted = [...listed].sort((a, b) => podOrder(a) - podOrder(b) || compareNames(a.name, b.name));
    const taken = new Set(sorted.map(({ name }) => name));
    for (const pod of sorted) {
      role.pods.push(this.podRecord(pod, role, pods.length));
      pods.push(role.pods[role.pods.length - 1]);
    }
    for (let i = 0; role.pods.length < role.role.count; i++) {
      const name = `${role.gang.gang.name}-${role.role.name}-${i}`;
      if (!taken.has(name)) {
        role.pods.push(this.podRecord({ name, state: 'pending' }, role, pods.length));
        pods.push(role.pods[role.pods.length - 1]);
      }
    }
  }

  private foreignPods(pods: PodRecord[]): void {
    for (const pod of [...this.snapshot.pods].sort((a, b) => compareNames(a.name, b.name))) {
      if (pod.gang === undefined && pod.state !== 'pending') {
        if (pod.template === undefined) {
          throw new SnapshotError(`Pod "${pod.name}" has neither a gang nor a template, so its requests are unknown.`);
        }
        pods.push(this.podRecord(pod, undefined, pods.length));
      }
    }
  }

  private podRecord(pod: Pod, role: RoleRecord | undefined, index: number): PodRecord {
    const podClass = this.classes.of(pod.template ?? role!.template);
    if (role !== undefined) {
      this.classCounts.set(podClass, (this.classCounts.get(podClass) ?? 0) + 1);
    }
    const existed = pod.state !== 'pending' && pod.node !== undefined;
    const row = existed ? (this.table.rows.get(pod.node) ?? ELSEWHERE) : NOWHERE;
    const start = row >= 0 ? this.table.deviceStart[row] : 0;
    return {
      index,
      name: pod.name,
      role,
      podClass,
      startedAt: pod.startedAt ?? role?.gang.arrival ?? 0,
      preemptible: role !== undefined && (pod.preemptible ?? role.gang.preemptible),
      existed,
      releasing: existed && pod.state === 'releasing',
      stuck: pod.releasedBy !== undefined && this.now - pod.releasedBy > this.policy.stuckSeconds * 1000,
      waits: !existed,
      row,
      devices: row >= 0 ? slotsOf(pod.devices ?? [], start, this.table.deviceStart[row + 1]) : [],
    };
  }

  /** What each queue could use: everything that runs or waits in it and below. */
  private requested(): void {
    for (const { queue, roles } of this.gangs) {
      for (const { pods } of roles) {
        for (const { podClass, releasing } of pods) {
          const { ids, amounts } = this.ledger.charge(podClass);
          for (let at = releasing ? undefined : queue; at !== undefined; at = at.parent) {
            for (let i = 0; i < ids.length; i++) {
              at.requested[ids[i]] += amounts[i];
            }
          }
        }
      }
    }
  }
}

/** The slots of a node's devices; none where one of the indices is not of this node, since it would be another node's. */
function slotsOf(devices: readonly number[], start: number, end: number): readonly number[] {
  const isOfNode = (device: number): boolean => Number.isInteger(device) && device >= 0 && device < end - start;
  return devices.every(isOfNode) ? devices.map((device) => start + device) : [];
}

function byName<T extends { readonly name: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => compareNames(a.name, b.name));
}

function accountNames(classes: readonly PodClass[], queues: readonly Queue[]): string[] {
  const names = new Set<string>(['cpu', 'memory']);
  classes.forEach(({ charge }) => charge.forEach((_, name) => names.add(name)));
  queues.forEach((queue) =>
    [queue.deserved, queue.guarantee, queue.capability].forEach((amounts) =>
      Object.keys(amounts ?? {}).forEach((name) => names.add(name)),
    ),
  );
  return [...names].sort(compareNames);
}

function queueRecords(queues: readonly Queue[], accounts: readonly string[]): QueueRecord[] {
  const byName = new Map(queues.map((queue) => [queue.name, queue]));
  const records = new Map<string, QueueRecord>();
  const make = (queue: Queue, path: readonly string[]): QueueRecord => {
    const known = records.get(queue.name);
    if (known !== undefined) {
      return known;
    }
    if (path.includes(queue.name)) {
      throw new SnapshotError(`Queue "${queue.name}" is its own ancestor: ${[...path, queue.name].join(' -> ')}.`);
    }
    const parentQueue = queue.parent === undefined ? undefined : byName.get(queue.parent);
    const parent = parentQueue === undefined ? undefined : make(parentQueue, [...path, queue.name]);
    const record: QueueRecord = {
      index: records.size,
      queue,
      parent,
      children: [],
      depth: parent === undefined ? 0 : parent.depth + 1,
      allocated: new Float64Array(accounts.length),
      nonPreemptible: new Float64Array(accounts.length),
      requested: new Float64Array(accounts.length),
      fairShare: new Float64Array(accounts.length),
      deserved: Float64Array.from(accounts, (name) => {
        const amount = queue.deserved?.[name];
        return amount === 'unlimited' ? Infinity : (amount ?? 0);
      }),
      hasQuota: accounts.map((name) => queue.deserved?.[name] !== undefined),
      capability: Float64Array.from(accounts, (name) => queue.capability?.[name] ?? Infinity),
    };
    records.set(queue.name, record);
    parent?.children.push(record);
    return record;
  };
  [...queues].sort((a, b) => compareNames(a.name, b.name)).forEach((queue) => make(queue, []));
  return [...records.values()];
}

function gangRecord(gang: Gang, index: number, queue: QueueRecord | undefined): GangRecord {
  const roles: RoleRecord[] = [];
  const unitOf = (name: string, subgroup: Subgroup | undefined, path: readonly string[]): UnitRecord => {
    if (path.includes(name)) {
      throw new SnapshotError(`Subgroup "${name}" of gang "${gang.name}" is its own ancestor.`);
    }
    const children = (gang.subgroups ?? []).filter(({ parent }) => parent === subgroup?.name);
    return {
      name,
      subgroup,
      topology: subgroup === undefined ? gang.topology : subgroup.topology,
      children: children.map((child) => unitOf(child.name, child, subgroup === undefined ? path : [...path, name])),
      roles: [],
      minimum: subgroup === undefined ? gang.minimum : subgroup.minimum,
    };
  };
  const root = unitOf(gang.name, undefined, []);
  const units = new Map<string | undefined, UnitRecord>();
  const collect = (unit: UnitRecord): void => {
    units.set(unit.subgroup?.name, unit);
    unit.children.forEach(collect);
  };
  collect(root);
  const record: GangRecord = {
    index,
    gang,
    queue,
    root,
    roles,
    priority: gang.priority ?? 0,
    arrival: gang.arrival ?? 0,
    preemptible: gang.preemptible ?? true,
    needed: 0,
    size: gang.roles.reduce((sum, { count }) => sum + count, 0),
    kind: undefined,
    placed: 0,
  };
  for (const role of [...gang.roles].sort(leadersFirst)) {
    const unit = units.get(role.subgroup);
    if (unit === undefined) {
      throw new SnapshotError(
        `Role "${role.name}" of gang "${gang.name}" names subgroup "${role.subgroup}", which the gang does not have.`,
      );
    }
    const stated = gang.minimum !== undefined || unit.minimum !== undefined;
    const made: RoleRecord = {
      role,
      gang: record,
      unit,
      template: role.template,
      minimum: Math.min(role.count, role.minimum ?? (stated ? 0 : role.count)),
      pods: [],
      placed: 0,
    };
    roles.push(made);
    unit.roles.push(made);
  }
  return Object.assign(record, { needed: neededIn(root) });
}

/** Pods that must run in the unit: its own minimum, or what its parts need, whichever is more. */
function neededIn(unit: UnitRecord): number {
  const parts =
    unit.roles.reduce((sum, { minimum }) => sum + minimum, 0) +
    unit.children.reduce((sum, child) => sum + neededIn(child), 0);
  return Math.max(parts, unit.minimum ?? 0);
}

function leadersFirst(a: Role, b: Role): number {
  return Number(b.leader ?? false) - Number(a.leader ?? false);
}
