/**
 * Placement as rules: a gang that can never fit the cluster is an error; gangs that only do not fit together are a warning.
 */
import { type RuleContext, type SetRule, type Violation } from '../../checks/rules/rule';
import { type Manifest } from '../../manifests/manifest';
import { type Policy } from '../../placement';
import { type ScaleUp, scaleUpsOf } from './autoscaling/scale-up';
import { scaleUpText } from './autoscaling/words';
import { type ClusterState } from './cluster-state';
import { planOf } from './plan';
import { type ViewGang } from './view/view';

/** Options of `planRules`. */
export interface PlanRuleOptions {
  /**
   * How the core chooses where it has a choice.
   * @default - as for `planOf`: the configuration of the schedulers in the app or the cluster, else the defaults of the placement core
   */
  readonly policy?: Policy;
}

type Found = Violation & { readonly manifest: Manifest };

/** The pending gangs of a plan, separated by whether they would start alone. */
interface Verdicts {
  readonly never: readonly Found[];
  readonly together: readonly Found[];
}

/** The two rules of a plan on this cluster. One plan serves both. */
export function planRules(cluster: ClusterState, { policy }: PlanRuleOptions = {}): readonly SetRule[] {
  let last: { readonly set: RuleContext['set']; readonly verdicts: Verdicts } | undefined;
  const verdicts = (context: RuleContext): Verdicts => {
    if (last?.set !== context.set) {
      last = { set: context.set, verdicts: verdictsOf(context, cluster, policy) };
    }
    return last.verdicts;
  };
  return [
    {
      id: 'cluster/gang-fits',
      row: 'CL1',
      on: 'set',
      tier: 'advice',
      severity: 'error',
      summary: 'Every gang fits the empty cluster that the app is planned on.',
      why: 'The cluster accepts it, and it stays pending forever.',
      source: 'the placement core, on the cluster given to Plan.against',
      fix: 'Reduce the replicas or the resource requests of the gang, or add nodes to the cluster file.',
      check: (context) => verdicts(context).never,
    },
    {
      id: 'cluster/gangs-fit-together',
      row: 'CL2',
      on: 'set',
      tier: 'advice',
      severity: 'warning',
      summary: 'All gangs of the app fit the cluster at the same time, together with the running pods.',
      why: 'Some gangs stay pending until others have finished.',
      source: 'the placement core, on the cluster given to Plan.against',
      fix: 'Reduce the replicas or the resource requests, add nodes, or suppress the finding if the gangs need not run at the same time.',
      check: (context) => verdicts(context).together,
    },
  ];
}

/**
 * Each pending gang is planned again by itself on the empty cluster: without any action the core places no pod, and reports for
 * each gang whether it would fit.
 */
function verdictsOf({ set }: RuleContext, cluster: ClusterState, policy?: Policy): Verdicts {
  const never: Found[] = [];
  const together: Found[] = [];
  const plan = planOf(set, cluster, { policy });
  const waiting = plan.asked.filter(({ view }) => view.state === 'pending' || view.state === 'partial');
  if (waiting.length === 0) {
    return { never, together };
  }
  const scaleUps = new Map(scaleUpsOf(set, cluster, plan, { policy }).scaleUps.map((one) => [one.gang, one]));
  const only = new Set(waiting.map(({ view }) => view.name));
  const alone = planOf(set, { ...cluster, gangs: [] }, { policy, actions: [], only });
  const views = new Map(alone.asked.map(({ view }) => [view.name, view]));
  for (const {
    view,
    manifests: [manifest],
  } of waiting) {
    const byItself = views.get(view.name);
    const fits = byItself?.pending === undefined || FITS.has(byItself.pending.kind);
    const scaleUp = scaleUps.get(view.name);
    if (manifest !== undefined) {
      // Nodes that an autoscaler may add are no reason to reject the gang, and no promise either.
      (fits || scaleUp?.outcome === 'fits' ? together : never).push({
        manifest,
        path: '/spec',
        ...violationOf({ ...view, pending: fits ? view.pending : byItself.pending }, cluster, scaleUp),
      });
    }
  }
  return { never, together };
}

/** The reason of a gang that fits, perhaps with other MIG configurations of nodes, but was not placed. */
const FITS: ReadonlySet<string> = new Set(['outranked', 'reserved', 'repartition']);

function violationOf(
  { name, pods, placed, devices, pending, state }: ViewGang,
  cluster: ClusterState,
  scaleUp: ScaleUp | undefined,
): Violation {
  const size = `${pods} ${pods === 1 ? 'pod' : 'pods'}${devices > 0 ? `, ${devices} devices` : ''}`;
  const gang = `the gang "${name}" (${size})`;
  const what = state === 'partial' ? `only ${placed} of the pods of ${gang} fit` : `${gang} stays pending on`;
  const why = [
    ...(pending === undefined ? [] : [pending.message]),
    ...(scaleUp === undefined ? [] : [scaleUpText(scaleUp)]),
  ];
  return {
    message: `${what} the cluster ${cluster.name}${why.length === 0 ? '' : `: ${why.map((one) => one.replace(/\.$/, '')).join('; ')}`}`,
    ...(pending !== undefined && pending.changes.length > 0 && { fix: pending.changes.join(' ') }),
  };
}
