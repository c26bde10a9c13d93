/**
 * What the program knows of one pod: how it is scheduled, what it asks for, which gang it belongs to. Made anew when the pod changes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type GangHints, gangHintsOf } from '../../../planning/cluster/objects/gang-hints';
import { type GangIdentity, gangIdentityOf } from '../../../planning/cluster/objects/gang-identity';
import { podOf, templateOf, type TemplateOptions } from '../../../planning/cluster/objects/pod';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type PodTemplate } from '../../../placement';
import { annotatedNode, isGated } from '../apply/hand-over';
import { claimNames } from './claims';

/**
 * `direct`: Gantry binds it. `gated`: Gantry places it and hands it over. `handed-over`: the cluster's own scheduler is to bind it.
 * `other`: somebody else's, which only takes room.
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
  readonly createdAt: number;
  /** Scheduling gates beside Gantry's own. */
  readonly otherGates: readonly string[];
  readonly template: PodTemplate;
  readonly hints: GangHints;
  /** Of Gantry's pods only. */
  readonly gang?: GangIdentity;
  /** Names of the claims of its volumes, and whether it has resource claims: looked at again when those change. */
  readonly claims: readonly string[];
  readonly raw: JsonObject;
}

export interface EntryOptions {
  readonly schedulerName: string;
  readonly template: TemplateOptions;
  /** Leaves out what no selector asks, and gives equal templates one value, which the placement core works on once. */
  readonly intern: (template: PodTemplate) => PodTemplate;
}

export function podEntry(key: string, raw: JsonObject, { schedulerName, template, intern }: EntryOptions): PodEntry {
  const metadata = asObject(raw.metadata);
  const spec = asObject(raw.spec);
  const namespace = asString(metadata.namespace) ?? 'default';
  const facts = podOf(raw);
  const way = wayOf(raw, schedulerName);
  const phase = asString(asObject(raw.status).phase);
  const handedTo = way === 'handed-over' && facts?.node === undefined ? annotatedNode(raw) : undefined;
  const deleted = metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
  const identity = way === 'other' ? undefined : gangIdentityOf(raw);
  const node = facts?.node ?? handedTo;
  const devices = facts?.devices;
  return {
    key,
    namespace,
    name: asString(metadata.name) ?? '',
    uid: asString(metadata.uid) ?? '',
    way,
    state:
      facts === undefined
        ? phase === 'Succeeded'
          ? 'succeeded'
          : 'failed'
        : deleted
          ? 'leaving'
          : node === undefined
            ? 'waiting'
            : 'placed',
    ...(node !== undefined && { node }),
    bound: facts?.node !== undefined,
    ...(devices !== undefined && { devices }),
    ...(facts?.startedAt !== undefined && { startedAt: facts.startedAt }),
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    otherGates:
      way === 'other'
        ? []
        : asArray(spec.schedulingGates)
            .map((gate) => asString(asObject(gate).name) ?? '')
            .filter((name) => name !== OWN_GATE),
    template: intern(templateOf({ metadata, spec, namespace }, template)),
    hints: way === 'other' ? {} : gangHintsOf(metadata, spec, namespace),
    ...(identity !== undefined && { gang: identity.ofNode ? alone(identity, namespace, metadata) : identity }),
    claims: claimNames(raw),
    raw,
  };
}

const OWN_GATE = 'gantry.dev/placement';

/** A DaemonSet's pods belong to their nodes, and have nothing to do with each other. */
function alone(identity: GangIdentity, namespace: string, metadata: JsonObject): GangIdentity {
  const name = asString(metadata.name) ?? '';
  return { ...identity, key: `${namespace}/pod/${name}`, name, kind: 'Pod', role: 'pod', together: true };
}

function wayOf(pod: JsonObject, schedulerName: string): Way {
  if (isGated(pod)) {
    return 'gated';
  }
  if (asObject(pod.spec).schedulerName === schedulerName) {
    return 'direct';
  }
  return annotatedNode(pod) === undefined ? 'other' : 'handed-over';
}

export function timeOf(value: JsonObject[string] | undefined): number | undefined {
  const time = Date.parse(asString(value) ?? '');
  return Number.isFinite(time) ? time : undefined;
}
