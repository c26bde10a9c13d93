/**
 * Kinds whose component the platform does not install: reported once for each component, with the switch that adds it.
 */
import { ApiObject, App, type Chart } from 'cdk8s';
import { TrainingOperatorRelease } from '../../../src/constructs/charts';
import { GpuClaim } from '../../../src/constructs/devices';
import { GpuPlatform, type GpuPlatformProps, KueueSystem, type UsualRung } from '../../../src/constructs/platform';
import { type QueueEngine } from '../../../src/constructs/resources/queue-references';
import { Testing } from '../../../src/interfaces/testing';

type Props = GpuPlatformProps<'h100', 'research', UsualRung, QueueEngine>;

function found(
  use: (chart: Chart) => void,
  props: Partial<Props> = {},
): readonly { readonly severity: string; readonly message: string; readonly fix?: string }[] {
  const app = new App();
  const platform = new GpuPlatform<'h100', 'research', UsualRung, QueueEngine>(app, 'ai', {
    pools: { h100: { nodes: 2, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
    teams: { research: { deserved: { h100: 2 } } },
    tuning: false,
    ...props,
  });
  use(platform.teams.research.chart);
  return Testing.check(app)
    .findings.filter(({ rule }) => rule === 'platform/component-installed')
    .map(({ severity, message, fix }) => ({ severity, message, fix }));
}

const object =
  (apiVersion: string, kind: string, times = 1) =>
  (chart: Chart): void => {
    for (let index = 0; index < times; index++) {
      new ApiObject(chart, `${kind}-${index}`, { apiVersion, kind, metadata: { name: `x-${index}` } });
    }
  };

test.each([
  ['keda.sh/v1alpha1', 'ScaledObject', 'KEDA', "Add { chart: 'keda' } to delivery.also of the platform."],
  ['ray.io/v1', 'RayJob', 'KubeRay', "Add { chart: 'kuberay-operator' } to delivery.also of the platform."],
  ['jobset.x-k8s.io/v1alpha2', 'JobSet', 'JobSet', "Add { chart: 'jobset' } to delivery.also of the platform."],
  [
    'leaderworkerset.x-k8s.io/v1',
    'LeaderWorkerSet',
    'LeaderWorkerSet',
    "Add { chart: 'lws' } to delivery.also of the platform.",
  ],
  ['kubeflow.org/v1', 'PyTorchJob', 'training-operator', 'Add a charts.TrainingOperatorRelease to the app.'],
  [
    'kubeflow.org/v2beta1',
    'MPIJob',
    'MPI operator',
    'Apply deploy/v2beta1/mpi-operator.yaml of the repository kubeflow/mpi-operator.',
  ],
  [
    'trainer.kubeflow.org/v1alpha1',
    'TrainJob',
    'Kubeflow Trainer',
    "Add { chart: 'kubeflow-trainer' } to delivery.also of the platform.",
  ],
  [
    'serving.knative.dev/v1',
    'Service',
    'Knative Serving',
    'Apply serving-crds.yaml and serving-core.yaml of a release of knative/serving.',
  ],
  [
    'kueue.x-k8s.io/v1beta2',
    'LocalQueue',
    'Kueue',
    "Set scheduling of the platform to new KueueSystem(), or add { chart: 'kueue' } to delivery.also.",
  ],
  [
    'resource.nvidia.com/v1beta1',
    'ComputeDomain',
    "NVIDIA's DRA driver",
    "Add { chart: 'dra-driver-nvidia-gpu', values: { gpuResourcesEnabledOverride: true } } to delivery.also of the platform.",
  ],
])('%s %s is reported with what adds %s', (apiVersion, kind, component, fix) => {
  const message = `kind ${kind} requires ${component}, which the platform does not install`;
  expect(found(object(apiVersion, kind))).toEqual([{ severity: 'info', message, fix }]);
});

test.each([
  [{ count: 2 }, ["kind ResourceClaimTemplate requires NVIDIA's DRA driver, which the platform does not install"]],
  [{ deviceClass: 'gpu.example.com' }, []],
])('a claim for %j needs the driver of its class', (claim, messages) => {
  expect(found((chart) => void new GpuClaim(chart, 'claim', claim)).map(({ message }) => message)).toEqual(messages);
});

test('several objects of a component are one finding', () => {
  expect(found(object('ray.io/v1', 'RayJob', 3)).map(({ message }) => message)).toEqual([
    'kind RayJob and 2 other objects require KubeRay, which the platform does not install',
  ]);
});

test.each<[string, (chart: Chart) => void, Partial<Props>]>([
  [
    'that the platform delivers',
    object('keda.sh/v1alpha1', 'ScaledObject'),
    { delivery: { through: 'flux', also: [{ chart: 'keda' }] } },
  ],
  ['of the scheduling system', object('kueue.x-k8s.io/v1beta2', 'LocalQueue'), { scheduling: new KueueSystem() }],
  [
    'that the app installs from a repository',
    (chart) => {
      object('kubeflow.org/v1', 'PyTorchJob')(chart);
      new TrainingOperatorRelease(chart, 'training-operator');
    },
    {},
  ],
  [
    'that an Argo CD Application installs from a chart',
    (chart) => {
      object('ray.io/v1', 'RayJob')(chart);
      new ApiObject(chart, 'app', {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        spec: { source: { chart: 'kuberay-operator', repoURL: 'https://mirror.example.com', targetRevision: '1.7.0' } },
      });
    },
    {},
  ],
  [
    'whose CRDs the app contains',
    (chart) => {
      object('jobset.x-k8s.io/v1alpha2', 'JobSet')(chart);
      new ApiObject(chart, 'crd', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        spec: { group: 'jobset.x-k8s.io' },
      });
    },
    {},
  ],
  ['of core Kubernetes', object('v1', 'ConfigMap'), {}],
])('a kind %s is not reported', (_, use, props) => {
  expect(found(use, props)).toEqual([]);
});

test('the monitors of the platform itself are not: monitoring says that the cluster has Prometheus', () => {
  expect(found(() => undefined)).toEqual([]);
});
