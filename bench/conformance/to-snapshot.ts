/**
 * A case as a snapshot and a policy: pure translation, with the meaning that each suite gives its words.
 */
import {
  type Action,
  type ClusterNode,
  DEFAULT_DEVICE_RESOURCE,
  DEFAULT_POLICY,
  type Device,
  type Gang,
  type HyperNode,
  hyperNodeLevel,
  hyperNodeTopology,
  type Pod,
  type PodAffinityTerm,
  type PodTemplate,
  type Policy,
  type Queue,
  type Requirement,
  type Role,
  type Snapshot,
  type Subgroup,
  type Taint,
  type Toleration,
  type TopologyConstraint,
} from '../../src/placement';
import {
  type CaseNetworkTopology,
  type CaseNode,
  type CasePod,
  type CasePodGroup,
  type CaseQueue,
  type CaseTopology,
  type SchedulerCase,
} from './case-format';

export const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

export interface LivePod {
  readonly spec: CasePod;
  state: 'pending' | 'running' | 'releasing';
  node: string | undefined;
  devices: readonly number[] | undefined;
  startedAt: number | undefined;
}

export function livePods(given: SchedulerCase, nodes: ReadonlySet<string>): LivePod[] {
  const { pods, podGroups } = given;
  const groupDevices = deviceGroups(given);
  const groups = new Map(podGroups.map((group) => [group.name, group]));
  return pods
    .filter(
      (pod) =>
        !/succeeded|failed|completed/i.test(pod.state) && isConsidered(given, pod, groups.get(pod.podGroup ?? '')),
    )
    .map((spec) => {
      // A pipelined pod is nominated, and runs nowhere yet.
      const state = /pending|gated|pipelined/i.test(spec.state)
        ? 'pending'
        : /releasing|deleted|terminating/i.test(spec.state)
          ? 'releasing'
          : 'running';
      const elapsed = spec.podGroup === undefined ? undefined : groups.get(spec.podGroup)?.elapsedMinutes;
      const node = state === 'pending' || spec.node === undefined || !nodes.has(spec.node) ? undefined : spec.node;
      return {
        spec,
        state,
        node,
        // Shared devices keep their numbers as long as the pod runs.
        devices: node === undefined ? undefined : spec.gpuGroups?.map((id) => groupDevices.get(`${node} ${id}`)!),
        startedAt: state === 'pending' || elapsed === undefined ? undefined : NOW - elapsed * MINUTE,
      };
    });
}

/**
 * Volcano looks at groups that are past its queue and whose queue has no children, starts pods without any request in its action `backfill`
 * only, where it starts nothing else, and makes room for them by preemption alone.
 */
function isConsidered(
  { suite, run, queues }: SchedulerCase,
  { state, request }: CasePod,
  group: CasePodGroup | undefined,
): boolean {
  const actions = run?.actions ?? [];
  if (suite !== 'volcano' || !/pending/i.test(state)) {
    return true;
  }
  if (/^pending$/i.test(group?.phase ?? '') && !actions.includes('enqueue')) {
    return false;
  }
  if (queues.some(({ parent }) => parent === group?.queue)) {
    return false;
  }
  const empty = Object.values(request).every((amount) => amount === 0);
  return empty
    ? actions.includes('backfill') || actions.includes('preempt')
    : actions.some((action) => action !== 'backfill' && action !== 'enqueue');
}

export function policyOf({ run, suite, config }: SchedulerCase): Policy {
  const named = run?.actions?.flatMap((action): Action[] => actionsNamed(action));
  const disabled = new Set((run?.disable ?? []).flatMap((action) => actionsNamed(action)));
  const wanted = [
    ...(named ?? DEFAULT_POLICY.actions.filter((action) => action !== 'backfill')),
    ...(run?.backfill === undefined ? [] : ['backfill' as const]),
  ];
  const spread = config?.placement?.gpu === 'spread' || config?.placement?.cpu === 'spread';
  return {
    ...DEFAULT_POLICY,
    // The projects that the cases are from move a pod whenever that lets another in.
    moveIntervalSeconds: 0,
    actions: [...new Set(wanted)].filter((action) => !disabled.has(action)),
    gangOrder: /drf\([^)]*jobOrder/.test(config?.plugins ?? '') ? 'share' : 'age',
    nodeScore: spread ? 'spread' : 'binpack',
    nonPreemptibleWithinQuota: suite !== 'volcano',
    // The suites place what asks for no topology by the score of nodes alone.
    gangSpread: 'anywhere',
    staleGangSeconds: 0,
  };
}

function actionsNamed(action: string): Action[] {
  switch (action.toLowerCase()) {
    case 'allocate':
      return ['allocate'];
    case 'consolidation':
    case 'consolidate':
      return ['consolidate'];
    case 'reclaim':
    case 'gangreclaim':
      return ['reclaim'];
    case 'preempt':
    case 'gangpreempt':
      return ['preempt'];
    case 'stalegangeviction':
      return ['evict-stale'];
    case 'backfill':
      return ['allocate'];
    default:
      return [];
  }
}

export function snapshotOf(given: SchedulerCase, pods: readonly LivePod[]): Snapshot {
  const names = given.nodes.map(({ name }) => name);
  const hyper =
    given.hyperNodes === undefined ? undefined : hyperNodeTopology(withNodes(given.hyperNodes, names), names);
  const gangs = given.podGroups.flatMap((group, index) =>
    gangOf(
      given,
      group,
      index,
      pods.filter(({ spec }) => spec.podGroup === group.name),
    ),
  );
  const known = new Set(gangs.map(({ name }) => name));
  return {
    now: NOW,
    nodes: given.nodes.map((node) => nodeOf(node, hyper?.domains.get(node.name))),
    queues: given.queues.map((queue, index) => queueOf(queue, index, given)),
    gangs,
    pods: pods
      .filter(({ spec, state }) => known.has(spec.podGroup ?? '') || state !== 'pending')
      .map((pod) => podOf(given, pod, known)),
    topologies: [...(given.topologies ?? []), ...(hyper === undefined ? [] : [hyper.topology])],
  };
}

/** Members of outer HyperNodes may be HyperNodes themselves. */
function withNodes(hyperNodes: readonly HyperNode[], nodes: readonly string[]): HyperNode[] {
  const members = (name: string): readonly string[] =>
    nodes.includes(name)
      ? [name]
      : hyperNodes.filter((one) => one.name === name).flatMap((one) => one.nodes.flatMap(members));
  return hyperNodes.map((hyperNode) => ({ ...hyperNode, nodes: hyperNode.nodes.flatMap(members) }));
}

function nodeOf(node: CaseNode, domains: Readonly<Record<string, string>> | undefined): ClusterNode {
  const memoryMiB = node.gpu?.memoryMiBPerGpu;
  const device: Device = memoryMiB === undefined ? {} : { memoryMiB };
  return {
    name: node.name,
    allocatable: node.allocatable,
    labels: node.labels ?? {},
    domains,
    taints: [...(node.taints ?? []), ...migTaints(node)],
    ready: node.ready,
    unschedulable: node.unschedulable,
    devices: Array.from({ length: node.allocatable[DEFAULT_DEVICE_RESOURCE] ?? 0 }, () => device),
  };
}

function queueOf(queue: CaseQueue, index: number, { suite, pods }: SchedulerCase): Queue {
  const resources = new Set(pods.flatMap(({ request }) => Object.keys(request)));
  // KAI governs what it names; everything else is free for all.
  const rest =
    suite === 'kai' && queue.deserved !== undefined
      ? [...resources].filter((name) => queue.deserved![name] === undefined)
      : [];
  const deserved =
    queue.deserved === undefined
      ? undefined
      : Object.fromEntries([
          ...Object.entries(queue.deserved).map(([name, amount]) => [name, amount ?? 'unlimited'] as const),
          ...rest.map((name) => [name, 'unlimited'] as const),
        ]);
  return {
    name: queue.name,
    parent: queue.parent ?? undefined,
    weight: queue.weight,
    priority: queue.priority,
    deserved,
    guarantee: known(queue.guarantee),
    capability: known(queue.limit ?? queue.capability),
    surplusWeight: known(queue.overQuotaWeight),
    reclaimable: queue.reclaimable,
    state: queue.state === undefined || /^open$/i.test(queue.state) ? 'open' : 'closed',
    arrival: index,
  };
}

function known(
  amounts: Readonly<Record<string, number | null>> | undefined,
): Readonly<Record<string, number>> | undefined {
  return amounts === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(amounts).flatMap(([name, amount]) => (amount === null ? [] : [[name, amount]])),
      );
}

function gangOf(given: SchedulerCase, group: CasePodGroup, index: number, pods: readonly LivePod[]): Gang[] {
  if (pods.length === 0) {
    return [];
  }
  const subgroups = (group.subGroups ?? []).map((sub): Subgroup => ({
    name: sub.name,
    parent: sub.parent ?? undefined,
    minimum: sub.minMember ?? sub.minAvailable,
    topology: topologyOf(sub.topology) ?? networkTopologyOf(sub.networkTopology, given),
  }));
  const roles = new Map<string, LivePod[]>();
  for (const pod of pods) {
    roles.set(roleOf(pod.spec), [...(roles.get(roleOf(pod.spec)) ?? []), pod]);
  }
  const volcano = given.suite === 'volcano';
  const taskMinimums = Object.values(group.minTaskMember ?? {}).reduce((sum, count) => sum + count, 0);
  // Volcano looks at the minimums of tasks only where the group asks for at least all of them.
  const byTask = !volcano || (group.minMember ?? 0) >= taskMinimums;
  return [
    {
      name: group.name,
      queue: group.queue,
      roles: [...roles].map(([name, members]): Role => ({
        name,
        count: members.length,
        minimum: byTask ? (group.minTaskMember?.[name] ?? 0) : 0,
        template: templateOf(members[0].spec),
        subgroup: subgroups.some((sub) => sub.name === name) ? name : undefined,
      })),
      minimum: group.minMember ?? (subgroups.length > 0 ? 0 : 1),
      subgroups,
      topology: topologyOf(group.topology) ?? networkTopologyOf(group.networkTopology, given),
      priority: group.priority ?? 0,
      preemptible: group.preemptible ?? !volcano,
      preempts: !pods.some(({ spec }) => spec.preemptionPolicy === 'Never'),
      arrival: group.ageMinutes === undefined ? NOW - MINUTE * 1000 + index : NOW - group.ageMinutes * MINUTE,
      expectedSeconds: group.expectedRuntimeMinutes === undefined ? undefined : group.expectedRuntimeMinutes * 60,
      preemptionDelaySeconds: group.preemptionDelayMs === undefined ? undefined : group.preemptionDelayMs / 1000,
    },
  ];
}

function roleOf({ role, podSet }: CasePod): string {
  return role ?? podSet ?? '';
}

function topologyOf(topology: CaseTopology | undefined): TopologyConstraint | undefined {
  return topology === undefined
    ? undefined
    : { topology: topology.topology, required: topology.required, preferred: topology.preferred };
}

/** `hard`: all pods under one HyperNode of at most the given tier. `soft`: as near together as can be. */
function networkTopologyOf(
  topology: CaseNetworkTopology | undefined,
  { hyperNodes = [] }: SchedulerCase,
): TopologyConstraint | undefined {
  const tiers = [...new Set(hyperNodes.map(({ tier }) => tier))].sort((a, b) => a - b);
  if (topology === undefined || tiers.length === 0) {
    return undefined;
  }
  const allowed = topology.highestTierAllowed ?? tiers[tiers.length - 1];
  const highest = Math.max(tiers[0], ...tiers.filter((tier) => tier <= allowed));
  // Above all HyperNodes the whole cluster is one more tier.
  return topology.mode === 'soft' || allowed > tiers[tiers.length - 1]
    ? { topology: 'hypernodes', preferred: hyperNodeLevel(tiers[0]) }
    : { topology: 'hypernodes', required: hyperNodeLevel(highest), preferred: hyperNodeLevel(tiers[0]) };
}

function podOf(given: SchedulerCase, pod: LivePod, gangs: ReadonlySet<string>): Pod {
  const { spec } = pod;
  const inGang = gangs.has(spec.podGroup ?? '');
  return {
    name: spec.name,
    state: pod.state,
    gang: inGang ? spec.podGroup : undefined,
    role: inGang ? roleOf(spec) : undefined,
    template: templateOf(spec),
    node: pod.node,
    devices: pod.devices,
    startedAt: pod.startedAt,
    preemptible: given.suite === 'volcano' ? (spec.preemptable ?? true) : undefined,
    // The higher number goes first.
    order: spec.orderInGroup === undefined ? undefined : -spec.orderInGroup,
    releasedBy: pod.state === 'releasing' && spec.stuckInReleasing === true ? 0 : undefined,
  };
}

/** Shared devices of running pods: every group name of a node is one device, with the same number in all rounds. */
function deviceGroups({ nodes, pods }: SchedulerCase): Map<string, number> {
  const devices = new Map<string, number>();
  for (const { name } of nodes) {
    const ids = new Set(pods.filter(({ node }) => node === name).flatMap(({ gpuGroups }) => gpuGroups ?? []));
    [...ids].sort().forEach((id, index) => devices.set(`${name} ${id}`, index));
  }
  return devices;
}

/** A node with MIG resources takes, by its strategy, MIG requests alone (`mixed`) or whole devices alone (`single`). */
function migTaints({ allocatable, gpu }: CaseNode): readonly Taint[] {
  const divided = Object.keys(allocatable).some((name) => name.startsWith(MIG_PREFIX));
  const strategy = divided ? gpu?.migStrategy : undefined;
  return strategy === 'mixed' || strategy === 'single'
    ? [{ key: MIG_TAINT, value: strategy, effect: 'NoSchedule' }]
    : [];
}

function migToleration({ request, gpuFraction, gpuMemoryMiB }: CasePod): Toleration {
  if (Object.keys(request).some((name) => name.startsWith(MIG_PREFIX))) {
    return { key: MIG_TAINT, value: 'mixed' };
  }
  const shared = gpuFraction !== undefined || gpuMemoryMiB !== undefined;
  if (shared) {
    return { key: MIG_TAINT, value: 'neither' };
  }
  return (request[DEFAULT_DEVICE_RESOURCE] ?? 0) > 0
    ? { key: MIG_TAINT, value: 'single' }
    : { key: MIG_TAINT, operator: 'Exists' };
}

const MIG_PREFIX = 'nvidia.com/mig-';
const MIG_TAINT = 'case/mig-strategy';

function templateOf(spec: CasePod): PodTemplate {
  const { gpuFraction, gpuMemoryMiB, gpuFractionDevices: count = 1 } = spec;
  const shared = gpuFraction !== undefined || gpuMemoryMiB !== undefined;
  return {
    request: shared
      ? Object.fromEntries(Object.entries(spec.request).filter(([name]) => name !== DEFAULT_DEVICE_RESOURCE))
      : spec.request,
    accelerator:
      gpuFraction !== undefined
        ? { kind: 'fraction', milli: Math.round(gpuFraction * 1000), count }
        : gpuMemoryMiB !== undefined
          ? { kind: 'memory', mebibytes: gpuMemoryMiB, count }
          : undefined,
    labels: { ...spec.labels, ...(spec.podGroup === undefined ? {} : { podGroup: spec.podGroup }) },
    nodeSelector: spec.nodeSelector,
    nodeTerms: nodeTermsOf(spec.nodeAffinityIn),
    podAffinity: podTermsOf(spec.podAffinity),
    podAntiAffinity: podTermsOf(spec.podAntiAffinity),
    tolerations: [...(spec.tolerations ?? []), migToleration(spec)],
  };
}

function nodeTermsOf(given: unknown): PodTemplate['nodeTerms'] {
  if (!isRecord(given)) {
    return undefined;
  }
  const labels = Object.entries(given).map(([key, values]): Requirement => ({
    key,
    operator: 'In',
    values: (Array.isArray(values) ? values : [values]).map(String),
  }));
  return labels.length === 0 ? undefined : [{ labels }];
}

/** Terms with `matchLabels` or `labels` and a topology key; the selected pods may also be named by their group. */
function podTermsOf(given: unknown): readonly PodAffinityTerm[] | undefined {
  const list =
    given === undefined || given === null ? [] : Array.isArray(given) ? (given as readonly unknown[]) : [given];
  const terms = list.filter(isRecord).map((term): PodAffinityTerm => {
    const labels =
      [term.matchLabels, term.labels, isRecord(term.labelSelector) ? term.labelSelector.matchLabels : undefined].find(
        isRecord,
      ) ?? {};
    const group = term.podGroup ?? term.group;
    return {
      topologyKey: typeof term.topologyKey === 'string' ? term.topologyKey : 'kubernetes.io/hostname',
      selector: {
        labels: Object.entries({ ...labels, ...(group === undefined ? {} : { podGroup: group }) }).map(
          ([key, value]) => ({
            key,
            operator: 'In',
            values: [typeof value === 'string' ? value : JSON.stringify(value)],
          }),
        ),
      },
    };
  });
  return terms.length === 0 ? undefined : terms;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
