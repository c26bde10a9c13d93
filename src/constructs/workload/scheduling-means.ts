/**
 * What a kind of workload can tell each scheduler. A choice that it has no means for is refused in words, never dropped.
 *
 * `docs/scheduling.md` shows these values as a table; a test holds the table against what the constructs really do.
 */
import { type Scheduling, type SchedulingEngine } from '../pods';

/** What a choice may ask beside the queue. */
export type SchedulingOption = 'topology' | 'elastic' | 'minimumRuntime';

export interface EngineMeans {
  /** Who makes the PodGroup, for engines that go by one: the kind's controller, or Gantry beside the workload. @default - nobody */
  readonly group?: 'controller' | 'beside';
  /**
   * For `pod-group`: how the kind's own schema lets pods name their group. One that does not know the field drops it without a word.
   * @default - in the form of every minor: the template is the server's own
   */
  readonly membership?: 'schedulingGroup' | 'workloadRef';
  /** Why an option has no place here, and what to do instead. @default - all that the engine knows has a place */
  readonly refuses?: Partial<Readonly<Record<SchedulingOption, string>>>;
}

/** Means by engine; a text says why the engine cannot schedule the kind at all, and what to do instead. */
export type SchedulingMeans = Readonly<Record<Exclude<SchedulingEngine, 'default'>, EngineMeans | string>>;

const NO_GANG = 'it says of no pods that they belong together, so that it is no gang';

/** Of a kind that says nothing about gangs: every pod by itself. */
export const MEANS_OF_SINGLE_PODS: SchedulingMeans = {
  volcano: { group: 'controller', refuses: { elastic: NO_GANG, topology: NO_GANG } },
  kueue: { refuses: { elastic: NO_GANG } },
  'pod-group': NO_GANG,
  'scheduler-plugins': {},
  gantry: { refuses: { elastic: NO_GANG } },
};

/** Kueue starts a Job of `batch/v1` with fewer pods, and no other kind. */
export const KUEUE_WHOLE_OR_NOT: EngineMeans = {
  refuses: { elastic: 'Kueue admits only a Job of batch/v1 with fewer pods than it states' },
};

/** @throws if the kind cannot be scheduled so, or has no place for an option of the choice */
export function requireMeans(kind: string, means: SchedulingMeans, scheduling: Scheduling | undefined): void {
  if (scheduling === undefined || scheduling.engine === 'default') {
    return;
  }
  const { engine } = scheduling;
  const found = means[engine];
  if (typeof found === 'string') {
    throw new Error(`${kind} cannot be scheduled by ${engine}: ${found}.`);
  }
  requireMembership(kind, found, scheduling);
  for (const option of optionsOf(scheduling)) {
    const reason = found.refuses?.[option];
    if (reason !== undefined) {
      throw new Error(`${kind} has no place for ${option} with ${engine}: ${reason}.`);
    }
  }
}

/** Whether a PodGroup has to be written beside a workload with these means. */
export function writesGroup(means: SchedulingMeans, scheduling: Scheduling | undefined): boolean {
  if (scheduling === undefined || scheduling.engine === 'default') {
    return false;
  }
  const found = means[scheduling.engine];
  return typeof found === 'object' && found.group === 'beside';
}

function optionsOf({ wishes }: Scheduling): readonly SchedulingOption[] {
  return [
    ...(wishes.topology === undefined ? [] : ['topology' as const]),
    ...(wishes.elastic === undefined ? [] : ['elastic' as const]),
    ...(wishes.minimumRuntime === undefined ? [] : ['minimumRuntime' as const]),
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
    `${kind} cannot be scheduled by pod-group on Kubernetes ${kubernetes}: the schema of its pods knows ${membership} alone, ` +
      `which is the form of ${membership === 'workloadRef' ? '1.35' : "1.36 and later. Name such a target, Checks.of(app).target('1.36')"}, ` +
      'or choose another scheduler.',
  );
}
