import { type JsonObject } from '../../../src/facts/api/schema';
import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { rulesFiring } from '../../support/findings';
import { mpiJob, yaml } from './jobs';

const firing = (object: JsonObject): readonly string[] =>
  rulesFiring(yaml(object), kubeflowRules).map((id) => id.replace('kubeflow/', ''));
const template = (containers: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'a', image: 'x', ...containers }] },
});
const gpus = (count: number): JsonObject => template({ resources: { limits: { 'nvidia.com/gpu': count } } });

test.each<[string, JsonObject]>([
  ['defaults', mpiJob()],
  ['a job without workers', mpiJob({ mpiReplicaSpecs: { Launcher: { template: template() } } })],
  [
    'every setting at once',
    mpiJob(
      {
        slotsPerWorker: 8,
        mpiImplementation: 'MPICH',
        launcherCreationPolicy: 'WaitForWorkersReady',
        runLauncherAsWorker: true,
        runPolicy: {
          cleanPodPolicy: 'Running',
          managedBy: 'kueue.x-k8s.io/multikueue',
          backoffLimit: 0,
          ttlSecondsAfterFinished: 0,
        },
      },
      { Worker: { replicas: 2, restartPolicy: 'OnFailure', template: gpus(8) } },
    ),
  ],
  ['no slots at all', mpiJob({ slotsPerWorker: 0 })],
  ['the longest name that fits', mpiJob({}, {}, { name: 'a'.repeat(63 - '-worker-1'.length) })],
])('nothing is said of %s', (_what, object) => {
  expect(firing(object)).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  [
    'no launcher',
    mpiJob({ mpiReplicaSpecs: { Worker: { replicas: 1, template: template() } } }),
    'mpi-operator-launcher-present',
  ],
  ['no spec', { ...mpiJob(), spec: null }, 'mpi-operator-launcher-present'],
  ['two launchers', mpiJob({}, { Launcher: { replicas: 2, template: template() } }), 'mpi-operator-launcher-present'],
  ['workers that are not counted', mpiJob({}, { Worker: { template: template() } }), 'mpi-operator-worker-replicas'],
  [
    'no workers in the role',
    mpiJob({}, { Worker: { replicas: 0, template: template() } }),
    'mpi-operator-worker-replicas',
  ],
  ['a role in another case', mpiJob({}, { worker: { replicas: 1, template: template() } }), 'mpi-operator-role-known'],
  ['a role without template', mpiJob({}, { Launcher: { replicas: 1 } }), 'mpi-operator-role-has-container'],
  [
    'a restart policy of the other operator',
    mpiJob({}, { Worker: { replicas: 1, restartPolicy: 'ExitCode', template: template() } }),
    'mpi-operator-restart-policy',
  ],
  ['an unknown clean policy', mpiJob({ runPolicy: { cleanPodPolicy: 'all' } }), 'mpi-operator-run-policy'],
  [
    'the manager of the other operator',
    mpiJob({ runPolicy: { managedBy: 'kubeflow.org/training-operator' } }),
    'mpi-operator-run-policy',
  ],
  ['a negative deadline', mpiJob({ runPolicy: { activeDeadlineSeconds: -1 } }), 'mpi-operator-run-policy'],
  ['a negative number of slots', mpiJob({ slotsPerWorker: -1 }), 'mpi-operator-spec'],
  ['an unknown creation policy', mpiJob({ launcherCreationPolicy: 'Later' }), 'mpi-operator-spec'],
  ['one slot for eight devices', mpiJob({}, { Worker: { replicas: 2, template: gpus(8) } }), 'mpi-slots-are-devices'],
  ['a name that begins with a digit', mpiJob({}, {}, { name: '9nodes' }), 'mpi-operator-worker-name-is-dns-1035'],
  [
    'a name that leaves no room for the index',
    mpiJob({}, { Worker: { replicas: 11, template: template() } }, { name: 'a'.repeat(54) }),
    'mpi-operator-worker-name-is-dns-1035',
  ],
])('%s is said', (_what, object, rule) => {
  expect(firing(object)).toEqual([rule]);
});
