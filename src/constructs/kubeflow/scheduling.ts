/**
 * The engines that can schedule the kinds of the training-operator and the mpi-operator, and the options that each accepts. Both operators
 * create a PodGroup of all pods for Volcano and for scheduler-plugins; a native PodGroup is rendered with the job.
 */
import { type Gang } from '../pods';
import { type EnginesOf, KUEUE_WHOLE_OR_NOT, type SchedulingMeans } from '../workload/scheduling-means';
import { type RoleStatement } from './operator-job';
import { type RunPolicyProps } from './run-policy';

const OWN_RANGE = {
  elastic: 'all of its pods train together. Set elastic of the PyTorchJob or PaddleJob itself, or minAvailable',
};

export const OPERATOR_JOB_SCHEDULING = {
  volcano: {
    group: 'controller',
    refuses: {
      ...OWN_RANGE,
      topology: 'the operator creates the PodGroup without a topology. Use affinity, or a JobSet',
    },
  },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': { group: 'beside', membership: 'schedulingGroup', refuses: OWN_RANGE },
  'scheduler-plugins': { group: 'controller', refuses: OWN_RANGE },
  gantry: { refuses: OWN_RANGE },
} as const satisfies SchedulingMeans;

/** Engines that can schedule the training-operator's kinds. */
export type OperatorJobEngine = EnginesOf<typeof OPERATOR_JOB_SCHEDULING>;

/** KAI's pod grouper has no plugin for PaddleJob. Source: KAI-Scheduler, pkg/podgrouper/podgrouper/hub/hub.go. */
export const PADDLE_JOB_SCHEDULING = {
  ...OPERATOR_JOB_SCHEDULING,
  kai: 'its pod grouper does not support PaddleJob, and would start each pod separately. Use a JobSet',
} as const satisfies SchedulingMeans;

/** Engines that can schedule a PaddleJob. */
export type PaddleJobEngine = EnginesOf<typeof PADDLE_JOB_SCHEDULING>;

/** The pods of the mpi-operator's MPIJob are of an older form. */
export const MPI_JOB_SCHEDULING = {
  ...OPERATOR_JOB_SCHEDULING,
  'pod-group': { group: 'beside', membership: 'workloadRef', refuses: OWN_RANGE },
} as const satisfies SchedulingMeans;

/** Engines that can schedule the mpi-operator's MPIJob. */
export type MpiJobEngine = EnginesOf<typeof MPI_JOB_SCHEDULING>;

/** Kueue knows the mpi-operator's MPIJob alone. */
export const MPI_JOB_V1_SCHEDULING = {
  ...OPERATOR_JOB_SCHEDULING,
  kueue: 'Kueue supports only the MPIJob of kubeflow.org/v2beta1. Use MPIJob',
} as const satisfies SchedulingMeans;

/** Engines that can schedule the training-operator's MPIJob. */
export type MpiJobV1Engine = EnginesOf<typeof MPI_JOB_V1_SCHEDULING>;

/** The gang of a job: all roles; the gang starts when `least` pods fit. */
export function gangOfRoles(
  name: string,
  props: Pick<RunPolicyProps, 'minAvailable'>,
  all: readonly RoleStatement[],
  least = all,
): Gang {
  const pods = (roles: readonly RoleStatement[]): number => roles.reduce((sum, { replicas }) => sum + replicas, 0);
  return { name, minMember: props.minAvailable ?? pods(least), members: pods(all) };
}
