/**
 * What Gantry's own scheduler does with the planned workloads: its policy, its queues, and who may use them.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type Decision, type Queue, type Topology } from '../../../placement';
import { type Configuration } from '../../scheduler-settings/configuration';
import { kindOf } from '../lookups';
import { type PlannedGang } from '../gangs/planned-gangs';
import { QueueTree } from './queue-tree';
import { isScheduledBy, schedulerConfigurationIn } from './scheduler-configuration';
import { type ClusterView, type ViewGang } from '../view/view';
import { type Workload } from '../workloads';

interface Refusal {
  /** The queue that the workload names. */
  readonly queue: string;
  readonly message: string;
}

export class SchedulerTerms {
  /**
   * @param workloads planned workloads; if none of them is scheduled by Gantry, its configuration does not matter
   * @param lists objects that may hold the configuration and the queues, those that win first
   * @param notes gets what a reader of the plan has to know
   */
  static of(
    workloads: readonly Workload[],
    lists: readonly (readonly JsonObject[])[],
    notes: string[],
  ): SchedulerTerms {
    const { found, notes: more } = schedulerConfigurationIn(...lists);
    const ours =
      found === undefined
        ? []
        : workloads.filter(({ roles }) => roles.some(({ spec }) => isScheduledBy(found.configuration, spec)));
    if (found !== undefined && workloads.length > 0 && ours.length === 0) {
      return new SchedulerTerms(undefined, new Set(), []);
    }
    notes.push(...more);
    if (found !== undefined) {
      notes.push(`Policy and queues of Gantry's scheduler are those of ConfigMap ${found.from}.`);
    }
    return new SchedulerTerms(found?.configuration, new Set(ours.map(({ manifest }) => manifest)), lists.flat());
  }

  private readonly tree: QueueTree;
  private readonly refusals = new Map<string, Refusal>();

  private constructor(
    /** Absent if there is none, or if no planned workload is scheduled by it. */
    readonly configuration: Configuration | undefined,
    private readonly ours: ReadonlySet<Manifest>,
    objects: readonly JsonObject[],
  ) {
    this.tree = new QueueTree({
      defaultQueue: configuration?.defaultQueue ?? '',
      configured: configuration?.queues ?? [],
      objects: objects.filter((object) => kindOf(object) === 'scheduling.volcano.sh/Queue'),
    });
  }

  /** The queues with those of the configuration, which win, and the default queue. */
  queues(others: readonly Queue[]): readonly Queue[] {
    if (this.configuration === undefined) {
      return others;
    }
    const { queues, defaultQueue } = this.configuration;
    const own = new Set([...queues.map(({ name }) => name), ...this.tree.faults.keys()]);
    const all = [
      ...others.filter(({ name }) => !own.has(name)),
      ...this.tree.list.filter(({ name }) => queues.some((queue) => queue.name === name)),
    ];
    return all.some(({ name }) => name === defaultQueue) ? all : [...all, { name: defaultQueue }];
  }

  topologies(others: readonly Topology[]): readonly Topology[] {
    const known = new Set(others.map(({ name }) => name));
    return [...others, ...(this.configuration?.topologies ?? []).filter(({ name }) => !known.has(name))];
  }

  /** Whether a gang in an undefined queue waits forever: other schedulers may have queues that are not described here. */
  needsQueue({ manifests }: Pick<PlannedGang, 'manifests'>): boolean {
    return manifests.some((manifest) => this.ours.has(manifest));
  }

  /** A gang whose namespace may not use its queue gets one that does not exist, so that it waits and takes nothing from the queue. */
  applied(planned: PlannedGang): PlannedGang {
    const { gang, facts, pods } = planned;
    const isRefused =
      this.needsQueue(planned) &&
      pods.length === 0 &&
      this.tree.has(gang.queue) &&
      !this.tree.allows(gang.queue, facts.namespace);
    if (!isRefused) {
      return planned;
    }
    const message = `Queue "${gang.queue}" may not be used from namespace "${facts.namespace}".`;
    this.refusals.set(gang.name, { queue: gang.queue, message });
    return { ...planned, gang: { ...gang, queue: `${gang.queue} for namespace ${facts.namespace}` } };
  }

  /** The decision with the reasons of refused gangs. */
  explained(decision: Decision): Decision {
    return this.refusals.size === 0
      ? decision
      : {
          ...decision,
          pending: decision.pending.map((pending) => ({ ...pending, ...this.refusals.get(pending.gang) })),
        };
  }

  /** The view with the queues that refused gangs name. */
  shown(view: ClusterView): ClusterView {
    return this.refusals.size === 0
      ? view
      : {
          ...view,
          gangs: view.gangs.map((gang): ViewGang => ({
            ...gang,
            queue: this.refusals.get(gang.name)?.queue ?? gang.queue,
          })),
        };
  }
}
