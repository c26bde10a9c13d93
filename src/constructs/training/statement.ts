/**
 * What a distributed training is, whichever kind it becomes.
 */
import type { Duration } from 'cdk8s';
import { type PodTemplateProps } from '../pods';
import { type NamespacedObjectProps } from '../resources/object-props';
import { type TrainingTopology } from './topology';

/** How the program finds its peers: which library does it. `other` gets `NNODES`, `NODE_RANK`, `MASTER_ADDR` and `MASTER_PORT`. */
export type TrainingFramework = 'pytorch' | 'tensorflow' | 'mpi' | 'paddle' | 'xgboost' | 'jax' | 'ray' | 'other';

/** What a distributed training is, whatever renders it. */
export interface TrainingStatement extends PodTemplateProps, NamespacedObjectProps {
  /** The framework of the training. */
  readonly framework: TrainingFramework;
  /** Pods that train together. Of an elastic training: with how many it begins. */
  readonly nodes: number;
  /** Processes on each node. @default - one for each accelerator */
  readonly processesPerNode?: number;
  /** Lets nodes come and go, where framework and engine can. @default - all nodes from the beginning to the end */
  readonly elastic?: {
    /** Smallest number of nodes. */
    readonly min: number;
    /** Greatest number of nodes. */
    readonly max: number;
  };
  /** How close the nodes must be. @default - anywhere */
  readonly topology?: TrainingTopology;
  /** Port of the rendezvous. @default - the controller's, or 29500 */
  readonly port?: number;
  /** How often a failed training is tried again, as the engine counts it. @default - the engine's default */
  readonly retries?: number;
  /** Time after its start at which it fails. @default - no deadline */
  readonly activeDeadline?: Duration;
  /** Time after its end at which it is deleted. @default - it stays */
  readonly ttlAfterFinished?: Duration;
  /** Makes no pods yet. @default false */
  readonly suspend?: boolean;
}
