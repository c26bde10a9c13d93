/**
 * `gantry check PATH...`: holds manifests against their schemas and rules.
 */
import { type Report } from '../../checks/report';
import { type ManifestSet } from '../../manifests/manifest-set';
import { check, type CheckOptions } from '../checks';
import { checkOptions, formatOf, severityOf, type CheckFlags } from './check-options';
import { readManifests } from './inputs';
import { ruleFacts } from '../checks/rule-facts';
import { Progress, UsageError, type Terminal } from './terminal';
import { passes, writeReport } from './write-report';

/** @returns the exit status */
export async function checkCommand(paths: readonly string[], flags: CheckFlags, terminal: Terminal): Promise<number> {
  formatOf(flags.format);
  severityOf(flags.failOn);
  const options = checkOptions(flags, knownRules(), terminal);
  const progress = new Progress(terminal);
  try {
    const set = await readManifests(paths, terminal, progress);
    if (set.manifests.length > 500) {
      progress.say(`checking ${set.manifests.length} objects`);
    }
    const report = runCheck(set, options);
    progress.done();
    writeReport(report, flags, terminal);
    return passes(report, flags) ? 0 : 1;
  } finally {
    progress.done();
  }
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
    if (options.crds === undefined || options.crds.length === 0 || !(error instanceof Error)) {
      throw error;
    }
    throw new UsageError(`--crd: ${error.message}`);
  }
}
