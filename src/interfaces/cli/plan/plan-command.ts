/**
 * `gantry plan PATH...`: where everything would go on a cluster, what would wait and why.
 */
import { createRequire } from 'node:module';
import { ClusterFileError, type ClusterPlan, type ClusterState, planOf } from '../../../planning/cluster';
import { changed, differenceOf, readWhatIf, type PlanDifference, WhatIfError } from '../../../planning/cluster/what-if';
import { type ScaleUp, type ScaleUps, scaleUpsOf } from '../../../planning/cluster/autoscaling/scale-up';
import { scaleUpNotes } from '../../../planning/cluster/autoscaling/words';
import { ManifestSet } from '../../../manifests/manifest-set';
import type * as Pages from '../../../planning/pages';
import { type Policy, SnapshotError } from '../../../placement';
import { oneOf } from '../check/check-options';
import { type ClusterFlags, readClusterOption } from '../cluster-option';
import { readWholeManifests } from '../inputs';
import { planJson } from './plan-json';
import { planDifferenceText, planText } from './plan-text';
import { policyNamed } from './policy-option';
import { Progress, UsageError, wantsColor, type Terminal } from '../terminal';
import { deliver } from '../whole-file';

const load = createRequire(__filename);

export interface PlanFlags extends Omit<ClusterFlags, 'cluster'> {
  /** One cluster, or several with names. */
  readonly cluster?: readonly string[];
  readonly policy?: string;
  readonly whatIf?: readonly string[];
  /** `POOL=USD`, each. */
  readonly price?: readonly string[];
  readonly format?: string;
  readonly output?: string;
  readonly color?: boolean;
}

const FORMATS = ['text', 'json', 'html'] as const;

/** What was planned; with `--what-if`, on the changed cluster, beside what that changed. */
interface Planned {
  readonly plan: ClusterPlan;
  readonly changes: readonly string[];
  readonly difference?: PlanDifference;
  /** What autoscalers may add for the gangs that wait. */
  readonly scaleUps: readonly ScaleUp[];
}

/** @returns the exit status: 0 where everything has its place, 1 where something waits */
export async function planCommand(paths: readonly string[], flags: PlanFlags, terminal: Terminal): Promise<number> {
  const { cluster: given = [] } = flags;
  if (paths.includes('-') && given.includes('-')) {
    throw new UsageError('- must not be both the manifests and the cluster; write one of them to a file');
  }
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, FORMATS, 'format');
  if (paths.length === 0 && given.length === 0) {
    throw new UsageError('no manifests to plan; pass files or folders, or a cluster with pending gangs (--cluster)');
  }
  const prices = pricesOf(flags.price ?? []);
  const progress = new Progress(terminal);
  try {
    const policy = flags.policy === undefined ? undefined : policyNamed(flags.policy, terminal);
    const cluster = await clusterOption(flags, terminal);
    const set = paths.length === 0 ? new ManifestSet([]) : await readWholeManifests(paths, terminal, progress);
    if (cluster.nodes.length > 1000) {
      progress.say(`planning on ${cluster.nodes.length} nodes`);
    }
    const planned = explained(() => planWithChanges(set, cluster, { policy, changes: flags.whatIf ?? [], prices }));
    progress.done();
    write(render(planned, format, flags, terminal), flags, terminal);
    return planned.plan.good ? 0 : 1;
  } finally {
    progress.done();
  }
}

interface PlanRequest {
  readonly policy: Policy | undefined;
  readonly changes: readonly string[];
  /** USD per hour of a node, by pool. */
  readonly prices: ReadonlyMap<string, number>;
}

function planWithChanges(set: ManifestSet, cluster: ClusterState, { policy, changes, prices }: PlanRequest): Planned {
  const plan = planOf(set, cluster, { policy });
  if (changes.length === 0) {
    return { ...withScaleUps(plan, scaleUpsOf(set, cluster, plan, { policy, prices })), changes };
  }
  const asked = plan.asked.map(({ view }) => view.name);
  const { cluster: other, copies } = changed(cluster, changes.map(readWhatIf), asked);
  const after = planOf(set, other, { policy, copies });
  const further = scaleUpsOf(set, other, after, { policy, copies, prices });
  return { ...withScaleUps(after, further), changes, difference: differenceOf(plan.view, after.view) };
}

function withScaleUps(plan: ClusterPlan, found: ScaleUps): Pick<Planned, 'plan' | 'scaleUps'> {
  const notes = [...scaleUpNotes(found), ...plan.view.notes];
  return { plan: { ...plan, view: { ...plan.view, notes } }, scaleUps: found.scaleUps };
}

/** @throws UsageError for a text that is no price */
function pricesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.map((text) => {
      const [, pool = '', price = ''] = /^(.+)=(\d{1,9}(?:\.\d{1,6})?)$/.exec(text) ?? [];
      if (pool === '') {
        throw new UsageError(`--price ${text}: must be POOL=USD, the price of a node per hour, for example h100=98.32`);
      }
      return [pool, Number(price)];
    }),
  );
}

const NO_CLUSTER = 'No cluster was given, so this is a plan on the sample cluster; use --cluster to plan on your own.';

/** The cluster that `--cluster` names; without it, the sample, with a note that says so. */
async function clusterOption({ cluster: given, maxAge }: PlanFlags, terminal: Terminal): Promise<ClusterState> {
  const input = await readClusterOption({ cluster: given?.[0] ?? 'sample', maxAge }, terminal);
  const state = input.state();
  return given === undefined ? { ...state, notes: [NO_CLUSTER, ...state.notes] } : state;
}

function render(planned: Planned, format: (typeof FORMATS)[number], flags: PlanFlags, terminal: Terminal): string {
  const { plan, changes, difference, scaleUps } = planned;
  switch (format) {
    case 'json':
      return planJson(plan, { changes, difference, scaleUps });
    case 'html':
      return renderPage(plan);
    case 'text': {
      const toFile = flags.output !== undefined;
      const options = {
        color: !toFile && wantsColor(terminal, flags.color),
        width: toFile ? undefined : terminal.columns,
        asked: plan.asked.length,
        changes,
        claimsNotEvaluated: plan.claimsNotEvaluated.length,
      };
      return `${planText(plan.view, options)}${difference === undefined ? '' : `\n${planDifferenceText(`What if ${changes.join(', ')}`, difference, options)}`}`;
    }
  }
}

/** The page's code is loaded only for a page. */
export function renderPage(plan: ClusterPlan): string {
  return (load('../../../planning/pages') as typeof Pages).renderPlanPage(plan.view);
}

export function write(text: string, { output }: Pick<PlanFlags, 'output'>, terminal: Terminal): void {
  deliver(text, output, terminal);
}

/** What is wrong with a file, an option or the manifests is the caller's to mend. */
export function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WhatIfError) {
      throw new UsageError(`--what-if ${error.message}`);
    }
    const users = [SnapshotError, ClusterFileError].some((kind) => error instanceof kind);
    throw users ? new UsageError((error as Error).message) : error;
  }
}
