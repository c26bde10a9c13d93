/**
 * The policy of a plan whose workloads Volcano, Kueue, or kube-scheduler places: their configuration, as far as the placement core has the
 * same choice.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { allOf, counted } from '../../../facts/words';
import { asString } from '../../../manifests/read';
import { DEFAULT_POLICY, type Policy } from '../../../placement';
import { kindOf } from '../lookups';
import { hintsOf, type Workload } from '../workloads';
import { ENGINE_NAMES, type Engine, type EngineConfigurations, engineConfigurationsIn } from './engine-configurations';
import { type EnginePolicy } from './engine-policy';
import { kubeSchedulerPolicy, profileOf } from './kube-scheduler';
import { kueuePolicy } from './kueue';
import { volcanoPolicy } from './volcano';

const DEFAULT_SCHEDULER = 'default-scheduler';
const VOLCANO_GROUPS: ReadonlySet<string> = new Set(['batch.volcano.sh', 'flow.volcano.sh']);

/** Who places a workload: an engine, and for kube-scheduler the profile. */
interface Placing {
  readonly engine: Engine;
  readonly schedulerName: string;
}

/**
 * @param workloads planned workloads; without any, the only configuration that is found counts
 * @param lists objects that may hold configurations and queues, those that win first
 * @param notes gets what a reader of the plan has to know
 * @returns `undefined` if nothing shapes the policy
 */
export function enginePolicyOf(
  workloads: readonly Workload[],
  lists: readonly (readonly JsonObject[])[],
  notes: string[],
): Policy | undefined {
  const configurations = engineConfigurationsIn(lists);
  const clusterQueues = lists.flat().filter((object) => kindOf(object) === 'kueue.x-k8s.io/ClusterQueue');
  const { placing, others } = mostFrequent(workloads, configurations);
  if (placing === undefined) {
    return undefined;
  }
  const deciding: readonly Engine[] = placing.engine === 'kueue' ? ['kueue', 'kube-scheduler'] : [placing.engine];
  notes.push(...configurations.notes.filter(({ engine }) => deciding.includes(engine)).map(({ text }) => text));
  const parts = partsOf(placing, configurations, clusterQueues);
  if (parts.length === 0) {
    return undefined;
  }
  const policy = parts.reduce<Policy>((all, part) => ({ ...all, ...part.policy }), DEFAULT_POLICY);
  for (const { from, policy: own, notMapped } of parts) {
    notes.push(`The policy follows ${from}: ${wordsOf(own)}.`);
    if (notMapped.length > 0) {
      notes.push(`Not mapped from ${from}: ${notMapped.join(', ')}.`);
    }
  }
  if (others > 0) {
    notes.push(`The same policy plans ${counted(others, 'workload')} of other schedulers.`);
  }
  return policy;
}

interface Part extends EnginePolicy {
  /** What the policy is taken from, in words. */
  readonly from: string;
}

function partsOf(
  { engine, schedulerName }: Placing,
  { found }: EngineConfigurations,
  clusterQueues: readonly JsonObject[],
): readonly Part[] {
  const named = (of: Engine, policy: EnginePolicy): Part => {
    const from = found.get(of)?.from;
    return { ...policy, from: from === undefined ? 'the ClusterQueues' : `${ENGINE_NAMES[of]} (${from})` };
  };
  switch (engine) {
    case 'volcano': {
      const value = found.get('volcano')?.value;
      return value === undefined ? [] : [named('volcano', volcanoPolicy(value))];
    }
    case 'kueue': {
      const value = found.get('kueue')?.value;
      const admitted =
        value === undefined && clusterQueues.length === 0 ? [] : [named('kueue', kueuePolicy(value, clusterQueues))];
      // Kueue decides what starts, and the profile of the pods on which nodes.
      const placed = profilePart(schedulerName, found).map(({ policy: { nodeScore }, ...part }) => ({
        ...part,
        policy: { nodeScore },
      }));
      return [...admitted, ...placed];
    }
    case 'kube-scheduler':
      return profilePart(schedulerName, found);
  }
}

function profilePart(schedulerName: string, found: EngineConfigurations['found']): readonly Part[] {
  const configuration = found.get('kube-scheduler');
  const profile = configuration === undefined ? undefined : profileOf(configuration.value, schedulerName);
  return configuration === undefined || profile === undefined
    ? []
    : [
        {
          ...kubeSchedulerPolicy(profile, configuration.value),
          from: `profile ${schedulerName} of kube-scheduler (${configuration.from})`,
        },
      ];
}

/** Who places most of the workloads; of several with equal numbers, the one of the first workload. */
function mostFrequent(
  workloads: readonly Workload[],
  { found }: EngineConfigurations,
): { readonly placing?: Placing; readonly others: number } {
  if (workloads.length === 0) {
    const engine = found.size === 1 ? [...found.keys()][0] : found.has('volcano') ? undefined : 'kueue';
    return { ...(engine !== undefined && { placing: { engine, schedulerName: DEFAULT_SCHEDULER } }), others: 0 };
  }
  const counts = new Map<string, { readonly placing: Placing; count: number }>();
  for (const workload of workloads) {
    const placing = placingOf(workload);
    const key = `${placing.engine} ${placing.schedulerName}`;
    const entry = counts.get(key) ?? { placing, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  const [first] = [...counts.values()].sort((a, b) => b.count - a.count);
  return { placing: first.placing, others: workloads.length - first.count };
}

function placingOf(workload: Workload): Placing {
  const [role] = workload.roles;
  const schedulerName = asString(role?.spec.schedulerName);
  if (hintsOf(workload).queue?.kind === 'local-queue') {
    return { engine: 'kueue', schedulerName: schedulerName ?? DEFAULT_SCHEDULER };
  }
  const isVolcano = schedulerName === undefined && VOLCANO_GROUPS.has(workload.manifest.id.group);
  return isVolcano || schedulerName === 'volcano'
    ? { engine: 'volcano', schedulerName: 'volcano' }
    : { engine: 'kube-scheduler', schedulerName: schedulerName ?? DEFAULT_SCHEDULER };
}

/** The fields of a policy, as a policy file has them: `actions [allocate, preempt] and nodeScore binpack`. */
function wordsOf(policy: Partial<Policy>): string {
  return allOf(
    Object.entries(policy).map(
      ([field, value]) => `${field} ${JSON.stringify(value).replaceAll('"', '').replaceAll(',', ', ')}`,
    ),
  );
}
