/**
 * What a check says. The field names are those of the JSON report, which is a stable format.
 */
import { type JsonValue } from '../facts/api/schema';

/**
 * Who would say so.
 *
 * - `schema`: strict decoding and schema validation by the API server
 * - `cel`: a CEL rule of the CRD
 * - `server`: the API server's own code (metadata, names, labels, validation of built-in kinds)
 * - `webhook`: the project's admission webhook, or its controller at reconcile
 * - `advice`: no component; the object is accepted and silently wrong
 */
export const TIERS = ['schema', 'cel', 'server', 'webhook', 'advice'] as const;
export type Tier = (typeof TIERS)[number];

export const SEVERITIES = ['error', 'warning', 'info'] as const;
/** `error` makes a check fail; `warning` and `info` do not. */
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  /** Stable id of the rule, `domain/what-must-hold`. */
  readonly rule: string;
  readonly tier: Tier;
  readonly severity: Severity;
  /** `apiVersion Kind namespace/name`. */
  readonly object: string;
  /** JSON pointer (RFC 6901) into the object; empty for the object itself. */
  readonly path: string;
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  readonly fix?: string;
  readonly file?: string;
  /** Counts from 1. */
  readonly line?: number;
  /** Counts from 1. For people and editors; the JSON report has no such key. */
  readonly column?: number;
  /** Construct path. */
  readonly construct?: string;
}

/** An object without a known schema: always reported, never skipped silently. */
export interface NotChecked {
  readonly object: string;
  readonly file?: string;
  readonly construct?: string;
  readonly why: string;
  /** A rule threw an error: a defect of the rule, and not of the manifest. */
  readonly failed?: true;
}
