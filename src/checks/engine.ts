/**
 * The check engine: holds a manifest set against its schemas, their CEL rules and the semantic rules, and says what it found where.
 */
import { type JsonObject, type KubernetesMinor } from '../facts/api/schema';
import { DEFAULT_MINOR, findKind } from '../facts/api/kinds';
import { type Manifest, type SourceProblem } from '../manifests/manifest';
import { type ManifestSet } from '../manifests/manifest-set';
import { unguarded } from '../manifests/values/unknown';
import { Contents } from './contents';
import { clusterRules } from './cluster/cluster-rules';
import { type TargetCluster } from './cluster/target-cluster';
import { FindingCollector } from './report/collector';
import { type RuleGroup, type Severity, type Tier } from './report/finding';
import { type OfferedDevices } from './offered-devices';
import { defaultRules } from './rules/registry';
import { type Report } from './report/report';
import { type FindingSink } from './report/sink';
import { type Rule, type RuleContext } from './rules/rule';
import { reportUnknownSuppressions } from './rules/known-rules';
import { runRules } from './rules/run-rules';
import { ShapeChecker } from './schema/check-shape';
import { shapeRules } from './schema/shape-rules';
import { numberFix } from './schema/number-words';
import { fieldNode, takesText } from './schema/text-fields';
import { fixInFile, sourceRules } from './rules/source-rules';
import { type Suppression } from './report/suppression';

/** Options of `check`. */
export interface CheckOptions {
  /**
   * The Kubernetes minor that the manifests are meant for.
   * @default - that of the cluster, else '1.35'
   */
  readonly kubernetes?: KubernetesMinor;
  /**
   * Findings of other tiers are left out.
   * @default - all tiers
   */
  readonly tiers?: readonly Tier[];
  /**
   * Groups of rules to run beside those that always run.
   * @default - none
   */
  readonly groups?: readonly RuleGroup[];
  /**
   * The semantic rules to run.
   * @default - the rules of every domain
   */
  readonly rules?: readonly Rule[];
  /**
   * CustomResourceDefinition objects (apiextensions.k8s.io/v1) for kinds that Gantry does not know, or in place of the versions that it
   * knows. Definitions inside the checked set count as well.
   * @default - none
   */
  readonly crds?: readonly JsonObject[];
  /**
   * How the user of this check passes a CustomResourceDefinition, in messages.
   * @default 'the option crds'
   */
  readonly crdOption?: string;
  /**
   * Rules to silence everywhere, each with a reason.
   * @default - none; objects may carry their own in the annotation `gantry.dev/ignore`
   */
  readonly ignore?: readonly Suppression[];
  /**
   * The severity of findings, by the id of the rule, where it is another than the rule's own.
   * @default - every rule has its own severity
   */
  readonly severities?: ReadonlyMap<string, Severity>;
  /**
   * The devices of the cluster that the manifests are for.
   * @default - what nodes in the set offer
   */
  readonly offered?: OfferedDevices;
  /**
   * The cluster that the manifests are for: its versions and schemas count before the bundled ones, and references to what neither it nor the
   * manifests contain are errors.
   * @default - only the manifests are known
   */
  readonly cluster?: TargetCluster;
}

const CRD_KIND = 'apiextensions.k8s.io/CustomResourceDefinition';
const SHAPE_TIERS: readonly Tier[] = ['schema', 'cel', 'server'];

/**
 * Checks everything in the set.
 *
 * A pure function: no network, no clock, nothing read but the schemas that ship with Gantry.
 * @throws only where a CRD given in `options.crds` cannot be read as one
 */
export function check(set: ManifestSet, options: CheckOptions = {}): Report {
  const collector = new FindingCollector(set, options);
  const question = questionOf(set, options);
  reportSourceProblems(question, collector);
  checkShapes(question, set.manifests, collector);
  reportUnknownSuppressions(set.manifests, question.rules, collector);
  runRules(question.rules, question.context, collector, set, question.contents);
  return collector.report();
}

/** What a check asks about a set, with what its stages share. */
export interface CheckQuestion {
  readonly set: ManifestSet;
  readonly options: CheckOptions;
  readonly rules: readonly Rule[];
  /** With what the cluster has, if there is one. */
  readonly context: RuleContext;
  readonly contents: Contents;
}

export function questionOf(set: ManifestSet, options: CheckOptions): CheckQuestion {
  const { cluster, rules = defaultRules() } = options;
  const whole = cluster?.with(set) ?? set;
  return {
    set,
    options,
    rules: cluster === undefined ? rules : [...rules, ...clusterRules(cluster)],
    context: {
      set: whole,
      kubernetes: options.kubernetes ?? cluster?.kubernetes ?? DEFAULT_MINOR,
      offered: options.offered ?? cluster?.offered,
    },
    contents: new Contents(whole),
  };
}

export function reportSourceProblems({ set, context }: CheckQuestion, collector: FindingCollector): void {
  for (const problem of set.problems) {
    const rule = sourceRules[problem.kind];
    const { manifest, message, path = '', position } = problem;
    if (manifest === undefined) {
      collector.addUnattached(rule, problem);
    } else if (problem.kind !== 'huge-number' || isRejectedNumber(manifest, path, context.kubernetes)) {
      const fix = fixOfNumber(problem, manifest, path, context.kubernetes) ?? fixInFile(rule, problem);
      collector.add(rule, manifest, { path, message, fix }, position);
    }
  }
}

/** What to write in the place of a number that JSON readers change, by the schema of its field. */
function fixOfNumber(
  { kind }: Pick<SourceProblem, 'kind'>,
  { id }: Manifest,
  path: string,
  kubernetes: KubernetesMinor,
): string | undefined {
  const isInteger = kind === 'inexact-number';
  return isInteger || kind === 'huge-number'
    ? numberFix(fieldNode(findKind(id.apiVersion, id.kind), path, kubernetes), path, isInteger)
    : undefined;
}

/** Of a built-in kind, a quantity may be of any size, and the check of the shape reports the fields that take no text. */
function isRejectedNumber({ id }: Manifest, path: string, kubernetes: KubernetesMinor): boolean {
  const info = findKind(id.apiVersion, id.kind);
  return info?.builtIn !== true || takesText(info, path, kubernetes);
}

/** The tiers that need no rules: schemas, their CEL rules, and metadata. */
export function checkShapes(
  { options: { crds = [], crdOption = 'the option crds', cluster }, context, contents }: CheckQuestion,
  manifests: readonly Manifest[],
  sink: FindingSink,
): void {
  if (!sink.wants(SHAPE_TIERS)) {
    return;
  }
  const definitions = context.set.ofKind(CRD_KIND).map((manifest) => unguarded(manifest.object));
  const checker = new ShapeChecker({ kubernetes: context.kubernetes, crds, definitions, cluster });
  for (const manifest of manifests) {
    const shape = checker.check(manifest, contents.ofSpec(manifest));
    if (shape.notChecked !== undefined) {
      if (shape.needsDefinition === true) {
        const why = `${shape.notChecked}; pass its CustomResourceDefinition with ${crdOption}`;
        sink.addNotChecked(manifest, why, shapeRules.kind);
      } else {
        sink.addNotChecked(manifest, shape.notChecked);
      }
    }
    for (const rule of shape.notJudged ?? []) {
      sink.addNotJudged(rule, manifest);
    }
    for (const violation of shape.violations) {
      sink.add(
        { id: violation.rule, tier: violation.tier, severity: violation.severity, fix: '' },
        manifest,
        violation,
      );
    }
  }
}
