/**
 * What a kind of workload can tell each scheduler. A choice that it has no means for does not compile where the means are constants, and
 * is an error at run time everywhere; it is never dropped.
 *
 * `docs/scheduling.md` shows these values as a table; a test holds the table against what the constructs really do.
 */
import { type Scheduling, type SchedulingEngine } from '../pods';

/** What a choice may ask beside the queue. */
export type SchedulingOption = 'topology' | 'elastic' | 'minimumRuntime' | 'handOver';

export interface EngineMeans {
  /** Who makes the PodGroup, for engines that use one: the kind's controller, or Gantry beside the workload. @default - no PodGroup */
  readonly group?: 'controller' | 'beside';
  /** Whether the engine reads its queue on the pods, since nothing else of the kind has a field for it. @default false */
  readonly queueOnPods?: boolean;
  /**
   * For `pod-group`: how the kind's own schema lets pods name their group. A kind that does not know the field drops it silently.
   * @default - in the form of every minor: the template is the server's own
   */
  readonly membership?: 'schedulingGroup' | 'workloadRef';
  /** Why an option has no place here, and what to do instead. @default - every option of the engine is supported */
  readonly refuses?: Partial<Readonly<Record<SchedulingOption, string>>>;
}

/** Means by engine; a string says why the engine cannot schedule the kind at all, and what to do instead. */
export type SchedulingMeans = Readonly<Record<Exclude<SchedulingEngine, 'default'>, EngineMeans | string>> & {
  /** @default - the cluster's own scheduler can schedule the kind */
  readonly default?: string;
};

/** The engines that can schedule a kind, by its means: those whose entry is not a reason against it. */
export type EnginesOf<Means> =
  | { readonly [Engine in keyof Means]: Means[Engine] extends string ? never : Engine }[keyof Means]
  | (Means extends { readonly default: string } ? never : 'default');

export const NO_GANG = 'its pods are independent of each other, so they are not a gang';

/** Of a kind whose pods are scheduled one by one. */
export const MEANS_OF_SINGLE_PODS = {
  volcano: { group: 'controller', queueOnPods: true, refuses: { elastic: NO_GANG, topology: NO_GANG } },
  kueue: { refuses: { elastic: NO_GANG } },
  kai: {},
  'pod-group': NO_GANG,
  'scheduler-plugins': { refuses: { elastic: NO_GANG } },
  gantry: { refuses: { elastic: NO_GANG } },
} as const satisfies SchedulingMeans;

/** Engines of kinds whose pods are scheduled one by one. */
export type SinglePodsEngine = EnginesOf<typeof MEANS_OF_SINGLE_PODS>;

/** Kueue starts a Job of `batch/v1` with fewer pods, and no other kind. */
export const KUEUE_WHOLE_OR_NOT = {
  refuses: { elastic: 'only a Job of batch/v1 can be admitted by Kueue with fewer pods' },
} as const satisfies EngineMeans;

/** @throws if the kind cannot be scheduled so, or has no place for an option of the choice */
export function requireMeans(kind: string, means: SchedulingMeans, scheduling: Scheduling | undefined): void {
  if (scheduling === undefined) {
    return;
  }
  const { engine } = scheduling;
  const found = engine === 'default' ? (means.default ?? {}) : means[engine];
  if (typeof found === 'string') {
    throw new Error(`${kind} cannot be scheduled by ${engine} (${scheduling.title}): ${found}.`);
  }
  requireMembership(kind, found, scheduling);
  for (const option of optionsOf(scheduling)) {
    const reason = found.refuses?.[option];
    if (reason !== undefined) {
      throw new Error(`${kind} does not support ${option} with ${engine}: ${reason}.`);
    }
  }
}

/** Whether a PodGroup has to be written beside a workload with these means. */
export function writesGroup(means: SchedulingMeans, scheduling: Scheduling | undefined): boolean {
  return meansFor(means, scheduling)?.group === 'beside';
}

/** Whether pods have to name the queue, beside or in place of the workload. */
export function queueOnPods(means: SchedulingMeans, scheduling: Scheduling | undefined): boolean {
  return meansFor(means, scheduling)?.queueOnPods === true;
}

function meansFor(means: SchedulingMeans, scheduling: Scheduling | undefined): EngineMeans | undefined {
  if (scheduling === undefined || scheduling.engine === 'default') {
    return undefined;
  }
  const found = means[scheduling.engine];
  return typeof found === 'string' ? undefined : found;
}

function optionsOf({ wishes }: Scheduling): readonly SchedulingOption[] {
  return [
    ...(wishes.topology === undefined ? [] : ['topology' as const]),
    ...(wishes.elastic === undefined ? [] : ['elastic' as const]),
    ...(wishes.minimumRuntime === undefined ? [] : ['minimumRuntime' as const]),
    ...(wishes.handOver === true ? ['handOver' as const] : []),
  ];
}

/** 1.35 has `workloadRef` in pods, later minors have `schedulingGroup`. */
function requireMembership(
  kind: string,
  { membership }: EngineMeans,
  { engine, wishes: { kubernetes } }: Scheduling,
): void {
  if (engine !== 'pod-group' || membership === undefined || kubernetes === undefined) {
    return;
  }
  if ((kubernetes === '1.35') === (membership === 'workloadRef')) {
    return;
  }
  throw new Error(
    `${kind} cannot be scheduled by pod-group on Kubernetes ${kubernetes}: the schema of its pods has only ${membership}, ` +
      `the field of ${membership === 'workloadRef' ? '1.35' : "1.36 and later. Set such a target with Checks.of(app).target('1.36')"}, ` +
      'or choose another scheduler.',
  );
}
