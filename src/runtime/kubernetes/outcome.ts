/**
 * What one cycle came to.
 */
import { type Decision } from '../../placement';
import { type Session } from '../../placement/books/session';
import { type Reasons } from './reasons';
import { type GangMembers } from './world/gang-members';
import { type HeldGang } from './world/snapshot';

export interface Outcome {
  /** In the API server's time, milliseconds since the epoch. */
  readonly at: number;
  /** The books after the decision. */
  readonly session: Session;
  /** Without reasons why gangs wait. */
  readonly decision: Decision;
  /** Why gangs wait; a reason may be some seconds old, and longer where there are many. */
  readonly reasons: Pick<Reasons, 'of' | 'list'>;
  readonly held: readonly HeldGang[];
  /** Queue of a gang, by its name; `''` where it has none. */
  readonly queueOf: (gang: string) => string;
  /** Gangs that have pods without a node, by id. */
  readonly waiting: ReadonlyMap<string, GangMembers>;
}
