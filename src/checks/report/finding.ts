/**
 * What a check says. The field names are those of the JSON report, which is a stable format.
 */
import { type JsonValue } from '../../facts/api/schema';

/**
 * The tiers. Each names the component that would complain.
 *
 * - `schema`: strict decoding and schema validation by the API server
 * - `cel`: a CEL rule of the CRD
 * - `server`: the API server's own code (metadata, names, labels, validation of built-in kinds)
 * - `webhook`: the project's admission webhook, or its controller or program when it reads the object
 * - `advice`: no component; the object is accepted and fails silently
 */
export const TIERS = ['schema', 'cel', 'server', 'webhook', 'advice'] as const;
/** The component that would complain about a manifest; `TIERS` explains each. */
export type Tier = (typeof TIERS)[number];

/** The severities, from most to least severe. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
/** `error` makes a check fail; `warning` and `info` do not. */
export type Severity = (typeof SEVERITIES)[number];

/**
 * Groups of rules that run only if they are requested.
 *
 * - `hygiene`: security and operations of ordinary workloads, where every component accepts the manifest and it works
 */
export const RULE_GROUPS = ['hygiene'] as const;
/** A group of rules that runs only if it is requested; `RULE_GROUPS` explains each. */
export type RuleGroup = (typeof RULE_GROUPS)[number];

/** One thing that is wrong with a manifest. The field names are those of the JSON report, which is a stable format. */
export interface Finding {
  /** Stable id of the rule, `domain/requirement`. */
  readonly rule: string;
  /** The component that would complain. */
  readonly tier: Tier;
  /** Whether the check fails (`error`) or not. */
  readonly severity: Severity;
  /** The group of the rule, for a rule that runs only if its group is requested. Absent otherwise. */
  readonly group?: RuleGroup;
  /** `apiVersion Kind namespace/name`. */
  readonly object: string;
  /** JSON pointer (RFC 6901) into the object; empty for the object itself. */
  readonly path: string;
  /** What is wrong, as a clause in lower case without a final full stop. */
  readonly message: string;
  /** The value at `path`. Absent where the message says it, or where no single value is wrong. */
  readonly found?: JsonValue;
  /** What a correct value is, as a phrase. Absent where `fix` says it. */
  readonly expected?: string;
  /** What to write, as one sentence. Absent where it depends on the intent. */
  readonly fix?: string;
  /** The file as the user named it. Absent for what a construct rendered. */
  readonly file?: string;
  /** Line in the file, from 1. Absent where the place is unknown, and for what a construct rendered. */
  readonly line?: number;
  /** Column in the line, from 1. Absent where `line` is, and from the JSON report. */
  readonly column?: number;
  /** Path of the construct that rendered the object. Absent for what was read from a file. */
  readonly construct?: string;
  /**
   * How many findings of the rule in the object are not listed, because there are more than 100 of one severity. The finding that has this
   * field represents all of them and counts as many times. Absent from every other finding.
   */
  readonly omitted?: number;
}

/** How many findings one in a report represents. */
export function occurrencesOf({ omitted = 1 }: Finding): number {
  return omitted;
}

/** An object that could not be checked, for example because its kind is unknown. Such objects are always reported. */
export interface NotChecked {
  /** The object, as `apiVersion Kind namespace/name`. */
  readonly object: string;
  /** The file as the user named it. Absent for what a construct rendered. */
  readonly file?: string;
  /** Path of the construct that rendered the object. Absent for what was read from a file. */
  readonly construct?: string;
  /** Why it was not checked, and what to do. */
  readonly why: string;
  /** True where a rule threw an error, which is a defect of the rule and not of the manifest. Absent otherwise. */
  readonly failed?: true;
}

/** A rule that gave no finding, because it reads a value that is not known yet. */
export interface NotJudged {
  /** Id of the rule; for a CEL rule of a CRD, its expression. */
  readonly rule: string;
  /** The object, as `apiVersion Kind namespace/name`. Absent for a rule over all objects. */
  readonly object?: string;
  /** Path of the construct that rendered the object. Absent for a rule over all objects. */
  readonly construct?: string;
}
