/**
 * Whether a workload has its queue already, as far as the compiler can know: what `submitTo` returns has no second `submitTo`.
 */
import { type Construct } from 'constructs';

declare const SCHEDULED: unique symbol;

/** A workload whose scheduler and queue are chosen. Only the compiler sees the mark: a second choice does not compile. */
export interface Scheduled {
  /** The mark. It has no value. */
  readonly [SCHEDULED]: true;
}

/** A workload that may still be sent to a queue. */
export interface Unscheduled extends Construct {
  /** Absent, so that a workload with a queue is not one. @default - absent */
  readonly [SCHEDULED]?: never;
}
