import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { manifestsOf } from '../../../src/manifests/constructs';
import { podTemplatesOf } from '../../../src/manifests/pods/pod-templates';
import { valueAt } from '../../../src/manifests/pointer';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import {
  DistributedTraining,
  type DistributedTrainingProps,
  TrainingEngine,
  type TrainingFramework,
  TrainingTopology,
} from '../../../src/constructs/training';
import { Queue } from '../../../src/constructs/volcano';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['torchrun', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  sharedMemory: '64Gi',
  resources: { cpu: 32, memory: '500Gi' },
};
const RAY = TrainingEngine.rayJob({ rayVersion: '2.52.0' });

/** Every engine with a framework that it starts. */
const ENGINES: readonly (readonly [TrainingFramework, TrainingEngine])[] = [
  ['pytorch', TrainingEngine.pyTorchJob()],
  ['pytorch', TrainingEngine.trainJob()],
  ['pytorch', TrainingEngine.volcanoJob()],
  ['pytorch', TrainingEngine.jobSet()],
  ['pytorch', TrainingEngine.leaderWorkerSet()],
  ['tensorflow', TrainingEngine.tfJob()],
  ['mpi', TrainingEngine.mpiJob()],
  ['mpi', TrainingEngine.mpiJob('training-operator')],
  ['paddle', TrainingEngine.paddleJob()],
  ['xgboost', TrainingEngine.xgboostJob()],
  ['jax', TrainingEngine.jaxJob()],
  ['jax', TrainingEngine.jobSet()],
  ['other', TrainingEngine.jobSet()],
  ['ray', RAY],
];

function chartOf(build: (chart: Chart) => unknown): Chart {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart;
}

function made(
  props: Partial<DistributedTrainingProps> & Pick<DistributedTrainingProps, 'framework'>,
  change: (training: DistributedTraining) => unknown = () => undefined,
): readonly JsonObject[] {
  return chartOf((chart) =>
    change(new DistributedTraining(chart, 'train', { ...POD, nodes: 4, ...props })),
  ).toJson() as JsonObject[];
}

const kindOf = ({ apiVersion, kind }: JsonObject): string => `${asString(apiVersion) ?? ''} ${asString(kind) ?? ''}`;

test.each<[string, TrainingFramework, TrainingEngine | undefined]>([
  ['kubeflow.org/v1 PyTorchJob', 'pytorch', undefined],
  ['kubeflow.org/v1 TFJob', 'tensorflow', undefined],
  ['kubeflow.org/v2beta1 MPIJob', 'mpi', undefined],
  ['kubeflow.org/v1 MPIJob', 'mpi', TrainingEngine.mpiJob('training-operator')],
  ['kubeflow.org/v1 PaddleJob', 'paddle', undefined],
  ['kubeflow.org/v1 XGBoostJob', 'xgboost', undefined],
  ['kubeflow.org/v1 JAXJob', 'jax', undefined],
  ['trainer.kubeflow.org/v1alpha1 TrainJob', 'jax', TrainingEngine.trainJob()],
  ['batch.volcano.sh/v1alpha1 Job', 'pytorch', TrainingEngine.volcanoJob()],
  ['jobset.x-k8s.io/v1alpha2 JobSet', 'other', TrainingEngine.jobSet()],
  ['leaderworkerset.x-k8s.io/v1 LeaderWorkerSet', 'pytorch', TrainingEngine.leaderWorkerSet()],
  ['ray.io/v1 RayJob', 'ray', RAY],
])('%s starts %s', (kind, framework, as) => {
  const objects = made({ framework, as });
  expect(objects.map(kindOf)).toEqual([kind]);
  expect(valueAt(objects[0] ?? null, '/metadata/name')).toBe('train');
});

test('wherever it runs, as many pods have the devices as there are nodes', () => {
  for (const [framework, as] of ENGINES.filter(([, engine]) => engine.name !== 'TrainJob')) {
    const chart = chartOf((scope) => new DistributedTraining(scope, 'train', { ...POD, framework, as, nodes: 5 }));
    const templates = manifestsOf(chart).manifests.flatMap((manifest) => [...podTemplatesOf(manifest)]);
    const withDevices = templates.filter(({ spec }) => JSON.stringify(spec.containers).includes('nvidia.com/gpu'));
    expect([as.name, withDevices.reduce((sum, { count }) => sum + (count ?? 0), 0)]).toEqual([as.name, 5]);
  }
});

function environment(
  framework: TrainingFramework,
  as: TrainingEngine,
  more: Partial<DistributedTrainingProps> = {},
): Readonly<Record<string, unknown>> {
  const chart = chartOf(
    (scope) => new DistributedTraining(scope, 'train', { ...POD, framework, as, nodes: 4, ...more }),
  );
  const [template] = manifestsOf(chart).manifests.flatMap((manifest) => [...podTemplatesOf(manifest)]);
  const variables = asArray(asObject(asArray(template?.spec.containers)[0]).env).map(asObject);
  const told = variables.map(({ name, value, valueFrom }): [string, unknown] => [
    asString(name) ?? '',
    value ?? valueAt(valueFrom, '/fieldRef/fieldPath'),
  ]);
  return Object.fromEntries(told);
}

test('where no controller tells torchrun of its peers, the pods know', () => {
  const common = { PET_NNODES: '4', PET_NPROC_PER_NODE: '8', PET_MASTER_PORT: '29500' };
  expect(environment('pytorch', TrainingEngine.jobSet())).toEqual({
    ...common,
    PET_MASTER_ADDR: 'train-node-0-0.train',
    PET_NODE_RANK: "metadata.annotations['batch.kubernetes.io/job-completion-index']",
  });
  expect(environment('pytorch', TrainingEngine.volcanoJob())).toEqual({
    ...common,
    PET_MASTER_ADDR: 'train-node-0.train',
    PET_NODE_RANK: "metadata.labels['volcano.sh/task-index']",
  });
  expect(environment('pytorch', TrainingEngine.leaderWorkerSet())).toEqual({
    ...common,
    PET_MASTER_ADDR: '$(LWS_LEADER_ADDRESS)',
    PET_NODE_RANK: "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']",
  });
  expect(environment('pytorch', TrainingEngine.pyTorchJob())).toEqual({});
});

test('JAX and other programs get the variables too; stated values win', () => {
  expect(environment('jax', TrainingEngine.jobSet(), { port: 1234 })).toMatchObject({
    JAX_COORDINATOR_ADDRESS: 'train-node-0-0.train:1234',
    JAX_NUM_PROCESSES: '4',
  });
  expect(environment('other', TrainingEngine.jobSet(), { env: { NNODES: '7' } })).toMatchObject({
    MASTER_ADDR: 'train-node-0-0.train',
    NNODES: '7',
  });
});

test('an elastic training is so where the engine can', () => {
  const elastic = { min: 2, max: 8 };
  expect(made({ framework: 'pytorch', elastic })[0]).toMatchObject({
    spec: { elasticPolicy: { minReplicas: 2, maxReplicas: 8 } },
  });
  expect(made({ framework: 'pytorch', elastic, as: TrainingEngine.volcanoJob() })[0]).toMatchObject({
    spec: { minAvailable: 2, tasks: [{ replicas: 4, minAvailable: 2 }] },
  });
  expect(environment('pytorch', TrainingEngine.volcanoJob(), { elastic })).toMatchObject({
    PET_NNODES: '2:8',
    PET_RDZV_ENDPOINT: 'train-node-0.train:29500',
    PET_MAX_RESTARTS: '10',
  });
  expect(made({ framework: 'ray', elastic, as: RAY })[0]).toMatchObject({
    spec: {
      rayClusterSpec: {
        enableInTreeAutoscaling: true,
        workerGroupSpecs: [{ replicas: 4, minReplicas: 2, maxReplicas: 8 }],
      },
    },
  });
  expect(() => made({ framework: 'pytorch', elastic, as: TrainingEngine.jobSet() })).toThrow(
    'test/train: JobSet does not support elastic. Remove it, or choose another engine.',
  );
});

test('topology is a tier of Volcano, an annotation of Kueue, or an affinity', () => {
  const topology = TrainingTopology.required('rack');
  expect(
    made({ framework: 'pytorch', topology: TrainingTopology.preferred(2), as: TrainingEngine.volcanoJob() })[0],
  ).toMatchObject({ spec: { networkTopology: { mode: 'soft', highestTierAllowed: 2 } } });
  const kueue = made({
    framework: 'pytorch',
    topology,
    as: TrainingEngine.jobSet(),
    scheduling: Scheduling.kueue({ engine: 'kueue', name: 'q' }),
  });
  expect(JSON.stringify(kueue)).toContain('"kueue.x-k8s.io/podset-required-topology":"rack"');
  expect(
    valueAt(made({ framework: 'jax', topology })[0] ?? null, '/spec/jaxReplicaSpecs/Worker/template'),
  ).toMatchObject({
    metadata: { labels: { 'gantry.dev/training': 'train' } },
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'rack', labelSelector: { matchLabels: { 'gantry.dev/training': 'train' } } },
          ],
        },
      },
    },
  });
  expect(() => made({ framework: 'jax', topology: TrainingTopology.required(1) })).toThrow(
    "topology level 1 is a tier of Volcano's HyperNodes, which JAXJob does not support",
  );
  const ray = made({ framework: 'ray', topology, as: RAY })[0] ?? null;
  expect(valueAt(ray, '/spec/rayClusterSpec/headGroupSpec/template/spec/affinity')).toBeUndefined();
  expect(valueAt(ray, '/spec/rayClusterSpec/workerGroupSpecs/0/template/spec/affinity')).toBeDefined();
});

test('topology is an annotation of Gantry, and a tier in the PodGroup of a JobSet', () => {
  const gantry = Scheduling.gantry({ engine: 'gantry', name: 'q' });
  for (const as of [TrainingEngine.jobSet(), TrainingEngine.volcanoJob(), TrainingEngine.pyTorchJob()]) {
    const made4 = JSON.stringify(
      made({ framework: 'pytorch', topology: TrainingTopology.required('rack'), as, scheduling: gantry }),
    );
    expect(made4).toContain('"gantry.dev/topology-required":"rack"');
    expect(made4).toContain('"gantry.dev/gang-min-member":"4"');
    expect(made4).not.toContain('podAffinity');
  }
  const volcano = made({
    framework: 'pytorch',
    topology: TrainingTopology.required(1),
    as: TrainingEngine.jobSet(),
    scheduling: Scheduling.volcano({ engine: 'volcano', name: 'q' }),
  });
  expect(volcano[0]).toMatchObject({
    kind: 'PodGroup',
    spec: { minMember: 4, networkTopology: { mode: 'hard', highestTierAllowed: 1 } },
  });
  expect(() =>
    made({
      framework: 'pytorch',
      topology: TrainingTopology.required(1),
      as: TrainingEngine.volcanoJob(),
      scheduling: gantry,
    }),
  ).toThrow('which gantry does not support');
});

test('a queue is written before the training, under every engine that can go through one', () => {
  for (const [framework, as] of ENGINES.filter(([, engine]) => engine.name !== 'TrainJob')) {
    const objects = chartOf((scope) => {
      const queue = new Queue(scope, 'z-queue');
      new DistributedTraining(scope, 'a-train', { ...POD, framework, as, nodes: 2 }).submitTo(queue);
    }).toJson() as JsonObject[];
    expect([as.name, objects[0]?.kind]).toEqual([as.name, 'Queue']);
    expect([as.name, JSON.stringify(objects.slice(1)).includes('"z-queue"')]).toEqual([as.name, true]);
  }
});

test('retries, deadline and end are in the fields of the kind', () => {
  const limits = {
    retries: 3,
    activeDeadline: Duration.minutes(1),
    ttlAfterFinished: Duration.seconds(5),
    suspend: true,
  };
  expect(made({ framework: 'pytorch', ...limits })[0]).toMatchObject({
    spec: { runPolicy: { backoffLimit: 3, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5, suspend: true } },
  });
  expect(made({ framework: 'pytorch', as: TrainingEngine.jobSet(), ...limits })[0]).toMatchObject({
    spec: { failurePolicy: { maxRestarts: 3 }, ttlSecondsAfterFinished: 5, suspend: true },
  });
  expect(made({ framework: 'ray', as: RAY, ...limits })[0]).toMatchObject({
    spec: { backoffLimit: 3, shutdownAfterJobFinishes: true },
  });
  expect(() => made({ framework: 'pytorch', as: TrainingEngine.leaderWorkerSet(), ...limits })).toThrow(
    'LeaderWorkerSet does not support retries, activeDeadline, ttlAfterFinished, and suspend.',
  );
});

test('what does not go together is refused with the way out', () => {
  expect(() => made({ framework: 'jax', as: TrainingEngine.pyTorchJob() })).toThrow(
    'test/train: PyTorchJob cannot start framework jax, only pytorch.',
  );
  expect(() => made({ framework: 'ray' })).toThrow(
    'the version of Ray is required. Set as: TrainingEngine.rayJob({ rayVersion })',
  );
  expect(() => made({ framework: 'other' })).toThrow('framework other has no default kind');
  expect(() => made({ framework: 'pytorch', nodes: 0 })).toThrow(
    'nodes must be a whole number greater than or equal to 1, not 0.',
  );
  expect(() =>
    made({ framework: 'pytorch', as: TrainingEngine.volcanoJob(), scheduling: Scheduling.schedulerPlugins() }),
  ).toThrow('Volcano Job cannot be scheduled by scheduler-plugins');
  expect(() =>
    made({ framework: 'pytorch', as: TrainingEngine.volcanoJob() }, (training) =>
      training.submitTo({ engine: 'kueue', name: 'q' }),
    ),
  ).toThrow('Volcano Job cannot be scheduled by kueue (the Kueue LocalQueue "q"): Kueue does not manage this kind.');
});

test('whatever the statement, no rule of any domain objects', () => {
  const statement = fc.record({
    engine: fc.constantFrom(...ENGINES),
    nodes: fc.integer({ min: 1, max: 300 }),
    gpus: fc.integer({ min: 1, max: 16 }),
    topology: fc.constantFrom(
      undefined,
      TrainingTopology.required('rack'),
      TrainingTopology.preferred('topology.kubernetes.io/zone'),
    ),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
    ),
  });
  fc.assert(
    fc.property(statement, ({ engine: [framework, as], nodes, gpus, topology, scheduling }) => {
      const kueue = scheduling?.engine === 'kueue';
      if (
        ['Volcano Job', 'MPIJob of the training-operator'].includes(as.name)
          ? kueue
          : as.name === 'TrainJob' && scheduling?.engine === 'volcano'
      ) {
        return;
      }
      const accelerators = Accelerator.nvidia({ count: gpus });
      const training = made({ framework, as, nodes, topology, scheduling, accelerators }, ({ worldSize }) => {
        expect(worldSize).toBe(nodes * gpus);
      });
      expect(training.length).toBeGreaterThan(0);
    }),
    { seed: 20261120, numRuns: samples(100) },
  );
});
