import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf } from '../../support/findings';
import { container, elasticJob, job, masterWorker, mpiJob, role, rolesWith, staticJob, yaml } from './jobs';

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
    expect(finding?.message).toContain('and another role uses that port');
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
      { fix: `Rename the key "${name}" in xgbReplicaSpecs to Master or Worker.` },
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
