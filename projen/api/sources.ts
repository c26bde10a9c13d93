/**
 * Where the generated API comes from: which upstream module, which version, which files. Versions come from the table of upstream
 * releases. `sources.lock.json` has what these resolved to, and the generator reads only what the lock names.
 */
import { type KubernetesMinor } from '../../src/facts/api/schema';
import {
  KUBERNETES_RELEASES,
  stagingVersion,
  type Upstream,
  UPSTREAM,
  type UpstreamRelease,
} from '../../src/facts/upstream';

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
  /** How people call this version; it is `KindInfo.source`. */
  readonly label: string;
  readonly source: ModuleSource | FolderSource;
}

function kubernetes(minor: KubernetesMinor, version: string): KubernetesSource {
  return { minor, module: 'k8s.io/kubernetes', version, files: ['api/openapi-spec/v3/*_openapi.json'] };
}

/** Ascending. Each is the newest patch release whose archive the module proxy has. */
export const KUBERNETES: readonly KubernetesSource[] = (
  Object.entries(KUBERNETES_RELEASES) as [KubernetesMinor, string][]
).map(([minor, version]) => kubernetes(minor, version));

const NEWEST_LIBRARIES = stagingVersion(KUBERNETES[KUBERNETES.length - 1].version);

/** Go code generated for the API server says since when a version is deprecated; the OpenAPI does not. */
export const KUBERNETES_LIFECYCLE: ProjectSource = {
  project: 'kubernetes-lifecycle',
  label: `k8s.io/api ${NEWEST_LIBRARIES}`,
  source: { module: 'k8s.io/api', version: NEWEST_LIBRARIES, files: ['*/*/zz_generated.prerelease-lifecycle.go'] },
};

/** A module without its version, which the table of upstream releases has. */
type VersionlessSource = Omit<ModuleSource, 'version'> | FolderSource;

function project(name: Upstream, source: VersionlessSource): ProjectSource {
  const { version, moduleVersion }: UpstreamRelease = UPSTREAM[name];
  return {
    project: name,
    label: `${name} ${version}`,
    source: 'module' in source ? { ...source, version: moduleVersion ?? version } : source,
  };
}

const NOT_IN_PROXY = 'the module proxy does not serve this version';

/** The file of `vendor/` that has the API of a project. */
function vendored(name: Upstream, why: string): ProjectSource {
  return project(name, { from: 'vendor', files: [`${name}.json`], note: `${NOT_IN_PROXY} (${why})` });
}

export const PROJECTS: readonly ProjectSource[] = [
  project('argo-cd', {
    module: 'github.com/argoproj/argo-cd/v3',
    files: ['manifests/crds/*-crd.yaml'],
    note: 'the newest release whose go.mod asks for no newer Go than 1.26',
  }),
  vendored('ascend-mind-cluster', 'gitcode.com/Ascend/mind-cluster cannot be fetched'),
  project('flux-helm-controller', {
    module: 'github.com/fluxcd/helm-controller',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('flux-kustomize-controller', {
    module: 'github.com/fluxcd/kustomize-controller',
    files: ['config/crd/bases/*.yaml'],
    note: 'the newest release whose go.mod asks for no newer Go than 1.26',
  }),
  project('flux-source-controller', {
    module: 'github.com/fluxcd/source-controller',
    files: ['config/crd/bases/*.yaml'],
    note: 'the newest release whose go.mod asks for no newer Go than 1.26',
  }),
  vendored(
    'gaudi-base-operator',
    'it is not a Go module; the bundle in redhat-openshift-ecosystem/certified-operators has its CustomResourceDefinition',
  ),
  project('intel-device-plugins-operator', {
    module: 'github.com/intel/intel-device-plugins-for-kubernetes',
    files: ['deployments/operator/crd/bases/*.yaml'],
  }),
  project('jobset', {
    module: 'sigs.k8s.io/jobset',
    files: ['config/components/crd/bases/*.yaml'],
  }),
  vendored('kai-scheduler', 'of github.com/NVIDIA/KAI-scheduler it has older releases'),
  project('karpenter', {
    module: 'sigs.k8s.io/karpenter',
    files: ['pkg/apis/crds/*.yaml'],
  }),
  vendored(
    'karpenter-provider-aws',
    'the newest release still lists the kubelet fields one by one; this commit leaves spec.kubelet open',
  ),
  project('keda', {
    module: 'github.com/kedacore/keda/v2',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('knative-serving', {
    module: 'knative.dev/serving',
    files: ['config/core/300-resources/*.yaml'],
    note: 'the tag of the release is not a Go version; the same release has a second tag, which is one',
  }),
  project('kubeflow-trainer-v2', {
    module: 'github.com/kubeflow/trainer/v2',
    files: ['manifests/base/crds/*.yaml'],
  }),
  vendored('kuberay', 'of github.com/ray-project/kuberay/ray-operator it has older releases'),
  project('kueue', {
    module: 'sigs.k8s.io/kueue',
    files: ['config/components/crd/bases/*.yaml'],
  }),
  vendored('lws', 'of sigs.k8s.io/lws it has older releases, without DisaggregatedSetRoleScaler'),
  project('mpi-operator', {
    module: 'github.com/kubeflow/mpi-operator',
    files: ['manifests/base/kubeflow.org_mpijobs.yaml'],
  }),
  project('network-attachment-definition', {
    module: 'github.com/k8snetworkplumbingwg/network-attachment-definition-client',
    files: ['artifacts/networks-crd.yaml'],
  }),
  vendored(
    'network-operator',
    'the tag is not a Go version, and github.com/Mellanox/network-operator cannot be fetched by commit',
  ),
  vendored(
    'nic-configuration-operator',
    'github.com/Mellanox/nic-configuration-operator cannot be fetched; the chart at this commit has its CustomResourceDefinition',
  ),
  project('node-feature-discovery', {
    module: 'sigs.k8s.io/node-feature-discovery',
    files: [
      'deployment/helm/node-feature-discovery/crds/*.yaml',
      'deployment/base/noderesourcetopologies-crd/noderesourcetopologies.yaml',
    ],
  }),
  vendored('node-readiness-controller', 'sigs.k8s.io/node-readiness-controller cannot be fetched'),
  project('nvidia-dra-driver-gpu', {
    module: 'sigs.k8s.io/dra-driver-nvidia-gpu',
    files: ['deployments/helm/dra-driver-nvidia-gpu/crds/*.yaml'],
  }),
  vendored(
    'nvidia-gpu-operator',
    'the tag is not a Go version, and github.com/NVIDIA/gpu-operator cannot be fetched by commit',
  ),
  project('prometheus-operator', {
    module: 'github.com/prometheus-operator/prometheus-operator',
    files: ['example/prometheus-operator-crd/*.yaml'],
  }),
  vendored('rocm-gpu-operator', 'github.com/ROCm/gpu-operator cannot be fetched'),
  project('scheduler-plugins', {
    module: 'sigs.k8s.io/scheduler-plugins',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('sriov-network-operator', {
    module: 'github.com/k8snetworkplumbingwg/sriov-network-operator',
    files: ['config/crd/bases/*.yaml'],
  }),
  project('training-operator-v1', {
    module: 'github.com/kubeflow/training-operator',
    files: ['manifests/base/crds/kubeflow.org_*.yaml'],
  }),
  project('volcano', {
    module: 'volcano.sh/volcano',
    files: ['config/crd/volcano/bases/*.yaml', 'config/crd/jobflow/bases/*.yaml'],
  }),
];

/** KEDA's parameters of every scaler. */
export const KEDA_SCALERS: ProjectSource = {
  ...project('keda', {
    module: 'github.com/kedacore/keda/v2',
    files: [
      'schema/generated/scalers-schema.json',
      'pkg/scaling/scalers_builder.go',
      'pkg/scalers/*_scaler.go',
      'pkg/scalers/authentication/authentication_types.go',
      'pkg/scalers/azure/azure_eventhub.go',
    ],
  }),
  project: 'keda-scalers',
};
