/**
 * The plan over several clusters: which cluster runs each workload.
 *
 * With MultiKueue among the objects, Kueue distributes the workloads and this plan follows its rules. It names the cluster only where these rules
 * leave no choice, and otherwise says which clusters Kueue may choose. Without MultiKueue, a workload goes to the first cluster, in the given order,
 * in which it fits. Each cluster is planned as a plan of one cluster is.
 */
import { QUEUE_NAME_LABEL } from '../../facts/catalog/kueue-names';
import { groupBy } from '../../facts/collections';
import { type Manifest } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import { type ClusterNode, type PendingKind, type Policy } from '../../placement';
import { type ClusterState } from '../cluster/cluster-state';
import { kindOf, nameOf, namespaceOf } from '../cluster/lookups';
import { type AskedGang, type ClusterPlan, hasItsPlaces, planOf } from '../cluster/plan';
import { type ViewGang } from '../cluster/view/view';
import { type Dispatch, hasWorkers, MultiKueue } from './dispatch';

/** A cluster, with the name by which it is known: for a worker cluster, the name of its MultiKueueCluster. */
export interface NamedCluster {
  readonly name: string;
  readonly state: ClusterState;
}

export type ClusterRole = 'manager' | 'worker' | 'cluster';

export interface PlannedCluster {
  readonly name: string;
  readonly role: ClusterRole;
  /** The plan of the workloads that run there. */
  readonly plan: ClusterPlan;
}

/** Why a cluster does not run a workload. */
export interface Refusal {
  readonly cluster: string;
  readonly message: string;
}

export interface ClustersGang {
  /** The gang in the plan of its cluster; of a gang that waits, in that of the first cluster that was asked. */
  readonly view: ViewGang;
  /** The cluster that runs it. Absent if it waits. */
  readonly cluster?: string;
  /** Further clusters in which it fits, and which may run it as well. */
  readonly alternatives: readonly string[];
  /** Clusters that may run it, and were not given. */
  readonly unknown: readonly string[];
  /** Why it waits; empty if it does not. */
  readonly refusals: readonly Refusal[];
}

export interface ClustersPlan {
  readonly clusters: readonly PlannedCluster[];
  readonly gangs: readonly ClustersGang[];
  /** Sentences for people. */
  readonly notes: readonly string[];
  /** Whether every gang has a cluster that runs it. */
  readonly good: boolean;
}

/** Reasons that a ClusterQueue of the manager cluster has, before any worker cluster is asked. */
const OF_QUEUES: ReadonlySet<string> = new Set([
  'unknown-queue',
  'queue-closed',
  'queue-capability',
  'queue-guarantees',
  'quota-of-non-preemptible',
] satisfies PendingKind[]);
const LOCAL_QUEUE = 'kueue.x-k8s.io/LocalQueue';
/** What refusals call the manager cluster if it was not given. */
const MANAGER = 'manager';
/** Of more workloads, those that fit are the ones that fit when all are planned together. */
const MOST_IN_TURN = 100;
/** How many times a workload is planned on a cluster by itself, to find out where else it fits. */
const MOST_TRIALS = 400;

/** Workloads that run in one cluster together: the gangs of one manifest. */
interface Work {
  readonly gangs: readonly AskedGang[];
  readonly manifests: readonly Manifest[];
  /** Clusters that are asked at the same time, round by round; by name. */
  readonly rounds: readonly (readonly string[])[];
  /** The same clusters, one after the other. */
  readonly order: readonly string[];
  readonly dispatch?: Dispatch;
  /** Whether the queue of the manager cluster does not admit it, so that no cluster is asked. */
  readonly held: boolean;
  readonly refusals: Refusal[];
  cluster?: string;
}

/**
 * Plans the workloads of the set over the clusters.
 *
 * @param clusters with different names
 */
export function planClusters(
  set: ManifestSet,
  clusters: readonly NamedCluster[],
  { policy }: { readonly policy?: Policy } = {},
): ClustersPlan {
  return new ClustersPlanner(set, clusters, policy).plan();
}

class ClustersPlanner {
  private readonly manager: NamedCluster | undefined;
  private readonly multikueue: MultiKueue;
  private readonly byName: ReadonlyMap<string, NamedCluster>;
  private readonly plans = new Map<string, ClusterPlan>();
  /** What applies to the manager cluster, and what reaches the others. */
  private readonly base: { readonly manager: readonly Manifest[]; readonly others: readonly Manifest[] };
  private readonly works: readonly Work[];
  private readonly fitting = new Map<string, ReadonlySet<Work>>();
  private trials = 0;

  constructor(
    set: ManifestSet,
    private readonly clusters: readonly NamedCluster[],
    private readonly policy: Policy | undefined,
  ) {
    const written = set.manifests.map(({ object }) => object);
    this.byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
    const holders = clusters.filter(({ state }) => state.objects.some(hasWorkers));
    const { workers } = new MultiKueue([written, ...holders.map(({ state }) => state.objects)]);
    this.manager = workers.size === 0 ? undefined : (holders[0] ?? clusters.find(({ name }) => !workers.has(name)));
    this.multikueue = new MultiKueue([written, this.manager?.state.objects ?? []]);
    const asked = planOf(set, this.home(), { policy }).asked.filter(({ manifests }) => manifests.length > 0);
    const wanted = new Set(asked.flatMap(({ manifests }) => manifests));
    const rest = set.manifests.filter((manifest) => !wanted.has(manifest));
    this.base = {
      manager: rest,
      // Kueue sends workloads, and nothing else.
      others: workers.size === 0 ? rest : rest.filter(({ id }) => id.group !== 'kueue.x-k8s.io'),
    };
    this.works = [...groupBy(asked, ({ manifests }) => manifests[0]).values()].map((gangs) => this.workOf(gangs));
  }

  plan(): ClustersPlan {
    const most = Math.max(0, ...this.works.map(({ order }) => order.length));
    for (let rank = 0; rank < most; rank++) {
      for (const cluster of this.clusters) {
        const asked = this.works.filter((work) => mayRun(work) && work.order[rank] === cluster.name);
        if (asked.length > 0) {
          this.settle(cluster, asked);
        }
      }
    }
    const gangs = this.works.flatMap((work) => this.gangsOf(work));
    return {
      clusters: this.clusters.map((cluster) => ({
        name: cluster.name,
        role: this.roleOf(cluster),
        plan: this.plans.get(cluster.name) ?? this.planned(cluster, []),
      })),
      gangs,
      notes: this.notes(),
      good: gangs.every(({ cluster }) => cluster !== undefined),
    };
  }

  private roleOf({ name }: NamedCluster): ClusterRole {
    return this.multikueue.workers.size === 0 ? 'cluster' : name === this.manager?.name ? 'manager' : 'worker';
  }

  /** The manager's queues over the nodes of all clusters: what its quotas admit, whether or not a worker has room. */
  private home(): ClusterState {
    if (this.manager === undefined) {
      return this.clusters[0].state;
    }
    const nodes = this.clusters.flatMap(({ name, state }) =>
      state.nodes.map((node): ClusterNode => ({ ...node, name: `${name}/${node.name}` })),
    );
    return { ...this.manager.state, nodes, nodePods: [] };
  }

  private workOf(gangs: readonly AskedGang[]): Work {
    const dispatch = this.multikueue.of(gangs[0].view.queue);
    const rounds = this.roundsOf(dispatch);
    const queued = gangs.flatMap(({ view: { pending } }) =>
      dispatch !== undefined && pending !== undefined && OF_QUEUES.has(pending.kind)
        ? [{ cluster: this.manager?.name ?? MANAGER, message: pending.message }]
        : [],
    );
    return {
      gangs,
      manifests: [...new Set(gangs.flatMap(({ manifests }) => manifests))],
      rounds,
      order: rounds.flat(),
      dispatch,
      held: queued.length > 0,
      refusals: queued.slice(0, 1),
    };
  }

  private roundsOf(dispatch: Dispatch | undefined): readonly (readonly string[])[] {
    if (this.multikueue.workers.size === 0) {
      return this.clusters.map(({ name }) => [name]);
    }
    return dispatch?.rounds ?? (this.manager === undefined ? [] : [[this.manager.name]]);
  }

  /** Gives the cluster to those of the works that fit beside those that run there already. */
  private settle(cluster: NamedCluster, asked: readonly Work[]): void {
    const admitted = asked.filter((work) => {
      const missing = missingQueue(work, cluster);
      if (missing !== undefined) {
        work.refusals.push({ cluster: cluster.name, message: missing });
      }
      return missing === undefined;
    });
    const staying = this.runningIn(cluster.name);
    const together = this.planned(cluster, [...staying, ...admitted]);
    if (admitted.length > MOST_IN_TURN || admitted.every((work) => refusalIn(together, work, cluster) === undefined)) {
      this.take(cluster, admitted, together);
    } else {
      // What does not fit must not take room from what does: each is tried beside those before it.
      for (const work of [...admitted].sort((a, b) => priorityOf(b) - priorityOf(a))) {
        const running = this.runningIn(cluster.name);
        const plan = this.planned(cluster, [...running, work]);
        const displaced = running.find((other) => refusalIn(plan, other, cluster) !== undefined);
        if (displaced === undefined) {
          this.take(cluster, [work], plan);
        } else {
          const { name } = displaced.gangs[0].view;
          work.refusals.push({ cluster: cluster.name, message: `It fits only if pods of ${name} are evicted.` });
        }
      }
    }
    this.plans.set(cluster.name, this.planned(cluster, this.runningIn(cluster.name)));
  }

  private take({ name }: NamedCluster, works: readonly Work[], plan: ClusterPlan): void {
    for (const work of works) {
      const refusal = refusalIn(plan, work, { name });
      if (refusal === undefined) {
        work.cluster = name;
      } else {
        work.refusals.push(refusal);
      }
    }
  }

  private planned(cluster: NamedCluster, works: readonly Work[]): ClusterPlan {
    const base = cluster === this.manager ? this.base.manager : this.base.others;
    const set = new ManifestSet([...base, ...works.flatMap(({ manifests }) => manifests)]);
    return planOf(set, cluster.state, { policy: this.policy });
  }

  private gangsOf(work: Work): readonly ClustersGang[] {
    const { cluster, gangs, refusals } = work;
    const views = new Map(this.plans.get(cluster ?? '')?.asked.map(({ view }) => [view.name, view]));
    const competing = competingFor(work);
    const alternatives =
      cluster === undefined ? [] : competing.filter((name) => name !== cluster && this.alsoFits(work, name));
    return gangs.map(({ view }) => ({
      view: views.get(view.name) ?? view,
      cluster,
      alternatives,
      unknown: work.held ? [] : competing.filter((name) => !this.byName.has(name)),
      refusals: cluster === undefined ? refusals : [],
    }));
  }

  /** Whether the cluster has room for the work beside the workloads that run there. */
  private alsoFits(work: Work, name: string): boolean {
    const cluster = this.byName.get(name);
    if (cluster === undefined || missingQueue(work, cluster) !== undefined) {
      return false;
    }
    // What fits beside the others that might run there fits without them.
    const fitting = this.fitting.get(name) ?? this.fittingTogether(cluster);
    this.fitting.set(name, fitting);
    if (fitting.has(work) || this.trials >= MOST_TRIALS) {
      return fitting.has(work);
    }
    this.trials++;
    const together = [...this.runningIn(name), work];
    const plan = this.planned(cluster, together);
    return together.every((one) => refusalIn(plan, one, cluster) === undefined);
  }

  /** Those of the works that run elsewhere, and might run in the cluster, which all have room there beside the workloads that run there. */
  private fittingTogether(cluster: NamedCluster): ReadonlySet<Work> {
    const running = this.runningIn(cluster.name);
    const others = this.works.filter(
      (work) =>
        work.cluster !== undefined &&
        work.cluster !== cluster.name &&
        competingFor(work).includes(cluster.name) &&
        missingQueue(work, cluster) === undefined,
    );
    const plan = this.planned(cluster, [...running, ...others]);
    const fits = (work: Work): boolean => refusalIn(plan, work, cluster) === undefined;
    return new Set(running.every(fits) ? others.filter(fits) : []);
  }

  private runningIn(name: string): readonly Work[] {
    return this.works.filter(({ cluster }) => cluster === name);
  }

  private notes(): readonly string[] {
    const { workers } = this.multikueue;
    if (workers.size === 0) {
      return [
        'Neither the manifests nor the clusters contain a MultiKueueConfig: each gang is placed in the first cluster in which it fits.',
      ];
    }
    const idle = this.clusters.filter((cluster) => cluster !== this.manager && !workers.has(cluster.name));
    return [
      ...(this.manager === undefined
        ? [
            'No cluster is the manager cluster of MultiKueue: all are worker clusters, and only the queues of the manifests count.',
          ]
        : []),
      ...idle.map(({ name }) => `No MultiKueueConfig names the cluster ${name}, so nothing is sent there.`),
      ...(this.trials >= MOST_TRIALS
        ? [`Other clusters in which gangs fit are listed only for the first ${MOST_TRIALS} pairs of gang and cluster.`]
        : []),
    ];
  }
}

/** The clusters that are asked at the same time as the one that runs the work; all of them if the order is not known. */
function competingFor({ cluster, rounds, order, dispatch }: Work): readonly string[] {
  const round = rounds.find((names) => cluster !== undefined && names.includes(cluster)) ?? order;
  return dispatch?.dispatcher === undefined ? round : order;
}

function priorityOf({ gangs }: Work): number {
  return Math.max(...gangs.map(({ view }) => view.priority));
}

/** Whether the work may still be given a cluster. */
function mayRun({ cluster, held }: Work): boolean {
  return cluster === undefined && !held;
}

/** Why the work has no place in the plan; `undefined` if all its gangs have theirs. */
function refusalIn({ asked }: ClusterPlan, { gangs }: Work, { name }: Pick<NamedCluster, 'name'>): Refusal | undefined {
  const views = new Map(asked.map(({ view }) => [view.name, view]));
  for (const { view } of gangs) {
    const there = views.get(view.name);
    if (there === undefined || !hasItsPlaces(there)) {
      return { cluster: name, message: there?.pending?.message ?? 'It is not placed after the decision.' };
    }
  }
  return undefined;
}

/** Kueue creates the workload with the same namespace and local queue; a cluster without that queue never admits it. */
function missingQueue({ dispatch, manifests: [first] }: Work, { state }: NamedCluster): string | undefined {
  const queue = asString(asObject(asObject(first.object.metadata).labels)[QUEUE_NAME_LABEL]);
  const { objects } = state;
  // A cluster file describes no local queues.
  if (dispatch === undefined || queue === undefined || objects.length === 0) {
    return undefined;
  }
  const { namespace } = first.id;
  const found = objects.some(
    (object) => kindOf(object) === LOCAL_QUEUE && nameOf(object) === queue && namespaceOf(object) === namespace,
  );
  return found ? undefined : `The cluster has no LocalQueue ${namespace}/${queue}.`;
}
