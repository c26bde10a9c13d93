/**
 * The plan: what a scheduler would do if these manifests were applied to this cluster now.
 *
 * It is the placement core that decides, the same that runs in the cluster; nothing here knows better. A pure function: equal input gives
 * equal output.
 */
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import {
  type Decision,
  DEFAULT_POLICY,
  type Gang,
  type PendingGang,
  type Policy,
  type Queue,
  type Snapshot,
  type Topology,
} from '../../placement';
import { decideIn } from '../../placement/engine';
import { compareNames } from '../../placement/model/names';
import { Session } from '../../placement/books/session';
import { type ClusterState } from './cluster-state';
import { deviceClaimsOf } from './objects/claims/read-claims';
import { daemonPods } from './nodes/daemon-sets';
import { enginePolicyOf } from './engines/engine-terms';
import { Lookups } from './lookups';
import { cohortQueue, QUEUE_KINDS, queueOf } from './objects/queue';
import { hyperNodeOf, hyperNodeTiers, TOPOLOGY_KINDS, topologyOf } from './objects/topologies';
import { type PlannedGang, plannedGangs, PodBudget } from './gangs/planned-gangs';
import { SchedulerTerms } from './queues/scheduler-terms';
import { clusterView } from './view/view-of';
import { type ClusterView, type ViewGang } from './view/view';
import { type GangFacts } from './view/view-input';
import { hintsOf, type Workloads, workloadsOf } from './workloads';

/** Options of `planOf`. */
export interface PlanOptions {
  /**
   * How the core chooses where it has a choice.
   * @default - that of the Gantry scheduler whose ConfigMap is among the manifests or in the cluster; else what the configuration of Volcano, Kueue,
   * or kube-scheduler amounts to; else the defaults of the placement core
   */
  readonly policy?: Policy;
  /**
   * What the scheduler may do; nothing at all if only the reasons are of interest.
   * @default - the actions of the policy
   */
  readonly actions?: Policy['actions'];
  /**
   * How many more of each gang, by its name; the copies are gangs of their own.
   * @default - none
   */
  readonly copies?: ReadonlyMap<string, number>;
  /**
   * Of the manifests' gangs these alone, by name; where each pod is of use by itself, with all of them or none.
   * @default - all, each with its own minimum
   */
  readonly only?: ReadonlySet<string>;
}

/** A plan: where each gang of the manifests lands. */
export interface ClusterPlan {
  /**
   * The plan as text, JSON, and pages show it.
   *
   * @beta
   */
  readonly view: ClusterView;
  /** The decision of the placement core. */
  readonly decision: Decision;
  /** The gangs that were asked about, in the order of their manifests; without manifests all that are in the cluster. */
  readonly asked: readonly AskedGang[];
  /** True where every gang that was asked about has all its places. */
  readonly good: boolean;
  /** Claims with selectors that were not evaluated, so that devices that do not match may have been counted, as `namespace/name`. */
  readonly claimsNotEvaluated: readonly string[];
}

/** A gang of the manifests, in the plan. */
export interface AskedGang {
  /**
   * The gang as text, JSON, and pages show it.
   *
   * @beta
   */
  readonly view: ViewGang;
  /** Empty for a gang that is only in the cluster. */
  readonly manifests: readonly Manifest[];
}

/**
 * Plans the workloads of the set on the cluster, among everything that is there.
 *
 * @throws SnapshotError if the manifests contradict themselves, for example if queues form a cycle
 */
export function planOf(
  set: ManifestSet,
  cluster: ClusterState,
  { policy: given, actions, copies, only }: PlanOptions = {},
): ClusterPlan {
  const notes: string[] = [...cluster.notes];
  const place = placeOf(set, cluster, notes);
  const workloads = workloadsOf(set, place.tiers);
  const written = set.manifests.map(({ object }) => object);
  const scheduler = SchedulerTerms.of(workloads.workloads, [written, cluster.objects], notes);
  const base =
    given ??
    scheduler.configuration?.policy ??
    enginePolicyOf(workloads.workloads, [written, cluster.objects], notes) ??
    DEFAULT_POLICY;
  const policy = actions === undefined ? base : { ...base, actions };
  const lookups = new Lookups([...cluster.objects, ...written], {
    tiers: place.tiers,
    defaultQueue: scheduler.configuration?.defaultQueue,
    namesMissingClaims: true,
    nodes: place.nodes,
  });
  const budget = PodBudget.of(place.nodes);
  const all = plannedGangs(workloads.workloads, lookups, cluster.gangs, { since: (cluster.at ?? 0) + 1, budget });
  const planned = withCopies(
    only === undefined ? all : all.filter(({ gang }) => only.has(gang.name)).map(whole),
    copies,
  ).map((one) => scheduler.applied(one));
  const taken = new Set(planned.flatMap(({ keys }) => keys));
  const others = cluster.gangs.filter(({ keys }) => !keys.some((key) => taken.has(key)));
  notes.push(...notesOf(workloads, lookups, budget));
  const gangs = [...planned.map(({ gang }) => gang), ...others.map(({ gang }) => gang)];
  const snapshot: Snapshot = {
    // Manifests arrive one millisecond after the other, so that their order counts; the plan is made when all are there.
    now: (cluster.at ?? 0) + planned.length,
    nodes: place.nodes,
    topologies: scheduler.topologies(place.topologies),
    queues: queuesFor(gangs, set, cluster, {
      scheduler,
      bound: planned.filter((one) => scheduler.needsQueue(one)),
      notes,
    }),
    gangs,
    pods: [
      ...planned.flatMap(({ pods }) => pods),
      ...others.flatMap(({ pods }) => pods),
      ...cluster.nodePods.map(({ pod }) => pod),
      ...daemonPods(workloads.daemonSets, place.nodes, cluster.nodePods, lookups),
    ],
  };
  const session = new Session({ ...snapshot, ...claimsFor(snapshot, lookups) }, policy);
  const decision = scheduler.explained(decideIn(session));
  notes.push(...(decision.contradictions ?? []).map(({ message }) => message));
  const facts = new Map<string, GangFacts>([...planned, ...others].map((one) => [one.gang.name, one.facts]));
  const asked = (set.manifests.length > 0 ? planned : others).map(({ gang }) => gang.name);
  const view = scheduler.shown(
    clusterView({
      session,
      decision,
      cluster: cluster.name,
      at: cluster.at,
      levels: place.levels,
      poolOf: cluster.poolOf,
      healthOf: (name) => cluster.health?.get(name),
      factsOf: (name) => facts.get(name)!,
      asked,
      explained: explainRest(session, asked, policy),
      notes,
    }),
  );
  const manifestsOf = new Map(planned.map(({ gang, manifests }) => [gang.name, manifests]));
  const first = view.gangs
    .slice(0, asked.length)
    .map((gang): AskedGang => ({ view: gang, manifests: manifestsOf.get(gang.name) ?? [] }));
  return {
    view,
    decision,
    asked: first,
    good: first.every((gang) => hasItsPlaces(gang.view)),
    claimsNotEvaluated: [...lookups.claimsWithSelectors],
  };
}

/** The claims of the pods, where they have any. */
function claimsFor({ nodes, gangs, pods }: Snapshot, lookups: Lookups): Pick<Snapshot, 'deviceClaims'> {
  const named = new Set(gangs.flatMap(({ roles }) => roles.flatMap(({ template }) => template.claims ?? [])));
  pods.forEach(({ template }) => template?.claims?.forEach((key) => named.add(key)));
  if (named.size === 0) {
    return {};
  }
  const inUse = new Set(pods.flatMap(({ state, claims = [] }) => (state === 'pending' ? [] : claims)));
  return { deviceClaims: deviceClaimsOf((kind) => lookups.ofKind(kind), nodes, inUse, named) };
}

/**
 * Returns whether all pods of the gang have a place after the decision.
 *
 * @beta
 */
export function hasItsPlaces({ state }: ViewGang): boolean {
  return state === 'placed' || state === 'running' || state === 'nominated';
}

type Place = Pick<ClusterState, 'nodes' | 'topologies' | 'levels' | 'tiers'>;

/** The cluster's nodes with the topology of the manifests. */
function placeOf(set: ManifestSet, cluster: ClusterState, notes: string[]): Place {
  const named = TOPOLOGY_KINDS.flatMap((kind) => set.ofKind(kind)).map(({ object }) => topologyOf(object));
  const known = new Set(cluster.topologies.map(({ name }) => name));
  const topologies: readonly Topology[] = [...cluster.topologies, ...named.filter(({ name }) => !known.has(name))];
  const hyperNodes = set.ofKind('topology.volcano.sh/HyperNode').map(({ object }) => hyperNodeOf(object));
  if (hyperNodes.length === 0) {
    return { ...cluster, topologies };
  }
  const made = hyperNodeTiers(hyperNodes, cluster.nodes);
  if (!made.hasMembers) {
    notes.push(
      `The HyperNodes of the manifests match no node of ${cluster.name}; the topology levels of the cluster are used as tiers.`,
    );
    return { ...cluster, topologies };
  }
  const nodes = cluster.nodes.map((node) => ({
    ...node,
    domains: { ...node.domains, ...made.domains.get(node.name) },
  }));
  const levels = cluster.levels.length > 0 ? cluster.levels : made.topology.levels;
  const others = topologies.filter(({ name }) => name !== made.topology.name);
  return { nodes, topologies: [...others, made.topology], levels, tiers: made.resolver };
}

interface QueueTerms {
  readonly scheduler: SchedulerTerms;
  /** Gangs of Gantry's scheduler, which knows all its queues: one that is not defined does not exist. */
  readonly bound: readonly PlannedGang[];
  readonly notes: string[];
}

/** Queues of the manifests replace those of the same name in the cluster. */
function queuesFor(
  gangs: readonly Gang[],
  set: ManifestSet,
  cluster: ClusterState,
  { scheduler, bound, notes }: QueueTerms,
): readonly Queue[] {
  const written = QUEUE_KINDS.flatMap((kind) => set.ofKind(kind)).flatMap(({ object }): Queue[] => {
    const queue = queueOf(object);
    return queue === undefined ? [] : [queue];
  });
  const own = new Set(written.map(({ name }) => name));
  const queues = [...scheduler.queues([...cluster.queues.filter(({ name }) => !own.has(name)), ...written])];
  const known = new Set(queues.map(({ name }) => name));
  // A cohort is there as soon as a queue names it.
  for (const { parent } of [...queues]) {
    if (parent === undefined || known.has(parent) || !parent.startsWith(cohortQueue(''))) {
      continue;
    }
    queues.push({ name: parent });
    known.add(parent);
  }
  const boundNames = new Set(bound.map(({ gang }) => gang.name));
  const named = gangs.filter(({ name }) => !boundNames.has(name)).map(({ queue }) => queue);
  const missing = [...new Set(named)].filter((name) => !known.has(name)).sort(compareNames);
  // A cluster that describes its queues has no others, but for the one that every scheduler has.
  const taken = missing.filter((name) => name === 'default' || cluster.queues.length === 0);
  const assumed = taken.filter((name) => name !== 'default');
  if (assumed.length > 0) {
    const what = assumed.length === 1 ? `Queue ${listText(assumed)} is` : `Queues ${listText(assumed)} are`;
    notes.push(`${what} not defined in the manifests or the cluster; treated as open and without limits.`);
  }
  return [...queues, ...taken.map((name): Queue => ({ name }))];
}

function notesOf({ notPlaced, workloads }: Workloads, lookups: Lookups, budget: PodBudget): readonly string[] {
  const later = notPlaced.map(({ manifest, why }) => `${manifestName(manifest)} ${why}: not placed.`);
  const classes = new Map<string, string>();
  for (const workload of workloads) {
    const { priorityClassName, priority } = hintsOf(workload);
    if (
      priority !== undefined ||
      priorityClassName === undefined ||
      lookups.priorities.of(priorityClassName) !== undefined
    ) {
      continue;
    }
    if (!classes.has(priorityClassName)) {
      classes.set(priorityClassName, manifestName(workload.manifest));
    }
  }
  const unknown = [...classes].map(
    ([name, first]) =>
      `PriorityClass "${name}" (${first}) is not defined in the manifests or the cluster; treated as priority 0.`,
  );
  const vast = workloads.flatMap(({ manifest, roles }) =>
    roles
      .filter(({ count }) => count > budget.nodePods + 1)
      .map(
        ({ name, count }) =>
          `${manifestName(manifest)} requests ${count} pods of role "${name}", but all nodes together can run at most ${budget.nodePods} pods; the others are not planned.`,
      ),
  );
  const selected = [...lookups.claimsWithSelectors].map(
    (claim) =>
      `The selectors of the claim ${claim} are not evaluated: any device of its class counts, so its pods may wait on the real cluster. To evaluate them, set draDriver: true on the pool of the cluster file, or plan on a snapshot with ResourceSlices.`,
  );
  return [...later, ...unknown, ...vast, ...selected, ...budget.notes];
}

function manifestName({ id }: Manifest): string {
  return `${id.kind} ${id.namespace === '' ? id.name : `${id.namespace}/${id.name}`}`;
}

function listText(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  return names.length > 5 ? `${shown.join(', ')} and ${names.length - 5} more` : shown.join(', ');
}

function withCopies(
  planned: readonly PlannedGang[],
  copies: ReadonlyMap<string, number> | undefined,
): readonly PlannedGang[] {
  if (copies === undefined) {
    return planned;
  }
  const last = planned.reduce((latest, { gang }) => Math.max(latest, gang.arrival ?? 0), 0);
  let next = last + 1;
  return [
    ...planned,
    ...planned.flatMap((one) =>
      Array.from({ length: copies.get(one.gang.name) ?? 0 }, (_, index): PlannedGang => ({
        ...one,
        gang: { ...one.gang, name: `${one.gang.name} copy ${index + 1}`, arrival: next++ },
        pods: [],
        keys: [],
      })),
    ),
  ];
}

/** An elastic gang is content with its minimum; who asks for five replicas wants five. */
function whole(planned: PlannedGang): PlannedGang {
  const { gang } = planned;
  return gang.minimum !== 1
    ? planned
    : { ...planned, gang: { ...gang, minimum: gang.roles.reduce((sum, { count }) => sum + count, 0) } };
}

/**
 * Why the rest of a gang waits that has its minimum: its missing pods are planned again, as gangs that need all of them, on the current
 * books.
 */
function explainRest(session: Session, asked: readonly string[], policy: Policy): ReadonlyMap<string, PendingGang> {
  const names = new Set(asked);
  const partial = session.gangs.filter(({ gang, placed, size }) => names.has(gang.name) && placed > 0 && placed < size);
  const explained = new Map<string, PendingGang>();
  if (partial.length === 0) {
    return explained;
  }
  const rest = partial.map(({ gang, roles }): Gang => ({
    ...gang,
    minimum: undefined,
    subgroups: undefined,
    topology: undefined,
    roles: roles
      .filter(({ pods, placed }) => placed < pods.length)
      .map(({ role: { name, template }, pods, placed }) => ({
        name,
        template,
        count: pods.length - placed,
        minimum: pods.length - placed,
      })),
  }));
  const settled = session.pods
    .filter(({ row }) => row >= 0)
    .map((pod) => ({
      name: pod.name,
      state: 'running' as const,
      template: pod.podClass.template,
      node: session.table.nodes[pod.row].name,
      devices: pod.devices.map((slot) => slot - session.table.deviceStart[pod.row]),
    }));
  const again = decideIn(new Session({ ...session.snapshot, gangs: rest, pods: settled }, { ...policy, actions: [] }));
  for (const pending of again.pending) {
    explained.set(pending.gang, pending);
  }
  return explained;
}
