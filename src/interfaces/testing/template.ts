/**
 * What an app renders to, with assertions on it.
 */
import { type App, type Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { nearestName } from '../../facts/spelling';
import { type Finding, SEVERITIES, type Severity } from '../../checks/report/finding';
import { type Report } from '../../checks/report/report';
import { findingText } from '../../checks/report/text';
import { synthesize } from '../../checks/synth/synthesize';
import { idOf } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { type ClusterState } from '../../planning/cluster/cluster-state';
import { check, readManifests, ruleFacts } from '../checks';
import { TemplateError } from './assertion-error';
import { closestText, matching } from './closest';
import { type KindName, kindsText, kindText, manifestText, objectsOfKind, typed } from './kinds';
import { type Matcher, matcherOf, type Pattern } from './matcher';
import { PlannedTemplate, type PlannedTemplateOptions } from './planned-template';

/** What `hasFinding` may ask of a finding beside its rule. */
export interface FindingPattern {
  /** Severity of the finding. @default - any severity */
  readonly severity?: Severity;
  /**
   * JSON pointer into the object, such as `/spec/replicas`, or a matcher.
   * @default - any place
   */
  readonly path?: string | Matcher;
  /**
   * The message, or a matcher of it.
   * @default - any message
   */
  readonly message?: string | Matcher;
  /**
   * The object as `apiVersion Kind namespace/name`, or a matcher of that text.
   * @default - any object
   */
  readonly object?: string | Matcher;
}

/** What a pattern for a kind without a type may be. */
type AnyPattern = Matcher | Readonly<Record<string, unknown>>;

/**
 * The objects that an app renders to, with assertions for unit tests. An assertion that fails throws a `TemplateError`, which names the
 * closest object and each difference. Works in Jest, Vitest, and `node:test`, since it uses nothing of a test runner.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'llm', { nodes: 4, image });
 * const template = Template.fromChart(chart);
 * template.resourceCountIs('PyTorchJob', 1);
 * template.hasResource('PyTorchJob', { spec: { pytorchReplicaSpecs: { Worker: { replicas: 3 } } } });
 */
export class Template {
  /**
   * Renders a chart and checks its objects.
   *
   * @throws Error if a construct cannot be built from its props, or a validation of a construct fails; findings never throw
   */
  static fromChart(chart: Chart): Template {
    return Template.of(chart);
  }

  /**
   * Renders all charts of an app and checks their objects.
   *
   * @throws Error if a construct cannot be built from its props, or a validation of a construct fails; findings never throw
   */
  static fromApp(app: App): Template {
    return Template.of(app);
  }

  /**
   * Takes objects as they are, such as those of another generator, and checks them.
   */
  static fromObjects(objects: readonly JsonObject[]): Template {
    const set = new ManifestSet(objects.map((object): Manifest => ({ id: idOf(object), object, origin: {} })));
    return new Template(set, check(set));
  }

  /**
   * Reads a YAML or JSON text, such as the output of Helm, and checks its objects. What cannot be read is a finding.
   */
  static fromYaml(text: string): Template {
    const set = readManifests(text);
    return new Template(set, check(set));
  }

  private static of(scope: IConstruct): Template {
    const { manifests, report } = synthesize(scope, { onErrors: 'return' });
    return new Template(manifests, report);
  }

  private constructor(
    /** The objects as a set, each with its place: what rules read. */
    readonly manifests: ManifestSet,
    /** What the checks find in the objects. */
    readonly report: Report,
  ) {}

  /** The objects in the order in which they are written. */
  toJSON(): readonly JsonObject[] {
    return this.manifests.manifests.map(({ object }) => object);
  }

  /**
   * Asserts that at least one object of the kind matches. Fields that the pattern does not name may have any value; a list must have the
   * same length, unless `Match.arrayWith` replaces it.
   *
   * @throws TemplateError with the closest object and its differences if none matches
   */
  hasResource<T>(kind: Exclude<KindName<T>, string>, pattern?: Pattern<T>): void;
  hasResource(kind: string, pattern?: AnyPattern): void;
  hasResource(kind: KindName<unknown>, pattern: unknown = {}): void {
    const candidates = objectsOfKind(this.manifests.manifests, kind);
    if (candidates.length === 0) {
      throw new TemplateError(this.noObject(kind), this, 'hasResource');
    }
    const matcher = matcherOf(pattern, 'partial');
    if (matching(candidates, matcher).length === 0) {
      throw new TemplateError(closestText(kindText(kind), candidates, matcher), this, 'hasResource');
    }
  }

  /**
   * Asserts that every object of the kind matches, and that there is at least one.
   *
   * @throws TemplateError with each object that does not match and its differences
   */
  allResources<T>(kind: Exclude<KindName<T>, string>, pattern: Pattern<T>): void;
  allResources(kind: string, pattern: AnyPattern): void;
  allResources(kind: KindName<unknown>, pattern: unknown): void {
    const candidates = objectsOfKind(this.manifests.manifests, kind);
    if (candidates.length === 0) {
      throw new TemplateError(this.noObject(kind), this, 'allResources');
    }
    const matcher = matcherOf(pattern, 'partial');
    const matched = new Set(matching(candidates, matcher));
    const others = candidates.filter((candidate) => !matched.has(candidate));
    if (others.length > 0) {
      const count = `${others.length} of ${candidates.length} ${kindText(kind)} objects do not match`;
      throw new TemplateError(`${count}. ${closestText(kindText(kind), others, matcher)}`, this, 'allResources');
    }
  }

  /**
   * Asserts how many objects of the kind there are, or how many of them match the pattern.
   *
   * @throws TemplateError with the names of the objects that there are
   */
  resourceCountIs<T>(kind: Exclude<KindName<T>, string>, count: number, pattern?: Pattern<T>): void;
  resourceCountIs(kind: string, count: number, pattern?: AnyPattern): void;
  resourceCountIs(kind: KindName<unknown>, count: number, pattern: unknown = {}): void {
    const found = matching(objectsOfKind(this.manifests.manifests, kind), matcherOf(pattern, 'partial'));
    if (found.length !== count) {
      const rest =
        found.length > 0 ? `:\n${found.map((one) => `  ${manifestText(one)}`).join('\n')}` : this.insteadOf(kind);
      throw new TemplateError(
        `expected ${count} ${kindText(kind)}, found ${found.length}${rest}`,
        this,
        'resourceCountIs',
      );
    }
  }

  /** The objects of the kind that match the pattern, in their order; all of the kind without a pattern. */
  findResources<T>(kind: Exclude<KindName<T>, string>, pattern?: Pattern<T>): readonly T[];
  findResources(kind: string, pattern?: AnyPattern): readonly JsonObject[];
  findResources(kind: KindName<unknown>, pattern: unknown = {}): readonly unknown[] {
    const found = matching(objectsOfKind(this.manifests.manifests, kind), matcherOf(pattern, 'partial'));
    return found.map(({ object }) => typed(object));
  }

  /**
   * The findings of a rule, or all findings. Suppressed ones are in `report`.
   *
   * @throws TypeError if no rule has the id
   */
  findings(rule?: string): readonly Finding[] {
    if (rule === undefined) {
      return this.report.findings;
    }
    const found = this.report.findings.filter((finding) => finding.rule === rule);
    if (found.length === 0) {
      assertKnown(rule);
    }
    return found;
  }

  /**
   * Asserts that the checks report a finding of the rule.
   *
   * @throws TemplateError with the findings that there are
   * @throws TypeError if no rule has the id
   */
  hasFinding(rule: string, pattern: FindingPattern = {}): void {
    const matches = Object.entries(pattern).map(
      ([key, expected]) => [key as keyof FindingPattern, matcherOf(expected, 'exact')] as const,
    );
    const found = this.findings(rule);
    if (
      !found.some((finding) => matches.every(([key, matcher]) => matcher.differences(finding[key], '').length === 0))
    ) {
      const wanted = matches.map(([key, { name }]) => `${key} ${name}`).join(' and ');
      const others = found.length > 0 ? found : this.report.findings;
      throw new TemplateError(
        `expected a finding of ${rule}${wanted === '' ? '' : ` with ${wanted}`}; ${foundText(others, found.length > 0 ? 'the rule reports' : 'the checks report')}`,
        this,
        'hasFinding',
      );
    }
  }

  /**
   * Asserts that the checks report nothing of the given severity or worse.
   *
   * @param worst the lowest severity that fails: `error`, `warning`, or `info`. `warning`, the default, also fails on errors.
   * @throws TemplateError with the findings
   */
  hasNoFindings(worst: Severity = 'warning'): void {
    const limit = SEVERITIES.indexOf(worst);
    const found = this.report.findings.filter(({ severity }) => SEVERITIES.indexOf(severity) <= limit);
    if (found.length > 0) {
      throw new TemplateError(
        `expected no finding of severity ${SEVERITIES.slice(0, limit + 1).join(' or ')}; ${foundText(found, 'the checks report')}`,
        this,
        'hasNoFindings',
      );
    }
  }

  /**
   * Plans the workloads on a cluster with the placement core, as `gantry plan` does.
   * @param cluster a cluster, or the path of a cluster file or of what `kubectl get nodes,… -o json` printed
   * @throws ClusterFileError if the file cannot be read as a cluster
   *
   * @example
   * new kubeflow.PyTorchJob(chart, 'llm', { name: 'llm', nodes: 2, image, accelerators: Accelerator.nvidia({ count: 8 }) });
   * Template.fromChart(chart).plan('clusters/training.yaml').places('research/llm');
   */
  plan(cluster: ClusterState | string, options: PlannedTemplateOptions = {}): PlannedTemplate {
    return PlannedTemplate.of(this.manifests, cluster, options);
  }

  private noObject(kind: KindName<unknown>): string {
    return `expected at least one ${kindText(kind)}, found none; ${kindsText(this.manifests.manifests, kind)}`;
  }

  private insteadOf(kind: KindName<unknown>): string {
    return objectsOfKind(this.manifests.manifests, kind).length > 0
      ? ` that match; there are ${objectsOfKind(this.manifests.manifests, kind).length} in all`
      : `; ${kindsText(this.manifests.manifests, kind)}`;
  }
}

function foundText(findings: readonly Finding[], who: string): string {
  return findings.length === 0
    ? `${who} nothing`
    : `${who}:\n${findings.map((finding) => findingText(finding)).join('\n')}`;
}

/**
 * An organization's own rules have a domain of their own. An unknown id in a domain of Gantry, or close to a rule of Gantry, is a
 * misspelling.
 */
function assertKnown(rule: string): void {
  const ids = ruleFacts().map(({ id }) => id);
  const domains = new Set(ids.map((id) => id.split('/')[0]));
  const near = nearestName(rule, ids);
  const isOwn = rule.includes('/') && !domains.has(rule.split('/')[0]) && near === undefined;
  if (ids.includes(rule) || isOwn) {
    return;
  }
  throw new TypeError(
    `unknown rule "${rule}"${near === undefined ? '; `gantry rules` lists all rules' : ` (did you mean "${near}"?)`}`,
  );
}
