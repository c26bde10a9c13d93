/**
 * Gangs with where they are, or why they wait, for the view.
 */
import { deviceNoun, findResource, isWholeDevice } from '../../../facts/catalog';
import { counted } from '../../../facts/words';
import { type PendingGang } from '../../../placement';
import { describeAccelerators } from '../objects/accelerator-request';
import { type PodClass } from '../../../placement/nodes/pod-class';
import { type GangRecord, type RoleRecord } from '../../../placement/books/records';
import {
  type ViewClaimedDevice,
  type ViewEviction,
  type ViewGang,
  type ViewGangState,
  type ViewNode,
  type ViewPending,
  type ViewRole,
} from './view';
import { addTo } from '../../../facts/collections';
import { type ViewInput } from './view-input';
import { obstacleText } from '../../../placement/reasons/obstacle-words';
import { amountOf, changeText, topologyText } from '../words';

interface Placed {
  readonly nodes: readonly ViewNode[];
  readonly nodeIndex: ReadonlyMap<string, number>;
  readonly evictions: readonly ViewEviction[];
}

export function gangViews(input: ViewInput, order: readonly string[], placed: Placed): readonly ViewGang[] {
  const { session, decision, explained } = input;
  const records = new Map(session.gangs.map((record) => [record.gang.name, record]));
  const pending = new Map(decision.pending.map((one) => [one.gang, one]));
  const evicted = new Set(placed.evictions.filter(({ movesTo }) => movesTo === undefined).map(({ gang }) => gang));
  const nominated = new Set(decision.nominations.map(({ gang }) => gang));
  const bound = new Set(decision.bindings.map(({ gang }) => gang));
  const evictionsFor = new Map<number, number[]>();
  placed.evictions.forEach((eviction, index) => {
    if (eviction.for !== undefined) {
      addTo(evictionsFor, eviction.for, index);
    }
  });
  return order.map((name, index): ViewGang => {
    const record = records.get(name)!;
    const { gang } = record;
    const facts = input.factsOf(name);
    const waits = pending.get(name) ?? explained?.get(name);
    const where = whereOf(input, record, placed.nodeIndex);
    const domain = domainOf(where.map(([node]) => placed.nodes[node]));
    const topology = topologyOf(record);
    const state = evicted.has(index) ? 'evicting' : stateOf(record, nominated.has(name), bound.has(name));
    const evictions = evictionsFor.get(index);
    const devices = rounded(
      record.roles.reduce((sum, { pods }) => pods.reduce((part, { podClass }) => part + devicesOf(podClass), sum), 0),
    );
    const deviceUnits = devices === 0 ? deviceUnitsOf(record) : '';
    return {
      name,
      kind: facts.kind,
      namespace: facts.namespace,
      queue: gang.queue,
      ...(facts.source !== undefined && { source: facts.source }),
      state,
      priority: record.priority,
      preemptible: record.preemptible,
      pods: record.size,
      minimum: record.needed,
      placed: record.placed,
      devices,
      ...(deviceUnits !== '' && { deviceUnits }),
      roles: record.roles.map(roleView),
      ...(topology !== '' && { topology }),
      where,
      ...claimsView(session, record),
      ...(domain !== undefined && { domain }),
      ...(waits !== undefined && { pending: pendingView(waits, { now: session.now, nodes: session.table.count }) }),
      ...(evictions !== undefined && { evictions }),
    };
  });
}

/** Devices of the claims of the pods that are placed. */
function claimsView({ table }: ViewInput['session'], { roles }: GangRecord): Pick<ViewGang, 'claims'> {
  const claims = roles.flatMap(({ pods }) =>
    pods.flatMap(({ name, row, claimed }) =>
      claimed.flatMap(({ devices }) =>
        devices.map(({ request, driver, pool, device }): ViewClaimedDevice => ({
          pod: name,
          node: table.nodes[row].name,
          request,
          driver,
          pool,
          device,
        })),
      ),
    ),
  );
  return claims.length === 0 ? {} : { claims };
}

function stateOf(record: GangRecord, nominated: boolean, bound: boolean): ViewGangState {
  if (record.placed === 0) {
    return 'pending';
  }
  if (nominated) {
    return 'nominated';
  }
  if (record.placed < record.size) {
    return 'partial';
  }
  return bound ? 'placed' : 'running';
}

function roleView(role: RoleRecord): ViewRole {
  const devices = describeAccelerators(role.template);
  return {
    name: role.role.name,
    count: role.pods.length,
    minimum: role.minimum,
    placed: role.placed,
    ...(devices !== undefined && { devices }),
    request: role.template.request,
  };
}

/** Devices of one pod, also by claim; parts of devices as decimal parts, MIG instances as sevenths by their slices. */
function devicesOf({ accelerator, template: { charged = {} } }: PodClass): number {
  if (accelerator === undefined) {
    const whole = Object.entries(charged).filter(([name]) => isWholeDevice(name));
    return whole.reduce((sum, [, amount]) => sum + amount, 0);
  }
  const count = accelerator.count ?? 1;
  switch (accelerator.kind) {
    case 'fraction':
      return (count * accelerator.milli) / 1000;
    case 'mig':
      return (count * (Number.parseInt(accelerator.profile, 10) || 1)) / 7;
    case 'whole':
    case 'memory':
    case 'shared':
      return count;
  }
}

/** Units of accelerators that are not devices, such as cores: plain resources to the placement core. */
function deviceUnitsOf({ roles }: GangRecord): string {
  const amounts = new Map<string, number>();
  for (const { template, pods } of roles) {
    for (const [resource, amount] of Object.entries(template.request)) {
      if (findResource(resource) !== undefined) {
        const noun = deviceNoun(resource);
        amounts.set(noun, (amounts.get(noun) ?? 0) + amount * pods.length);
      }
    }
  }
  return [...amounts].map(([noun, amount]) => counted(rounded(amount), noun)).join(', ');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function topologyOf({ gang, roles }: GangRecord): string {
  const parts = [
    ...(gang.topology === undefined ? [] : [topologyText(gang.topology)]),
    ...(gang.subgroups ?? []).flatMap(({ name, topology }) =>
      topology === undefined ? [] : [`${name} ${topologyText(topology)}`],
    ),
    ...roles.flatMap(({ role }) =>
      role.topology === undefined
        ? []
        : [`${gang.roles.length > 1 ? `${role.name} ` : ''}${topologyText(role.topology)}`],
    ),
  ];
  // Identical parts are shown once.
  return parts.length <= MOST_PARTS
    ? parts.join('; ')
    : `${parts.slice(0, MOST_PARTS).join('; ')}; … (${parts.length} in all)`;
}

const MOST_PARTS = 3;

function whereOf(
  { session }: ViewInput,
  record: GangRecord,
  nodeIndex: ReadonlyMap<string, number>,
): (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const { pods } of record.roles) {
    for (const { row, releasing } of pods) {
      if (row >= 0 && !releasing) {
        counts.set(row, (counts.get(row) ?? 0) + 1);
      }
    }
  }
  return [...counts]
    .map(([row, count]) => [nodeIndex.get(session.table.nodes[row].name)!, count] as const)
    .sort(([a], [b]) => a - b);
}

/** The smallest domain that all of these nodes are in. */
function domainOf(nodes: readonly ViewNode[]): ViewGang['domain'] {
  const [first] = nodes;
  if (first === undefined) {
    return undefined;
  }
  if (nodes.length === 1) {
    return { level: -1, name: first.name };
  }
  for (let level = first.path.length - 1; level >= 0; level--) {
    if (
      first.path[level] !== '' &&
      nodes.every(({ path }) => path.slice(0, level + 1).every((value, i) => value === first.path[i]))
    ) {
      return { level, name: first.path[level] };
    }
  }
  return undefined;
}

function pendingView(
  waits: PendingGang,
  { now, nodes }: { readonly now: number; readonly nodes: number },
): ViewPending {
  const { kind, message, role, blocked, fits, needed, nearest } = waits;
  return {
    kind,
    message,
    ...(role !== undefined && { role }),
    blocked,
    excluded: excludedText(waits, nodes),
    fits,
    needed,
    ...(nearest !== undefined && { nearest }),
    changes: waits.counterfactuals.map((change) => changeText(change, { now, needed: waits.needed })),
  };
}

/** `No node has enough free nvidia.com/gpu (0 of 80).`, `Nearest node h100-04 lacks 2 nvidia.com/gpu.` */
function excludedText({ blocked, nearest }: PendingGang, nodes: number): readonly string[] {
  const closest = nearest === undefined ? [] : [nearestText(nearest)];
  return [...blocked.map((one) => obstacleText(one, nodes)), ...closest].map(
    (clause) => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`,
  );
}

function nearestText({ node, detail, missing }: NonNullable<PendingGang['nearest']>): string {
  return missing === undefined || detail === undefined
    ? `nearest node: ${node}`
    : `nearest node ${node} lacks ${amountOf(detail, missing)}`;
}
