import { type JsonObject } from '../../../src/facts/api/schema';
import { trainerRules } from '../../../src/constructs/trainer/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { expectRuleFacts, rulesSurvive } from '../../support/rules-survive';
import { patched, runtime, runtimeJob, trainJob, yaml } from './objects';

const firing = (...objects: readonly JsonObject[]): readonly string[] =>
  rulesFiring(yaml(...objects), trainerRules).map((id) => id.replace('trainer/', ''));
const ours = { runtimeRef: { name: 'ours' } };
const tune = (changes: JsonObject, name = 'torchtune-llama3.2-1b', more: JsonObject = {}): JsonObject =>
  trainJob({ runtimeRef: { name }, ...more }, { numNodes: 1, command: ['tune', 'run'], ...changes });
const fetching = (pod: JsonObject): JsonObject =>
  runtime({}, [runtimeJob('dataset-initializer', pod, {}, 'dataset-initializer'), runtimeJob('node')]);
const dataset = {
  containers: [
    { name: 'dataset-initializer', image: 'x', volumeMounts: [{ name: 'initializer', mountPath: '/workspace' }] },
  ],
};
const mpi = (jobs: readonly JsonObject[]): JsonObject =>
  runtime({ mlPolicy: { mpi: { runLauncherAsNode: true } } }, jobs);
const env = (name: string): JsonObject => ({ env: [{ name, value: '1' }] });
const gpus = (count: number): JsonObject => ({ resourcesPerNode: { limits: { 'nvidia.com/gpu': count } } });
const torchtuneOurs = { runtimeRef: { name: 'torchtune-llama3.3-70b' } };
const torch70b = runtime({}, [runtimeJob('node')], { metadata: { name: 'torchtune-llama3.3-70b' } });

test.each<[string, readonly JsonObject[]]>([
  ['a TrainJob on a built-in runtime', [trainJob()]],
  ['a TrainJob on a runtime of the cluster', [trainJob({ runtimeRef: { name: 'theirs' } })]],
  ['a TrainJob on a runtime of the set', [trainJob(ours), runtime()]],
  ['a built-in runtime beside one of the set', [trainJob(), runtime()]],
  [
    'a runtime of the namespace',
    [
      trainJob({ runtimeRef: { name: 'ours', kind: 'TrainingRuntime' } }),
      runtime({}, undefined, { kind: 'TrainingRuntime', metadata: { name: 'ours', namespace: 'ml' } }),
    ],
  ],
  ['other variables', [trainJob({}, env('NCCL_DEBUG'))]],
  [
    'processes beside a part of a device, which the schema rejects',
    [trainJob({}, { numProcPerNode: 2, ...gpus(1.5) })],
  ],
  ['processes without devices', [trainJob({}, { numProcPerNode: 2 })]],
  [
    'a dataset with a runtime that fetches it',
    [trainJob({ ...ours, initializer: { dataset: { storageUri: 'hf://a/b' } } }), fetching(dataset)],
  ],
  [
    'a model with a built-in runtime that fetches it',
    [tune({}, undefined, { initializer: { model: { storageUri: 'hf://a/b' } } })],
  ],
  [
    'a patch of what there is',
    [
      trainJob(
        patched({
          name: 'node',
          template: { spec: { template: { spec: { containers: [{ name: 'node', volumeMounts: [] }] } } } },
        }),
      ),
    ],
  ],
  [
    'an environment of another container',
    [
      trainJob({
        ...ours,
        ...patched({
          name: 'node',
          template: { spec: { template: { spec: { containers: [{ name: 'log', ...env('A') }] } } } },
        }),
      }),
      runtime({}, [runtimeJob('node', { containers: [{ name: 'node' }, { name: 'log' }] })]),
    ],
  ],
  ['MPI with launcher and nodes', [trainJob(ours), mpi([runtimeJob('node', {}, {}, null), runtimeJob('launcher')])]],
  ['a torchtune job', [tune({ args: ['epochs=1', 'model.quantize_base=True'], ...gpus(1) })]],
  ['QLoRA with as many GPUs as the runtime says', [tune({ args: ['model.quantize_base=True'] })]],
  [
    'the torchtune model of several nodes',
    [trainJob(torchtuneOurs, { numNodes: 4, command: ['tune', 'run'] }), torch70b],
  ],
  [
    'a Volcano runtime',
    [runtime({ podGroupPolicy: { volcano: {} } }, [runtimeJob('node', { schedulerName: 'volcano' })])],
  ],
  ['processes for each device', [trainJob({}, { numProcPerNode: 8, ...gpus(8) })]],
  [
    'a literal count under another policy',
    [trainJob({ runtimeRef: { name: 'jax-distributed' } }, { command: ['torchrun', '--nnodes=3', 'a.py'] })],
  ],
])('nothing is said of %s', (_what, objects) => {
  expect(firing(...objects)).toEqual([]);
});

test.each<[string, readonly JsonObject[], string]>([
  ['no spec', [{ ...trainJob(), spec: null }], 'runtime-kind-known'],
  ['a runtime of another kind', [trainJob({ runtimeRef: { name: 'a', kind: 'Runtime' } })], 'runtime-kind-known'],
  [
    'a runtime of another group',
    [trainJob({ runtimeRef: { name: 'a', apiGroup: 'kubeflow.org' } })],
    'runtime-kind-known',
  ],
  ['a runtime that is called otherwise', [trainJob({ runtimeRef: { name: 'our' } }), runtime()], 'runtime-exists'],
  [
    'a runtime of another namespace',
    [
      trainJob({ runtimeRef: { name: 'ours', kind: 'TrainingRuntime' } }),
      runtime({}, undefined, { kind: 'TrainingRuntime', metadata: { name: 'ours', namespace: 'other' } }),
    ],
    'runtime-exists',
  ],
  [
    'a deprecated runtime',
    [
      trainJob(ours),
      runtime({}, undefined, { metadata: { name: 'ours', labels: { 'trainer.kubeflow.org/support': 'deprecated' } } }),
    ],
    'runtime-not-deprecated',
  ],
  ['the variables of torchrun', [trainJob({}, env('PET_NNODES'))], 'env-not-reserved'],
  [
    'the variables of Open MPI',
    [trainJob({ runtimeRef: { name: 'deepspeed-distributed' } }, env('OMPI_MCA_plm_rsh_args'))],
    'env-not-reserved',
  ],
  [
    'the variables of XGBoost',
    [trainJob({ runtimeRef: { name: 'xgboost-distributed' } }, env('DMLC_TASK_ID'))],
    'env-not-reserved',
  ],
  [
    'no process under flux',
    [trainJob(ours, { numProcPerNode: 0 }), runtime({ mlPolicy: { flux: {} } })],
    'flux-processes-at-least-one',
  ],
  ['a dataset that nothing fetches', [trainJob({ initializer: { dataset: {} } })], 'initializer-has-job'],
  [
    'a dataset in a volume that is not mounted',
    [trainJob({ ...ours, initializer: { dataset: {} } }), fetching({ containers: [{ name: 'dataset-initializer' }] })],
    'initializer-has-job',
  ],
  ['a patch of no job', [trainJob(patched({ name: 'worker' }))], 'patches-name-what-exists'],
  [
    'a patch of no container',
    [
      trainJob(
        patched({ name: 'node', template: { spec: { template: { spec: { containers: [{ name: 'main' }] } } } } }),
      ),
    ],
    'patches-name-what-exists',
  ],
  ['a patch without a manager', [trainJob(patched({ name: 'node' }, 'me'))], 'patches-name-what-exists'],
  [
    'an environment in a patch',
    [
      trainJob(
        patched({
          name: 'node',
          template: { spec: { template: { spec: { containers: [{ name: 'node', ...env('A') }] } } } },
        }),
      ),
    ],
    'patches-leave-env',
  ],
  ['MPI nodes that there are not', [trainJob(ours), mpi([runtimeJob('launcher')])], 'mpi-launcher-and-nodes'],
  ['a torchtune job on another runtime', [tune({}, 'torch-distributed')], 'torchtune-model-known'],
  ['a torchtune job on two nodes', [tune({ numNodes: 2 })], 'torchtune-nodes'],
  [
    'LoRA on two nodes',
    [
      trainJob(torchtuneOurs, { numNodes: 2, command: ['tune', 'run'], args: ['model.lora_attn_modules=[q]'] }),
      torch70b,
    ],
    'torchtune-nodes',
  ],
  ['QLoRA on two GPUs', [tune({ args: ['model.quantize_base=True'], ...gpus(2) })], 'torchtune-qlora-single-device'],
  [
    'QLoRA of a model without it',
    [tune({ args: ['model.quantize_base=True'] }, 'torchtune-qwen2.5-1.5b')],
    'torchtune-qlora-single-device',
  ],
  ['a folder that the runtime manages', [tune({ args: ['output_dir=/tmp'] })], 'torchtune-settings-not-managed'],
  ['two replicas of a step', [runtime({}, [runtimeJob('node', {}, { replicas: 2 })])], 'ancestor-job-fits'],
  [
    'a step without its container',
    [runtime({}, [runtimeJob('node', { containers: [{ name: 'main' }] })])],
    'ancestor-job-fits',
  ],
  [
    'a runtime without steps',
    [runtime({}, [runtimeJob('node', {}, {}, null), runtimeJob('a', {}, {}, 'other')])],
    'runtime-has-trainer-job',
  ],
  [
    'an injection into no container',
    [runtime({ mlPolicy: { torch: { envInjection: { targets: [{ jobName: 'node', containerNames: ['log'] }] } } } })],
    'env-injection-targets-exist',
  ],
  [
    'an installer of flux by hand',
    [runtime({ mlPolicy: { flux: {} } }, [runtimeJob('node', { initContainers: [{ name: 'flux-installer' }] })])],
    'flux-installer-reserved',
  ],
  [
    'a queue without a name',
    [
      runtime({
        podGroupPolicy: { volcano: {} },
        template: {
          metadata: { annotations: { 'scheduling.volcano.sh/queue-name': '' } },
          spec: { replicatedJobs: [runtimeJob('node', { schedulerName: 'volcano' })] },
        },
      }),
    ],
    'volcano-queue-named',
  ],
  [
    'a Volcano gang of the default scheduler',
    [runtime({ podGroupPolicy: { volcano: {} } })],
    'volcano-policy-has-scheduler',
  ],
  ['more processes than devices', [trainJob({}, { numProcPerNode: 8, ...gpus(4) })], 'processes-are-devices'],
  [
    'a literal number of nodes',
    [trainJob({}, { command: ['torchrun', '--nnodes=4', 'train.py'] })],
    'torchrun-left-to-runtime',
  ],
])('%s is said', (_what, objects, rule) => {
  expect(firing(...objects)).toEqual([rule]);
});

test('rules survive any value in any place', () => {
  rulesSurvive(trainerRules, [
    trainJob({ ...patched({ name: 'node' }), ...ours, initializer: { dataset: {} } }, { ...env('A'), ...gpus(1) }),
    tune({ args: ['model.quantize_base=True'] }),
    runtime({
      mlPolicy: { torch: { envInjection: { targets: [{ jobName: 'node', containerNames: ['log'] }] } } },
      podGroupPolicy: { volcano: {} },
    }),
  ]);
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(trainerRules, 'trainer', /^TJ\d+$/);
});

test.each<[string, readonly JsonObject[], string]>([
  [
    'of no job names the jobs of the runtime',
    [trainJob(patched({ name: 'worker' }))],
    'Set replicatedJobs[0].name to node.',
  ],
  [
    'of a runtime without jobs is removed',
    [trainJob({ ...patched({ name: 'worker' }), ...ours }), runtime({}, [])],
    'Remove replicatedJobs[0], because the runtime has no jobs.',
  ],
  [
    'of no container names those of the job',
    [
      trainJob(
        patched({ name: 'node', template: { spec: { template: { spec: { containers: [{ name: 'main' }] } } } } }),
      ),
    ],
    'Set containers[0].name to node.',
  ],
])('the fix of a patch %s', (_what, objects, fix) => {
  const found = findingsOf(yaml(...objects), trainerRules).filter(
    ({ rule }) => rule === 'trainer/patches-name-what-exists',
  );
  const names = /^Set \S+ to (.*)\.$/.exec(fix)?.[1];
  expect(found.map((finding) => [finding.fix, finding.expected])).toEqual([[fix, names]]);
});

describe('the fix of an injection', () => {
  const injecting = (jobs: readonly JsonObject[], target: JsonObject): JsonObject =>
    runtime({ mlPolicy: { torch: { envInjection: { targets: [target] } } } }, jobs);
  const foundIn = (object: JsonObject): readonly (readonly (string | undefined)[])[] =>
    findingsOf(yaml(object), trainerRules)
      .filter(({ rule }) => rule === 'trainer/env-injection-targets-exist')
      .map(({ message, expected, fix }) => [message, expected, fix]);
  const general =
    'Set jobName in torch.envInjection.targets to a job in the runtime, and containerNames to containers in that job.';

  test('into no job names the jobs of the runtime', () => {
    const target = { jobName: 'worker', containerNames: ['node'] };
    expect(foundIn(injecting([runtimeJob('node')], target))).toEqual([
      ['the runtime has no job "worker"', undefined, 'Set jobName in targets[0] to node.'],
    ]);
    expect(foundIn(injecting([], target))).toEqual([['the runtime has no job "worker"', undefined, general]]);
  });

  test('into no container names those of the job, with its init containers', () => {
    const target = { jobName: 'node', containerNames: ['log'] };
    const field = 'containerNames[0]';
    expect(foundIn(injecting([runtimeJob('node', { initContainers: [{ name: 'fetch' }] })], target))).toEqual([
      ['the job "node" has no container "log"', 'node or fetch', `Set ${field} to node or fetch.`],
    ]);
    expect(foundIn(injecting([runtimeJob('node', { containers: [] })], target))).toEqual([
      ['the job "node" has no container "log"', undefined, general],
    ]);
  });
});

test.each<[string, JsonObject, boolean]>([
  ['torch', { torch: {} }, true],
  ['mpi', { mpi: { numProcPerNode: 4 } }, true],
  ['jax', { jax: {} }, false],
  ['no policy', {}, false],
])('processes are compared with devices under %s: %s', (_what, mlPolicy, compares) => {
  const objects = [trainJob(ours, { numProcPerNode: 8, ...gpus(4) }), runtime({ mlPolicy })];
  const isSaid = firing(...objects).includes('processes-are-devices');
  expect(isSaid).toBe(compares);
});

test.each(['nnodes', 'nproc-per-node', 'node-rank', 'master-addr', 'master-port', 'rdzv-endpoint'])(
  'torchrun must not be given --%s, in either spelling',
  (option) => {
    for (const written of [option, option.replaceAll('-', '_')]) {
      const objects = [trainJob({}, { command: ['torchrun', `--${written}=a`, 'train.py'] })];
      expect(findingsOf(yaml(...objects), trainerRules).map(({ rule, expected }) => [rule, expected])).toEqual([
        ['trainer/torchrun-left-to-runtime', `no --${option}`],
      ]);
    }
  },
);

test('other options of torchrun are for the job to set', () => {
  expect(firing(trainJob({}, { command: ['torchrun', '--max-restarts=3', 'train.py'] }))).toEqual([]);
});
