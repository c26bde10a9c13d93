/**
 * What the program knows of one pod: how it is scheduled, what it requests, which gang it belongs to. Recreated when the pod changes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type GangHints, gangHintsOf } from '../../../planning/cluster/objects/gang-hints';
import { type GangIdentity, gangIdentityOf } from '../../../planning/cluster/objects/gang-identity';
import { type PodFacts, podOf, templateOf, type TemplateOptions } from '../../../planning/cluster/objects/pod';
import { asArray, asObject, asString } from '../../../manifests/read';
import { definedMembers } from '../../../manifests/values/members';
import { type PodTemplate } from '../../../placement';
import { annotatedNode, isGated, isPinnedTo } from '../apply/hand-over';
import { excessOf, withoutDemands } from './bounds';
import { claimNames } from './claims';
import { type PodDeviceClaim } from './pod-claims';

/**
 * `direct`: Gantry binds it. `gated`: Gantry places it and hands it over. `handed-over`: the cluster's own scheduler is to bind it.
 * `other`: a pod of another scheduler, which only uses capacity.
 */
export type Way = 'direct' | 'gated' | 'handed-over' | 'other';

export interface PodEntry {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly way: Way;
  /** `waiting`: has no node. `ended` ones take no room any more. */
  readonly state: 'waiting' | 'placed' | 'leaving' | 'succeeded' | 'failed';
  /** Where it is, or where it was handed over to. */
  readonly node?: string;
  /** The API server has it on a node. */
  readonly bound: boolean;
  readonly devices?: readonly number[];
  readonly startedAt?: number;
  /** Of a pod that is leaving: when it ought to have terminated. */
  readonly releasedBy?: number;
  readonly createdAt: number;
  /** Scheduling gates beside Gantry's own. */
  readonly otherGates: readonly string[];
  readonly template: PodTemplate;
  /** What it asks too much of, so that it is not placed. */
  readonly excess?: string;
  readonly hints: GangHints;
  /** Of Gantry's pods only. */
  readonly gang?: GangIdentity;
  /** Names of the claims of its volumes, and whether it has resource claims: looked at again when those change. */
  readonly claims: readonly string[];
  /** Of Gantry's pods only: its resource claims. */
  readonly deviceClaims: readonly PodDeviceClaim[];
  /** Key of the claim for its extended resources, which may not exist yet. @default - another scheduler makes it, or it needs none */
  readonly extendedClaim?: string;
  readonly raw: JsonObject;
}

export interface EntryOptions {
  readonly schedulerName: string;
  readonly template: TemplateOptions;
  readonly deviceClaims: (pod: JsonObject) => readonly PodDeviceClaim[];
  /** See `ExtendedClaims.keyFor`. */
  readonly extendedClaim: (pod: Omit<PodEntry, 'extendedClaim'>) => string | undefined;
  /** Only the scheduler can write `gantry.dev/node`. */
  readonly guarded: boolean;
  /** The node for which this process handed the pod over. */
  readonly handedTo: (uid: string) => string | undefined;
  /** Leaves out what no selector asks, and gives equal templates one value, which the placement core works on once. */
  readonly intern: (template: PodTemplate) => PodTemplate;
}

export function podEntry(key: string, raw: JsonObject, options: EntryOptions): PodEntry {
  const metadata = asObject(raw.metadata);
  const spec = asObject(raw.spec);
  const namespace = asString(metadata.namespace) ?? 'default';
  const facts = podOf(raw);
  const way = wayOf(raw, options);
  const node = facts?.node ?? (way === 'handed-over' ? annotatedNode(raw) : undefined);
  const own = way === 'other' ? undefined : ownFacts(raw, namespace);
  // The creator of the pod may have written the annotation instead of the scheduler.
  const devices = own === undefined ? undefined : facts?.devices;
  // A part of a device is an annotation alone, and no request: it counts while the pod waits, and once the scheduler has given it devices.
  const sharing = own !== undefined && (node === undefined || devices !== undefined);
  const { deviceClaims, template } = claimsIn(raw, own !== undefined, options);
  const demands = templateOf({ metadata, spec, namespace }, { ...template, sharing });
  const entry: PodEntry = {
    key,
    namespace,
    name: asString(metadata.name) ?? '',
    uid: asString(metadata.uid) ?? '',
    way,
    state: facts === undefined ? endOf(raw) : stateOf(metadata, node),
    bound: facts?.node !== undefined,
    ...definedMembers<Pick<PodEntry, 'node' | 'devices' | 'startedAt'>>({ node, devices, startedAt: facts?.startedAt }),
    ...releaseOf(facts),
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    ...boundedTemplate(demands, options),
    ...(own ?? { otherGates: [], hints: {} }),
    claims: claimNames(raw),
    deviceClaims,
    raw,
  };
  const extendedClaim = hasExtendedClaim(entry) ? options.extendedClaim(entry) : undefined;
  return extendedClaim === undefined ? entry : { ...entry, extendedClaim };
}

/** Whether a DeviceClass serves extended resources of the pod: their claim is the last one. */
export function hasExtendedClaim({ template, deviceClaims }: Pick<PodEntry, 'template' | 'deviceClaims'>): boolean {
  return (template.claims?.length ?? 0) > deviceClaims.length;
}

function boundedTemplate(
  demands: PodTemplate,
  { intern }: Pick<EntryOptions, 'intern'>,
): Pick<PodEntry, 'template' | 'excess'> {
  const excess = excessOf(demands);
  return excess === undefined ? { template: intern(demands) } : { template: intern(withoutDemands(demands)), excess };
}

function claimsIn(
  pod: JsonObject,
  isOwn: boolean,
  { template, deviceClaims: claimsOf }: Pick<EntryOptions, 'template' | 'deviceClaims'>,
): { readonly deviceClaims: readonly PodDeviceClaim[]; readonly template: TemplateOptions } {
  if (!isOwn) {
    return { deviceClaims: [], template: withoutClaims(template) };
  }
  const deviceClaims = claimsOf(pod);
  return { deviceClaims, template: withClaims(template, deviceClaims) };
}

/** Claims of other pods hold what their status says, whatever uses them. */
function withoutClaims({ classOf: _, ...template }: TemplateOptions): TemplateOptions {
  return template;
}

/** The claims in the order in which the pod lists them; those that it turned out not to need are in neither list. */
function withClaims(template: TemplateOptions, claims: readonly PodDeviceClaim[]): TemplateOptions {
  return { ...template, podClaims: claims.map(({ key, charged }) => ({ key, devices: charged })) };
}

/** A pod that takes no capacity any more. */
function endOf(raw: JsonObject): 'succeeded' | 'failed' {
  return asString(asObject(raw.status).phase) === 'Succeeded' ? 'succeeded' : 'failed';
}

function stateOf({ deletionTimestamp }: JsonObject, node: string | undefined): 'leaving' | 'waiting' | 'placed' {
  if (deletionTimestamp !== undefined && deletionTimestamp !== null) {
    return 'leaving';
  }
  return node === undefined ? 'waiting' : 'placed';
}

/** What is known of Gantry's pods only. */
function ownFacts(raw: JsonObject, namespace: string): Pick<PodEntry, 'otherGates' | 'hints' | 'gang'> {
  const metadata = asObject(raw.metadata);
  const spec = asObject(raw.spec);
  const identity = gangIdentityOf(raw);
  return {
    otherGates: asArray(spec.schedulingGates)
      .map((gate) => asString(asObject(gate).name) ?? '')
      .filter((name) => name !== OWN_GATE),
    hints: gangHintsOf(metadata, spec, namespace),
    ...(identity !== undefined && { gang: identity.ofNode ? alone(identity, namespace, metadata) : identity }),
  };
}

/** When a pod that is leaving ought to have terminated. */
function releaseOf(facts: PodFacts | undefined): Pick<PodEntry, 'releasedBy'> {
  return facts?.releasedBy === undefined ? {} : { releasedBy: facts.releasedBy };
}

const OWN_GATE = 'gantry.dev/placement';

/** A DaemonSet's pods belong to their nodes, and have nothing to do with each other. */
function alone(identity: GangIdentity, namespace: string, metadata: JsonObject): GangIdentity {
  const name = asString(metadata.name) ?? '';
  return { ...identity, key: `${namespace}/pod/${name}`, name, kind: 'Pod', role: 'pod', together: true };
}

function wayOf(pod: JsonObject, options: EntryOptions): Way {
  if (isGated(pod)) {
    return 'gated';
  }
  if (asObject(pod.spec).schedulerName === options.schedulerName) {
    return 'direct';
  }
  return wasHandedOver(pod, options) ? 'handed-over' : 'other';
}

/**
 * An annotation that every user can write is not a reservation. A pod that runs on that node uses its capacity anyway; one that does not
 * run yet counts if this process handed it over, or if an admission policy keeps others from writing the annotation and the pod is bound to the
 * node as a hand-over binds it.
 */
function wasHandedOver(pod: JsonObject, { guarded, handedTo }: EntryOptions): boolean {
  const node = annotatedNode(pod);
  if (node === undefined) {
    return false;
  }
  const { nodeName } = asObject(pod.spec);
  if (nodeName !== undefined && nodeName !== '') {
    return nodeName === node;
  }
  return handedTo(asString(asObject(pod.metadata).uid) ?? '') === node || (guarded && isPinnedTo(pod, node));
}

export function timeOf(value: JsonObject[string] | undefined): number | undefined {
  const time = Date.parse(asString(value) ?? '');
  return Number.isFinite(time) ? time : undefined;
}

/** A pod that gets the place which was decided for it, or whose containers report something, does not trigger a decision. */
export function isRelevant(before: PodEntry | undefined, after: PodEntry | undefined): boolean {
  if (before === undefined || after === undefined) {
    return after === undefined || after.state === 'waiting';
  }
  if (before.uid !== after.uid || before.otherGates.length !== after.otherGates.length) {
    return true;
  }
  if (before.state !== after.state) {
    return !(before.state === 'waiting' && after.state === 'placed');
  }
  return (
    after.state === 'waiting' &&
    (before.template !== after.template || JSON.stringify(before.hints) !== JSON.stringify(after.hints))
  );
}
