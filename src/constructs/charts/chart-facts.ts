/**
 * The operators of the platform as they are installed: which chart, from where, in which version, into which namespace.
 *
 * Versions are those of the catalog: what schemas and rules were taken from.
 */
import { UPSTREAM, type Upstream, type UpstreamRelease, versionOf } from '../../facts/upstream';

export type ChartName =
  | 'gpu-operator'
  | 'network-operator'
  | 'node-feature-discovery'
  | 'volcano'
  | 'kueue'
  | 'keda'
  | 'kubeflow-trainer'
  | 'kube-prometheus-stack';

export interface ChartFacts {
  readonly name: ChartName;
  /** Helm repository; an OCI registry begins with `oci://`, and the chart's name follows it. */
  readonly repository: string;
  /** `undefined` where the catalog knows no release of the chart: it has to be named then. */
  readonly version: string | undefined;
  /** Where it is installed by convention. */
  readonly namespace: string;
  /**
   * Whether its CRDs are longer than what a client-side apply can take (262144 bytes of annotation), so that whoever applies them
   * has to do so on the server's side.
   */
  readonly largeCrds: boolean;
  /** Old addresses, which serve old releases or nothing. */
  readonly formerRepositories: readonly string[];
}

export const CHARTS: Readonly<Record<ChartName, ChartFacts>> = {
  'gpu-operator': chart('gpu-operator', { project: 'nvidia-gpu-operator', namespace: 'gpu-operator' }),
  'network-operator': chart('network-operator', {
    project: 'network-operator',
    namespace: 'nvidia-network-operator',
    formerRepositories: ['https://mellanox.github.io/network-operator'],
  }),
  'node-feature-discovery': chart('node-feature-discovery', {
    project: 'node-feature-discovery',
    namespace: 'node-feature-discovery',
  }),
  volcano: chart('volcano', {
    project: 'volcano',
    namespace: 'volcano-system',
    formerRepositories: ['https://volcano-sh.github.io/charts'],
  }),
  kueue: chart('kueue', { project: 'kueue', namespace: 'kueue-system', largeCrds: true }),
  keda: chart('keda', { project: 'keda', namespace: 'keda', largeCrds: true }),
  'kubeflow-trainer': chart('kubeflow-trainer', {
    project: 'kubeflow-trainer-v2',
    namespace: 'kubeflow-system',
    largeCrds: true,
  }),
  'kube-prometheus-stack': chart('kube-prometheus-stack', {
    repository: 'https://prometheus-community.github.io/helm-charts',
    namespace: 'monitoring',
    largeCrds: true,
  }),
};

/** What has no chart, and is applied from a folder of its repository. */
export interface KustomizationFacts {
  readonly name: 'training-operator';
  readonly repository: string;
  readonly path: string;
  readonly version: string;
  readonly namespace: string;
}

/** The training-operator (PyTorchJob and the others of `kubeflow.org/v1`). Its CRDs are too long for a client-side apply. */
export const TRAINING_OPERATOR: KustomizationFacts = {
  name: 'training-operator',
  repository: 'https://github.com/kubeflow/trainer',
  path: 'manifests/overlays/standalone',
  version: versionOf('training-operator-v1'),
  namespace: 'kubeflow',
};

type ChartSource = Partial<Pick<ChartFacts, 'largeCrds' | 'formerRepositories'>> & { readonly namespace: string } &
  /** The upstream release that has version and repository. */
  (
    | { readonly project: Upstream; readonly repository?: undefined }
    /** Where the catalog does not know the chart. */
    | { readonly repository: string; readonly project?: undefined }
  );

function chart(name: ChartName, source: ChartSource): ChartFacts {
  const { namespace, largeCrds = false, formerRepositories = [] } = source;
  const project: UpstreamRelease | undefined = source.project && UPSTREAM[source.project];
  // NVIDIA's GPU operator has its chart's version with a v in front; the others are plain semantic versions.
  const version = name === 'gpu-operator' ? project?.version : project?.version.replace(/^v/, '');
  return {
    name,
    repository: source.repository ?? project?.chart ?? '',
    version,
    namespace,
    largeCrds,
    formerRepositories,
  };
}

export function chartFacts(name: string): ChartFacts | undefined {
  return Object.values(CHARTS).find((facts) => facts.name === name);
}
