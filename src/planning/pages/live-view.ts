/**
 * What a live page shows: a cluster, and the recent decisions of its scheduler.
 */
import { type ClusterView } from '../cluster/view/view';

export interface LiveView extends ClusterView {
  /** Latest first. @default - none are shown */
  readonly recent?: readonly RecentAct[];
}

export interface RecentAct {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** One sentence for people. */
  readonly text: string;
  /** `bad` stands out: a failed binding, an eviction. @default - plain */
  readonly kind?: 'bad';
}
