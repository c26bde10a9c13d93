/**
 * `gantry diff OLD NEW`: what changes from one set of manifests to another, and what applying that does.
 */
import { ManifestSet } from '../../../manifests/manifest-set';
import { type ClusterState, planOf } from '../../../planning/cluster';
import { differenceOf as planDifference, type PlanDifference } from '../../../planning/cluster/what-if';
import { differenceOf } from '../../difference';
import { sumChanges } from '../../difference/sums';
import { minorOf, oneOf } from '../check/check-options';
import { type ClusterFlags, readClusterOption } from '../cluster-option';
import { diffJson } from './diff-json';
import { type Diff } from './diff-report';
import { liveDiff } from './diff-live';
import { againstSnapshot, readSide, type Sides } from './diff-sides';
import { diffMarkdown } from './diff-markdown';
import { diffText } from './diff-text';
import { explained } from '../plan/plan-command';
import { type Terminal, UsageError, wantsColor } from '../terminal';
import { deliver } from '../whole-file';

export interface DiffFlags extends ClusterFlags {
  readonly k8s?: string;
  readonly format?: string;
  readonly output?: string;
  readonly exitCode?: boolean;
  readonly fieldManager?: string;
  readonly color?: boolean;
}

const FORMATS = ['text', 'json', 'markdown'] as const;

/** @returns the exit status: 1 where the API server would reject a change, or with `--exit-code` where anything changes */
export async function diffCommand(paths: readonly string[], flags: DiffFlags, terminal: Terminal): Promise<number> {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, FORMATS, 'format');
  checkFlags(paths, flags);
  const diff = await diffOf(paths, flags, terminal);
  const toFile = flags.output !== undefined;
  const options = {
    color: !toFile && wantsColor(terminal, flags.color),
    width: toFile ? undefined : terminal.columns,
  };
  const text =
    format === 'json' ? diffJson(diff) : format === 'markdown' ? diffMarkdown(diff) : diffText(diff, options);
  deliver(text, flags.output, terminal);
  const rejected = diff.differences.some(({ consequences }) =>
    consequences.some(({ effect }) => effect === 'rejected'),
  );
  return rejected || (flags.exitCode === true && diff.differences.length > 0) ? 1 : 0;
}

/** @throws UsageError where the paths and options do not fit together */
function checkFlags(paths: readonly string[], flags: DiffFlags): void {
  if (paths.length > 2) {
    throw new UsageError(`a diff compares two paths, but ${paths.length} are given`);
  }
  if (paths.length === 1 && flags.cluster === undefined) {
    throw new UsageError('a diff requires two paths, OLD and NEW, or one path and --cluster');
  }
  if ([...paths, flags.cluster].filter((path) => path === '-').length > 1) {
    throw new UsageError('- must be given once; write the other side to a file');
  }
  if (flags.fieldManager !== undefined && (paths.length > 1 || !/^live(:|$)/.test(flags.cluster ?? ''))) {
    throw new UsageError('--field-manager requires one path and --cluster live[:CONTEXT]');
  }
  if (flags.fieldManager === '' || (flags.fieldManager ?? '').length > 128) {
    throw new UsageError('--field-manager must have 1 to 128 characters');
  }
}

async function diffOf(paths: readonly string[], flags: DiffFlags, terminal: Terminal): Promise<Diff> {
  const [first = '', second] = paths;
  const last = await readSide(second ?? first, terminal);
  const { cluster } = flags;
  const ids = second === undefined ? last.manifests.map(({ id }) => id) : [];
  const input = cluster === undefined ? undefined : await readClusterOption({ ...flags, cluster }, terminal, ids);
  if (second !== undefined) {
    const old = await readSide(first, terminal);
    return explained(() => offlineDiff({ old, now: last, notCompared: [] }, flags, input?.state()));
  }
  if (input?.snapshot === undefined || input.live === undefined) {
    return explained(() => offlineDiff(againstSnapshot(last, input), flags, input?.state(), last));
  }
  const { snapshot, live: objects } = input;
  return explained(() => {
    const { old, now, difference } = liveDiff(last, { snapshot, objects }, flags.fieldManager);
    const state = input.state();
    return { ...difference, sums: sumChanges(old, now, state), plan: planChange(old, now, state), notCompared: [] };
  });
}

/** @param planned what is planned on the cluster instead of both sides: all manifests, after nothing */
function offlineDiff(
  { old, now, notCompared }: Sides,
  { k8s }: DiffFlags,
  state: ClusterState | undefined,
  planned?: ManifestSet,
): Diff {
  return {
    ...differenceOf(old, now, { kubernetes: minorOf(k8s) }),
    sums: sumChanges(old, now, state),
    ...(state !== undefined && {
      plan: planned === undefined ? planChange(old, now, state) : planChange(new ManifestSet([]), planned, state),
    }),
    notCompared,
  };
}

function planChange(old: ManifestSet, now: ManifestSet, state: ClusterState): PlanDifference {
  return planDifference(planOf(old, state).view, planOf(now, state).view);
}
