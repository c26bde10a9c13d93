/**
 * What workloads of a platform may need and the platform does not install by itself, and the check that reports a kind that needs it.
 */
import { type Rule } from '../../checks/rules/rule';
import { ARGO_APPLICATION, HELM_RELEASE } from '../charts/rules/install-of';
import { type ChartInstall } from '../charts';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import { isNvidiaDeviceClass } from '../../facts/catalog/device-classes';
import { counted } from '../../facts/words';
import { deviceClassesOf } from '../devices/rules/claims';
import { type NotInstalled } from './vendor-operators';

/** A component that serves kinds of its own. */
interface Component extends NotInstalled {
  /** API groups that it serves, or one version of a group where another component serves the others: `kubeflow.org/v1`. */
  readonly serves: readonly string[];
  /** Whether it allocates what claims of this class request. @default - no class */
  readonly allocates?: (deviceClass: string) => boolean;
  /** Charts that bring it. */
  readonly charts?: readonly string[];
  /** Git repositories from which it is applied. */
  readonly repositories?: readonly string[];
}

const also = (chart: string): string => `Add { chart: '${chart}' } to delivery.also of the platform.`;

const COMPONENTS: readonly Component[] = [
  {
    name: 'Volcano',
    neededBy: 'kinds of the module volcano',
    add: `Set scheduling of the platform to new VolcanoSystem(), or add { chart: 'volcano' } to delivery.also.`,
    serves: ['scheduling.volcano.sh', 'batch.volcano.sh', 'flow.volcano.sh', 'bus.volcano.sh', 'topology.volcano.sh'],
    charts: ['volcano'],
  },
  {
    name: 'Kueue',
    neededBy: 'kinds of the module kueue',
    add: `Set scheduling of the platform to new KueueSystem(), or add { chart: 'kueue' } to delivery.also.`,
    serves: ['kueue.x-k8s.io'],
    charts: ['kueue'],
  },
  {
    name: "NVIDIA's DRA driver",
    neededBy: 'devices.GpuClaim and devices.ComputeDomain',
    add: "Add { chart: 'dra-driver-nvidia-gpu', values: { gpuResourcesEnabledOverride: true } } to delivery.also of the platform.",
    serves: ['resource.nvidia.com'],
    allocates: isNvidiaDeviceClass,
    charts: ['dra-driver-nvidia-gpu', 'nvidia-dra-driver-gpu'],
    repositories: ['github.com/kubernetes-sigs/dra-driver-nvidia-gpu'],
  },
  {
    name: 'KEDA',
    neededBy: 'keda.ScaledObject and keda.ScaledJob',
    add: also('keda'),
    serves: ['keda.sh', 'eventing.keda.sh'],
    charts: ['keda'],
  },
  {
    name: 'Kubeflow Trainer',
    neededBy: 'trainer.TrainJob',
    add: also('kubeflow-trainer'),
    serves: ['trainer.kubeflow.org'],
    charts: ['kubeflow-trainer'],
  },
  {
    name: 'training-operator',
    neededBy: 'kubeflow.PyTorchJob and the other kinds of kubeflow.org/v1',
    add: 'Add a charts.TrainingOperatorRelease to the app.',
    serves: ['kubeflow.org/v1'],
    repositories: ['github.com/kubeflow/trainer', 'github.com/kubeflow/training-operator'],
  },
  {
    name: 'MPI operator',
    neededBy: 'kubeflow.MPIJob of v2beta1',
    add: 'Apply deploy/v2beta1/mpi-operator.yaml of the repository kubeflow/mpi-operator.',
    serves: ['kubeflow.org/v2beta1'],
    charts: ['mpi-operator'],
    repositories: ['github.com/kubeflow/mpi-operator'],
  },
  {
    name: 'KubeRay',
    neededBy: 'ray.RayCluster, ray.RayJob, and ray.RayService',
    add: also('kuberay-operator'),
    serves: ['ray.io'],
    charts: ['kuberay-operator'],
    repositories: ['github.com/ray-project/kuberay'],
  },
  {
    name: 'JobSet',
    neededBy: 'batch.JobSet',
    add: also('jobset'),
    serves: ['jobset.x-k8s.io'],
    charts: ['jobset'],
    repositories: ['github.com/kubernetes-sigs/jobset'],
  },
  {
    name: 'LeaderWorkerSet',
    neededBy: 'batch.LeaderWorkerSet, and servers that span nodes',
    add: also('lws'),
    serves: ['leaderworkerset.x-k8s.io'],
    charts: ['lws'],
    repositories: ['github.com/kubernetes-sigs/lws'],
  },
  {
    name: 'Knative Serving',
    neededBy: 'serving.KnativeService',
    add: 'Apply serving-crds.yaml and serving-core.yaml of a release of knative/serving.',
    serves: ['serving.knative.dev'],
    charts: ['knative-serving', 'knative-operator'],
    repositories: ['github.com/knative/serving', 'github.com/knative/operator'],
  },
];

/** Reported in the list alone: with `monitoring` you say that the cluster has it, and `monitoring: false` says that it does not. */
const PROMETHEUS: NotInstalled & { readonly charts: readonly string[] } = {
  name: 'Prometheus, its operator, kube-state-metrics, and Grafana',
  neededBy: 'monitors, alerts, and dashboards',
  add: "Add { chart: 'kube-prometheus-stack', version } to delivery.also of the platform.",
  charts: ['kube-prometheus-stack'],
};

/** The components that none of these charts brings. */
export function notInstalledBeside(charts: readonly ChartInstall[], delivered: boolean): readonly NotInstalled[] {
  const names = new Set(charts.map(({ facts }) => facts.name));
  const others: readonly NotInstalled[] = delivered
    ? []
    : charts.map(({ facts }) => ({
        name: `the chart ${facts.name}`,
        neededBy: 'the platform itself',
        add: "Set delivery of the platform to { through: 'flux' }, or run its helmCommands.",
      }));
  const missing = [...COMPONENTS, PROMETHEUS].filter(
    ({ charts: bringing = [] }) => !bringing.some((chart) => names.has(chart)),
  );
  return [...others, ...missing.map(({ name, neededBy, add }) => ({ name, neededBy, add }))];
}

/**
 * Reports the first object of each component that neither the platform nor anything else in the app installs.
 *
 * It is part of an app with a platform only: elsewhere it is not known what the cluster has.
 */
export function componentRule(charts: readonly ChartInstall[]): Rule {
  const installed = new Set(charts.map(({ facts }) => facts.name));
  return {
    id: 'platform/component-installed',
    tier: 'advice',
    severity: 'info',
    summary: 'The component that serves a kind should be installed by the platform.',
    why: 'The API server rejects an object of a kind that it does not know, unless the cluster has the component already.',
    source: 'The parts that GpuPlatform installs (docs/platform.md)',
    fix: 'Add the component to delivery.also of the platform, or install it in the cluster.',
    on: 'set',
    check: function* ({ set }) {
      for (const component of COMPONENTS) {
        const { name, add, charts: bringing = [] } = component;
        const [first, ...others] = set.manifests.filter((manifest) => isServedBy(manifest, component));
        if (first === undefined || bringing.some((chart) => installed.has(chart)) || isInstalledIn(set, component)) {
          continue;
        }
        const requiring = others.length === 0 ? ' requires' : ` and ${counted(others.length, 'other object')} require`;
        yield {
          manifest: first,
          path: '/kind',
          message: `kind ${first.id.kind}${requiring} ${name}, which the platform does not install`,
          found: first.id.kind,
          expected: `${name} installed`,
          fix: add,
        };
      }
    },
  };
}

function isServedBy(manifest: Manifest, { serves, allocates = () => false }: Component): boolean {
  const { id, object } = manifest;
  return (
    serves.includes(id.group) ||
    serves.includes(asString(object.apiVersion) ?? '') ||
    deviceClassesOf(manifest).some(allocates)
  );
}

/** Whether the app has the CRDs, or a release from the chart or the repository. */
function isInstalledIn(set: ManifestSet, { serves, charts = [], repositories = [] }: Component): boolean {
  const specs = (kind: string): readonly ReturnType<typeof asObject>[] =>
    set.ofKind(kind).map(({ object }) => asObject(object.spec));
  const groups = serves.map((served) => served.replace(/\/.*/, ''));
  const crd = specs('apiextensions.k8s.io/CustomResourceDefinition').some(({ group }) =>
    groups.includes(asString(group) ?? ''),
  );
  const chartNames = [
    ...specs(HELM_RELEASE).map((spec) => asObject(asObject(spec.chart).spec).chart),
    ...specs(ARGO_APPLICATION).map((spec) => asObject(spec.source).chart),
  ];
  const addresses = [
    ...specs('source.toolkit.fluxcd.io/GitRepository').map(({ url }) => url),
    ...specs(ARGO_APPLICATION).map((spec) => asObject(spec.source).repoURL),
  ];
  const isRepository = (address: string): boolean =>
    repositories.some((repository) => address.replace(/\.git$/, '').endsWith(repository));
  return (
    crd ||
    chartNames.some((chart) => charts.includes(asString(chart) ?? '')) ||
    addresses.some((address) => isRepository(asString(address) ?? ''))
  );
}
