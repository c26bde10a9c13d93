/**
 * Which runtime a TrainJob runs on: a construct of the stack, one of the cluster by its name, or one that Trainer is installed with.
 */
import { type Scheduling, type SchedulingEngine } from '../pods';
import { BUILT_IN_RUNTIMES, type BuiltInRuntimeName, type MlPolicyName } from '../../manifests/trainer/trainer-facts';

export interface RuntimeReference {
  readonly name: string;
  readonly kind: 'TrainingRuntime' | 'ClusterTrainingRuntime';
  /** How its nodes find each other, where it is known. */
  readonly policy?: MlPolicyName;
  /** Its jobs that a TrainJob's pods stand for. */
  readonly nodeJobs: readonly string[];
  /** Who schedules its pods, where it is known. */
  readonly engine?: SchedulingEngine;
  /** The choice that its pods carry, where it is known. */
  readonly scheduling?: Scheduling | undefined;
  /** Nodes of a TrainJob that states none, where it is known. */
  readonly nodes?: number;
}

/** A runtime that Trainer is installed with. */
export function builtInRuntimeReference(name: BuiltInRuntimeName): RuntimeReference {
  const { policy } = BUILT_IN_RUNTIMES[name];
  return {
    name: name,
    kind: 'ClusterTrainingRuntime',
    policy,
    nodeJobs: nodeJobsOf(policy),
    engine: 'default',
  };
}

/** The pods of an MPI runtime belong to two jobs. */
export function nodeJobsOf(policy: MlPolicyName | undefined): readonly string[] {
  return policy === 'mpi' ? ['node', 'launcher'] : ['node'];
}
