/**
 * The upstream releases whose behaviour the rules and schemas here were taken from.
 */
import { frozen } from './frozen';

export interface ProjectFact {
  readonly name: string;
  readonly version: string;
  /** Helm repository, or the OCI registry, of its chart. */
  readonly chart?: string;
}

export const PROJECTS: readonly ProjectFact[] = frozen([
  { name: 'NVIDIA gpu-operator', version: 'v26.7.0', chart: 'https://helm.ngc.nvidia.com/nvidia' },
  { name: 'dra-driver-nvidia-gpu', version: 'v0.4.0' },
  { name: 'node-feature-discovery', version: 'v0.19.0', chart: 'oci://registry.k8s.io/nfd/charts' },
  { name: 'network-operator', version: 'v26.4.1', chart: 'https://helm.ngc.nvidia.com/nvidia' },
  { name: 'sriov-network-operator', version: 'v1.6.0' },
  { name: 'NetworkAttachmentDefinition client', version: 'v1.7.7' },
  { name: 'Volcano', version: 'v1.15.1', chart: 'https://volcano-sh.github.io/helm-charts' },
  { name: 'Kubeflow training-operator', version: 'v1.9.4' },
  { name: 'Kubeflow Trainer', version: 'v2.3.0', chart: 'oci://ghcr.io/kubeflow/charts' },
  { name: 'mpi-operator', version: 'v0.8.0' },
  { name: 'KEDA', version: 'v2.20.2', chart: 'https://kedacore.github.io/charts' },
  { name: 'Kueue', version: 'v0.19.2', chart: 'oci://registry.k8s.io/kueue/charts' },
  { name: 'JobSet', version: 'v0.12.0' },
  { name: 'LeaderWorkerSet', version: 'v0.10.0' },
  { name: 'KubeRay', version: 'v1.7.0' },
  { name: 'prometheus-operator', version: 'v0.93.0' },
  { name: 'Knative Serving', version: 'knative-v1.23.0' },
  { name: 'ROCm gpu-operator', version: 'v1.5.1' },
  { name: 'Intel device plugins operator', version: 'v0.36.0' },
  { name: 'Ascend mind-cluster', version: 'v26.1.0' },
  { name: 'KAI scheduler', version: 'v0.13.0' },
  { name: 'Karpenter', version: 'v1.14.1' },
  { name: 'mig-parted', version: 'v0.15.0' },
  { name: 'HAMi', version: 'v2.10.0' },
]);
