/**
 * Kueue's configuration and its ClusterQueues as a policy of the placement core.
 *
 * Source: kueue, apis/config/v1beta2/configuration_types.go and apis/kueue/v1beta2/clusterqueue_types.go.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString, isObject } from '../../../manifests/read';
import { type Action } from '../../../placement';
import { type EnginePolicy } from './engine-policy';

/** Fields of the configuration that decide nothing about which work starts where. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'namespace',
  'health',
  'metrics',
  'webhook',
  'leaderElection',
  'controller',
  'clientConnection',
  'internalCertManagement',
  'pprofBindAddress',
  'queueVisibility',
  'objectRetentionPolicies',
  'tls',
]);

const NEVER = 'Never';
const STRICT = 'StrictFIFO';

/** What the core does for these values; for the others it comes nearest. */
const AS_THE_CORE: Readonly<Record<string, readonly string[]>> = {
  withinClusterQueue: [NEVER, 'LowerPriority'],
  reclaimWithinCohort: [NEVER, 'Any'],
};

/**
 * @param configuration of Kueue's controllers; `undefined` if it is not known
 * @param clusterQueues the queues of the cluster and of the manifests
 */
export function kueuePolicy(configuration: JsonObject | undefined, clusterQueues: readonly JsonObject[]): EnginePolicy {
  const specs = clusterQueues.map(({ spec }) => asObject(spec));
  const preemption = preemptionOf(specs);
  const strict = specs.filter(({ queueingStrategy }) => queueingStrategy === STRICT).length;
  const { fairSharing } = configuration ?? {};
  return {
    policy: {
      actions: ['allocate', ...preemption.actions],
      queueOrder: isOn(fairSharing) ? 'drf' : 'quota-then-surplus',
      queueing: strict > 0 && strict === specs.length ? 'strict-fifo' : 'best-effort-fifo',
      shareJudgment: 'requested-resources',
      gangSpread: 'anywhere',
      nonPreemptibleWithinQuota: false,
    },
    notMapped: [
      ...Object.entries(configuration ?? {})
        .filter(([key, value]) => key !== 'fairSharing' && !WITHOUT_EFFECT.has(key) && isOn(value))
        .map(([key]) => key),
      ...Object.keys(asObject(fairSharing))
        .filter((key) => key !== 'enable')
        .map((key) => `fairSharing.${key}`),
      ...(strict > 0 && strict < specs.length ? [`queueingStrategy ${STRICT} of some ClusterQueues`] : []),
      ...preemption.notMapped,
    ],
  };
}

/** A feature is on if it is stated and not turned off. */
function isOn(value: JsonObject[string]): boolean {
  return value !== undefined && value !== null && value !== false && !(isObject(value) && value.enable === false);
}

/** A policy has one answer for all queues: that of the queues that preempt. */
function preemptionOf(specs: readonly JsonObject[]): {
  readonly actions: readonly Action[];
  readonly notMapped: readonly string[];
} {
  const actions: Action[] = [];
  const notMapped: string[] = [];
  for (const [field, action] of [
    ['withinClusterQueue', 'preempt'],
    ['reclaimWithinCohort', 'reclaim'],
  ] as const) {
    const values = new Set(specs.map(({ preemption }) => asString(asObject(preemption)[field]) ?? NEVER));
    if ([...values].some((value) => value !== NEVER)) {
      actions.push(action);
    }
    if (values.size > 1) {
      notMapped.push(`preemption.${field}, which differs between ClusterQueues`);
    }
    const others = [...values].filter((value) => !AS_THE_CORE[field].includes(value));
    notMapped.push(...others.map((value) => `preemption.${field} ${value}`));
  }
  const borrows = specs.some(({ preemption }) => {
    const policy = asString(asObject(asObject(preemption).borrowWithinCohort).policy);
    return policy !== undefined && policy !== NEVER;
  });
  return { actions, notMapped: borrows ? [...notMapped, 'preemption.borrowWithinCohort'] : notMapped };
}
