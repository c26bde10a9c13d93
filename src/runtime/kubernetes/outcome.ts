/**
 * What one cycle came to.
 */
import { type Decision, type Snapshot } from '../../placement';
import { type Session } from '../../placement/session';
import { type HeldGang } from './world/snapshot';

export interface Outcome {
  /** In the API server's time, milliseconds since the epoch. */
  readonly at: number;
  readonly snapshot: Snapshot;
  /** The books after the decision. */
  readonly session: Session;
  readonly decision: Decision;
  readonly held: readonly HeldGang[];
}
