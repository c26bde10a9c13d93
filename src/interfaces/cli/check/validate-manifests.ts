/**
 * Checks files for cdk8s-cli and reports in its form: by rule, with constructs.
 */
import { DEFAULT_MINOR } from '../../../facts/api/kinds';
import { countsOf, type Report } from '../../../checks/report/report';
import { groupBy } from '../../../facts/collections';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { describeId } from '../../../manifests/manifest';
import { nearestName } from '../../../facts/spelling';
import { asAuthored } from '../synth/as-authored';
import { readAppConfig, withImportedCrds } from '../synth/app-config';
import { withoutBaseline } from './baseline';
import { type GantryValidationContext, type GantryValidationProperties, type GantryViolation } from './cdk8s-terms';
import { runCheck } from './check-command';
import { type CheckFlags } from './check-options';
import { readManifests } from '../inputs';
import { ruleFacts } from '../../checks/rule-facts';
import { settingsOf } from '../settings/settings';
import { processTerminal, UsageError } from '../terminal';
import { exitStatus } from './write-report';

/** Every property, so that a misspelled one is an error. */
const PROPERTIES: Readonly<Record<keyof GantryValidationProperties, true>> = {
  config: true,
  k8s: true,
  crds: true,
  'fail-on': true,
  only: true,
  ignore: true,
  baseline: true,
  hygiene: true,
};

export async function validateManifests(
  context: GantryValidationContext,
  properties: GantryValidationProperties,
): Promise<void> {
  const terminal = processTerminal();
  const given = await settingsOf(flagsOf(properties), terminal);
  const { flags, options } = withImportedCrds(given, readAppConfig(terminal.cwd), terminal.cwd);
  const constructs = new Map(Object.entries(context.metadata ?? {}).map(([name, { path }]) => [name, path]));
  const read = await readManifests(context.manifests, terminal);
  const files = new Map(read.manifests.map(({ id, origin }) => [describeId(id), origin.file ?? '']));
  const checked = runCheck(
    asAuthored(read, (file) => file, constructs),
    options,
  );
  const report = flags.baseline === undefined ? checked : withoutBaseline(checked, flags.baseline, terminal.cwd);
  for (const violation of violationsOf(report, read, files)) {
    context.report.addViolation(violation);
  }
  context.report.submit(exitStatus(report, flags) === 0 ? 'success' : 'failure', {
    Kubernetes: options.kubernetes ?? DEFAULT_MINOR,
    Objects: String(report.documents),
    ...counts(report),
  });
}

function flagsOf(properties: GantryValidationProperties): CheckFlags {
  for (const name of Object.keys(properties)) {
    if (!Object.hasOwn(PROPERTIES, name)) {
      const near = nearestName(name, Object.keys(PROPERTIES));
      throw new UsageError(
        `GantryValidation: unknown property "${name}"${near === undefined ? `; known are ${Object.keys(PROPERTIES).join(', ')}` : ` (did you mean "${near}"?)`}`,
      );
    }
  }
  const { config, k8s, crds, only, ignore, baseline, hygiene, 'fail-on': failOn } = properties;
  if (k8s !== undefined && typeof k8s !== 'string') {
    throw new UsageError('GantryValidation: k8s must be a string; write it in quotes, since YAML reads 1.30 as 1.3');
  }
  return {
    config,
    k8s,
    crd: crds,
    only,
    ignore,
    baseline,
    hygiene,
    failOn: typeof failOn === 'string' ? failOn : failOn?.join(','),
  };
}

/** Findings by rule and fix, in the order in which the report has them; each object once, with all its places. */
function violationsOf(
  report: Report,
  set: ManifestSet,
  files: ReadonlyMap<string, string>,
): readonly GantryViolation[] {
  const names = resourceNames(set);
  const summaries = new Map(ruleFacts().map(({ id, summary }) => [id, summary]));
  const byRule = groupBy(report.findings, ({ rule, fix }) => `${rule}\n${fix ?? ''}`);
  return [...byRule.values()].map((findings): GantryViolation => {
    const [{ rule, severity, message, fix }] = findings;
    const byObject = groupBy(findings, ({ object }) => object);
    return {
      ruleName: `${severity} ${rule}`,
      recommendation: summaries.get(rule) ?? message,
      fix: fix ?? 'See the recommendation.',
      violatingResources: [...byObject].map(([object, places]) => ({
        resourceName: names.get(object) ?? object,
        locations: places.map(({ path, message: text }) => (path === '' ? text : `${path}: ${text}`)),
        manifestPath: places[0].file ?? files.get(object) ?? '',
      })),
    };
  });
}

/** cdk8s-cli finds the construct by the name of the object; where several objects share a name, the kind is named as well. */
function resourceNames(set: ManifestSet): ReadonlyMap<string, string> {
  const times = new Map<string, number>();
  for (const { id } of set.manifests) {
    times.set(id.name, (times.get(id.name) ?? 0) + 1);
  }
  return new Map(
    set.manifests.map(({ id }) => [describeId(id), times.get(id.name) === 1 ? id.name : `${id.kind} ${id.name}`]),
  );
}

function counts(report: Report): Readonly<Record<string, string>> {
  const { error, warning, info, hygiene } = countsOf(report);
  return {
    Errors: String(error),
    Warnings: String(warning),
    Information: String(info),
    ...(hygiene > 0 ? { Hygiene: String(hygiene) } : {}),
    'Not checked': String(report.notChecked.length),
  };
}
