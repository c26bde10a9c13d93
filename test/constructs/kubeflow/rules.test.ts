import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf, rulesFiring } from '../../support/findings';
import { container, elasticJob, job, masterWorker, mpiJob, role, rolesWith, staticJob, yaml } from './jobs';

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

describe('elastic jobs', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    [
      'no Worker',
      elasticJob({}, { pytorchReplicaSpecs: { Master: role(1) } }),
      ['kubeflow/elastic-has-worker', 'kubeflow/elastic-is-workers-only'],
    ],
    ['nProcPerNode beside nprocPerNode', elasticJob({ nProcPerNode: 8 }), ['kubeflow/nproc-per-node-stated-once']],
    ['a number of processes that is none', elasticJob({}, { nprocPerNode: '0' }), ['kubeflow/nproc-per-node-known']],
    ['an unknown backend', elasticJob({ rdzvBackend: 'zookeeper' }), ['kubeflow/rendezvous-backend-known']],
    ['etcd without its address', elasticJob({ rdzvBackend: 'etcd-v2' }), ['kubeflow/etcd-backend-has-host']],
    ['an empty rdzvConf', elasticJob({ rdzvConf: [] }), ['kubeflow/rendezvous-conf-not-empty']],
    ['a range upside down', elasticJob({ minReplicas: 8, maxReplicas: 4 }), ['kubeflow/elastic-range-ordered']],
    ['too few Workers', elasticJob({ minReplicas: 6 }), ['kubeflow/elastic-workers-in-range']],
    [
      'a number of Workers in quotes, which schema/type reports',
      elasticJob({ minReplicas: 6 }, { pytorchReplicaSpecs: { Worker: { ...role(4), replicas: '4' } } }),
      [],
    ],
    ['too many Workers', elasticJob({ minReplicas: 2, maxReplicas: 3 }), ['kubeflow/elastic-workers-in-range']],
    [
      'a Master',
      elasticJob({}, { pytorchReplicaSpecs: { Master: role(1), Worker: role(4) } }),
      ['kubeflow/elastic-is-workers-only'],
    ],
    ['stand-alone pods', elasticJob({ standalone: true }), ['kubeflow/standalone-is-one-pod']],
    [
      'Workers alone without elasticPolicy',
      staticJob({ pytorchReplicaSpecs: { Worker: role(4) } }),
      ['kubeflow/static-has-master'],
    ],
    [
      'a PaddleJob with its range upside down',
      job('PaddleJob', { Worker: { replicas: 4 } }, { elasticPolicy: { minReplicas: 5, maxReplicas: 4 } }),
      ['kubeflow/elastic-range-ordered'],
    ],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('one bound stands for the other', () => {
    const bounded = (policy: JsonObject): JsonObject =>
      staticJob({ elasticPolicy: { maxRestarts: 3, ...policy }, pytorchReplicaSpecs: { Worker: role(4) } });
    expect(firing(bounded({ minReplicas: 4 }))).toEqual([]);
    expect(firing(bounded({ maxReplicas: 8 }))).toEqual(['kubeflow/elastic-workers-in-range']);
    expect(firing(bounded({}))).toEqual([]);
  });

  test('no maxRestarts is 0 restarts', () => {
    const policy = { minReplicas: 4, maxReplicas: 8 };
    expect(firing(staticJob({ elasticPolicy: policy, pytorchReplicaSpecs: { Worker: role(4) } }))).toEqual([
      'kubeflow/elastic-max-restarts-stated',
    ]);
  });

  test('nProcPerNode alone still works and is only warned of', () => {
    const { elasticPolicy, pytorchReplicaSpecs } = elasticJob({ nProcPerNode: 8 }).spec as {
      [key: string]: JsonObject;
    };
    const [finding] = findingsOf(
      yaml({ ...elasticJob(), spec: { elasticPolicy, pytorchReplicaSpecs } }),
      kubeflowRules,
    );
    expect(finding).toMatchObject({ rule: 'kubeflow/nproc-per-node-stated-once', tier: 'advice', severity: 'warning' });
  });
});

describe('roles that should look alike', () => {
  test.each<[JsonObject, string, string | undefined, string]>([
    [{}, '', undefined, 'uses the default scheduler'],
    [{ schedulerName: 'kai' }, '/schedulerName', 'kai', 'uses "kai"'],
  ])('a role with the scheduler of %j', (pod, path, found, words) => {
    const object = staticJob(masterWorker(role(1, { pod: { schedulerName: 'volcano' } }), role(3, { pod })));
    const [finding] = findingsOf(yaml(object), kubeflowRules).filter(({ rule }) => rule.endsWith('share-scheduler'));
    expect([finding.expected, finding.found]).toEqual(['volcano', found]);
    expect(finding.path).toBe(`/spec/pytorchReplicaSpecs/Worker/template/spec${path}`);
    expect(finding.message).toContain(words);
  });

  const claim = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
  const mounted = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };

  test.each<[string, JsonObject, readonly string[]]>([
    [
      'the scheduler of one role only',
      staticJob({
        runPolicy: { schedulingPolicy: {} },
        ...masterWorker(role(1), role(3, { pod: { schedulerName: 'volcano' } })),
      }),
      ['kubeflow/roles-share-scheduler'],
    ],
    [
      'the host network of one role only',
      staticJob(masterWorker(role(1), role(3, { pod: { hostNetwork: true } }))),
      ['kubeflow/roles-share-network'],
    ],
    [
      'data of one role only',
      staticJob(masterWorker(role(1, { pod: claim, container: mounted }), role(3))),
      ['kubeflow/roles-share-data'],
    ],
    [
      'other devices',
      staticJob({
        nprocPerNode: 'auto',
        ...masterWorker(
          role(1, { container: { resources: { limits: { 'nvidia.com/gpu': 1 } } } }),
          role(3, { container: { resources: { limits: { 'nvidia.com/gpu': 8 } } } }),
        ),
      }),
      ['kubeflow/roles-have-equal-devices'],
    ],
    [
      'requests of one role only',
      staticJob(masterWorker(role(1), role(3, { container: { resources: { limits: { 'nvidia.com/gpu': 8 } } } }))),
      ['kubeflow/roles-request-alike'],
    ],
  ])('%s', (_what, object, rules) => {
    expect(firing(object)).toEqual(rules);
  });

  test('a volume that is no data may differ', () => {
    const scratch = { volumes: [{ name: 'data', emptyDir: {} }] };
    expect(firing(staticJob(masterWorker(role(1, { pod: scratch, container: mounted }), role(3))))).toEqual([]);
  });

  test('roles that differ by design may differ', () => {
    const launcher = {
      template: { spec: { hostNetwork: true, ...claim, containers: [{ ...container(), name: 'mpi', ...mounted }] } },
    };
    expect(firing(job('MPIJob', { Launcher: launcher, Worker: { replicas: 2 } }))).toEqual([]);
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

describe('details of findings', () => {
  const found = (object: JsonObject, rule: string): ReturnType<typeof findingsOf> =>
    findingsOf(yaml(object), kubeflowRules).filter((finding) => finding.rule === `kubeflow/${rule}`);

  test('too few Workers are reported at their number, or at the role that has none', () => {
    const workers = (replicas: number | undefined): JsonObject =>
      elasticJob({}, { pytorchReplicaSpecs: { Worker: role(replicas) } });
    const at = '/spec/pytorchReplicaSpecs/Worker';
    expect(found(workers(3), 'elastic-workers-in-range')).toMatchObject([{ path: `${at}/replicas`, found: 3 }]);
    expect(found(workers(undefined), 'elastic-workers-in-range')).toMatchObject([{ path: at, found: 1 }]);
    expect(found(workers(9), 'elastic-workers-in-range')).toMatchObject([{ path: `${at}/replicas`, found: 9 }]);
    expect([4, 8].flatMap((replicas) => found(workers(replicas), 'elastic-workers-in-range'))).toEqual([]);
  });

  test('more processes than devices are an error, fewer a warning', () => {
    const severity = (processes: string): unknown =>
      found(staticJob({ nprocPerNode: processes }), 'nproc-per-node-is-device-count').map(
        (finding) => finding.severity,
      );
    expect([severity('16'), severity('9'), severity('7'), severity('8')]).toEqual([
      ['error'],
      ['error'],
      ['warning'],
      [],
    ]);
  });

  test('only the roles whose port differs from the port of the operator are reported, with the role that agrees', () => {
    const other = role(3, { container: { command: ['torchrun', '--master_port=29500', 'train.py'] } });
    const [finding, ...more] = found(staticJob(masterWorker(role(1), other)), 'torchrun-port-is-operators');
    expect(more).toEqual([]);
    expect(finding?.message).toContain('which another role uses');
    const all = found(
      staticJob(rolesWith({ command: ['torchrun', '--master_port=29500', 'x.py'] })),
      'torchrun-port-is-operators',
    );
    expect(all.map(({ message }) => message.includes('another role'))).toEqual([false, false]);
  });

  const launches = (variable: string): { readonly container: JsonObject } => ({
    container: { command: ['sh', '-c', `python train.py --x $${variable}`] },
  });
  const undefinedIn = (object: JsonObject): number => found(object, 'launch-variables-set-by-operator').length;

  test.each([
    'PYTHONUNBUFFERED',
    'PET_NPROC_PER_NODE',
    'PET_NNODES',
    'MASTER_ADDR',
    'MASTER_PORT',
    'PET_MASTER_ADDR',
    'PET_MASTER_PORT',
    'WORLD_SIZE',
    'RANK',
    'PET_NODE_RANK',
  ])('the operator sets %s in a job with a Master', (variable) => {
    expect(undefinedIn(staticJob(masterWorker(role(1, launches(variable)), role(3))))).toBe(0);
  });

  test('it sets no other one', () => {
    expect(undefinedIn(staticJob(masterWorker(role(1, launches('NODE_RANK')), role(3))))).toBe(1);
  });

  test('the longest derived name counts, whichever role has it', () => {
    // "<name>-worker-0" has 63 characters with a name of 54, "<name>-ps-0" fewer.
    const named = (length: number, roles: Readonly<Record<string, JsonObject>>): JsonObject => ({
      ...job('TFJob', roles),
      metadata: { name: 'a'.repeat(length), namespace: 'ml' },
    });
    for (const roles of [
      { Worker: { replicas: 1 }, PS: { replicas: 1 } },
      { PS: { replicas: 1 }, Worker: { replicas: 1 } },
    ]) {
      expect(found(named(54, roles), 'derived-names-fit')).toEqual([]);
      expect(found(named(55, roles), 'derived-names-fit')).toHaveLength(1);
    }
  });

  test.each([
    ['emptyDir', {}],
    ['configMap', { name: 'x' }],
    ['secret', { secretName: 'x' }],
    ['projected', { sources: [] }],
    ['downwardAPI', { items: [] }],
  ])('a volume of the kind %s holds no data, so one role may have it alone', (kind, source) => {
    const pod = { volumes: [{ name: 'data', [kind]: source }] };
    const mounted = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    expect(found(staticJob(masterWorker(role(1, { pod, container: mounted }), role(3))), 'roles-share-data')).toEqual(
      [],
    );
  });

  test('a gang smaller than the job is a warning where all pods start together, and right where they need not', () => {
    const gang = (minAvailable: number): JsonObject => ({ runPolicy: { schedulingPolicy: { minAvailable } } });
    const roles = { Worker: { replicas: 4 } };
    expect(found(job('JAXJob', roles, gang(2)), 'gang-min-available-fits')).toMatchObject([{ severity: 'warning' }]);
    expect(found(job('TFJob', roles, gang(2)), 'gang-min-available-fits')).toEqual([]);
    expect(found(job('MPIJob', { Launcher: {}, ...roles }, gang(2)), 'gang-min-available-fits')).toEqual([]);
    for (const kind of ['TFJob', 'JAXJob']) {
      expect(found(job(kind, roles, gang(5)), 'gang-min-available-fits')).toMatchObject([{ severity: 'error' }]);
      expect(found(job(kind, roles, gang(4)), 'gang-min-available-fits')).toEqual([]);
    }
  });

  test.each([0, '0', '500m', 'many'])('%j devices are not compared with nprocPerNode', (devices) => {
    const resources = { limits: { 'nvidia.com/gpu': devices } };
    expect(found(staticJob(rolesWith({ resources })), 'nproc-per-node-is-device-count')).toEqual([]);
  });

  test('an etcd backend needs host and port; without the host it cannot work', () => {
    const etcd = (policy: JsonObject): readonly unknown[] =>
      found(elasticJob({ rdzvBackend: 'etcd', ...policy }), 'etcd-backend-has-host').map((finding) => [
        finding.severity,
        finding.expected,
      ]);
    expect(etcd({})).toEqual([['error', 'rdzvHost and rdzvPort']]);
    expect(etcd({ rdzvPort: 2379 })).toEqual([['error', 'rdzvHost']]);
    expect(etcd({ rdzvHost: 'etcd' })).toEqual([['warning', 'rdzvPort']]);
    expect(etcd({ rdzvHost: 'etcd', rdzvPort: 2379 })).toEqual([]);
    expect(found(elasticJob({ rdzvBackend: 'c10d' }), 'etcd-backend-has-host')).toEqual([]);
  });

  test.each([
    [{ Worker: 1 }, 0],
    [{ Worker: 2 }, 1],
    [{ Master: 1 }, 0],
    [{ Master: 1, Worker: 1 }, 1],
  ])('a standalone group in %j', (roles, count) => {
    const specs = Object.fromEntries(Object.entries(roles).map(([name, replicas]) => [name, role(replicas)]));
    const standalone = elasticJob({ standalone: true }, { pytorchReplicaSpecs: specs });
    expect(
      findingsOf(yaml(standalone), kubeflowRules).filter(({ path }) => path === '/spec/elasticPolicy/standalone'),
    ).toHaveLength(count);
  });

  test.each(['x29500', '29500x', ''])('--master_port=%s is not a literal port', (port) => {
    const command = ['torchrun', `--master_port=${port}`, 'train.py'];
    expect(found(staticJob(rolesWith({ command })), 'torchrun-port-is-operators')).toEqual([]);
  });

  test.each([
    ['PyTorchJob', 'Worker', 'pytorch'],
    ['TFJob', 'Worker', 'tensorflow'],
    ['XGBoostJob', 'Worker', 'xgboost'],
    ['PaddleJob', 'Worker', 'paddle'],
    ['JAXJob', 'Worker', 'jax'],
  ])('a %s names its container %s: %s', (kind, roleName, name) => {
    const withContainers = (...names: readonly string[]): JsonObject =>
      job(kind, {
        [roleName]: { template: { spec: { containers: names.map((one) => ({ name: one, image: 'x' })) } } },
      });
    expect(found(withContainers(name), 'default-container-present')).toEqual([]);
    expect(found(withContainers('main', name), 'default-container-present')).toEqual([]);
    expect(found(withContainers('main'), 'default-container-present')).toMatchObject([
      { path: expect.stringMatching(/containers\/0\/name$/) as string, found: 'main', expected: name },
    ]);
    expect(found(withContainers('main', 'log'), 'default-container-present')).toMatchObject([
      { path: expect.stringMatching(/spec\/containers$/) as string },
    ]);
  });

  test.each(['worker', 'WORKER', 'wOrKeR'])('TFJob repairs the role %s', (name) => {
    expect(found(job('TFJob', { [name]: { replicas: 1 } }), 'role-known')).toEqual([]);
    expect(found(job('XGBoostJob', { [name]: { replicas: 1 } }), 'role-known')).toMatchObject([
      { fix: `Rename the key "${name}" of xgbReplicaSpecs to Master or Worker.` },
    ]);
  });

  test('a role with other devices, or without a request, is reported at its resources, or at the container without any', () => {
    const at = '/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0';
    const paths = (resources: JsonObject | undefined, rule: string): readonly string[] => {
      const bare = Object.fromEntries(Object.entries(container()).filter(([name]) => name !== 'resources'));
      const spec = { ...bare, ...(resources === undefined ? {} : { resources }) };
      const worker = { replicas: 3, restartPolicy: 'OnFailure', template: { spec: { containers: [spec] } } };
      return found(staticJob(masterWorker(role(1), worker)), rule).map(({ path }) => path);
    };
    expect(paths({ limits: { 'nvidia.com/gpu': 4 } }, 'roles-have-equal-devices')).toEqual([`${at}/resources`]);
    expect(paths(undefined, 'roles-have-equal-devices')).toEqual([at]);
    expect(paths({ limits: { 'nvidia.com/gpu': 8 } }, 'roles-request-alike')).toEqual([`${at}/resources`]);
    expect(paths(undefined, 'roles-request-alike')).toEqual([at]);
    expect(
      paths({ limits: { 'nvidia.com/gpu': 8, memory: '1Gi' }, requests: { cpu: '1' } }, 'roles-request-alike'),
    ).toEqual([]);
    expect(paths({ limits: { 'nvidia.com/gpu': 8 }, requests: { cpu: '1' } }, 'roles-request-alike')).toHaveLength(1);
    expect(paths({ limits: { 'nvidia.com/gpu': 8, memory: '1Gi' } }, 'roles-request-alike')).toHaveLength(1);
  });

  test.each([
    [undefined, '/spec/mpiReplicaSpecs/Worker'],
    [0, '/spec/mpiReplicaSpecs/Worker/replicas'],
  ])('an MPIJob of the mpi-operator with %s workers', (replicas, path) => {
    const template = { spec: { containers: [{ name: 'mpi', image: 'x' }] } };
    const worker = { template, ...(replicas === undefined ? {} : { replicas }) };
    const paths = findingsOf(yaml(mpiJob({}, { Worker: worker })), kubeflowRules).map((finding) => finding.path);
    expect(paths).toContain(path);
  });
});
