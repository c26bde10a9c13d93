/**
 * Where the generated API comes from: which upstream module, which version, which files. Written by hand; `sources.lock.json` holds what
 * these resolved to, and the generator reads only what the lock names.
 */
import { type KubernetesMinor } from '../../src/facts/api/schema';

export interface ModuleSource {
  readonly module: string;
  readonly version: string;
  /** Files of the module; a `*` stands for any part of a name. */
  readonly files: readonly string[];
  /** Files that the patterns meet and that are not wanted. */
  readonly except?: readonly string[];
  /** Why the version is not the newest, or the module not the obvious one. */
  readonly note?: string;
}

/** Schemas in the repository itself, for what the Go module proxy does not serve: see `vendor/README.md`. */
export interface FolderSource {
  readonly from: string;
  readonly files: readonly string[];
  readonly note: string;
}

export interface KubernetesSource extends ModuleSource {
  readonly minor: KubernetesMinor;
}

export interface ProjectSource {
  /** Name of the schema bundle. */
  readonly project: string;
  /** How people call this version; it stands in `KindInfo.source`. */
  readonly label: string;
  readonly source: ModuleSource | FolderSource;
}

function kubernetes(minor: KubernetesMinor, version: string): KubernetesSource {
  return { minor, module: 'k8s.io/kubernetes', version, files: ['api/openapi-spec/v3/*_openapi.json'] };
}

/** Ascending. Each is the newest patch release whose archive the module proxy has. */
export const KUBERNETES: readonly KubernetesSource[] = [
  kubernetes('1.30', 'v1.30.14'),
  kubernetes('1.31', 'v1.31.14'),
  kubernetes('1.32', 'v1.32.13'),
  kubernetes('1.33', 'v1.33.13'),
  kubernetes('1.34', 'v1.34.10'),
  kubernetes('1.35', 'v1.35.8'),
  kubernetes('1.36', 'v1.36.4'),
  kubernetes('1.37', 'v1.37.1'),
];

/** Since when a version is deprecated stands in Go code that is generated for the API server, not in the OpenAPI. */
export const KUBERNETES_LIFECYCLE: ProjectSource = {
  project: 'kubernetes-lifecycle',
  label: 'k8s.io/api v0.37.1',
  source: { module: 'k8s.io/api', version: 'v0.37.1', files: ['*/*/zz_generated.prerelease-lifecycle.go'] },
};

function project(name: string, label: string, source: ModuleSource | FolderSource): ProjectSource {
  return { project: name, label: `${name} ${label}`, source };
}

const NOT_IN_PROXY = 'the module proxy does not serve this version';

export const PROJECTS: readonly ProjectSource[] = [
  project('ascend-mind-cluster', 'v26.1.0', {
    from: 'vendor',
    files: ['ascend-mind-cluster.json'],
    note: `${NOT_IN_PROXY} (gitcode.com/Ascend/mind-cluster answers 403)`,
  }),
  project('intel-device-plugins-operator', 'v0.36.0', {
    module: 'github.com/intel/intel-device-plugins-for-kubernetes',
    version: 'v0.36.0',
    files: ['deployments/operator/crd/bases/*.yaml'],
  }),
  project('jobset', 'v0.12.0', {
    module: 'sigs.k8s.io/jobset',
    version: 'v0.12.0',
    files: ['config/components/crd/bases/*.yaml'],
  }),
  project('kai-scheduler', 'v0.13.0', {
    from: 'vendor',
    files: ['kai-scheduler.json'],
    note: `${NOT_IN_PROXY} (of github.com/NVIDIA/KAI-scheduler it has v0.12.0)`,
  }),
  project('karpenter', 'v1.14.1', {
    module: 'sigs.k8s.io/karpenter',
    version: 'v1.14.1',
    files: ['pkg/apis/crds/*.yaml'],
  }),
  project('karpenter-provider-aws', '1d927085', {
    from: 'vendor',
    files: ['karpenter-provider-aws.json'],
    note: `${NOT_IN_PROXY}; the release v1.14.1, which it has, still lists the kubelet fields one by one, this commit leaves spec.kubelet open`,
  }),
  project('keda', 'v2.20.2', {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.20.2',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('knative-serving', 'v1.23.0', {
    module: 'knative.dev/serving',
    version: 'v0.50.0',
    files: ['config/core/300-resources/*.yaml'],
    note: 'knative-v1.23.0 is no Go version; the same release is also tagged v0.50.0',
  }),
  project('kubeflow-trainer-v2', 'v2.3.0', {
    module: 'github.com/kubeflow/trainer/v2',
    version: 'v2.3.0',
    files: ['manifests/base/crds/*.yaml'],
  }),
  project('kuberay', 'v1.7.0', {
    from: 'vendor',
    files: ['kuberay.json'],
    note: `${NOT_IN_PROXY} (of github.com/ray-project/kuberay/ray-operator it has v1.6.1)`,
  }),
  project('kueue', 'v0.19.2', {
    module: 'sigs.k8s.io/kueue',
    version: 'v0.19.2',
    files: ['config/components/crd/bases/*.yaml'],
  }),
  project('lws', 'v0.10.0', {
    from: 'vendor',
    files: ['lws.json'],
    note: `${NOT_IN_PROXY} (of sigs.k8s.io/lws it has v0.9.0, without DisaggregatedSetRoleScaler)`,
  }),
  project('mpi-operator', 'v0.8.0', {
    module: 'github.com/kubeflow/mpi-operator',
    version: 'v0.8.0',
    files: ['manifests/base/kubeflow.org_mpijobs.yaml'],
  }),
  project('network-attachment-definition', 'v1.7.7', {
    module: 'github.com/k8snetworkplumbingwg/network-attachment-definition-client',
    version: 'v1.7.7',
    files: ['artifacts/networks-crd.yaml'],
  }),
  project('network-operator', 'v26.4.1', {
    from: 'vendor',
    files: ['network-operator.json'],
    note: `${NOT_IN_PROXY} (the tag is no Go version, and pseudo-versions of github.com/Mellanox/network-operator answer 403)`,
  }),
  project('node-feature-discovery', 'v0.19.0', {
    module: 'sigs.k8s.io/node-feature-discovery',
    version: 'v0.19.0',
    files: [
      'deployment/helm/node-feature-discovery/crds/*.yaml',
      'deployment/base/noderesourcetopologies-crd/noderesourcetopologies.yaml',
    ],
  }),
  project('nvidia-dra-driver-gpu', 'v0.4.1', {
    module: 'sigs.k8s.io/dra-driver-nvidia-gpu',
    version: 'v0.4.1',
    files: ['deployments/helm/dra-driver-nvidia-gpu/crds/*.yaml'],
    note: `of v0.4.0 ${NOT_IN_PROXY}; v0.4.1 is its patch release`,
  }),
  project('nvidia-gpu-operator', 'v26.7.0', {
    from: 'vendor',
    files: ['nvidia-gpu-operator.json'],
    note: `${NOT_IN_PROXY} (the tag is no Go version, and pseudo-versions of github.com/NVIDIA/gpu-operator answer 403)`,
  }),
  project('prometheus-operator', 'v0.93.0', {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.93.0',
    files: ['example/prometheus-operator-crd/*.yaml'],
  }),
  project('rocm-gpu-operator', 'v1.5.1', {
    from: 'vendor',
    files: ['rocm-gpu-operator.json'],
    note: `${NOT_IN_PROXY} (github.com/ROCm/gpu-operator answers 403)`,
  }),
  project('scheduler-plugins', 'v0.34.7', {
    module: 'sigs.k8s.io/scheduler-plugins',
    version: 'v0.34.7',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('sriov-network-operator', 'v1.6.0', {
    module: 'github.com/k8snetworkplumbingwg/sriov-network-operator',
    version: 'v1.6.0',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('training-operator-v1', 'v1.9.4', {
    module: 'github.com/kubeflow/training-operator',
    version: 'v1.9.4',
    files: ['manifests/base/crds/kubeflow.org_*.yaml'],
  }),
  project('volcano', 'v1.15.1', {
    module: 'volcano.sh/volcano',
    version: 'v1.15.1',
    files: ['config/crd/volcano/bases/*.yaml', 'config/crd/jobflow/bases/*.yaml'],
  }),
];

/** KEDA's parameters of every scaler. */
export const KEDA_SCALERS: ProjectSource = project('keda-scalers', 'v2.20.2', {
  module: 'github.com/kedacore/keda/v2',
  version: 'v2.20.2',
  files: [
    'schema/generated/scalers-schema.json',
    'pkg/scaling/scalers_builder.go',
    'pkg/scalers/*_scaler.go',
    'pkg/scalers/authentication/authentication_types.go',
    'pkg/scalers/azure/azure_eventhub.go',
  ],
});
