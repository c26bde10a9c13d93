/**
 * What the mpi-operator takes, as data: its CRD holds hardly any of it.
 * Source: `pkg/apis/kubeflow/validation/validation.go`, `pkg/apis/kubeflow/v2beta1/default.go`.
 */
import { cite } from '../../facts/upstream';

export const MPI_OPERATOR = cite('mpi-operator');
export const MPI_OPERATOR_API_VERSION = 'kubeflow.org/v2beta1';

export const MPI_RESTART_POLICIES = ['Never', 'OnFailure'] as const;
export const MPI_LAUNCHER_CREATION_POLICIES = ['AtStartup', 'WaitForWorkersReady'] as const;

export const MPI_JOB_MANAGERS = ['kubeflow.org/mpi-operator', 'kueue.x-k8s.io/multikueue'] as const;
/** The controller that runs an MPIJob. */
export type MpiJobManager = (typeof MPI_JOB_MANAGERS)[number];
