/**
 * Gathers findings: gives each its place and its construct, sets aside what was answered for, and puts all in a stable order.
 */
import { definedMembers } from '../../manifests/values/members';
import { describeId, type Manifest, type Position, type SourceProblem } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
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
import { fixOfRequirement } from '../rules/field-fix';
import { withIndexes } from '../rules/list-indexes';
import { RepeatedFindings } from '../repeated-findings';
import { withShortNames, withShortValues } from './long-values';
import { MOST_FINDINGS, omittedMessage } from './most-findings';
import { fixInFile } from '../rules/source-rules';
import { type Violation, type Yields } from '../rules/rule';
import { withOneRemoval } from './removals';
import { withoutSecretValues } from './secrets';
import { type FindingSink, type ReportedFacts, wantsGroup, wantsTiers } from './sink';
import { YieldedFindings } from './yielded-findings';
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

interface Located {
  readonly finding: Finding;
  /** Absent for what never became a manifest. */
  readonly manifest?: Manifest;
  /** As in the facts of the rule. */
  readonly yieldsTo?: Yields;
}

/** The findings of one rule, tier, and severity in one manifest. */
interface Tally {
  readonly rule: ReportedFacts;
  readonly tier: Tier;
  readonly severity: Severity;
  /** What suppresses them. Absent if nothing does. */
  readonly suppression?: Suppression;
  /** How many are described. */
  described: number;
  /** The paths of the others. */
  readonly omitted: string[];
}

export class FindingCollector implements FindingSink {
  private readonly tiers: ReadonlySet<Tier>;
  private readonly located: Located[] = [];
  private readonly tallies = new Map<Manifest, Map<string, Tally>>();
  private readonly repeated = new RepeatedFindings();
  private readonly suppressed: SuppressedFinding[] = [];
  private readonly notChecked: NotChecked[] = [];
  private readonly notJudged: NotJudged[] = [];
  private readonly order = new Map<Manifest, number>();
  private readonly own = new Map<Manifest, readonly Suppression[]>();

  /** @param suppressing all manifests with suppressions of their own, where that is known: the others are not looked at. @default - unknown */
  constructor(
    private readonly set: ManifestSet,
    private readonly options: CollectorOptions,
    suppressing: readonly Manifest[] = set.manifests,
  ) {
    this.tiers = new Set(options.tiers ?? TIERS);
    set.manifests.forEach((manifest, index) => this.order.set(manifest, index));
    suppressing.forEach((manifest) => {
      const { suppressions, violations } = suppressionsOf(manifest);
      if (suppressions.length > 0) {
        this.own.set(manifest, suppressions);
      }
      for (const violation of violations) {
        this.add(suppressionNeedsReason, manifest, violation);
      }
    });
  }

  wants(tiers: readonly Tier[]): boolean {
    return wantsTiers(this.options, tiers);
  }

  wantsGroup(group: RuleGroup | undefined): boolean {
    return wantsGroup(this.options, group);
  }

  add(rule: ReportedFacts, manifest: Manifest, said: Violation, position?: Position): void {
    const tier = said.tier ?? rule.tier;
    if (!this.tiers.has(tier)) {
      return;
    }
    const ownSeverity = said.severity ?? rule.severity;
    const severity = this.options.severities?.get(rule.id) ?? ownSeverity;
    const path = said.path ?? '';
    const noted = { rule: rule.id, tier, severity, manifest, path, message: said.message };
    if (this.repeated.followsFromType(noted) || this.repeated.wasSaidAbsent(noted, said.absent, ownSeverity)) {
      return;
    }
    const tally = this.tallyOf(rule, tier, severity, manifest);
    if (tally.suppression === undefined) {
      this.repeated.note(noted);
    }
    if (tally.described < MOST_FINDINGS) {
      tally.described += 1;
      this.keep(tally, manifest, this.describe({ rule, tier, severity }, manifest, said, position));
    } else {
      tally.omitted.push(path);
    }
  }

  private tallyOf(rule: ReportedFacts, tier: Tier, severity: Severity, manifest: Manifest): Tally {
    let tallies = this.tallies.get(manifest);
    if (tallies === undefined) {
      this.tallies.set(manifest, (tallies = new Map<string, Tally>()));
    }
    const key = `${rule.id} ${tier} ${severity}`;
    let tally = tallies.get(key);
    if (tally === undefined) {
      const suppression = this.suppressionOf(rule.id, manifest);
      tallies.set(key, (tally = { rule, tier, severity, suppression, described: 0, omitted: [] }));
    }
    return tally;
  }

  private describe(
    { rule, tier, severity }: Pick<Tally, 'rule' | 'tier' | 'severity'>,
    manifest: Manifest,
    said: Violation,
    position?: Position,
  ): Finding {
    const violation = withoutSecretValues(said, manifest);
    const path = violation.path ?? '';
    const { file, construct, locate } = manifest.origin;
    const place = position ?? locate?.(path);
    const fix = withIndexes(violation.fix ?? fixOfRequirement(violation, rule.fix) ?? rule.fix, path);
    return definedMembers({
      rule: rule.id,
      tier,
      severity,
      group: rule.group,
      object: describeId(manifest.id),
      path,
      message: withShortValues(onOneLine(violation.message)),
      found: violation.found,
      expected: violation.expected === undefined ? undefined : onOneLine(violation.expected),
      fix: fix === '' ? undefined : withShortNames(onOneLine(fix)),
      file,
      line: place?.line,
      column: place?.column,
      construct,
    });
  }

  private keep({ rule, suppression }: Pick<Tally, 'rule' | 'suppression'>, manifest: Manifest, finding: Finding): void {
    if (suppression !== undefined) {
      this.suppressed.push(suppressedBy(suppression, finding));
    } else {
      this.located.push({ finding, manifest, yieldsTo: rule.yieldsTo });
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
      fix: fixInFile(rule, problem),
      file: problem.file,
      line: problem.position.line,
      column: problem.position.column,
    });
    const suppression = this.options.ignore?.find((candidate) => candidate.rule === rule.id);
    if (suppression !== undefined) {
      this.suppressed.push(suppressedBy(suppression, finding));
    } else {
      this.located.push({ finding });
    }
  }

  addNotChecked(manifest: Manifest, why: string, rule?: ReportedFacts): void {
    const { file, construct } = manifest.origin;
    const suppression = rule === undefined ? undefined : this.suppressionOf(rule.id, manifest);
    if (rule !== undefined && suppression !== undefined) {
      const { id, tier } = rule;
      const object = describeId(manifest.id);
      const finding = definedMembers({
        rule: id,
        tier,
        severity: 'info' as const,
        object,
        path: '/kind',
        message: why,
        file,
        construct,
      });
      this.suppressed.push(suppressedBy(suppression, finding));
      return;
    }
    this.notChecked.push(definedMembers({ object: describeId(manifest.id), file, construct, why }));
  }

  addNotJudged(rule: string, manifest?: Manifest): void {
    this.notJudged.push(
      definedMembers({
        rule,
        object: manifest === undefined ? undefined : describeId(manifest.id),
        construct: manifest?.origin.construct,
      }),
    );
  }

  addFailure(why: string, manifest?: Manifest): void {
    const { file, construct } = manifest?.origin ?? {};
    const object = manifest === undefined ? 'all manifests' : describeId(manifest.id);
    this.notChecked.push(definedMembers({ object, file, construct, why, failed: true as const }));
  }

  private suppressionOf(rule: string, manifest: Manifest): Suppression | undefined {
    const matches = (suppression: Suppression): boolean => suppression.rule === rule;
    return this.own.get(manifest)?.find(matches) ?? this.options.ignore?.find(matches);
  }

  /** One finding for those of a rule that are not described. */
  private keepOmitted(): void {
    for (const [manifest, tallies] of this.tallies) {
      for (const tally of tallies.values()) {
        const { omitted } = tally;
        const count = RepeatedFindings.areFoundBy(tally.rule.id)
          ? omitted.filter((path) => !this.repeated.isReported({ manifest, path })).length
          : omitted.length;
        if (count > 0) {
          const finding = this.describe(tally, manifest, { message: omittedMessage(count), fix: FIX_OF_OMITTED });
          this.keep(tally, manifest, { ...finding, omitted: count });
        }
      }
    }
  }

  /** Whether the finding is one of the schema, and others say more about the field. */
  private isReplaced({ rule, path }: Finding, manifest: Manifest | undefined): boolean {
    return manifest !== undefined && RepeatedFindings.areFoundBy(rule) && this.repeated.isReported({ manifest, path });
  }

  report(): Report {
    this.keepOmitted();
    const yielded = new YieldedFindings(this.located);
    const findings = this.located.filter(
      (located) => !yielded.has(located) && !this.isReplaced(located.finding, located.manifest),
    );
    const orderOf = ({ manifest }: Located): number => (manifest && this.order.get(manifest)) ?? -1;
    findings.sort(
      (a, b) =>
        orderOf(a) - orderOf(b) ||
        Number(a.finding.omitted !== undefined) - Number(b.finding.omitted !== undefined) ||
        compare(a.finding.path, b.finding.path) ||
        compare(a.finding.rule, b.finding.rule),
    );
    const unattached = this.set.problems.filter((problem) => problem.manifest === undefined).length;
    return {
      documents: this.set.manifests.length + unattached,
      findings: withOneRemoval(findings).map(({ finding }) => finding),
      notChecked: this.notChecked,
      suppressed: this.suppressed,
      skipped: this.set.skipped,
      ...(this.notJudged.length === 0 ? {} : { notJudged: this.notJudged }),
    };
  }
}

const FIX_OF_OMITTED = 'Correct the findings that are listed, and run the check again.';

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text with the control characters of values in it as JSON writes them. */
function onOneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1));
}

function suppressedBy({ reason, by }: Suppression, finding: Finding): SuppressedFinding {
  return { ...finding, reason, ...(by === undefined ? {} : { by }) };
}
