/**
 * Who can schedule the kinds of the training-operator and the mpi-operator, and what it can be told. Both operators make a PodGroup of all
 * pods for Volcano and for scheduler-plugins; a native one is written beside the job.
 */
import { type Gang } from '../pods';
import { KUEUE_WHOLE_OR_NOT, type SchedulingMeans } from '../workload/scheduling-means';
import { type RoleStatement } from './operator-job';
import { type RunPolicyProps } from './run-policy';

const OWN_RANGE = {
  elastic: 'all of its pods train together. State elastic of a PyTorchJob or PaddleJob itself, or minAvailable',
};

export const OPERATOR_JOB_SCHEDULING: SchedulingMeans = {
  volcano: {
    group: 'controller',
    refuses: { ...OWN_RANGE, topology: 'the operator makes the PodGroup without one. Use affinity, or a JobSet' },
  },
  kueue: KUEUE_WHOLE_OR_NOT,
  'pod-group': { group: 'beside', membership: 'schedulingGroup', refuses: OWN_RANGE },
  'scheduler-plugins': { group: 'controller', refuses: OWN_RANGE },
  gantry: { refuses: OWN_RANGE },
};

/** The pods of the mpi-operator's MPIJob are of an older form. */
export const MPI_JOB_SCHEDULING: SchedulingMeans = {
  ...OPERATOR_JOB_SCHEDULING,
  'pod-group': { group: 'beside', membership: 'workloadRef', refuses: OWN_RANGE },
};

/** Kueue knows the mpi-operator's MPIJob alone. */
export const MPI_JOB_V1_SCHEDULING: SchedulingMeans = {
  ...OPERATOR_JOB_SCHEDULING,
  kueue: 'Kueue knows the MPIJob of kubeflow.org/v2beta1 alone. Use MPIJob',
};

/** The gang of a job: all roles, of which `least` can start. */
export function gangOfRoles(
  name: string,
  props: Pick<RunPolicyProps, 'minAvailable'>,
  all: readonly RoleStatement[],
  least = all,
): Gang {
  const pods = (roles: readonly RoleStatement[]): number => roles.reduce((sum, { replicas }) => sum + replicas, 0);
  return { name, minMember: props.minAvailable ?? pods(least), members: pods(all) };
}
