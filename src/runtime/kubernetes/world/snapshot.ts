/**
 * One question to the placement core: the world as it is watched, with everything that has been set in motion counted as done.
 */
import { addAll } from '../../../facts/collections';
import {
  type ClusterNode,
  type Gang,
  type NodeTerm,
  type Pod,
  type PodTemplate,
  type Snapshot,
} from '../../../placement';
import { type DeviceClaims } from '../../../placement/model/claims';
import { messageOf } from '../../api/api-error';
import { type Assumptions } from '../assumptions';
import { areProtected } from './budgets';
import { gangId, type GangMembers, roleOf } from './gang-members';
import { obstacle } from './claims';
import { type PodEntry } from './pod-entry';
import { type World } from './world';

/** Why waiting pods of a gang are not shown to the core at all. */
export type HeldKind =
  | 'needs-hand-over'
  | 'volume-not-bound'
  | 'claim-not-ready'
  | 'other-gates'
  | 'settling'
  | 'refused'
  | 'set-aside'
  | 'queue-set-aside'
  | 'queue-not-allowed'
  | 'unknown-queue';

export interface HeldGang {
  readonly gang: string;
  readonly queue: string;
  readonly kind: HeldKind;
  readonly message: string;
  /** Milliseconds after which it is worth another look, where time alone changes something. */
  readonly again?: number;
}

export interface Question {
  readonly snapshot: Snapshot;
  readonly held: readonly HeldGang[];
}

export interface Moment {
  /** In the API server's time, milliseconds since the epoch. */
  readonly now: number;
  /** A gang without a minimum is complete when no pod has been added for this time, milliseconds. */
  readonly settleMilliseconds: number;
}

/** A gang that was set aside is tried again after this, milliseconds. */
const ASIDE_AGAIN = 60_000;

/** Practically forever: for pods that must not be evicted for others at the moment. */
const UNTOUCHABLE_SECONDS = 1e9;

/** The whole question, worked out from scratch; see `feed.ts` for the one that is kept. */
export function question(world: World, assumptions: Assumptions, moment: Moment): Question {
  world.settle(moment.now);
  const pods: Pod[] = [];
  const gangs: Gang[] = [];
  const held: HeldGang[] = [];
  for (const entry of world.pods.values()) {
    const pod = entry.gang === undefined ? foreignPod(world, entry) : undefined;
    if (pod !== undefined) {
      pods.push(pod);
    }
  }
  for (const members of world.gangs.values()) {
    if (members.pods.size > 0) {
      const part = gangPart(world, assumptions, moment, members);
      addAll(pods, part.pods);
      gangs.push(...(part.gang === undefined ? [] : [part.gang]));
      held.push(...(part.held === undefined ? [] : [part.held]));
    }
  }
  const { queues, topologies } = world;
  const deviceClaims = claimsOf(world, assumptions);
  const snapshot = {
    now: moment.now,
    nodes: usableNodes(world),
    queues,
    topologies,
    gangs,
    pods,
    ...(deviceClaims !== undefined && { deviceClaims }),
  };
  return { snapshot, held };
}

/** Devices and claims; `undefined` where there are none. */
export function claimsOf(world: World, assumptions: Assumptions): DeviceClaims | undefined {
  return world.devices.value((entry) => hasPlace(entry, assumptions));
}

/** Whether the pod has a node, or is about to get one. */
function hasPlace({ state, uid, node }: PodEntry, assumptions: Assumptions): boolean {
  return state === 'placed' || (state === 'leaving' && node !== undefined) || isAssumed({ state, uid }, assumptions);
}

function isAssumed({ state, uid }: Pick<PodEntry, 'state' | 'uid'>, assumptions: Assumptions): boolean {
  return state === 'waiting' && assumptions.placeOf(uid) !== undefined;
}

export function usableNodes(world: World): readonly ClusterNode[] {
  return world.nodes
    .filter(({ name }) => world.aside.reasonOf('node', name) === undefined)
    .map((node) => world.devices.withDevices(world.migChanges.shown(node)));
}

/** A pod that uses capacity and belongs to no gang. */
export function foreignPod(world: World, entry: PodEntry): Pod | undefined {
  const { key: name, state, template, node, releasedBy } = entry;
  const devices = world.allocatedTo(entry);
  return node === undefined || (state !== 'placed' && state !== 'leaving')
    ? undefined
    : {
        name,
        state: state === 'leaving' ? 'releasing' : 'running',
        template,
        node,
        ...(devices && { devices }),
        ...(releasedBy !== undefined && { releasedBy }),
      };
}

/** What one gang adds to the question. */
export interface GangPart {
  readonly pods: readonly Pod[];
  readonly gang?: Gang;
  readonly held?: HeldGang;
  /** Milliseconds after which time alone may change it. */
  readonly again: number;
}

/** A gang that cannot be decided about costs itself alone: its waiting pods wait, and those with a node take their room. */
export function gangPart(world: World, assumptions: Assumptions, moment: Moment, members: GangMembers): GangPart {
  members.reconsider(moment.now, ASIDE_AGAIN);
  let reason = members.asideReason;
  if (reason === undefined) {
    try {
      const part = partOf(world, assumptions, moment, members);
      world.aside.remove('gang', gangId(members.identity));
      return part;
    } catch (error) {
      reason = messageOf(error);
      members.setAside(reason, moment.now);
    }
  }
  world.aside.put({ kind: 'gang', name: gangId(members.identity), reason });
  const message = `The scheduler cannot decide about the gang, and skips it: ${reason}.`;
  const pods: Pod[] = [];
  for (const entry of members.pods.values()) {
    const { template } = entry;
    const devices = world.allocatedTo(entry) ?? entry.devices;
    const { node = entry.node } = assumptions.placeOf(entry.uid) ?? {};
    if (node !== undefined && (entry.state === 'placed' || entry.state === 'leaving' || entry.state === 'waiting')) {
      const state = entry.state === 'leaving' ? 'releasing' : 'running';
      const claims = world.devices.ownClaims(entry, true);
      pods.push({ name: entry.key, state, template, node, ...(devices && { devices }), ...(claims && { claims }) });
    }
  }
  const held = { gang: members.name, queue: '', kind: 'set-aside' as const, message, again: ASIDE_AGAIN };
  return { pods, held, again: ASIDE_AGAIN };
}

function partOf(world: World, assumptions: Assumptions, moment: Moment, members: GangMembers): GangPart {
  const hold = reasonToHold(world, assumptions, moment, members);
  const gang = members.gang(world.contextOf(members), hold !== undefined);
  const held = hold === undefined ? undefined : { gang: gang.name, queue: gang.queue, ...hold };
  const pods: Pod[] = [];
  let again = Math.min(hold?.again ?? Infinity, assumptions.avoidanceEndsIn(members.key));
  for (const entry of members.pods.values()) {
    const pod = podOf(world, entry, assumptions, members);
    if (pod !== undefined && !(hold !== undefined && pod.state === 'pending')) {
      pods.push(pod);
    }
    again = Math.min(again, assumptions.endsIn(entry.uid));
  }
  if (pods.length === 0) {
    return { pods, held, again };
  }
  const placed = [...members.pods.values()].filter(
    ({ state, uid }) => state === 'placed' && !assumptions.isLeaving(uid),
  );
  watchMinimum(members, gang, placed.length, moment.now, world.configuration.policy.staleGangSeconds);
  const untouchable = placed.some(({ uid }) => assumptions.isProtected(uid)) || areProtected(placed, world.budgets);
  // What never ran as a whole does no work yet, whatever it says about evictions.
  const unfinished = members.below !== undefined && members.ranWhole === false && gang.preemptible === false;
  const asked = {
    ...gang,
    ...(members.below !== undefined && { staleSince: members.below }),
    ...(untouchable && { minimumRuntimeSeconds: UNTOUCHABLE_SECONDS }),
    ...(unfinished && { preemptible: true }),
  };
  return { pods, gang: asked, held, again };
}

function podOf(world: World, entry: PodEntry, assumptions: Assumptions, members: GangMembers): Pod | undefined {
  const { key: name, uid, state, startedAt } = entry;
  const claims = world.devices.ownClaims(entry, hasPlace(entry, assumptions));
  const base = {
    name,
    ...(claims && { claims }),
    gang: members.name,
    role: roleOf(entry),
    template: entry.template,
    ...(entry.gang?.index !== undefined && { order: entry.gang.index }),
    ...(startedAt !== undefined && { startedAt }),
  };
  const assumed = assumptions.placeOf(uid);
  const { node = assumed?.node } = entry;
  // What the kubelet gave counts, then what the scheduler chose.
  const devices = world.allocatedTo(entry) ?? entry.devices ?? assumed?.devices;
  switch (state) {
    case 'succeeded':
    case 'failed':
      return undefined;
    case 'waiting':
      return assumed === undefined
        ? { ...base, template: elsewhere(entry.template, assumptions.avoidedBy(members.key)), state: 'pending' }
        : { ...base, state: 'running', node, devices };
    case 'placed':
      return {
        ...base,
        state: assumptions.isLeaving(uid) ? 'releasing' : 'running',
        node,
        ...(devices && { devices }),
      };
    case 'leaving':
      // One without a node is only a name that is about to go.
      return node === undefined ? undefined : { ...base, ...leavingAt(node, devices, entry) };
  }
}

function leavingAt(
  node: string,
  devices: Pod['devices'],
  { releasedBy }: PodEntry,
): Pick<Pod, 'state' | 'node' | 'devices' | 'releasedBy'> {
  return {
    state: 'releasing',
    node,
    ...(devices && { devices }),
    ...(releasedBy !== undefined && { releasedBy }),
  };
}

/** The template without these nodes. */
function elsewhere(template: PodTemplate, avoided: readonly string[]): PodTemplate {
  if (avoided.length === 0) {
    return template;
  }
  const not = { key: 'metadata.name', operator: 'NotIn' as const, values: avoided };
  const terms: readonly NodeTerm[] = template.nodeTerms ?? [{}];
  return { ...template, nodeTerms: terms.map((term) => ({ ...term, fields: [...(term.fields ?? []), not] })) };
}

/**
 * Since when the gang has fewer pods than its minimum, and whether it ever had them. Only what the API server says counts: a binding that
 * is tried again and again must not make the gang look whole in between.
 */
function watchMinimum(
  members: GangMembers,
  { minimum = 0 }: Gang,
  running: number,
  now: number,
  staleSeconds: number,
): void {
  if (running >= minimum) {
    members.below = undefined;
    members.ranWhole = running > 0 || members.ranWhole;
    return;
  }
  if (running === 0) {
    members.below = undefined;
    return;
  }
  members.below ??= now;
  // Of a gang that was never seen before: it ran whole if it has been running for long.
  const long = 2 * staleSeconds * 1000;
  members.ranWhole ??= [...members.pods.values()].some(
    ({ startedAt }) => startedAt !== undefined && now - startedAt > long,
  );
}

type Hold = Pick<HeldGang, 'kind' | 'message' | 'again'>;

function reasonToHold(world: World, assumptions: Assumptions, moment: Moment, members: GangMembers): Hold | undefined {
  const { kind, refusal } = world.queueOf(members);
  if (kind !== undefined && refusal !== undefined) {
    return { kind, message: refusal };
  }
  let youngest = 0;
  let waits = false;
  for (const entry of members.pods.values()) {
    if (entry.state !== 'waiting' || assumptions.placeOf(entry.uid) !== undefined) {
      continue;
    }
    waits = true;
    youngest = Math.max(youngest, entry.createdAt);
    const why = reasonToHoldPod(world, assumptions, entry);
    if (why !== undefined) {
      return why;
    }
  }
  if (!waits || members.statesMinimum(world.contextOf(members).group)) {
    return undefined;
  }
  // The server's times are whole seconds: a pod may be up to one younger than it says.
  const left = youngest + 1000 + moment.settleMilliseconds - moment.now;
  return left <= 0
    ? undefined
    : { kind: 'settling', message: 'The gang has no minimum, so it waits until no more pods are added.', again: left };
}

function reasonToHoldPod(world: World, assumptions: Assumptions, entry: PodEntry): Hold | undefined {
  const refusal = assumptions.refusalOf(entry.uid);
  if (refusal !== undefined) {
    return { kind: 'refused', message: `Pod "${entry.key}" could not be placed: ${refusal}` };
  }
  if (entry.excess !== undefined) {
    return { kind: 'set-aside', message: `Pod "${entry.key}" ${entry.excess}` };
  }
  if (entry.otherGates.length > 0) {
    const gates = entry.otherGates.map((gate) => `"${gate}"`).join(', ');
    return {
      kind: 'other-gates',
      message: `Pod "${entry.key}" still has the scheduling gate ${gates} of another controller.`,
    };
  }
  const claim = entry.deviceClaims.find(({ problem }) => problem !== undefined);
  if (claim?.problem !== undefined) {
    return { kind: 'claim-not-ready', message: `Pod "${entry.key}": ${claim.problem}` };
  }
  const needs = obstacle(entry.raw, entry.namespace, entry.way === 'direct', world.claimSources);
  return needs === undefined ? undefined : { kind: needs.kind, message: `Pod "${entry.key}": ${needs.message}` };
}
