/**
 * The escape hatch has one name: `overrides` of a construct, of an engine that makes its object, and of each object of a composed construct.
 */
import { ApiObject, App, Chart, Duration } from 'cdk8s';
import {
  Accelerator,
  DistributedTraining,
  monitoring,
  PriorityLadder,
  serving,
  Team,
  type TrainingFramework,
  TrainingEngine,
  volcano,
} from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';

const chartOf = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
/** Not checked: the hatch writes what the checks report. */
const objects = (chart: Chart): readonly JsonObject[] =>
  chart.node.findAll().flatMap((one) => (ApiObject.isApiObject(one) ? [one.toJson() as JsonObject] : []));
const only = (chart: Chart, kind: string): JsonObject => objects(chart).find((object) => object.kind === kind) ?? {};

/** A field that no kind has. */
const OVERRIDES = { overrides: { fromTheHatch: 'yes' } } as const;
const POD = { image: 'registry.example.com/a:1', accelerators: Accelerator.nvidia({ count: 8 }) };

test.each<[string, TrainingFramework, TrainingEngine]>([
  ['PyTorchJob', 'pytorch', TrainingEngine.pyTorchJob(OVERRIDES)],
  ['TFJob', 'tensorflow', TrainingEngine.tfJob(OVERRIDES)],
  ['MPIJob', 'mpi', TrainingEngine.mpiJob('mpi-operator', OVERRIDES)],
  ['MPIJob', 'mpi', TrainingEngine.mpiJob('training-operator', OVERRIDES)],
  ['PaddleJob', 'paddle', TrainingEngine.paddleJob(OVERRIDES)],
  ['XGBoostJob', 'xgboost', TrainingEngine.xgboostJob(OVERRIDES)],
  ['JAXJob', 'jax', TrainingEngine.jaxJob(OVERRIDES)],
  ['TrainJob', 'pytorch', TrainingEngine.trainJob(undefined, OVERRIDES)],
  ['Job', 'pytorch', TrainingEngine.volcanoJob(OVERRIDES)],
  ['JobSet', 'pytorch', TrainingEngine.jobSet(OVERRIDES)],
  ['LeaderWorkerSet', 'pytorch', TrainingEngine.leaderWorkerSet(OVERRIDES)],
  ['RayJob', 'ray', TrainingEngine.rayJob({ rayVersion: '2.52.0', ...OVERRIDES })],
])('a training that becomes a %s, of %s', (kind, framework, as) => {
  const chart = chartOf();
  new DistributedTraining(chart, 'train', { ...POD, framework, nodes: 2, command: ['train'], as });
  expect(only(chart, kind).spec).toMatchObject({ fromTheHatch: 'yes' });
});

test.each([
  ['Deployment', serving.ServingEngine.deployment(OVERRIDES)],
  ['Service', serving.ServingEngine.knative(OVERRIDES)],
])('a server that becomes a %s', (kind, as) => {
  const chart = chartOf();
  new serving.InferenceService(chart, 'chat', { ...POD, port: 8000, loadingTime: Duration.minutes(5), as });
  const apiVersions = objects(chart).filter(
    (object) => object.kind === kind && 'fromTheHatch' in (object.spec as object),
  );
  expect(apiVersions).toHaveLength(1);
});

test('each object of a team', () => {
  const chart = chartOf();
  new Team(chart, 'research', {
    quota: { cpu: 8 },
    overrides: {
      namespace: { finalizers: ['kubernetes'] },
      quota: { scopes: ['NotTerminating'] },
      limitRange: OVERRIDES.overrides,
      queue: { weight: 7 },
    },
  });
  expect(only(chart, 'Namespace').spec).toEqual({ finalizers: ['kubernetes'] });
  expect(only(chart, 'ResourceQuota').spec).toMatchObject({
    scopes: ['NotTerminating'],
    hard: { 'requests.cpu': '8' },
  });
  expect(only(chart, 'LimitRange').spec).toMatchObject({ fromTheHatch: 'yes' });
  expect(only(chart, 'Queue').spec).toMatchObject({ weight: 7, capability: { cpu: '8' } });
});

test.each([
  ['namespace', { namespace: 'there' }, { namespace: OVERRIDES.overrides }],
  ['limitRange', { quota: { pods: 5 } }, { limitRange: OVERRIDES.overrides }],
  ['queue', { queue: false as const }, { queue: OVERRIDES.overrides }],
  ['queue', { queue: volcano.Queue.fromName('there') }, { queue: OVERRIDES.overrides }],
])('a team does not override a %s that it does not create', (part, props, overrides) => {
  expect(() => new Team(chartOf(), 'research', { quota: { cpu: 8 }, ...props, overrides })).toThrow(
    `test/research: overrides.${part} must not be set, because the team does not create that object.`,
  );
});

test('a rung of a ladder', () => {
  const chart = chartOf();
  new PriorityLadder(chart, 'ladder', { rungs: ['low', { name: 'high', overrides: { value: 5 } }] });
  expect(objects(chart)).toMatchObject([{ value: 1000 }, { value: 5 }]);
});

test('each object of what monitors GPUs and other accelerators', () => {
  const { overrides } = OVERRIDES;
  const gpus = chartOf();
  new monitoring.GpuMonitoring(gpus, 'gpus', {
    overrides: {
      counters: { immutable: true },
      serviceMonitor: overrides,
      rules: overrides,
      dashboard: { immutable: true },
    },
  });
  expect(objects(gpus).filter(({ immutable }) => immutable === true)).toHaveLength(2);
  expect(only(gpus, 'ServiceMonitor').spec).toMatchObject({ fromTheHatch: 'yes' });
  expect(only(gpus, 'PrometheusRule').spec).toMatchObject({ fromTheHatch: 'yes' });

  const gaudi = chartOf();
  new monitoring.AcceleratorMonitoring(gaudi, 'gaudi', {
    vendor: 'gaudi',
    overrides: { podMonitor: overrides, rules: overrides, dashboard: { immutable: true } },
  });
  expect(only(gaudi, 'PodMonitor').spec).toMatchObject({ fromTheHatch: 'yes' });
  expect(only(gaudi, 'PrometheusRule').spec).toMatchObject({ fromTheHatch: 'yes' });
  expect(only(gaudi, 'ConfigMap')).toMatchObject({ immutable: true });
});
