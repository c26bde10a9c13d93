/**
 * Training jobs on the Kubeflow training-operator and the mpi-operator.
 */
export { type ElasticProps } from './elastic-policy';
export { type CleanPodPolicy, type JobManager, type RendezvousBackend, type ReplicaRestartPolicy } from './frameworks';
export { JAXJob, type JAXJobProps } from './jax-job';
export { MPIJob, type MPIJobBaseProps, type MPIJobProps, MPIJobV1, type MPIJobV1Props } from './mpi-job';
export { type MpiJobManager } from './mpi-operator-facts';
export { type OperatorJobProps } from './operator-job';
export { PaddleJob, type PaddleElasticProps, type PaddleJobProps } from './paddle-job';
export { PyTorchJob, type PyTorchJobProps } from './pytorch-job';
export { type RunPolicyProps } from './run-policy';
export { TFJob, type TFJobProps, type TFRoleProps } from './tf-job';
export { XGBoostJob, type XGBoostJobProps } from './xgboost-job';
