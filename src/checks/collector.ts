/**
 * Gathers findings: gives each its place and its construct, sets aside what was answered for, and puts all in a stable order.
 */
import { definedMembers } from '../manifests/members';
import { describeId, type Manifest, type Position, type SourceProblem } from '../manifests/manifest';
import { type ManifestSet } from '../manifests/manifest-set';
import {
  TIERS,
  type Finding,
  type NotChecked,
  type NotJudged,
  type RuleGroup,
  type Severity,
  type Tier,
} from './finding';
import { type Report, type SuppressedFinding } from './report';
import { fixOfRequirement } from './field-fix';
import { THE_POSITION } from './source-rules';
import { type RuleFacts, type Violation } from './rule';
import { shapeRules } from './schema/shape-rules';
import { withoutSecretValues } from './secrets';
import { suppressionNeedsReason, suppressionsOf, type Suppression } from './suppression';

export interface CollectorOptions {
  /** Findings of other tiers are left out. Default: all tiers. */
  readonly tiers?: readonly Tier[];
  /** Groups of rules to run beside those that always run. Default: none. */
  readonly groups?: readonly RuleGroup[];
  /** Rules to silence everywhere. Default: none. */
  readonly ignore?: readonly Suppression[];
  /** Severities in place of those of the rules. Default: none. */
  readonly severities?: ReadonlyMap<string, Severity>;
}

type ReportedFacts = Pick<RuleFacts, 'id' | 'tier' | 'severity' | 'fix' | 'group'>;

interface Located {
  readonly finding: Finding;
  /** Position of the document, for the report's order. */
  readonly order: number;
}

export class FindingCollector {
  private readonly tiers: ReadonlySet<Tier>;
  private readonly located: Located[] = [];
  private readonly suppressed: SuppressedFinding[] = [];
  private readonly notChecked: NotChecked[] = [];
  private readonly notJudged: NotJudged[] = [];
  private readonly order = new Map<Manifest, number>();
  private readonly own = new Map<Manifest, readonly Suppression[]>();

  constructor(
    private readonly set: ManifestSet,
    private readonly options: CollectorOptions,
  ) {
    this.tiers = new Set(options.tiers ?? TIERS);
    set.manifests.forEach((manifest, index) => {
      this.order.set(manifest, index);
      const { suppressions, violations } = suppressionsOf(manifest);
      if (suppressions.length > 0) {
        this.own.set(manifest, suppressions);
      }
      for (const violation of violations) {
        this.add(suppressionNeedsReason, manifest, violation);
      }
    });
  }

  /** Whether any of these tiers was requested. */
  wants(tiers: readonly Tier[]): boolean {
    return tiers.some((tier) => this.tiers.has(tier));
  }

  /** Whether rules of this group run; those of no group always do. */
  wantsGroup(group: RuleGroup | undefined): boolean {
    return group === undefined || this.options.groups?.includes(group) === true;
  }

  add(rule: ReportedFacts, manifest: Manifest, said: Violation, position?: Position): void {
    const tier = said.tier ?? rule.tier;
    if (!this.tiers.has(tier)) {
      return;
    }
    const violation = withoutSecretValues(said, manifest);
    const path = violation.path ?? '';
    const { file, construct, locate } = manifest.origin;
    const place = position ?? locate?.(path);
    const fix = violation.fix ?? fixOfRequirement(violation, rule.fix) ?? rule.fix;
    const finding = definedMembers({
      rule: rule.id,
      tier,
      severity: this.options.severities?.get(rule.id) ?? violation.severity ?? rule.severity,
      group: rule.group,
      object: describeId(manifest.id),
      path,
      message: onOneLine(violation.message),
      found: violation.found,
      expected: violation.expected === undefined ? undefined : onOneLine(violation.expected),
      fix: fix === '' ? undefined : onOneLine(fix),
      file,
      line: place?.line,
      column: place?.column,
      construct,
    });
    const reason = this.reasonToIgnore(rule.id, manifest);
    if (reason !== undefined) {
      this.suppressed.push({ ...finding, reason });
    } else {
      this.located.push({ finding, order: this.order.get(manifest) ?? -1 });
    }
  }

  /** For what never became a manifest. */
  addUnattached(rule: ReportedFacts, problem: SourceProblem): void {
    // A file that cannot be read is missing from every tier.
    if (!this.tiers.has(rule.tier) && problem.kind !== 'syntax') {
      return;
    }
    const finding = definedMembers({
      rule: rule.id,
      tier: rule.tier,
      severity: this.options.severities?.get(rule.id) ?? rule.severity,
      object: '',
      path: '',
      message: problem.message,
      fix: rule.fix.replace(
        THE_POSITION,
        `${problem.file ?? 'line '}${problem.file === undefined ? '' : ':'}${problem.position.line}`,
      ),
      file: problem.file,
      line: problem.position.line,
      column: problem.position.column,
    });
    const reason = this.options.ignore?.find((suppression) => suppression.rule === rule.id)?.reason;
    if (reason !== undefined) {
      this.suppressed.push({ ...finding, reason });
    } else {
      this.located.push({ finding, order: -1 });
    }
  }

  /** @param rule the rule that a suppression names to accept that the object is not checked; without it, no suppression does */
  addNotChecked(manifest: Manifest, why: string, rule?: ReportedFacts): void {
    const { file, construct } = manifest.origin;
    const reason = rule === undefined ? undefined : this.reasonToIgnore(rule.id, manifest);
    if (rule !== undefined && reason !== undefined) {
      const { id, tier } = rule;
      const object = describeId(manifest.id);
      this.suppressed.push(
        definedMembers({
          rule: id,
          tier,
          severity: 'info',
          object,
          path: '/kind',
          message: why,
          file,
          construct,
          reason,
        }),
      );
      return;
    }
    this.notChecked.push(definedMembers({ object: describeId(manifest.id), file, construct, why }));
  }

  /** A rule that read a value which is not known yet, on a manifest or on the whole set. */
  addNotJudged(rule: string, manifest?: Manifest): void {
    this.notJudged.push(
      definedMembers({
        rule,
        object: manifest === undefined ? undefined : describeId(manifest.id),
        construct: manifest?.origin.construct,
      }),
    );
  }

  /** A rule that failed, on a manifest or on the whole set. */
  addFailure(why: string, manifest?: Manifest): void {
    const { file, construct } = manifest?.origin ?? {};
    const object = manifest === undefined ? 'the whole set' : describeId(manifest.id);
    this.notChecked.push(definedMembers({ object, file, construct, why, failed: true as const }));
  }

  private reasonToIgnore(rule: string, manifest: Manifest): string | undefined {
    const matches = (suppression: Suppression): boolean => suppression.rule === rule;
    return (this.own.get(manifest)?.find(matches) ?? this.options.ignore?.find(matches))?.reason;
  }

  /** Where a rule of the server or of a project reports a missing field, the schema's shorter word on it is left out. */
  private eachToldOnce(): readonly Located[] {
    const place = ({ finding, order }: Located): string => `${order} ${finding.path}`;
    const tellsMore = ({ tier, severity }: Finding): boolean =>
      severity === 'error' && (tier === 'server' || tier === 'webhook');
    const missing = new Set(this.located.filter(({ finding }) => finding.rule === shapeRules.required.id).map(place));
    if (missing.size === 0) {
      return this.located;
    }
    const told = new Set(this.located.filter((one) => tellsMore(one.finding) && missing.has(place(one))).map(place));
    return this.located.filter((one) => one.finding.rule !== shapeRules.required.id || !told.has(place(one)));
  }

  report(): Report {
    this.located.sort(
      (a, b) => a.order - b.order || compare(a.finding.path, b.finding.path) || compare(a.finding.rule, b.finding.rule),
    );
    const unattached = this.set.problems.filter((problem) => problem.manifest === undefined).length;
    return {
      documents: this.set.manifests.length + unattached,
      findings: this.eachToldOnce().map(({ finding }) => finding),
      notChecked: this.notChecked,
      suppressed: this.suppressed,
      skipped: this.set.skipped,
      ...(this.notJudged.length === 0 ? {} : { notJudged: this.notJudged }),
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text with the control characters of values in it as JSON writes them. */
function onOneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1));
}
