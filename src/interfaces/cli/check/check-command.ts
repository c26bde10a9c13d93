/**
 * `gantry check PATH...`: checks manifests against their schemas and rules.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { DEFAULT_MINOR } from '../../../facts/api/kinds';
import { TargetCluster } from '../../../checks/cluster/target-cluster';
import { type Report } from '../../../checks/report/report';
import { InputError } from '../../../manifests/input-error';
import { ManifestSet } from '../../../manifests/manifest-set';
import { type Parsed } from '../../../manifests/yaml';
import { check, type CheckOptions } from '../../checks';
import { findFiles, fromFolder, type FoundFiles } from '../../checks/find-files';
import { SourceReader } from '../../checks/read-files';
import { ruleFacts } from '../../checks/rule-facts';
import { counted } from '../../../facts/words';
import { baselineOf, withoutBaseline } from './baseline';
import { type CheckFlags, jobsOf } from './check-options';
import type * as ClusterOption from '../cluster-option';
import { type Configuration } from '../settings/configuration';
import { globMatcher, isGlob } from '../settings/glob';
import { readFound } from '../inputs';
import { renderHelm, renderKustomize } from './render';
import { CheckThreads, threadCount } from './threads/check-threads';
import { joined } from './threads/portable-sources';
import { settingsOf, type Settings } from '../settings/settings';
import { Progress, UsageError, type Terminal } from '../terminal';
import { writeWhole } from '../whole-file';
import { exitStatus, writeReport } from './write-report';

export { Answers } from './threads/answers';

const load = createRequire(__filename);

/** @returns the exit status */
export async function checkCommand(paths: readonly string[], given: CheckFlags, terminal: Terminal): Promise<number> {
  const settings = await settingsOf(given, terminal);
  const { flags, options } = settings;
  const progress = new Progress(terminal);
  try {
    const input = await inputOf(paths, settings, terminal);
    const found = await reportOf(input, await withCluster(options, flags, terminal), flags, terminal, progress);
    progress.done();
    const report = baselined(found, flags, terminal);
    writeReport(report, flags, terminal);
    return exitStatus(report, flags);
  } finally {
    progress.done();
  }
}

/** The options with the cluster that `--cluster` names; `--k8s` counts before the version of its server. */
async function withCluster(options: CheckOptions, flags: CheckFlags, terminal: Terminal): Promise<CheckOptions> {
  const { cluster } = flags;
  if (cluster === undefined) {
    return options;
  }
  const { readClusterOption } = load('../cluster-option') as typeof ClusterOption;
  return againstCluster(options, flags, await readClusterOption({ ...flags, cluster }, terminal));
}

/** @throws UsageError where the input is not a snapshot and does not describe the cluster's API */
export function againstCluster(
  options: CheckOptions,
  { k8s }: CheckFlags,
  { snapshot, file }: ClusterOption.ClusterInput,
): CheckOptions {
  if (snapshot === undefined) {
    throw new UsageError(`--cluster ${file}: a check requires a snapshot (\`gantry snapshot\`) or live[:CONTEXT]`);
  }
  const cluster = TargetCluster.of(snapshot);
  return { ...options, cluster, kubernetes: k8s === undefined ? cluster.kubernetes : options.kubernetes };
}

/** What is named: what Helm and kustomize render, and files. */
interface CheckInput {
  readonly rendered: readonly Parsed[];
  readonly found: FoundFiles;
}

async function inputOf(
  paths: readonly string[],
  { flags, configuration, isExcluded }: Settings<CheckFlags>,
  terminal: Terminal,
): Promise<CheckInput> {
  const { kustomize = [], helm = [], values, set, release, namespace, k8s = DEFAULT_MINOR } = flags;
  const rendered: Parsed[] = [];
  for (const folder of kustomize) {
    rendered.push(await renderKustomize(folder, terminal));
  }
  for (const chart of helm) {
    rendered.push(
      await renderHelm(chart, { values, set, release, namespace, kubernetes: k8s.replace(/^v/, '') }, terminal),
    );
  }
  if (helm.length === 0 && (values ?? set ?? release ?? namespace) !== undefined) {
    throw new UsageError('--values, --set, --release, and --namespace require --helm CHART');
  }
  const wanted = paths.length > 0 || rendered.length > 0 ? paths : includedPaths(configuration, terminal.cwd);
  if (wanted.length === 0 && rendered.length === 0) {
    throw new UsageError('no manifests to check; pass files or folders, or list them under `include` in .gantry.yaml');
  }
  return { rendered, found: findFiles(wanted, terminal.cwd, isExcluded) };
}

/** Checks everything as one set, on several threads if that pays. */
async function reportOf(
  { rendered, found }: CheckInput,
  options: CheckOptions,
  flags: CheckFlags,
  terminal: Terminal,
  progress: Progress,
): Promise<Report> {
  const { cwd } = terminal;
  const jobs = jobsOf(flags.jobs);
  // Rules of the user are functions, which cannot be sent to a thread, and may remember what they saw; a cluster is large.
  const mayShare = options.rules === undefined && options.cluster === undefined;
  const count = mayShare ? threadCount(found.files, cwd, jobs) : 1;
  if (count > 1) {
    const threads = new CheckThreads(count);
    try {
      progress.say(`checking ${found.files.length} files`);
      const given = joined([...rendered, new SourceReader(found).set()]);
      return await reportingCrds(options, () => threads.check({ given, files: found.files, cwd }, options));
    } finally {
      threads.end();
    }
  }
  const read = await readFound(found, terminal, progress);
  const { manifests, problems, skipped } = joined([...rendered, read]);
  if (manifests.length > 500) {
    progress.say(`checking ${manifests.length} objects`);
  }
  return runCheck(new ManifestSet(manifests, problems, skipped), options);
}

/** Globs of the file become the files that they match. */
function includedPaths({ include }: Configuration, cwd: string): readonly string[] {
  const globs = include.filter(isGlob);
  const plain = include.filter((path) => !isGlob(path));
  if (globs.length === 0) {
    return plain;
  }
  const matches = globMatcher(globs.map((glob) => fromFolder(cwd, resolve(cwd, glob))));
  const matched = findFiles(['.'], cwd).files.map(({ path }) => path);
  return [...plain, ...matched.filter(matches)];
}

function baselined(report: Report, flags: CheckFlags, { cwd, err }: Terminal): Report {
  const { baseline, updateBaseline } = flags;
  if (updateBaseline === true) {
    if (baseline === undefined) {
      throw new UsageError('--update-baseline requires --baseline FILE');
    }
    const { text, count } = baselineOf(report);
    writeWhole(baseline, text, cwd);
    err(`gantry: wrote ${counted(count, 'finding')} to the baseline ${baseline}\n`);
  }
  return baseline === undefined ? report : withoutBaseline(report, baseline, cwd);
}

/** Ids that `--ignore` may name. */
export function knownRules(): readonly string[] {
  return ruleFacts().map(({ id }) => id);
}

/** @throws UsageError where a CRD that the caller gave cannot be read as one */
export function runCheck(set: ManifestSet, options: CheckOptions): Report {
  try {
    return check(set, options);
  } catch (error) {
    throw crdError(error, options);
  }
}

async function reportingCrds(options: CheckOptions, work: () => Promise<Report>): Promise<Report> {
  try {
    return await work();
  } catch (error) {
    throw crdError(error, options);
  }
}

/** Where the caller gave CRDs, the only errors are about them, unless they are about another input. */
function crdError(error: unknown, { crds = [] }: CheckOptions): unknown {
  return crds.length === 0 || !(error instanceof Error) || error instanceof InputError
    ? error
    : new UsageError(`--crd: ${error.message}`);
}
