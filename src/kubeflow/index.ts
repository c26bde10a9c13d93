/**
 * Training jobs on the Kubeflow training-operator.
 */
export { type ElasticProps } from './elastic-policy';
export { type CleanPodPolicy, type JobManager, type RendezvousBackend, type ReplicaRestartPolicy } from './frameworks';
export { PyTorchJob, type PyTorchJobProps } from './pytorch-job';
export { type RunPolicyProps } from './run-policy';
