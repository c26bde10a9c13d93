/**
 * What a view is made from.
 */
import { type ClusterNode, type Decision, type PendingGang } from '../../placement';
import { type Session } from '../../placement/session';

/** Facts about a gang that a snapshot does not contain. */
export interface GangFacts {
  readonly kind: string;
  readonly namespace: string;
  /** Where it was written; absent for what is in the cluster. */
  readonly source?: { readonly file?: string; readonly line?: number; readonly construct?: string };
}

export interface ViewInput {
  /** The session in which the decision was made, after it. */
  readonly session: Session;
  readonly decision: Decision;
  /** What the cluster is called. */
  readonly cluster: string;
  /** @default - time plays no part */
  readonly at?: number;
  /** Node labels (or levels that are not labels) to group nodes by, outermost first. */
  readonly levels: readonly string[];
  readonly poolOf: (node: ClusterNode) => string;
  readonly factsOf: (gang: string) => GangFacts;
  /**
   * Names of the gangs that were asked about, in their order.
   * @default - none; all are in the cluster
   */
  readonly asked?: readonly string[];
  /**
   * Why the rest of gangs that run in part waits.
   * @default - not explained
   */
  readonly explained?: ReadonlyMap<string, PendingGang>;
  /** @default - none */
  readonly notes?: readonly string[];
}

/** Where nodes stand, and in which order they are shown. */
export interface Places {
  readonly levels: readonly string[];
  /** Rows of the node table in the order in which nodes are shown. */
  readonly rows: readonly number[];
  /** By row; an empty text where the node is in no domain. */
  readonly paths: readonly (readonly string[])[];
}
