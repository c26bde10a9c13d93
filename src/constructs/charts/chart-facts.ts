/**
 * The operators of the platform as they are installed: which chart, from where, in which version, into which namespace.
 *
 * Versions are those of the catalog: what schemas and rules were taken from.
 */
import { nearestName } from '../../facts/spelling';
import { UPSTREAM, type Upstream, type UpstreamRelease, versionOf } from '../../facts/upstream';
import { publicFunction } from '../../facts/calls/public-function';

/** Charts whose repository, version, and values Gantry knows. */
export type ChartName =
  | 'gpu-operator'
  | 'gpu-operator-charts'
  | 'dra-driver-nvidia-gpu'
  | 'habana-ai-operator'
  | 'neuron-helm-chart'
  | 'network-operator'
  | 'node-feature-discovery'
  | 'volcano'
  | 'kueue'
  | 'keda'
  | 'kubeflow-trainer'
  | 'kuberay-operator'
  | 'jobset'
  | 'lws'
  | 'kube-prometheus-stack';

/** What is known of a chart. */
export interface ChartFacts {
  /** Name of the chart in its repository. */
  readonly name: string;
  /** Helm repository; an OCI registry begins with `oci://`, and the chart's name follows it. */
  readonly repository: string;
  /** `undefined` where the catalog knows no release of the chart: it has to be named then. */
  readonly version: string | undefined;
  /** Where it is installed by convention. */
  readonly namespace: string;
  /**
   * Whether its CRDs are longer than what a client-side apply can take (262144 bytes of annotation), so that they must be applied with
   * server-side apply.
   */
  readonly largeCrds: boolean;
  /** Old addresses, which serve old releases or nothing. */
  readonly formerRepositories: readonly string[];
}

/** The known charts, by name. */
export const CHARTS: Readonly<Record<ChartName, ChartFacts>> = {
  'gpu-operator': chart('gpu-operator', { project: 'nvidia-gpu-operator', namespace: 'gpu-operator' }),
  // The chart of the ROCm GPU operator.
  'gpu-operator-charts': chart('gpu-operator-charts', { project: 'rocm-gpu-operator', namespace: 'kube-amd-gpu' }),
  'dra-driver-nvidia-gpu': chart('dra-driver-nvidia-gpu', {
    project: 'nvidia-dra-driver-gpu',
    namespace: 'dra-driver-nvidia-gpu',
  }),
  'habana-ai-operator': chart('habana-ai-operator', {
    project: 'gaudi-base-operator',
    namespace: 'habana-ai-operator',
  }),
  'neuron-helm-chart': chart('neuron-helm-chart', { project: 'neuron-helm-chart', namespace: 'kube-system' }),
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
  'kuberay-operator': chart('kuberay-operator', { project: 'kuberay', namespace: 'ray-system', largeCrds: true }),
  jobset: chart('jobset', { project: 'jobset', namespace: 'jobset-system', largeCrds: true }),
  lws: chart('lws', { project: 'lws', namespace: 'lws-system', largeCrds: true }),
  'kube-prometheus-stack': chart('kube-prometheus-stack', {
    repository: 'https://prometheus-community.github.io/helm-charts',
    namespace: 'monitoring',
    largeCrds: true,
  }),
};

/** What has no chart, and is applied from a folder of its repository. */
export interface KustomizationFacts {
  /** Name of the project. */
  readonly name: 'training-operator';
  /** Address of the Git repository. */
  readonly repository: string;
  /** Folder of the repository that contains the kustomization. */
  readonly path: string;
  /** Tag of the repository. */
  readonly version: string;
  /** Namespace that the project is installed in. */
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
  // The charts of the two GPU operators have a v in front of their version; the others are plain semantic versions.
  const version = name.startsWith('gpu-operator') ? project?.version : project?.version.replace(/^v/, '');
  return {
    name,
    repository: source.repository ?? project?.chart ?? '',
    version,
    namespace,
    largeCrds,
    formerRepositories,
  };
}

/** A chart that is not in the catalog, as constructs and `chartInstall` take it. */
export interface OtherChart {
  /** Name of the chart in its repository. */
  readonly name: string;
  /** Helm repository; an OCI registry begins with `oci://`. */
  readonly repository: string;
  /** Version of the chart, without a range. */
  readonly version: string;
  /** Namespace to install into. */
  readonly namespace: string;
  /** Whether its CRDs are longer than a client-side apply takes. @default false */
  readonly largeCrds?: boolean;
}

/** A chart of the catalog by its name, or any other chart. */
export type AnyChart = ChartName | OtherChart;

/**
 * What is known of a chart.
 *
 * @throws if the catalog has no chart of that name; the error lists the known ones
 */
export function factsOf(chart: AnyChart): ChartFacts {
  if (typeof chart !== 'string') {
    return { largeCrds: false, ...chart, formerRepositories: [] };
  }
  if (Object.hasOwn(CHARTS, chart)) {
    return CHARTS[chart];
  }
  const known = Object.keys(CHARTS);
  const near = nearestName(chart, known);
  throw new Error(
    `unknown chart "${String(chart)}"${near === undefined ? '' : ` (did you mean "${near}"?)`}; known charts are ${known.join(', ')}. ` +
      'Pass any other chart as chart: { name, repository, version, namespace }.',
  );
}

/** What is known of a chart that a manifest names; `undefined` for any other string. */
export function factsOfName(name: string): ChartFacts | undefined {
  return Object.values(CHARTS).find((facts) => facts.name === name);
}

/** Returns what is known of a chart, or `undefined` where the name is unknown. */
export const chartFacts = publicFunction('charts.chartFacts', (name: string): ChartFacts | undefined =>
  factsOfName(name),
);
