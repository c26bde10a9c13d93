/**
 * What a view is made from.
 */
import { type ClusterNode, type Decision, type PendingGang } from '../../../placement';
import { type Session } from '../../../placement/books/session';
import { type ViewNodeHealth } from './view';

/** Facts about a gang that a snapshot does not contain. */
export interface GangFacts {
  /** Kind of the object that the gang comes from. */
  readonly kind: string;
  /** Namespace of that object. */
  readonly namespace: string;
  /** Where it was written; absent for what is in the cluster. */
  readonly source?: {
    /** The file as the user named it. Absent for what a construct rendered. */
    readonly file?: string;
    /** Line in the file, from 1. Absent for what a construct rendered. */
    readonly line?: number;
    /** Path of the construct. Absent for what was read from a file. */
    readonly construct?: string;
  };
}

/** What a view is made of. */
export interface ViewInput {
  /** The session in which the decision was made, after it. */
  readonly session: Session;
  /** The decision to show. */
  readonly decision: Decision;
  /** What the cluster is called. */
  readonly cluster: string;
  /** Time of the decision, in milliseconds since the epoch. @default - time plays no part */
  readonly at?: number;
  /** Node labels (or levels that are not labels) to group nodes by, outermost first. */
  readonly levels: readonly string[];
  /** Returns the name of the pool that a node belongs to. */
  readonly poolOf: (node: ClusterNode) => string;
  /**
   * Returns what is wrong with a node, and what remediation did to it.
   * @default - nothing is known
   * @beta
   */
  readonly healthOf?: (node: string) => ViewNodeHealth | undefined;
  /** Returns what the view shows about a gang beside the decision. */
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
  /** Sentences for people, which the view shows. @default - none */
  readonly notes?: readonly string[];
}

/** Where nodes are, and in which order they are shown. */
export interface Places {
  readonly levels: readonly string[];
  /** Rows of the node table in the order in which nodes are shown. */
  readonly rows: readonly number[];
  /** By row; an empty text where the node is in no domain. */
  readonly paths: readonly (readonly string[])[];
}
