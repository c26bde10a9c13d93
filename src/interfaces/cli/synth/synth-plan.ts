/**
 * The plan at the end of `gantry synth --cluster`: what can never fit is a finding like any other, and where everything goes is said
 * beneath the report.
 */
import { type CheckOptions } from '../../../checks/engine';
import { type Report } from '../../../checks/report/report';
import { type ClusterState, planOf, planRules } from '../../../planning/cluster';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { check } from '../../checks';
import { explained, renderPage } from '../plan/plan-command';
import { planText } from '../plan/plan-text';
import { wantsColor, type Terminal } from '../terminal';
import { writeWhole } from '../whole-file';

export interface SynthPlan {
  /** The report with what the plan found. */
  readonly addedTo: (report: Report) => Report;
  readonly text: (flags: { readonly color?: boolean }, terminal: Terminal) => string;
  readonly writePage: (file: string, terminal: Terminal) => void;
}

export function planOn(cluster: ClusterState, set: ManifestSet, options: CheckOptions): SynthPlan {
  const plan = explained(() => planOf(set, cluster));
  const found = check(set, { ...options, rules: planRules(cluster), tiers: options.tiers ?? ['advice'] });
  return {
    addedTo: (report) => {
      const own = new Set(planRules(cluster).map(({ id }) => id));
      const ofPlan = <T extends { readonly rule: string }>(list: readonly T[]): readonly T[] =>
        list.filter(({ rule }) => own.has(rule));
      return {
        ...report,
        findings: [...report.findings, ...ofPlan(found.findings)],
        suppressed: [...report.suppressed, ...ofPlan(found.suppressed)],
      };
    },
    text: (flags, terminal) =>
      `\n${planText(plan.view, { color: wantsColor(terminal, flags.color), width: terminal.columns, asked: plan.asked.length, claimsNotEvaluated: plan.claimsNotEvaluated.length })}`,
    writePage: (file, terminal) => {
      writeWhole(file, renderPage(plan), terminal.cwd);
      terminal.out(`\nThe plan was written to ${file}\n`);
    },
  };
}
