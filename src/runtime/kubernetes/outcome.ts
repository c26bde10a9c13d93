/**
 * What one cycle came to.
 */
import { type Decision } from '../../placement';
import { type Session } from '../../placement/books/session';
import { type GangMembers } from './world/gang-members';
import { type HeldGang } from './world/snapshot';

export interface Outcome {
  /** In the API server's time, milliseconds since the epoch. */
  readonly at: number;
  /** The books after the decision. */
  readonly session: Session;
  /** Reasons why gangs wait may be some seconds old, where there are many. */
  readonly decision: Decision;
  readonly held: readonly HeldGang[];
  /** Queue of a gang, by its name; `''` where it has none. */
  readonly queueOf: (gang: string) => string;
  /** Gangs that have pods without a node, by id. */
  readonly waiting: ReadonlyMap<string, GangMembers>;
}
