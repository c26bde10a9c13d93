import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf, rulesFiring } from '../../support/findings';
import { elasticJob, job, masterWorker, mpiJob, role, rolesWith, staticJob, yaml } from './jobs';

const firing = (...objects: readonly JsonObject[]): readonly string[] => rulesFiring(yaml(...objects), kubeflowRules);

describe('jobs without fault', () => {
  test.each([
    ['a static PyTorchJob', staticJob()],
    ['an elastic PyTorchJob', elasticJob()],
    ['a PyTorchJob of one pod', staticJob({ pytorchReplicaSpecs: { Master: role(1) } })],
    [
      'a TFJob with parameter servers that restart always',
      job('TFJob', { Chief: {}, PS: { replicas: 2, restartPolicy: 'Always' }, Worker: { replicas: 4 } }),
    ],
    ['a TFJob with role names in lower case, which its defaults repair', job('TFJob', { worker: { replicas: 2 } })],
    [
      'an MPIJob without a container called mpi and without launcher replicas',
      job('MPIJob', {
        Launcher: { template: { spec: { containers: [{ name: 'launcher', image: 'x' }] } } },
        Worker: { replicas: 2 },
      }),
    ],
    ['an XGBoostJob', job('XGBoostJob', { Master: { replicas: 1 }, Worker: { replicas: 2 } })],
    ['a PaddleJob with several masters', job('PaddleJob', { Master: { replicas: 2 }, Worker: { replicas: 2 } })],
    ['a JAXJob', job('JAXJob', { Worker: { replicas: 4 } })],
    ['a negative number of Workers, which the scale subresource rejects', staticJob(masterWorker(role(1), role(-1)))],
    ['MPIJobs of the mpi-operator alone, which are another kind', mpiJob()],
    [
      'a job of many Volcano pods that states queue and gang',
      staticJob({
        runPolicy: { schedulingPolicy: { queue: 'research', minAvailable: 4 } },
        ...masterWorker(role(1, { pod: { schedulerName: 'volcano' } }), role(3, { pod: { schedulerName: 'volcano' } })),
      }),
    ],
    [
      'an elastic gang of the smallest size',
      elasticJob(
        {},
        {
          runPolicy: { schedulingPolicy: { minAvailable: 4 } },
          pytorchReplicaSpecs: { Worker: role(8, { pod: { schedulerName: 'volcano' } }) },
        },
      ),
    ],
    [
      'a launch that repeats the right number of nodes',
      staticJob(rolesWith({ command: ['torchrun', '--nnodes=4', '--nproc-per-node', '8', 'train.py'] })),
    ],
    [
      'a launch by variables that the operator sets',
      staticJob(
        rolesWith({ command: ['torchrun', '--nnodes=$(PET_NNODES)', '--master-port=$(MASTER_PORT)', 'train.py'] }),
      ),
    ],
    [
      'options of the training script that look like those of torchrun',
      staticJob(rolesWith({ command: ['torchrun', 'train.py', '--nnodes=99', '--master_port=1'] })),
    ],
    [
      'a variable that the container sets itself',
      staticJob(rolesWith({ command: ['sh', '-c', 'echo $NODE_RANK'], env: [{ name: 'NODE_RANK', value: '0' }] })),
    ],
    [
      'a port of its own under the name that the operator looks for',
      staticJob(
        rolesWith({
          command: ['torchrun', '--master_port=29500', 'train.py'],
          ports: [{ name: 'pytorchjob-port', containerPort: 29500 }],
        }),
      ),
    ],
  ])('%s', (_what, object) => {
    expect(findingsOf(yaml(object), kubeflowRules)).toEqual([]);
  });
});

describe('names', () => {
  test('a name that no Service can have is refused', () => {
    expect(firing(staticJob({}, { name: '70b-train' }))).toEqual(['kubeflow/job-name-is-dns-1035']);
    expect(firing(staticJob({}, { name: 'train.v2' }))).toEqual(['kubeflow/job-name-is-dns-1035']);
  });

  test.each([
    ['PyTorchJob', 'Worker'],
    ['TFJob', 'Worker'],
    ['XGBoostJob', 'Master'],
    ['PaddleJob', 'Worker'],
    ['JAXJob', 'Worker'],
  ])('such a name is refused of a %s', (kind, only) => {
    const named = { ...job(kind, { [only]: { replicas: 1 } }), metadata: { name: '1st' } };
    expect(firing(named)).toContain('kubeflow/job-name-is-dns-1035');
  });

  test('the longest derived name counts, with the last index', () => {
    const name = 'a'.repeat(63 - '-worker-9'.length);
    const workers = (count: number): JsonObject => masterWorker(role(1), role(count));
    expect(firing(staticJob(workers(10), { name }))).toEqual([]);
    expect(firing(staticJob(workers(11), { name }))).toEqual(['kubeflow/derived-names-fit']);
  });

  test('the derived name of an elastic job is taken at maxReplicas', () => {
    const long = elasticJob({ maxReplicas: 11 });
    expect(firing({ ...long, metadata: { name: 'a'.repeat(63 - '-worker-9'.length) } })).toEqual([
      'kubeflow/derived-names-fit',
    ]);
  });

  test('generateName is judged with the five characters that follow it', () => {
    const named = (generateName: string): JsonObject => ({ ...staticJob(), metadata: { generateName } });
    expect(firing(named('train-'))).toEqual([]);
    expect(firing(named(`${'a'.repeat(49)}-`))).toEqual(['kubeflow/derived-names-fit']);
  });
});

describe('roles and containers', () => {
  test.each<[string, JsonObject, string]>([
    ['no map of roles, as the webhook says', staticJob({ pytorchReplicaSpecs: null }), 'webhook'],
    ['an empty map, which the webhook accepts', staticJob({ pytorchReplicaSpecs: {} }), 'advice'],
    ['an empty map of an MPIJob, whose controller looks for a launcher', job('MPIJob', {}), 'webhook'],
  ])('%s', (_what, object, tier) => {
    const found = findingsOf(yaml(object), kubeflowRules).filter(({ rule }) => rule === 'kubeflow/roles-present');
    expect(found.map((finding) => finding.tier)).toEqual([tier]);
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ['an empty map of roles', staticJob({ pytorchReplicaSpecs: {} }), ['kubeflow/roles-present']],
    ['no map of roles', staticJob({ pytorchReplicaSpecs: null }), ['kubeflow/roles-present']],
    ['roles of another type, which the schema rejects', staticJob({ pytorchReplicaSpecs: [1] }), []],
    ['a role of another type', staticJob({ pytorchReplicaSpecs: { Master: role(1), Worker: '3' } }), []],
    [
      'a role without template',
      staticJob({ pytorchReplicaSpecs: { Master: role(1), Worker: { replicas: 3 } } }),
      ['kubeflow/role-has-template'],
    ],
    ['no container of the name', staticJob(rolesWith({ name: 'main' })), ['kubeflow/default-container-present']],
    ['an unknown role', job('JAXJob', { Worker: {}, Master: {} }), ['kubeflow/role-known']],
    [
      'a role in another case',
      staticJob({ pytorchReplicaSpecs: { Master: role(1), worker: role(3) } }),
      ['kubeflow/role-known'],
    ],
    [
      'a Master without replicas',
      staticJob(masterWorker(role(undefined), role(3))),
      ['kubeflow/master-replicas-is-one'],
    ],
    ['two Masters', staticJob(masterWorker(role(2), role(2))), ['kubeflow/master-replicas-is-one']],
    [
      'no Workers in the Worker role',
      staticJob(masterWorker(role(1), role(0))),
      ['kubeflow/worker-replicas-at-least-one'],
    ],
    ['an XGBoostJob without Master', job('XGBoostJob', { Worker: {} }), ['kubeflow/required-role-present']],
    ['an MPIJob without Launcher', job('MPIJob', { Worker: { replicas: 1 } }), ['kubeflow/required-role-present']],
    [
      'two Launchers',
      job('MPIJob', { Launcher: { replicas: 2 }, Worker: { replicas: 1 } }),
      ['kubeflow/launcher-replicas-is-one'],
    ],
    [
      'MPI Workers without replicas',
      job('MPIJob', { Launcher: {}, Worker: {} }),
      ['kubeflow/mpi-worker-replicas-stated'],
    ],
    ['Chief and Master', job('TFJob', { Chief: {}, Master: {} }), ['kubeflow/one-chief-or-master']],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('an unknown role of a TFJob is taken and useless, of another kind refused', () => {
    const tier = (object: JsonObject): string | undefined => findingsOf(yaml(object), kubeflowRules)[0]?.tier;
    expect(tier(job('TFJob', { Worker: {}, Boss: {} }))).toBe('advice');
    expect(tier(job('PaddleJob', { Worker: {}, Boss: {} }))).toBe('webhook');
  });

  test('the finding names the field and what was expected there', () => {
    const [finding] = findingsOf(
      yaml(staticJob({ pytorchReplicaSpecs: { Master: role(1, { container: { name: 'main' } }) } })),
      kubeflowRules,
    );
    expect(finding).toMatchObject({
      rule: 'kubeflow/default-container-present',
      tier: 'webhook',
      path: '/spec/pytorchReplicaSpecs/Master/template/spec/containers/0/name',
      found: 'main',
      expected: 'pytorch',
    });
  });
});

describe('run policy', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['an unknown manager', staticJob({ runPolicy: { managedBy: 'me' } }), ['kubeflow/managed-by-known']],
    [
      'an unknown cleanPodPolicy',
      staticJob({ runPolicy: { cleanPodPolicy: 'none' } }),
      ['kubeflow/clean-pod-policy-known'],
    ],
    [
      'an unknown cleanPodPolicy of an MPIJob',
      job('MPIJob', { Launcher: {}, Worker: { replicas: 1 } }, { cleanPodPolicy: 'Keep' }),
      ['kubeflow/clean-pod-policy-known'],
    ],
    [
      'an unknown restartPolicy',
      job('JAXJob', { Worker: { restartPolicy: 'onFailure' } }),
      ['kubeflow/restart-policy-known'],
    ],
    [
      'a restartPolicy that is overwritten',
      staticJob({ pytorchReplicaSpecs: { Master: role(1, { pod: { restartPolicy: 'Never' } }) } }),
      ['kubeflow/restart-policy-on-role'],
    ],
    [
      'a restartPolicy that never lets the job end',
      job('JAXJob', { Worker: { restartPolicy: 'Always' } }),
      ['kubeflow/restart-policy-lets-job-end'],
    ],
    [
      'ExitCode',
      job('JAXJob', { Worker: { restartPolicy: 'ExitCode' } }),
      ['kubeflow/exit-code-restart-is-for-signals'],
    ],
    [
      'a policy without scheduler',
      staticJob({ runPolicy: { schedulingPolicy: { queue: 'a' } } }),
      ['kubeflow/gang-scheduling-stated'],
    ],
    [
      'a scheduler without policy',
      staticJob(
        masterWorker(role(1, { pod: { schedulerName: 'volcano' } }), role(3, { pod: { schedulerName: 'volcano' } })),
      ),
      ['kubeflow/gang-scheduling-stated'],
    ],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('a manager that no webhook looks at is advice, since the job is then left alone', () => {
    const [finding] = findingsOf(
      yaml(job('JAXJob', { Worker: {} }, { runPolicy: { managedBy: 'me' } })),
      kubeflowRules,
    );
    expect(finding?.tier).toBe('advice');
  });

  test('a gang larger than the job never starts, a smaller one of a static job waits', () => {
    const gang = (minAvailable: number, base = staticJob): readonly (string | undefined)[] => {
      const object = base({}, {});
      const spec = { ...(object.spec as JsonObject), runPolicy: { schedulingPolicy: { minAvailable } } };
      return findingsOf(yaml({ ...object, spec }), kubeflowRules)
        .filter(({ rule }) => rule === 'kubeflow/gang-min-available-fits')
        .map(({ severity }) => severity);
    };
    expect(gang(5)).toEqual(['error']);
    expect(gang(4)).toEqual([]);
    expect(gang(3)).toEqual(['warning']);
    expect(gang(4, elasticJob)).toEqual([]);
    expect(gang(3, elasticJob)).toEqual(['warning']);
  });
});

describe('the operator', () => {
  const mpi = job('MPIJob', { Launcher: {}, Worker: { replicas: 2 } });
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'mpijobs.kubeflow.org' },
    spec: {},
  };
  const gang = staticJob({
    runPolicy: { schedulingPolicy: { minAvailable: 4 } },
    ...masterWorker(role(1, { pod: { schedulerName: 'volcano' } }), role(3, { pod: { schedulerName: 'volcano' } })),
  });
  const operator = (...args: readonly string[]): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'training-operator' },
    spec: {
      template: {
        spec: { containers: [{ name: 'operator', image: 'kubeflow/training-operator:v1-4485b0a', args: [...args] }] },
      },
    },
  });

  test('one cluster serves one MPIJob', () => {
    const other = { ...mpi, apiVersion: 'kubeflow.org/v2beta1', metadata: { name: 'other' } };
    expect(firing(mpi)).toEqual([]);
    expect(firing(mpi, other)).toEqual(['kubeflow/one-mpijob-definition']);
    expect(
      firing(crd, { ...crd, metadata: { name: 'mpijobs.kubeflow.org', labels: { from: 'mpi-operator' } } }),
    ).toEqual(['kubeflow/one-mpijob-definition']);
  });

  test('an operator beside jobs with a schedulingPolicy knows the gang scheduler', () => {
    expect(firing(gang, operator())).toEqual(['kubeflow/operator-has-gang-scheduler']);
    expect(firing(gang, operator('--gang-scheduler-name=volcano'))).toEqual([]);
    expect(firing(staticJob(), operator())).toEqual([]);
  });
});
