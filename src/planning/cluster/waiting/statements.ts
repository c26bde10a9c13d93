/**
 * What a cluster itself says about work that waits: conditions of pods, pod groups, and Workloads of Kueue that are not met, and events about
 * what was tried.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import { kindOf, nameOf, namespaceOf } from '../lookups';
import { gangIdentityOf, gangKey } from '../objects/gang-identity';

/** A condition that says why something waits, or what was done with it. */
export interface Statement {
  /** Kind of the objects that have the condition. */
  readonly kind: string;
  /** `namespace/name` of these objects. */
  readonly names: readonly string[];
  /** Keys of the gang, as `ClusterGang.keys`. */
  readonly keys: readonly string[];
  /** Type of the condition, such as `PodScheduled`. */
  readonly condition: string;
  readonly reason?: string;
  readonly message?: string;
  /** When the condition became so, milliseconds since the epoch. The earliest of several objects. */
  readonly since?: number;
  /** What an event says beside it. @default - it is a condition */
  readonly event?: EventSource;
}

export interface EventSource {
  /** The program that says it, as the event names it; users that may create events can write any name. */
  readonly source: string;
  readonly count: number;
  /** When it was last seen, milliseconds since the epoch. */
  readonly last?: number;
}

/** Conditions that matter while they have this status. */
const TOLD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Pod: { PodScheduled: 'False', DisruptionTarget: 'True' },
  'kueue.x-k8s.io/Workload': { QuotaReserved: 'False', Evicted: 'True', Preempted: 'True', PodsReady: 'False' },
  'scheduling.volcano.sh/PodGroup': { Unschedulable: 'True' },
  'scheduling.k8s.io/PodGroup': { PodGroupScheduled: 'False' },
};

/** The statements of a cluster's objects; equal ones about pods of one gang are one. */
export function statementsOf(objects: readonly JsonObject[]): readonly Statement[] {
  const found = new Map<string, Statement & { readonly names: string[]; since?: number }>();
  for (const object of objects) {
    const kind = kindOf(object);
    const told = Object.hasOwn(TOLD, kind) ? TOLD[kind] : undefined;
    if (told === undefined) {
      continue;
    }
    for (const condition of conditionsOf(object, told)) {
      const name = `${namespaceOf(object)}/${nameOf(object)}`;
      const keys = keysOf(object, kind);
      const key = JSON.stringify([kind === 'Pod' ? keys[0] : name, kind, condition.condition, condition.message]);
      const known = found.get(key);
      if (known === undefined) {
        found.set(key, { kind: asString(object.kind) ?? '', names: [name], keys, ...condition });
      } else {
        known.names.push(name);
        known.since = earlier(known.since, condition.since);
      }
    }
  }
  return [...found.values()];
}

/** Keys of the gangs that the object belongs to, as `ClusterGang.keys`. */
export function keysOf(object: JsonObject, kind: string): readonly string[] {
  if (kind === 'Pod') {
    return [gangIdentityOf(object).key];
  }
  const namespace = namespaceOf(object);
  const owners = asArray(asObject(object.metadata).ownerReferences)
    .map(asObject)
    .map((owner) => gangKey(namespace, asString(owner.kind) ?? '', asString(owner.name) ?? ''));
  return [gangKey(namespace, asString(object.kind) ?? '', nameOf(object)), ...owners];
}

type Told = Pick<Statement, 'condition' | 'reason' | 'message' | 'since'>;

function conditionsOf(object: JsonObject, told: Readonly<Record<string, string>>): readonly Told[] {
  const status = asObject(object.status);
  const conditions = asArray(status.conditions)
    .map(asObject)
    .filter(({ type, status: is }) => typeof type === 'string' && Object.hasOwn(told, type) && told[type] === is)
    .map((condition): Told => {
      const since = Date.parse(asString(condition.lastTransitionTime) ?? '');
      return {
        condition: asString(condition.type) ?? '',
        ...texts(condition),
        ...(Number.isFinite(since) && { since }),
      };
    });
  const requeued = asInteger(asObject(status.requeueState).count);
  return requeued === undefined || requeued === 0
    ? conditions
    : [...conditions, { condition: 'Requeued', message: `requeued ${requeued === 1 ? 'once' : `${requeued} times`}` }];
}

function texts({ reason, message }: JsonObject): Pick<Told, 'reason' | 'message'> {
  return {
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(typeof message === 'string' && message !== '' && { message }),
  };
}

function earlier(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || (second !== undefined && second < first) ? second : first;
}
