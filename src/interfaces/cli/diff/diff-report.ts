/**
 * What `gantry diff` reports, in every format.
 */
import { type PlanDifference } from '../../../planning/cluster/what-if';
import { type SetDifference } from '../../difference';
import { type SumChange } from '../../difference/sums';

/** All that a diff says. */
export interface Diff extends SetDifference {
  readonly sums: readonly SumChange[];
  /** What the plan on the cluster becomes. Absent without a cluster. */
  readonly plan?: PlanDifference;
  /** Kinds that the old side cannot contain; empty where everything was compared. */
  readonly notCompared: readonly string[];
  /** Objects that the server did not show. Absent without a running cluster. */
  readonly notRead?: readonly NotRead[];
  /** Webhooks of the running cluster that are asked about what changes, and that a diff does not run. Absent without one. */
  readonly webhooks?: readonly AskedWebhook[];
  /** Who else applied objects of the manifests, and how many. Absent without a running cluster. */
  readonly appliedBy?: readonly OtherManager[];
}

/** An object that the server did not show. */
export interface NotRead {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `forbidden`, or what the server said. */
  readonly why: string;
}

/** A webhook, and the kinds of changed objects that it is asked about. */
export interface AskedWebhook {
  readonly name: string;
  readonly mutates: boolean;
  readonly kinds: readonly string[];
}

/** A manager of objects that are not applied by the one of `--field-manager`. */
export interface OtherManager {
  readonly manager: string;
  readonly objects: number;
}
