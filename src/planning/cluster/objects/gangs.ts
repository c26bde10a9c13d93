/**
 * Gangs from existing pods: pods with the same identity are one gang, described by its pod group, its pods, and its priority class.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type Gang, type Pod, type PodTemplate, type Role } from '../../../placement';
import { compareNames } from '../../../placement/model/names';
import { type GangHints, gangHintsOf, mergedHints, type QueueName } from './gang-hints';
import { type GangIdentity, gangIdentityOf } from './gang-identity';
import { type PodFacts, podOf, templateOf, type TemplateOptions } from './pod';
import { type PodGroupFacts } from './pod-group';
import { type Priorities, SYSTEM_PRIORITY } from './priorities';

/** A pod with all that placing its gang needs; made once for each object that a watch reports. */
export interface GangMember {
  readonly facts: PodFacts;
  readonly identity: GangIdentity;
  readonly template: PodTemplate;
  readonly hints: GangHints;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
}

/** What a gang's parts refer to. */
export interface GangLookups {
  readonly podGroup?: (key: string) => PodGroupFacts | undefined;
  readonly priorities: Priorities;
  /** The queue's name in the snapshot. */
  readonly queue: (queue: QueueName | undefined, namespace: string) => string;
}

export interface GangWithPods {
  readonly gang: Gang;
  readonly pods: readonly Pod[];
}

/** The pod as a member of its gang; `undefined` once it has ended. */
export function memberOf(pod: JsonObject, options: TemplateOptions = {}): GangMember | undefined {
  const facts = podOf(pod);
  if (facts === undefined) {
    return undefined;
  }
  const metadata = asObject(pod.metadata);
  const spec = asObject(pod.spec);
  const created = Date.parse(asString(metadata.creationTimestamp) ?? '');
  return {
    facts,
    identity: gangIdentityOf(pod),
    template: templateOf({ metadata, spec, namespace: facts.namespace }, options),
    hints: gangHintsOf(metadata, spec, facts.namespace),
    ...(Number.isFinite(created) && { createdAt: created }),
  };
}

/** Name of a pod in a snapshot. */
export function podName({ namespace, name }: Pick<PodFacts, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** A pod that belongs to its node and to no gang: it only takes room. `undefined` while it has no node. */
export function podOfNode({ facts, template }: GangMember): Pod | undefined {
  return facts.node === undefined
    ? undefined
    : { name: podName(facts), state: facts.state, template, node: facts.node, ...rest(facts) };
}

/**
 * The gang of pods with one identity, and the pods as the snapshot lists them.
 *
 * @param members at least one; in any order
 * @param name of the gang in the snapshot; the identity's key is unique
 */
export function gangOf(
  members: readonly GangMember[],
  lookups: GangLookups,
  name = members[0].identity.key,
): GangWithPods {
  const sorted = [...members].sort((a, b) => compareNames(a.facts.name, b.facts.name));
  const [{ identity }] = sorted;
  const group = lookups.podGroup?.(identity.key);
  const hints = mergedHints(group?.hints ?? {}, ...sorted.map((member) => member.hints));
  const roles = new Map<string, GangMember[]>();
  for (const member of sorted) {
    const own = roles.get(member.identity.role);
    if (own === undefined) {
      roles.set(member.identity.role, [member]);
    } else {
      own.push(member);
    }
  }
  const gang: Gang = {
    name,
    queue: lookups.queue(hints.queue, identity.namespace),
    ...gangTerms(hints, lookups.priorities),
    ...minimumOf(hints, identity.together),
    arrival: earliest([group?.createdAt, ...sorted.map(({ createdAt }) => createdAt)]),
    roles: withPriorities(
      [...roles].map(([role, own]) => roleOf(role, own, group)),
      [...roles.values()].map(([{ hints: own }]) => own.priority ?? lookups.priorities.of(own.priorityClassName)),
    ),
    ...(group !== undefined && group.subgroups.length > 0 && { subgroups: group.subgroups }),
  };
  return {
    gang,
    pods: [...roles].flatMap(([role, own]) => own.map((member) => memberPod(member, name, role, own[0].template))),
  };
}

/** The members that describe a gang as a whole. */
export type GangTerms = Pick<
  Gang,
  | 'priority'
  | 'preemptible'
  | 'preempts'
  | 'topology'
  | 'minimumRuntimeSeconds'
  | 'expectedSeconds'
  | 'checkpointSeconds'
>;

/** What hints and priority state about a gang from any source. */
export function gangTerms(hints: GangHints, priorities: Priorities): GangTerms {
  const priority = hints.priority ?? priorities.of(hints.priorityClassName) ?? 0;
  const preemptible = hints.preemptible ?? priority < SYSTEM_PRIORITY;
  const preempts = hints.preempts ?? !priorities.waits(hints.priorityClassName);
  return {
    priority,
    ...(!preemptible && { preemptible }),
    ...(!preempts && { preempts }),
    ...(hints.topology !== undefined && { topology: hints.topology }),
    ...(hints.minimumRuntimeSeconds !== undefined && { minimumRuntimeSeconds: hints.minimumRuntimeSeconds }),
    ...(hints.expectedSeconds !== undefined && { expectedSeconds: hints.expectedSeconds }),
    ...(hints.checkpointSeconds !== undefined && { checkpointSeconds: hints.checkpointSeconds }),
  };
}

/** Pods that are of use by themselves need only one of them. */
export function minimumOf({ minimum }: GangHints, together: boolean): { readonly minimum?: number } {
  return minimum !== undefined ? { minimum } : together ? {} : { minimum: 1 };
}

function roleOf(name: string, members: readonly GangMember[], group: PodGroupFacts | undefined): Role {
  const [{ template, hints }] = members;
  const minimum = group !== undefined && Object.hasOwn(group.roleMinimum, name) ? group.roleMinimum[name] : undefined;
  const subgroup = group?.subgroups.find((one) => one.name === name)?.name;
  return {
    name,
    count: members.length,
    ...(minimum !== undefined && { minimum }),
    template,
    ...(subgroup !== undefined && { subgroup }),
    ...(hints.roleTopology !== undefined && { topology: hints.roleTopology }),
  };
}

/** Priorities of pods inside a gang matter where they differ. */
export function withPriorities(roles: readonly Role[], priorities: readonly (number | undefined)[]): readonly Role[] {
  return new Set(priorities).size < 2
    ? roles
    : roles.map((role, i) => (priorities[i] === undefined ? role : { ...role, priority: priorities[i] }));
}

function memberPod(
  { facts, identity, template, hints }: GangMember,
  gang: string,
  role: string,
  usual: PodTemplate,
): Pod {
  return {
    name: podName(facts),
    gang,
    role,
    state: facts.state,
    ...rest(facts),
    ...(template !== usual && { template }),
    ...(identity.index !== undefined && { order: identity.index }),
    ...(hints.preemptible !== undefined && { preemptible: hints.preemptible }),
  };
}

function rest({ node, claims, devices, startedAt }: PodFacts): Pick<Pod, 'node' | 'claims' | 'devices' | 'startedAt'> {
  return {
    ...(claims !== undefined && { claims }),
    ...(node !== undefined && { node }),
    ...(devices !== undefined && { devices }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function earliest(moments: readonly (number | undefined)[]): number {
  return moments.reduce<number>(
    (least, moment) => (moment !== undefined && (least === 0 || moment < least) ? moment : least),
    0,
  );
}
