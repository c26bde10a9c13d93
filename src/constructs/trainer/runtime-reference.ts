/**
 * Which runtime a TrainJob runs on: a construct of the stack, one of the cluster by its name, or one that Trainer is installed with.
 */
import { type Scheduling, type SchedulingEngine } from '../pods';
import { BUILT_IN_RUNTIMES, type BuiltInRuntimeName, type MlPolicyName } from '../../manifests/trainer/trainer-facts';

/** A TrainingRuntime or ClusterTrainingRuntime that TrainJobs run with. */
export interface RuntimeReference {
  /** Name of the runtime. */
  readonly name: string;
  /** Kind of the runtime. */
  readonly kind: 'TrainingRuntime' | 'ClusterTrainingRuntime';
  /** How its nodes find each other. Absent where it is not known. */
  readonly policy?: MlPolicyName | undefined;
  /** Its jobs that a TrainJob's pods represent. */
  readonly nodeJobs: readonly string[];
  /** The engine that schedules its pods. Absent where it is not known. */
  readonly engine?: SchedulingEngine;
  /** The scheduling that its pods carry. Absent where it is not known. */
  readonly scheduling?: Scheduling | undefined;
  /** Number of nodes of a TrainJob that sets none. Absent where it is not known. */
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
