/**
 * What keeps one more pod of a class off each node with the current books, and which node comes nearest.
 */
import { type Constraint, type BlockedNodes, type NearestMiss } from '../model/decision';
import { memoryAllows, milliOn, reportAllows } from '../nodes/devices';
import { STATIC_CONSTRAINTS, type StaticConstraint } from '../nodes/filters/static';
import { untoleratedTaint } from '../nodes/filters/selectors';
import { type AcceleratorRequest, type ClusterNode, PODS } from '../model/model';
import { MaxTree } from '../../facts/collections/max-tree';
import { type PodClass } from '../nodes/pod-class';
import { type Session } from '../books/session';

interface Obstacle {
  readonly constraint: Constraint;
  readonly detail?: string;
  /** In units of the resource. */
  readonly missing?: number;
}

export interface Blockage {
  readonly blocked: readonly BlockedNodes[];
  readonly nearest: NearestMiss | undefined;
}

/** `filled`: as if every node had taken all the pods of the class that it can. */
export function blockage(session: Session, podClass: PodClass, filled = false): Blockage {
  return session.others.concerns(podClass)
    ? new Obstacles(session, podClass, filled).count()
    : session.index(filled ? KnownWhenFilled : KnownObstacles).count(podClass);
}

/**
 * What is in the way of a class on each row, looked at again where the row has changed: O(rows that changed · log rows).
 */
class Obstacles {
  /** By row; -1 where nothing is in the way. */
  private readonly codes: Int32Array;
  /** Nodes by code. */
  private readonly sums: number[] = [];
  private readonly distances: MaxTree;
  private readonly versions: Int32Array;
  /** Up to where the changes of the table are known. */
  private readonly notes = { position: 0, era: -1 };
  /** Obstacles without the amount that is missing, by code. */
  private readonly kinds: Pick<Obstacle, 'constraint' | 'detail'>[] = [];
  private readonly known = new Map<string, number>();

  constructor(
    private readonly session: Session,
    private readonly podClass: PodClass,
    private readonly filled: boolean,
  ) {
    const { count } = session.table;
    this.codes = new Int32Array(count).fill(-1);
    this.distances = new MaxTree(count);
    this.versions = new Int32Array(count).fill(-1);
  }

  count(): Blockage {
    this.catchUp();
    const { codes, kinds, sums } = this;
    const found = [...sums.keys()].filter((code) => sums[code] > 0);
    const first = new Map<number, number>();
    // Which of two kinds of obstacles that exclude as many nodes comes first depends on the first such node.
    const firstRow = (code: number): number => {
      const known = first.get(code) ?? codes.indexOf(code);
      first.set(code, known);
      return known;
    };
    const byNodes = (a: number, b: number): number =>
      sums[b] - sums[a] ||
      compare(kinds[a].constraint, kinds[b].constraint) ||
      (a === b ? 0 : firstRow(a) - firstRow(b));
    const nearest = this.distances.first();
    return {
      blocked: found.sort(byNodes).map((code) => ({ ...kinds[code], nodes: sums[code] })),
      nearest: nearest < 0 ? undefined : { node: this.session.table.nodes[nearest].name, ...this.obstacle(nearest)! },
    };
  }

  private catchUp(): void {
    const { versions, notes } = this;
    const { version, count, changes, era } = this.session.table;
    if (notes.era !== era || changes.length - notes.position > count) {
      for (let row = 0; row < count; row++) {
        if (versions[row] !== version[row]) {
          this.look(row, false);
        }
      }
      this.distances.build();
    } else {
      for (let i = notes.position; i < changes.length; i++) {
        if (versions[changes[i]] !== version[changes[i]]) {
          this.look(changes[i], true);
        }
      }
    }
    notes.era = era;
    notes.position = changes.length;
  }

  private obstacle(row: number): Obstacle | undefined {
    const { session, podClass } = this;
    return obstacleOn(session, podClass, row) ?? (this.filled ? limit(session, podClass, row) : undefined);
  }

  private look(row: number, single: boolean): void {
    const { codes, sums, versions } = this;
    versions[row] = this.session.table.version[row];
    if (codes[row] >= 0) {
      sums[codes[row]]--;
    }
    const obstacle = this.obstacle(row);
    const distance = obstacle === undefined ? Infinity : this.note(row, obstacle);
    if (obstacle === undefined) {
      codes[row] = -1;
    }
    // The largest value comes first, and of equals the lowest row.
    if (single) {
      this.distances.set(row, -distance);
    } else {
      this.distances.fill(row, -distance);
    }
  }

  /** @returns how far the row is from taking a pod */
  private note(row: number, { constraint, detail, missing }: Obstacle): number {
    const key = `${constraint} ${detail ?? ''}`;
    let code = this.known.get(key);
    if (code === undefined) {
      code = this.kinds.push({ constraint, ...(detail === undefined ? {} : { detail }) }) - 1;
      this.sums[code] = 0;
      this.known.set(key, code);
    }
    this.codes[row] = code;
    this.sums[code]++;
    return missing === undefined ? FAR : missing / amountOf(this.podClass, detail);
  }
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Of thousands of classes, each would take a hundred bytes for each node. */
const MOST_KNOWN = 64;

class KnownObstacles {
  /** Those that were asked for last come last. */
  private readonly classes = new Map<PodClass, Obstacles>();

  constructor(
    private readonly session: Session,
    private readonly filled = false,
  ) {}

  count(podClass: PodClass): Blockage {
    const { classes } = this;
    const known = classes.get(podClass) ?? new Obstacles(this.session, podClass, this.filled);
    classes.delete(podClass);
    classes.set(podClass, known);
    if (classes.size > MOST_KNOWN) {
      const [oldest] = classes.keys();
      classes.delete(oldest);
    }
    return known.count();
  }
}

class KnownWhenFilled extends KnownObstacles {
  constructor(session: Session) {
    super(session, true);
  }
}

/** What the class asks for and no node of the cluster has, however empty it is. */
export function notOffered({ table }: Session, podClass: PodClass): BlockedNodes | undefined {
  const { accelerator, deviceResource, columns, template, models, profile } = podClass;
  const nodes = table.count;
  const column = columns.find((at) => table.largest(at) === 0 && table.resources[at] !== PODS);
  if (column !== undefined) {
    return { constraint: 'not-offered', detail: table.resources[column], nodes };
  }
  if (accelerator === undefined) {
    return undefined;
  }
  const offers = (row: number): boolean =>
    table.deviceStart[row + 1] > table.deviceStart[row] &&
    (deviceResource === undefined || table.gives(row, deviceResource));
  if (!table.nodes.some((_, row) => offers(row))) {
    return { constraint: 'not-offered', detail: deviceResource ?? 'devices', nodes };
  }
  if (models?.size === 0) {
    return { constraint: 'device-model', detail: template.accelerator?.models?.join(' or '), nodes };
  }
  return accelerator.kind === 'mig' && profile < 0
    ? { constraint: 'mig-profile', detail: accelerator.profile, nodes }
    : undefined;
}

/** A constraint that no amount mends is further away than any shortage. */
const FAR = 1e6;

function amountOf(podClass: PodClass, resource: string | undefined): number {
  return podClass.template.request[resource ?? ''] ?? Math.max(1, podClass.deviceCount);
}

function obstacleOn(session: Session, podClass: PodClass, row: number): Obstacle | undefined {
  const { table } = session;
  const code = session.staticRow(podClass)[row];
  if (code !== 0) {
    const constraint = STATIC_CONSTRAINTS[code - 1];
    const detail = STATIC_DETAILS[constraint]?.(podClass, table.nodes[row]);
    return { constraint, ...(detail === undefined ? {} : { detail }) };
  }
  return (
    deviceObstacle(session, podClass, row) ??
    resourceObstacle(session, podClass, row) ??
    dynamicObstacle(session, podClass, row)
  );
}

/** The taint, label or device that a node and a pod do not agree on; nothing for constraints that have no detail. */
const STATIC_DETAILS: Partial<Record<StaticConstraint, (podClass: PodClass, node: ClusterNode) => string | undefined>> =
  {
    taints: ({ template }, node) => {
      const taint = untoleratedTaint(node.taints ?? [], template.tolerations ?? []);
      return taint === undefined ? undefined : `${taint.key}:${taint.effect}`;
    },
    devices: ({ deviceResource }) => deviceResource,
    'device-model': ({ template }) => template.accelerator?.models?.join(' or '),
    'node-name': ({ template }) => template.nodeName,
    'node-selector': ({ template }, node) => {
      const missing = Object.entries(template.nodeSelector ?? {}).find(([key, value]) => node.labels?.[key] !== value);
      return missing === undefined ? undefined : `${missing[0]}=${missing[1]}`;
    },
    'node-affinity': ({ template }) => {
      const [requirement] = template.nodeTerms?.[0]?.labels ?? [];
      return requirement === undefined
        ? undefined
        : [requirement.key, requirement.operator, (requirement.values ?? []).join('|')].join(' ').trim();
    },
  };

/** What runs out first. */
function limit({ table, ledger }: Session, podClass: PodClass, row: number): Obstacle {
  const pods = ledger.capacity(podClass, row, Number.MAX_SAFE_INTEGER);
  const column = podClass.columns.findIndex((at, i) => Math.floor(table.free[at][row] / podClass.amounts[i]) <= pods);
  return column < 0
    ? { constraint: 'devices', detail: table.deviceResource[row] }
    : { constraint: 'resources', detail: table.resources[podClass.columns[column]] };
}

function dynamicObstacle(session: Session, podClass: PodClass, row: number): Obstacle | undefined {
  const constraint = session.dynamicConstraint(podClass, row);
  return constraint === undefined ? undefined : { constraint };
}

function resourceObstacle({ table }: Session, { columns, amounts }: PodClass, row: number): Obstacle | undefined {
  for (let i = 0; i < columns.length; i++) {
    const missing = amounts[i] - table.free[columns[i]][row];
    if (missing > 0) {
      return { constraint: 'resources', detail: table.resources[columns[i]], missing };
    }
  }
  return undefined;
}

interface DeviceCounts {
  readonly devices: number;
  /** That could serve the request if they were free. */
  readonly large: number;
  /** That have enough left for it. */
  readonly free: number;
  /** Of these, those that have it by the node's own report too. */
  readonly reported: number;
  /** Of these, those that the capacity filters accept. */
  readonly accepted: number;
}

/** Devices of a node by how far they could serve a request; MIG instances where it is for those. */
function countDevices(
  table: Session['table'],
  podClass: PodClass,
  accelerator: AcceleratorRequest,
  row: number,
): DeviceCounts {
  const { profile } = podClass;
  const [from, to] = [table.deviceStart[row], table.deviceStart[row + 1]];
  let [large, free, reported, accepted] = [0, 0, 0, 0];
  for (let slot = from; slot < to; slot++) {
    if (accelerator.kind === 'mig') {
      const instance = slot * table.profiles.length + profile;
      large += profile >= 0 ? table.migCapacity[instance] : 0;
      free += profile >= 0 ? table.migFree[instance] : 0;
      continue;
    }
    const milli = milliOn(table, slot, accelerator);
    const fits = table.deviceFree[slot] >= milli;
    large += table.deviceCapacity[slot] >= milli ? 1 : 0;
    free += fits ? 1 : 0;
    reported += fits && memoryAllows(table, slot, accelerator) ? 1 : 0;
    accepted += fits && reportAllows(table, slot, podClass) ? 1 : 0;
  }
  return { devices: to - from, large, free, reported, accepted };
}

function deviceObstacle(session: Session, podClass: PodClass, row: number): Obstacle | undefined {
  const { table, ledger } = session;
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined) {
    return undefined;
  }
  if (accelerator.kind === 'whole' && podClass.models === undefined && table.reports.fresh === 0) {
    const missing = deviceCount - table.wholeFree[row];
    return missing > 0 ? { constraint: 'devices', detail: table.deviceResource[row], missing } : undefined;
  }
  const { devices, large, free, reported, accepted } = countDevices(table, podClass, accelerator, row);
  const detail = accelerator.kind === 'mig' ? accelerator.profile : table.deviceResource[row];
  if (large < deviceCount && (accelerator.kind === 'mig' || accelerator.kind === 'memory') && devices > 0) {
    return { constraint: accelerator.kind === 'mig' ? 'mig-profile' : 'device-memory', detail };
  }
  if (free < deviceCount) {
    return { constraint: 'devices', detail, missing: deviceCount - free };
  }
  const enough = ledger.capacity({ ...podClass, columns: NONE, amounts: NO_AMOUNTS }, row, 1) > 0;
  if (enough || accepted >= deviceCount) {
    return undefined;
  }
  return { constraint: reported >= deviceCount ? 'capacity-filter' : 'reported-memory', detail };
}

const NONE = new Int32Array();
const NO_AMOUNTS = new Float64Array();
