/**
 * `gantry synth`: runs a cdk8s app, checks what it wrote, and replaces the output folder if the check passes.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type CheckOptions } from '../../../checks/engine';
import { type Finding } from '../../../checks/report/finding';
import { type Report } from '../../../checks/report/report';
import { counted } from '../../../facts/words';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { againstCluster, knownRules, runCheck } from '../check/check-command';
import { formatOf, type CheckFlags } from '../check/check-options';
import { isNodeFile } from '../../checks/find-files';
import { asAuthored } from './as-authored';
import { APP_CONFIG_FILE, readAppConfig, withImportedCrds } from './app-config';
import { readWholeManifests } from '../inputs';
import { OutputFolder } from './output-folder';
import { runApp } from './run-app';
import type * as ClusterOption from '../cluster-option';
import type * as SynthPlan from './synth-plan';
import { settingsOf } from '../settings/settings';
import { UsageError, type Terminal } from '../terminal';
import { passes, renderReport } from '../check/write-report';

export interface SynthFlags extends Omit<CheckFlags, 'output' | 'quiet'> {
  readonly app?: string;
  readonly output?: string;
  readonly page?: string;
}

const load = createRequire(__filename);
const METADATA = 'construct-metadata.json';

/** @returns the exit status */
export async function synthCommand(given: SynthFlags, terminal: Terminal): Promise<number> {
  const config = readAppConfig(terminal.cwd);
  const { flags, options: stated } = withImportedCrds(await settingsOf(given, terminal), config, terminal.cwd);
  const format = formatOf(flags.format);
  const command = flags.app ?? config.app;
  if (command === undefined) {
    throw new UsageError(`no app to run; pass --app COMMAND, or set "app" in ${APP_CONFIG_FILE}`);
  }
  const target = flags.output ?? config.output ?? 'dist';
  const cluster = await clusterInput(flags, terminal);
  const options = cluster?.snapshot === undefined ? stated : againstCluster(stated, flags, cluster);

  const folder = new OutputFolder(target, terminal.cwd);
  const reportFile = `${folder.draft}.report`;
  try {
    const { failure } = await runApp(command, folder.draft, reportFile, terminal);
    if (failure !== undefined) {
      throw new UsageError(failure);
    }
    const constructs = takeConstructs(folder.draft);
    const files = folder.files();
    if (files.length === 0) {
      throw new UsageError(
        `the app "${command}" wrote no manifests to CDK8S_OUTDIR; remove \`outdir\` from the props of App, which overrides it`,
      );
    }
    const written = await readWholeManifests(manifestFiles(files, folder.draft), { ...terminal, cwd: folder.draft });
    const set = asAuthored(written, (file) => join(target, file), constructs);
    const plan =
      cluster === undefined
        ? undefined
        : (load('./synth-plan') as typeof SynthPlan).planOn(cluster.state(), set, options);
    const checked = reportOn(set, options, flags, appReport(reportFile));
    const report = plan === undefined ? checked : plan.addedTo(checked);
    const good = passes(report, flags);
    if (format === 'text') {
      terminal.out(`${made(set, files, target, good)}\n\n`);
    }
    terminal.out(renderReport(report, flags, terminal, false));
    if (format === 'text') {
      terminal.out(plan?.text(flags, terminal) ?? '');
    }
    if (flags.page !== undefined) {
      plan?.writePage(flags.page, terminal);
    }
    if (good) {
      folder.commit();
    }
    return good ? 0 : 1;
  } finally {
    folder.discard();
    rmSync(reportFile, { force: true });
  }
}

async function clusterInput(flags: SynthFlags, terminal: Terminal): Promise<ClusterOption.ClusterInput | undefined> {
  const { cluster, page } = flags;
  if (page !== undefined && cluster === undefined) {
    throw new UsageError('--page requires --cluster');
  }
  return cluster === undefined
    ? undefined
    : (load('../cluster-option') as typeof ClusterOption).readClusterOption({ ...flags, cluster }, terminal);
}

/** All files that say what is to be applied, and those of nodes that are known; beside them are programs and instructions. */
function manifestFiles(files: readonly string[], folder: string): readonly string[] {
  return files.filter((file) => !/^node-files[\\/]/.test(file) || isNodeFile(file, folder));
}

/** Names of objects, with the construct that made each, as cdk8s records them. The file is taken out: it is not to be applied. */
function takeConstructs(draft: string): ReadonlyMap<string, string> {
  const file = join(draft, METADATA);
  if (!existsSync(file)) {
    return new Map();
  }
  const { resources } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly resources: Readonly<Record<string, { readonly path: string }>>;
  };
  rmSync(file);
  return new Map(Object.entries(resources).map(([name, { path }]) => [name, path]));
}

/** What an app that is checked on synth said of itself. */
function appReport(file: string): Report | undefined {
  return existsSync(file)
    ? { skipped: [], ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<Report, 'skipped'>) }
    : undefined;
}

/**
 * An app that checks itself knows its target, its own rules, and every construct, so its report is used if it covers everything that was
 * written (a program may contain several apps) and the flags name no other target. Otherwise the manifests are checked here, and what only
 * the app's own rules can find is added.
 */
function reportOn(set: ManifestSet, options: CheckOptions, flags: SynthFlags, own: Report | undefined): Report {
  if (
    own !== undefined &&
    own.documents === set.manifests.length &&
    flags.k8s === undefined &&
    flags.crd === undefined &&
    options.cluster === undefined
  ) {
    return narrowed(own, options);
  }
  const report = runCheck(set, options);
  if (own === undefined) {
    return report;
  }
  const known = new Set(knownRules());
  const keyOf = ({ rule, object, path }: Finding): string => [rule, object, path].join('\n');
  const said = new Set([...report.findings, ...report.suppressed].map(keyOf));
  const isNew = (finding: Finding): boolean => !known.has(finding.rule) && !said.has(keyOf(finding));
  const more = narrowed(own, options);
  return {
    ...report,
    findings: [...report.findings, ...more.findings.filter(isNew)],
    suppressed: [...report.suppressed, ...more.suppressed.filter(isNew)],
  };
}

/** Leaves the tiers that were asked for, and silences what the flags silence. */
function narrowed(report: Report, { tiers, ignore = [] }: CheckOptions): Report {
  const wanted = (finding: Finding): boolean => tiers === undefined || tiers.includes(finding.tier);
  const reasonFor = (finding: Finding): string | undefined => ignore.find(({ rule }) => rule === finding.rule)?.reason;
  const findings = report.findings.filter(wanted);
  return {
    ...report,
    findings: findings.filter((finding) => reasonFor(finding) === undefined),
    suppressed: [
      ...report.suppressed.filter(wanted),
      ...findings.flatMap((finding) => {
        const reason = reasonFor(finding);
        return reason === undefined ? [] : [{ ...finding, reason }];
      }),
    ],
  };
}

/** What was made: files, and objects by kind. */
function made(set: ManifestSet, files: readonly string[], target: string, written: boolean): string {
  const kinds = new Map<string, number>();
  for (const { id } of set.manifests) {
    kinds.set(id.kind, (kinds.get(id.kind) ?? 0) + 1);
  }
  const byKind = [...kinds]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  const what = `${counted(set.manifests.length, 'object')} in ${counted(files.length, 'file')}`;
  const head = written ? `${target}: ${what}` : `${target}: unchanged; the app created ${what}`;
  return [head, ...(written ? files.map((file) => `  ${file}`) : []), `  ${byKind.join(', ')}`].join('\n');
}
