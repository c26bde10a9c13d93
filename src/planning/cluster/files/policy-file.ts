/**
 * A policy of the placement core as people name or write it.
 */
import { parseValue } from '../../../manifests/yaml';
import {
  type Action,
  CAPACITY_FILTER_MODES,
  type CapacityFilter,
  DEFAULT_POLICY,
  GANG_ORDERS,
  QUEUEINGS,
  GANG_SPREADS,
  NODE_SCORES,
  POD_ORDERS,
  type Policy,
  PREFERRED_TOPOLOGIES,
  QUEUE_ORDERS,
  SHARE_JUDGMENTS,
  SURPLUS_ORDERS,
  VICTIM_ORDERS,
} from '../../../placement';
import { Fields, meant, type Problem } from './fields';
import { oneOf } from '../../../facts/words';

const ACTIONS: readonly Action[] = DEFAULT_POLICY.actions;

/** Policies that have a name: each is the default but for one thing. */
export const NAMED_POLICIES: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ['default', DEFAULT_POLICY],
  ...NODE_SCORES.map((nodeScore) => [nodeScore, { ...DEFAULT_POLICY, nodeScore }] as const),
  ...QUEUE_ORDERS.map((queueOrder) => [queueOrder, { ...DEFAULT_POLICY, queueOrder }] as const),
  ['balanced', { ...DEFAULT_POLICY, preferredTopology: 'balanced' }],
  ['no-evictions', { ...DEFAULT_POLICY, actions: ['allocate', 'backfill'] }],
]);

/** A policy file that cannot be read; each line of the message names the place and what to write there. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** @throws PolicyFileError */
export function readPolicyFile(text: string, file: string): Policy {
  const parsed = parseValue(text, file);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    throw new PolicyFileError(`${file}:${position.line}:${position.column}: ${message}`);
  }
  const problems: Problem[] = [];
  const policy = readPolicy(new Fields(parsed.value, '', problems));
  if (problems.length > 0) {
    throw new PolicyFileError(
      problems.map(({ path, message }) => `${file}: ${path === '' ? 'the file' : path} ${message}`).join('\n'),
    );
  }
  return policy;
}

/** Members with one of several names. */
function orders(fields: Fields): Partial<Policy> {
  return {
    queueOrder: fields.oneOf('queueOrder', QUEUE_ORDERS) ?? DEFAULT_POLICY.queueOrder,
    gangOrder: fields.oneOf('gangOrder', GANG_ORDERS) ?? DEFAULT_POLICY.gangOrder,
    shareJudgment: fields.oneOf('shareJudgment', SHARE_JUDGMENTS) ?? DEFAULT_POLICY.shareJudgment,
    surplusOrder: fields.oneOf('surplusOrder', SURPLUS_ORDERS) ?? DEFAULT_POLICY.surplusOrder,
    podOrder: fields.oneOf('podOrder', POD_ORDERS) ?? DEFAULT_POLICY.podOrder,
    queueing: fields.oneOf('queueing', QUEUEINGS) ?? DEFAULT_POLICY.queueing,
    nodeScore: fields.oneOf('nodeScore', NODE_SCORES) ?? DEFAULT_POLICY.nodeScore,
    victimOrder: fields.oneOf('victimOrder', VICTIM_ORDERS) ?? DEFAULT_POLICY.victimOrder,
    preferredTopology: fields.oneOf('preferredTopology', PREFERRED_TOPOLOGIES) ?? DEFAULT_POLICY.preferredTopology,
    gangSpread: fields.oneOf('gangSpread', GANG_SPREADS) ?? DEFAULT_POLICY.gangSpread,
  };
}

/** What is not written is as in the default. */
export function readPolicy(fields: Fields): Policy {
  const without = actionsIn(fields, 'without') ?? [];
  const actions = (actionsIn(fields, 'actions') ?? ACTIONS).filter((action) => !without.includes(action));
  const policy: Policy = {
    ...DEFAULT_POLICY,
    ...orders(fields),
    actions,
    sharedDeviceWaitSeconds: fields.duration('sharedDeviceWait') ?? DEFAULT_POLICY.sharedDeviceWaitSeconds,
    nonPreemptibleWithinQuota: fields.flag('nonPreemptibleWithinQuota') ?? DEFAULT_POLICY.nonPreemptibleWithinQuota,
    affinityWeight: fields.number('affinityWeight', { least: 0 }) ?? DEFAULT_POLICY.affinityWeight,
    signalWeight: fields.number('signalWeight', { least: 0 }) ?? DEFAULT_POLICY.signalWeight,
    capacityReportSeconds: fields.duration('capacityReport') ?? DEFAULT_POLICY.capacityReportSeconds,
    capacityFilters: fields.list('capacityFilters').map(readCapacityFilter),
    staleGangSeconds: fields.duration('staleGang') ?? DEFAULT_POLICY.staleGangSeconds,
    stuckSeconds: fields.duration('stuck') ?? DEFAULT_POLICY.stuckSeconds,
    moveLimit: fields.number('moveLimit', { least: 0, whole: true }) ?? DEFAULT_POLICY.moveLimit,
    repartitionLimit: fields.number('repartitionLimit', { least: 0, whole: true }) ?? DEFAULT_POLICY.repartitionLimit,
    moveIntervalSeconds: fields.duration('moveInterval') ?? DEFAULT_POLICY.moveIntervalSeconds,
  };
  fields.done();
  return policy;
}

function readCapacityFilter(fields: Fields): CapacityFilter {
  const [pools, queues] = [fields.texts('pools'), fields.texts('queues')];
  const freeMemoryMiB = fields.number('freeMemoryMiB', { least: 0 });
  const utilization = fields.number('utilization', { least: 0, most: 1 });
  const latencyMs = fields.number('latencyMs', { least: 0 });
  const mode = fields.oneOf('mode', CAPACITY_FILTER_MODES);
  if (!['freeMemoryMiB', 'utilization', 'latencyMs'].some((key) => fields.has(key))) {
    fields.wrongAt('', 'must set at least one of freeMemoryMiB, utilization, and latencyMs');
  }
  if (!fields.has('mode')) {
    fields.wrongAt('mode', 'is required: hard or soft');
  }
  fields.done();
  return {
    mode: mode ?? 'hard',
    ...(pools === undefined ? {} : { pools }),
    ...(queues === undefined ? {} : { queues }),
    ...(freeMemoryMiB === undefined ? {} : { freeMemoryMiB }),
    ...(utilization === undefined ? {} : { utilization }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  };
}

function actionsIn(fields: Fields, key: string): readonly Action[] | undefined {
  const names = fields.texts(key);
  return names?.flatMap((name): Action[] => {
    const action = ACTIONS.find((known) => known === name);
    if (action === undefined) {
      fields.wrong(key, name, oneOf(ACTIONS), meant(name, ACTIONS));
    }
    return action === undefined ? [] : [action];
  });
}
