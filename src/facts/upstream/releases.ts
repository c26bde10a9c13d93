/**
 * The upstream releases that schemas, charts, the catalog, and the sources of rules are taken from: one line for each, and no other place
 * states a version. `npm run upgrade -- PROJECT VERSION` changes one.
 */

/** One upstream release. */
export interface UpstreamRelease {
  /** Name for people, as `gantry catalog` lists it. */
  readonly title: string;
  /** Name in the sources of rules. */
  readonly cited: string;
  /** The tag, `v1.15.1`, or the commit where no release has the API. */
  readonly version: string;
  /** Version of the Go module, where its tag differs from `version`. */
  readonly moduleVersion?: string;
  /** The release whose code is read, where the module proxy does not serve that of `version`. */
  readonly code?: string;
  /** Helm repository of its chart; an OCI registry begins with `oci://`. */
  readonly chart?: string;
}

const NVIDIA_CHARTS = 'https://helm.ngc.nvidia.com/nvidia';

export const UPSTREAM = {
  'nvidia-gpu-operator': release('NVIDIA gpu-operator', 'gpu-operator', 'v26.7.0', { chart: NVIDIA_CHARTS }),
  'nvidia-dra-driver-gpu': release('dra-driver-nvidia-gpu', 'dra-driver-nvidia-gpu', 'v0.4.1', {
    chart: 'oci://registry.k8s.io/dra-driver-nvidia/charts',
  }),
  'k8s-device-plugin': release('NVIDIA k8s-device-plugin', 'k8s-device-plugin', 'v0.19.0'),
  'mig-parted': release('mig-parted', 'mig-parted', 'v0.15.0'),
  'node-feature-discovery': release('node-feature-discovery', 'node-feature-discovery', 'v0.19.0', {
    chart: 'oci://registry.k8s.io/nfd/charts',
  }),
  'network-operator': release('network-operator', 'network-operator', 'v26.4.1', { chart: NVIDIA_CHARTS }),
  'nic-configuration-operator': release('NIC configuration operator', 'nic-configuration-operator', '4096d0c0'),
  'sriov-network-operator': release('sriov-network-operator', 'sriov-network-operator', 'v1.6.0'),
  'rdma-shared-device-plugin': release('k8s-rdma-shared-dev-plugin', 'k8s-rdma-shared-dev-plugin', 'v1.5.3'),
  'network-attachment-definition': release(
    'NetworkAttachmentDefinition client',
    'network-attachment-definition-client',
    'v1.7.7',
  ),
  multus: release('Multus', 'multus-cni', 'v4.2.2'),
  'cni-plugins': release('CNI plugins', 'containernetworking/plugins', 'v1.7.1'),
  'cni-library': release('CNI library', 'CNI library', 'v1.3.0'),
  containerd: release('containerd', 'containerd', 'v2.3.4'),
  volcano: release('Volcano', 'volcano', 'v1.15.1', { chart: 'https://volcano-sh.github.io/helm-charts' }),
  'training-operator-v1': release('Kubeflow training-operator', 'kubeflow/training-operator', 'v1.9.4'),
  'kubeflow-trainer-v2': release('Kubeflow Trainer', 'kubeflow/trainer', 'v2.3.0', {
    chart: 'oci://ghcr.io/kubeflow/charts',
  }),
  'mpi-operator': release('mpi-operator', 'kubeflow/mpi-operator', 'v0.8.0'),
  keda: release('KEDA', 'keda', 'v2.20.2', { chart: 'https://kedacore.github.io/charts' }),
  expr: release('expr', 'expr', 'v1.17.8'),
  kueue: release('Kueue', 'kueue', 'v0.19.2', { chart: 'oci://registry.k8s.io/kueue/charts' }),
  jobset: release('JobSet', 'kubernetes-sigs/jobset', 'v0.12.0', { chart: 'oci://registry.k8s.io/jobset/charts' }),
  lws: release('LeaderWorkerSet', 'kubernetes-sigs/lws', 'v0.10.0', {
    chart: 'oci://registry.k8s.io/lws/charts',
    code: 'v0.7.0',
  }),
  kuberay: release('KubeRay', 'ray-project/kuberay', 'v1.7.0', {
    chart: 'https://ray-project.github.io/kuberay-helm',
    code: 'v1.6.2',
  }),
  'prometheus-operator': release('prometheus-operator', 'prometheus-operator', 'v0.93.0'),
  'knative-serving': release('Knative Serving', 'Knative Serving', 'v1.23.0', { moduleVersion: 'v0.50.0' }),
  'rocm-gpu-operator': release('ROCm gpu-operator', 'ROCm gpu-operator', 'v1.5.1', {
    chart: 'https://rocm.github.io/gpu-operator',
  }),
  'gaudi-base-operator': release('Intel Gaudi base operator', 'Intel Gaudi base operator', '1.23.0-695', {
    chart: 'https://vault.habana.ai/artifactory/api/helm/gaudi-helm',
  }),
  'neuron-helm-chart': release('AWS Neuron Helm chart', 'neuron-helm-chart', '1.5.0', {
    chart: 'oci://public.ecr.aws/neuron',
  }),
  'intel-device-plugins-operator': release('Intel device plugins operator', 'intel-device-plugins', 'v0.36.0'),
  'ascend-mind-cluster': release('Ascend mind-cluster', 'Ascend mind-cluster', 'v26.1.0'),
  'kai-scheduler': release('KAI scheduler', 'KAI scheduler', 'v0.13.0'),
  'scheduler-plugins': release('scheduler-plugins', 'scheduler-plugins', 'v0.34.7'),
  karpenter: release('Karpenter', 'karpenter', 'v1.14.1'),
  'karpenter-provider-aws': release('Karpenter provider for AWS', 'karpenter-provider-aws', '1d927085'),
  'flux-source-controller': release('Flux source-controller', 'fluxcd/source-controller', 'v1.9.6'),
  'flux-kustomize-controller': release('Flux kustomize-controller', 'fluxcd/kustomize-controller', 'v1.9.6'),
  'flux-helm-controller': release('Flux helm-controller', 'fluxcd/helm-controller', 'v1.6.3'),
  'argo-cd': release('Argo CD', 'argo-cd', 'v3.5.7'),
  'node-readiness-controller': release('node-readiness-controller', 'node-readiness-controller', '480abde5'),
  hami: release('HAMi', 'HAMi', 'v2.10.0'),
} as const satisfies Readonly<Record<string, UpstreamRelease>>;

/** Name of an upstream project in the table. */
export type Upstream = keyof typeof UPSTREAM;

/** The patch release of each Kubernetes minor whose API is covered, ascending. */
export const KUBERNETES_RELEASES = {
  '1.30': 'v1.30.14',
  '1.31': 'v1.31.14',
  '1.32': 'v1.32.13',
  '1.33': 'v1.33.13',
  '1.34': 'v1.34.10',
  '1.35': 'v1.35.8',
  '1.36': 'v1.36.4',
  '1.37': 'v1.37.1',
} as const;

/** The minor whose code the `server` rules are taken from. */
const RULES_MINOR = '1.36';

/** The version of an upstream project, `v1.15.1`. */
export function versionOf(project: Upstream): string {
  return UPSTREAM[project].version;
}

/** Libraries that are released together with Kubernetes. */
const LIBRARIES = ['apiextensions-apiserver', 'kube-aggregator', 'pod-security-admission'] as const;
type Library = (typeof LIBRARIES)[number];

/** A project and its version as the source of a rule names them: `volcano v1.15.1`. */
export function cite(project: Upstream | Library | 'kubernetes'): string {
  if (project === 'kubernetes') {
    return `kubernetes ${KUBERNETES_RELEASES[RULES_MINOR]}`;
  }
  if (isLibrary(project)) {
    return `k8s.io/${project} ${stagingVersion(KUBERNETES_RELEASES[RULES_MINOR])}`;
  }
  const { cited, version } = UPSTREAM[project];
  return `${cited} ${version}`;
}

/** The same for what is read in the code of a project: its version is that of the code. */
export function citeCode(project: Upstream): string {
  const { cited, version, code = version }: UpstreamRelease = UPSTREAM[project];
  return `${cited} ${code}`;
}

/** The source of a kind, `volcano v1.15.1`, as a message names it: `Volcano 1.15.1`. What names no project of the table is unchanged. */
export function titleOf(source: string): string {
  const [project = '', version = ''] = source.split(' ');
  const release = Object.entries(UPSTREAM).find(([name]) => name === project)?.[1];
  return release === undefined ? source : `${release.title} ${version.replace(/^v(?=\d)/, '')}`;
}

function isLibrary(project: string): project is Library {
  return LIBRARIES.some((library) => library === project);
}

/** The version of a `k8s.io` library that is released together with Kubernetes: `v0.36.4` with `v1.36.4`. */
export function stagingVersion(kubernetes: string): string {
  return kubernetes.replace(/^v1\./, 'v0.');
}

function release(
  title: string,
  cited: string,
  version: string,
  more: Pick<UpstreamRelease, 'chart' | 'code' | 'moduleVersion'> = {},
): UpstreamRelease {
  return Object.freeze({ title, cited, version, ...more });
}
