/**
 * The escape hatch has one name: `overrides` of a construct, of an engine that makes its object, and of each object of a composed construct.
 */
import { ApiObject, App, Chart, Duration } from 'cdk8s';
import { type IConstruct } from 'constructs';
import {
  Accelerator,
  DistributedTraining,
  GpuPlatform,
  type GpuPlatformProps,
  monitoring,
  nodeTuning,
  PriorityLadder,
  serving,
  Team,
  type TrainingFramework,
  TrainingEngine,
  type UsualRung,
  volcano,
} from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';

const chartOf = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
/** Not checked: the hatch writes what the checks report. */
const objects = (chart: IConstruct): readonly JsonObject[] =>
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

describe('the objects of a platform', () => {
  type Props = GpuPlatformProps<'amd' | 'nvidia', 'research', UsualRung, 'volcano'>;
  const platform = (more: Partial<Props>): GpuPlatform<'amd' | 'nvidia', 'research'> =>
    new GpuPlatform(new App(), 'platform', {
      pools: {
        nvidia: { nodes: 2, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 96, memory: '1Ti' },
        amd: { nodes: 2, accelerator: 'MI300X', devices: 8, cpu: 96, memory: '1Ti' },
      },
      teams: { research: { deserved: { nvidia: 1, amd: 1 }, limits: {} } },
      ...more,
    });
  const { overrides } = OVERRIDES;

  test('are those of its teams and rungs, and those of its settings', () => {
    const made = platform({
      gpuOperator: OVERRIDES,
      vendors: { amd: OVERRIDES },
      monitoring: { overrides: { rules: overrides } },
      tuning: { tunings: nodeTuning.Tuning.forTraining(), overrides },
      overrides: {
        teams: { research: { namespace: overrides, quota: overrides, limitRange: overrides, queue: overrides } },
        priorities: { production: { value: 5000 } },
      },
    });
    const written = objects(made);
    const changed = written.filter(({ spec }) => spec !== undefined && 'fromTheHatch' in (spec as object));
    expect(changed.map(({ kind }) => kind).sort()).toEqual([
      // One for each pool.
      'DaemonSet',
      'DaemonSet',
      'DeviceConfig',
      'LimitRange',
      'Namespace',
      'PrometheusRule',
      'Queue',
      'ResourceQuota',
    ]);
    expect(made.gpuOperator.spec).toMatchObject(overrides);
    const values = written.filter(({ kind }) => kind === 'PriorityClass').map(({ value }) => value);
    expect(values).toEqual([1000, 2000, 5000]);
  });

  test('are of a team and a rung that the platform has', () => {
    const wrong =
      (given: object): (() => unknown) =>
      () =>
        platform({ overrides: given });
    expect(wrong({ teams: { reserch: {} } })).toThrow(
      'platform: overrides.teams.reserch must not be set, because the platform has no team of that name (did you mean "research"?); it has research.',
    );
    expect(wrong({ priorities: { toString: {} } })).toThrow(
      'overrides.priorities.toString must not be set, because the platform has no rung of that name; it has scavenger, development, production.',
    );
  });

  test('of a rung are set once', () => {
    const rungs = ['scavenger', 'development', { name: 'production', overrides: { value: 5 } }] as const;
    expect(() => platform({ priorities: { rungs }, overrides: { priorities: { production: { value: 7 } } } })).toThrow(
      'platform: overrides.priorities.production must not be set, because the prop priorities overrides that rung already.',
    );
  });
});
