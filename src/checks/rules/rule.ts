/**
 * A rule: one statement about manifests, with a stable id, the source it comes from and the function that tests it.
 *
 * Rules read final JSON, so the same rules apply to constructs, raw YAML, Helm output, and Pulumi programs.
 * A rule must accept any JSON: the schema check reports shapes that the schema rejects, and a rule skips them
 * (`read.ts` has the readers for that).
 */
import { type JsonValue, type KubernetesMinor } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type PodTemplate } from '../../manifests/pods/pod-template';
import { type RuleGroup, type Severity, type Tier } from '../report/finding';
import { type OfferedDevices } from '../offered-devices';

/** What a rule found wrong. The engine adds the object, the file, and the construct. */
export interface Violation {
  /**
   * JSON pointer from the root of the manifest; for a pod-template rule, from the root of the template.
   * @default - the root
   */
  readonly path?: string;
  /** One sentence: what is wrong here, with the values. */
  readonly message: string;
  /** The value at `path`. @default - the finding shows no value */
  readonly found?: JsonValue;
  /** What would be correct, in words or as a value. @default - the finding shows no expected value */
  readonly expected?: string;
  /** What to write, as one imperative sentence with a full stop. @default - the `fix` of the rule */
  readonly fix?: string;
  /** Severity of this violation, for a rule whose cases differ in weight. @default - the severity of the rule */
  readonly severity?: Severity;
  /** Tier of this violation, one of `otherTiers` of the rule. @default - the tier of the rule */
  readonly tier?: Tier;
  /**
   * The object that the manifests do not contain. As information, that is reported once for each object that names it: a rule that may meet
   * the name at several places sets this.
   * @default - each violation is reported
   * @internal
   */
  readonly absent?: AbsentObject;
}

/**
 * An object that one of the set names.
 * @internal
 */
export interface AbsentObject {
  /** `group/Kind`, or `Kind` alone for the core group. */
  readonly kind: string;
  readonly name: string;
}

/** What a rule may look at beside the object in hand. */
export interface RuleContext {
  /** Everything that is checked together. */
  readonly set: ManifestSet;
  /** The Kubernetes minor that the manifests are meant for. */
  readonly kubernetes: KubernetesMinor;
  /** The devices of the cluster, if the app states them, as a `GpuPlatform` does. Absent if only the manifests are known. */
  readonly offered?: OfferedDevices;
}

/** The facts of a rule: what the docs and SARIF reports show. */
interface RuleFacts {
  /** `domain/requirement`, in kebab case; never changes once released. */
  readonly id: string;
  /** Row of the rule table in the docs page of the domain, for example `VQ1`. @default - the rule is in no table */
  readonly row?: string;
  /** The component that would complain. */
  readonly tier: Tier;
  /**
   * Tiers that single violations may be of instead, so that a rule is run only where somebody asks for what it can say.
   * @default - none
   */
  readonly otherTiers?: readonly Tier[];
  /** The rule runs only if this group is requested. @default - the rule always runs */
  readonly group?: RuleGroup;
  /** `error` only if the manifest is rejected, or cannot work whatever the configuration of the cluster is. */
  readonly severity: Severity;
  /** What must hold, one sentence. */
  readonly summary: string;
  /** What happens if it does not. */
  readonly why: string;
  /** Project, version and file, or the server's behavior, that the rule was taken from. */
  readonly source: string;
  /** What to do. */
  readonly fix: string;
  /**
   * Names of fields that the rule reads. If none of them occurs anywhere in a manifest (as a field, or as a key of a map such as
   * annotations), the rule does not run on the manifest or on its pod templates, so it must not apply there. A rule that reports a missing
   * field names the parent that requires the field, or leaves this unset. Rules on the whole set always run.
   * @default - the rule is always run
   */
  readonly concerns?: readonly string[];
  /**
   * Rules that say more about a field, or the same: an error of this rule at a place where one of them reports an error of the same tier is
   * left out.
   *
   * - `core`: the rules on built-in fields
   * - `any`: each rule
   * @default - each finding of this rule is reported
   * @internal
   */
  readonly yieldsTo?: Yields;
}

/** To which rules a rule yields. */
export type Yields = 'core' | 'any';

/** Looks at one manifest at a time. */
export interface ObjectRule extends RuleFacts {
  /** The rule checks one manifest at a time. */
  readonly on: 'object';
  /** `group/Kind` (`Kind` alone for the core group), any version; `*` for every manifest. */
  readonly kinds: readonly string[];
  /**
   * `spec`: of the manifest, the rule sees the API version, the kind, and the spec, and not the metadata. It may look at the rest of the
   * set. What it finds in one spec it finds in each that is equal, so it runs once for all of them.
   *
   * `all-but-name`: of the manifest, the rule sees everything except its name and its file. It may look at the rest of the set, but not at
   * what refers to this manifest. What it finds in one manifest it finds in each that differs from it in the name alone, so it runs once
   * for all of them.
   * @default - the rule may look at everything
   */
  readonly sees?: 'spec' | 'all-but-name';
  /**
   * Returns whether the rule can find anything in the manifest. Rules that share the function share its answer, which is asked for once for
   * each manifest: for many rules about one kind of content, such as files in ConfigMaps.
   * @default - the rule runs on every manifest of its kinds
   */
  readonly appliesTo?: (manifest: Manifest, context: RuleContext) => boolean;
  /** Returns what is wrong with the manifest. It must accept any JSON, also a shape that the schema rejects. */
  readonly check: (manifest: Manifest, context: RuleContext) => Iterable<Violation>;
}

/** Checks one pod template at a time, whichever workload contains it. */
export interface PodTemplateRule extends RuleFacts {
  /** The rule checks one pod template at a time. */
  readonly on: 'pod-template';
  /**
   * `template`: of the workload, the rule sees the metadata and the spec of the template, the volumes that the workload adds, and its API
   * version and kind. It may look at the rest of the set. What it finds in one template it finds in each of equal content, so it runs once
   * for all of them.
   *
   * `namespace`: also the namespace of the workload. The rule runs once for templates of equal content in one namespace.
   * @default - the rule may look at everything: the object around the template, its name, the set
   */
  readonly sees?: 'template' | 'namespace';
  /** Returns what is wrong with the template. It must accept any JSON, also a shape that the schema rejects. */
  readonly check: (template: PodTemplate, context: RuleContext) => Iterable<Violation>;
}

/** Checks the whole set and names the manifest of each violation. */
export interface SetRule extends RuleFacts {
  /** The rule checks the whole set. */
  readonly on: 'set';
  /**
   * Returns what is wrong in the set, each violation with its manifest. It must accept any JSON, also a shape that the
   * schema rejects.
   */
  readonly check: (context: RuleContext) => Iterable<Violation & { readonly manifest: Manifest }>;
}

/** A rule over one manifest, one pod template, or the whole set. `defineRule` makes one. */
export type Rule = ObjectRule | PodTemplateRule | SetRule;

/** The facts of a rule: what docs, `docs/rules.md` and SARIF show. */
export type { RuleFacts };
