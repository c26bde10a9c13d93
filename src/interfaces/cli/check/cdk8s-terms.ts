/**
 * What cdk8s-cli gives to a validation and takes from it, and the properties of ours.
 */

/** What `properties` of the validation in `cdk8s.yaml` may set. Each means what the flag of the same name means for `gantry check`. */
export interface GantryValidationProperties {
  /**
   * Path of a configuration file.
   * @default - the nearest `.gantry.yaml` of the working folder and the folders above it, if there is one
   */
  readonly config?: string;
  /**
   * The Kubernetes minor to check against, such as `1.36`.
   * @default - the configuration file's, else 1.35
   */
  readonly k8s?: string;
  /**
   * Files or folders with CustomResourceDefinitions. CRD files that `imports` of `cdk8s.yaml` lists are always known.
   * @default - the configuration file's
   */
  readonly crds?: readonly string[];
  /**
   * What fails the validation: `error`, `warning`, `info`, `not-checked`, or several of these.
   * @default - the configuration file's, else `error`
   */
  readonly 'fail-on'?: string | readonly string[];
  /**
   * Tiers to check: `schema`, `cel`, `server`, `webhook`, `advice`.
   * @default - all
   */
  readonly only?: readonly string[];
  /**
   * Rules to leave out, each as `RULE=reason`.
   * @default - none
   */
  readonly ignore?: readonly string[];
  /**
   * A file with accepted findings, written by `gantry check --update-baseline`.
   * @default - the configuration file's
   */
  readonly baseline?: string;
  /**
   * Whether to run the rules on workload hygiene as well.
   * @default - the configuration file's
   */
  readonly hygiene?: boolean;
}

/** What of the context of cdk8s-cli is used. */
export interface GantryValidationContext {
  /** The files that the app wrote. */
  readonly manifests: readonly string[];
  /**
   * The path of the construct that made an object, by the object's name. Absent where cdk8s-cli was started without it.
   */
  readonly metadata?: Readonly<Record<string, { readonly path: string }>>;
  /** Where the violations are reported. */
  readonly report: {
    /** Reports a violation. */
    addViolation(violation: GantryViolation): void;
    /** Ends the report. */
    submit(status: 'success' | 'failure', metadata?: Readonly<Record<string, string>>): void;
  };
}

/** One rule that some objects break, in the form of cdk8s-cli. */
export interface GantryViolation {
  /** Id of the rule. */
  readonly ruleName: string;
  /** What the rule requires. */
  readonly recommendation: string;
  /** What to write. */
  readonly fix: string;
  /** The objects that break the rule. */
  readonly violatingResources: readonly {
    readonly resourceName: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}
