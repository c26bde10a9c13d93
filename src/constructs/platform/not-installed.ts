/**
 * What workloads of a platform may need and the platform does not install by itself.
 */
import { type ChartInstall } from '../charts';
import { type NotInstalled } from './vendor-operators';

/** Components, what needs them, and the chart of the catalog that brings them. */
const COMPONENTS: readonly (NotInstalled & { readonly chart?: string })[] = [
  {
    name: 'KEDA',
    neededBy: 'keda.ScaledObject and keda.ScaledJob',
    add: "delivery.also: [{ chart: 'keda' }]",
    chart: 'keda',
  },
  {
    name: 'Kubeflow Trainer',
    neededBy: 'trainer.TrainJob',
    add: "delivery.also: [{ chart: 'kubeflow-trainer' }]",
    chart: 'kubeflow-trainer',
  },
  {
    name: 'training-operator',
    neededBy: 'kubeflow.PyTorchJob and the other kinds of kubeflow.org/v1',
    add: 'charts.TrainingOperatorRelease',
  },
  { name: 'MPI operator', neededBy: 'kubeflow.MPIJob of v2beta1', add: 'the manifest of its release' },
  {
    name: 'KubeRay',
    neededBy: 'ray.RayCluster, ray.RayJob, and ray.RayService',
    add: 'delivery.also with any other chart',
  },
  { name: 'JobSet', neededBy: 'batch.JobSet', add: 'delivery.also with any other chart' },
  { name: 'LeaderWorkerSet', neededBy: 'batch.LeaderWorkerSet', add: 'delivery.also with any other chart' },
  { name: 'Knative Serving', neededBy: 'serving.KnativeService', add: 'the manifests of its release' },
  {
    name: 'Prometheus, its operator, kube-state-metrics, and Grafana',
    neededBy: 'monitors, alerts, and dashboards',
    add: "delivery.also: [{ chart: 'kube-prometheus-stack', version }]",
    chart: 'kube-prometheus-stack',
  },
];

/** The components that none of these charts brings. */
export function notInstalledBeside(charts: readonly ChartInstall[], delivered: boolean): readonly NotInstalled[] {
  const names = new Set(charts.map(({ facts }) => facts.name.toLowerCase()));
  const bring = (name: string): boolean => [...names].some((chart) => chart.includes(name));
  const others: readonly NotInstalled[] = delivered
    ? []
    : charts.map(({ facts }) => ({
        name: `the chart ${facts.name}`,
        neededBy: 'the platform itself',
        add: "delivery: { through: 'flux' }, or run helmCommands",
      }));
  const missing = COMPONENTS.filter(({ name, chart }) => !bring(chart ?? name.toLowerCase().replace(/[ -]/g, '')));
  return [...others, ...missing.map(({ name, neededBy, add }) => ({ name, neededBy, add }))];
}
