/**
 * Queues of Volcano, Kueue and KAI as queues of the placement core.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { kindKey } from '../../../manifests/identity';
import { asArray, asBoolean, asInteger, asObject, asString } from '../../../manifests/read';
import { parseQuantity } from '../../../manifests/values/quantity';
import { type Amounts, DEFAULT_DEVICE_RESOURCE, type Queue } from '../../../placement';
import { type AmountsDraft, amountOf, amountsOf } from '../../../manifests/pods/resource-amounts';

/** A local queue of Kueue, which refers to a ClusterQueue in one namespace. */
export interface LocalQueue {
  readonly namespace: string;
  readonly name: string;
  readonly clusterQueue: string;
  readonly stopped: boolean;
}

/** Volcano's root is the cluster itself. */
const VOLCANO_ROOT = 'root';

/** Kinds that `queueOf` reads, as `group/Kind`. */
export const QUEUE_KINDS = [
  'scheduling.volcano.sh/Queue',
  'kueue.x-k8s.io/ClusterQueue',
  'kueue.x-k8s.io/Cohort',
  'scheduling.run.ai/Queue',
] as const;

/** The queue; `undefined` for an object of another kind, and for Volcano's `root`. */
export function queueOf(object: JsonObject): Queue | undefined {
  const apiVersion = asString(object.apiVersion) ?? '';
  const metadata = asObject(object.metadata);
  const name = asString(metadata.name) ?? '';
  const created = Date.parse(asString(metadata.creationTimestamp) ?? '');
  const age = Number.isFinite(created) ? { arrival: created } : {};
  const spec = asObject(object.spec);
  switch (kindKey({ group: apiVersion.split('/')[0], kind: asString(object.kind) ?? '' })) {
    case 'scheduling.volcano.sh/Queue':
      return name === VOLCANO_ROOT ? undefined : { ...volcanoQueue(name, spec, asObject(object.status)), ...age };
    case 'kueue.x-k8s.io/ClusterQueue':
      return { ...clusterQueue(name, spec), ...age };
    case 'kueue.x-k8s.io/Cohort':
      return { ...cohort(name, spec), ...age };
    case 'scheduling.run.ai/Queue':
      return { ...kaiQueue(name, spec), ...age };
    default:
      return undefined;
  }
}

function volcanoQueue(name: string, spec: JsonObject, status: JsonObject): Queue {
  const parent = asString(spec.parent);
  const guarantee = asObject(spec.guarantee).resource;
  const state = asString(status.state);
  return {
    name,
    ...(parent !== undefined && parent !== '' && parent !== VOLCANO_ROOT && { parent }),
    weight: asInteger(spec.weight) ?? 1,
    ...given('deserved', spec.deserved),
    ...given('guarantee', guarantee),
    ...given('capability', spec.capability),
    ...(asInteger(spec.priority) !== undefined && { priority: asInteger(spec.priority) }),
    ...(asBoolean(spec.reclaimable) === false && { reclaimable: false }),
    ...((state === 'Closed' || state === 'Closing') && { state: 'closed' as const }),
  };
}

function given(
  member: 'deserved' | 'guarantee' | 'capability',
  list: JsonValue | undefined,
): Partial<Record<typeof member, Amounts>> {
  return list === undefined || list === null ? {} : { [member]: amountsOf(list) };
}

/** A cohort's name as a queue; it may be equal to that of a ClusterQueue. */
export function cohortQueue(name: string): string {
  return `cohort:${name}`;
}

/** Nominal quota is what a ClusterQueue can count on; what it does not lend stays reserved; what it may not borrow is its ceiling. */
function clusterQueue(name: string, spec: JsonObject): Queue {
  const parent = asString(spec.cohortName) ?? asString(spec.cohort);
  const { nominal, kept, ceiling } = quotas(spec, parent === undefined);
  return {
    name,
    ...(parent !== undefined && parent !== '' && { parent: cohortQueue(parent) }),
    ...weight(spec),
    deserved: nominal,
    ...(Object.keys(ceiling).length > 0 && { capability: ceiling }),
    ...(Object.keys(kept).length > 0 && { guarantee: kept }),
    ...(spec.stopPolicy !== undefined && spec.stopPolicy !== 'None' && { state: 'closed' as const }),
  };
}

function cohort(name: string, spec: JsonObject): Queue {
  const parent = asString(spec.parentName) ?? asString(spec.parent);
  return {
    name: cohortQueue(name),
    ...(parent !== undefined && parent !== '' && { parent: cohortQueue(parent) }),
    ...weight(spec),
  };
}

function weight(spec: JsonObject): { readonly weight?: number } {
  const text = asObject(spec.fairSharing).weight;
  const quantity = typeof text === 'string' || typeof text === 'number' ? parseQuantity(text) : undefined;
  return quantity === undefined ? {} : { weight: quantity.toNumber() };
}

/** Sums over flavors. A resource has a ceiling only where every flavor of it has one. */
function quotas(spec: JsonObject, alone: boolean): Readonly<Record<'nominal' | 'kept' | 'ceiling', AmountsDraft>> {
  const nominal: AmountsDraft = {};
  const kept: AmountsDraft = {};
  const borrowed: AmountsDraft = {};
  const open = new Set<string>();
  for (const group of asArray(spec.resourceGroups).map(asObject)) {
    for (const resource of asArray(group.flavors)
      .map(asObject)
      .flatMap(({ resources }) => asArray(resources).map(asObject))) {
      const name = asString(resource.name) ?? '';
      const limit = resource.borrowingLimit;
      const own = amountOf(name, resource.nominalQuota ?? null) ?? 0;
      nominal[name] = (nominal[name] ?? 0) + own;
      if (alone) {
        continue;
      }
      const lent = amountOf(name, resource.lendingLimit ?? null);
      if (lent !== undefined && own > lent) {
        kept[name] = (kept[name] ?? 0) + own - lent;
      }
      if (limit === undefined || limit === null) {
        open.add(name);
      } else {
        borrowed[name] = (borrowed[name] ?? 0) + (amountOf(name, limit) ?? 0);
      }
    }
  }
  const bounded = Object.entries(nominal).filter(([name]) => !open.has(name));
  return {
    nominal,
    kept,
    ceiling: Object.fromEntries(bounded.map(([name, amount]) => [name, amount + (borrowed[name] ?? 0)])),
  };
}

const KAI_RESOURCES = [
  { member: 'cpu', resource: 'cpu', factor: 1 },
  // KAI counts memory of queues in megabytes.
  { member: 'memory', resource: 'memory', factor: 1_000_000 },
  { member: 'gpu', resource: DEFAULT_DEVICE_RESOURCE, factor: 1 },
] as const;

/** `-1` is without bound, and what is absent is 0 for a quota and without bound for a limit. */
function kaiQueue(name: string, spec: JsonObject): Queue {
  const parent = asString(spec.parentQueue);
  const priority = asInteger(spec.priority);
  const resources = asObject(spec.resources);
  const deserved: Record<string, number | 'unlimited'> = {};
  const capability: AmountsDraft = {};
  const surplusWeight: AmountsDraft = {};
  for (const { member, resource, factor } of KAI_RESOURCES) {
    const { quota, limit, overQuotaWeight } = asObject(resources[member]);
    if (typeof quota === 'number') {
      deserved[resource] = quota < 0 ? 'unlimited' : quota * factor;
    }
    if (typeof limit === 'number' && limit >= 0) {
      capability[resource] = limit * factor;
    }
    if (typeof overQuotaWeight === 'number') {
      surplusWeight[resource] = overQuotaWeight;
    }
  }
  return {
    name,
    ...(parent !== undefined && parent !== '' && { parent }),
    ...(priority !== undefined && { priority }),
    ...(Object.keys(deserved).length > 0 && { deserved }),
    ...(Object.keys(capability).length > 0 && { capability }),
    ...(Object.keys(surplusWeight).length > 0 && { surplusWeight }),
  };
}

export function localQueueOf(object: JsonObject): LocalQueue | undefined {
  const metadata = asObject(object.metadata);
  const spec = asObject(object.spec);
  const clusterQueueName = asString(spec.clusterQueue);
  if (clusterQueueName === undefined) {
    return undefined;
  }
  return {
    namespace: asString(metadata.namespace) ?? 'default',
    name: asString(metadata.name) ?? '',
    clusterQueue: clusterQueueName,
    stopped: spec.stopPolicy !== undefined && spec.stopPolicy !== 'None',
  };
}
