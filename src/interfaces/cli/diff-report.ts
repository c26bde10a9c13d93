/**
 * What `gantry diff` reports, in every format.
 */
import { type PlanDifference } from '../../planning/cluster/what-if';
import { type SetDifference } from '../difference';
import { type SumChange } from '../difference/sums';

/** All that a diff says. */
export interface Diff extends SetDifference {
  readonly sums: readonly SumChange[];
  /** What the plan on the cluster becomes. Absent without a cluster. */
  readonly plan?: PlanDifference;
  /** Objects that the old side cannot contain, in words; empty where everything was compared. */
  readonly notCompared: readonly string[];
}
