import { type JsonObject } from '../../../src/facts/api/schema';
import { rayRules } from '../../../src/constructs/ray/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { expectRuleFacts, rulesSurvive } from '../../support/rules-survive';
import { clusterSpec, group, rayCluster, rayCronJob, rayJob, rayService, selectingJob, yaml } from './objects';

const firing = (object: JsonObject): readonly string[] =>
  rulesFiring(yaml(object), rayRules).map((id) => id.replace('ray/', ''));
const workers = (...list: readonly JsonObject[]): JsonObject => rayCluster(clusterSpec({}, {}, list));
const v2 = { enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v2' } };
const headEnv = (name: string, value = '1', cluster: JsonObject = {}): JsonObject =>
  rayCluster(clusterSpec(cluster, group({}, {}, { env: [{ name, value }] })));
const gpus = (count: number): JsonObject => ({ resources: { limits: { 'nvidia.com/gpu': count } } });
const rules = (...deletionRules: readonly JsonObject[]): JsonObject =>
  rayJob({ deletionStrategy: { deletionRules: [...deletionRules] } });
const after = (policy: string, ttlSeconds: number): JsonObject => ({
  policy,
  condition: { jobStatus: 'SUCCEEDED', ttlSeconds },
});
const upgrade = (options: JsonObject, type = 'NewClusterWithIncrementalUpgrade'): JsonObject =>
  rayService({
    rayClusterConfig: clusterSpec(v2),
    upgradeStrategy: {
      type,
      clusterUpgradeOptions: { gatewayClassName: 'g', intervalSeconds: 5, stepSizePercent: 10, ...options },
    },
  });
const submitted = (pod: JsonObject, job: JsonObject = {}): JsonObject =>
  rayJob({ submitterPodTemplate: { spec: { containers: [{ name: 'submit', image: 'x' }], ...pod } }, ...job });
const redis = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };

test.each<[string, JsonObject]>([
  ['a cluster of another type, which the schema rejects', rayJob({ rayClusterSpec: 'small' })],
  ['a RayCluster', rayCluster()],
  ['a RayJob', rayJob()],
  ['a RayJob on a selected cluster', selectingJob()],
  ['a RayService', rayService()],
  ['a RayCronJob', rayCronJob({ timeZone: 'Europe/Berlin' })],
  ['the longest names', rayCluster(undefined, { name: 'a'.repeat(53) })],
  ['workers in bounds', workers(group({ replicas: 2, minReplicas: 1, maxReplicas: 2 }))],
  ['resources as labels of Ray', workers(group({ resources: { 'num-gpus': '1' }, labels: { 'ray.io/zone': 'a' } }))],
  [
    'autoscaler v2 with all of it',
    rayCluster(clusterSpec(v2, {}, [group({ idleTimeoutSeconds: 0 }, { restartPolicy: 'Never' })])),
  ],
  ['autoscaler v2 by a variable', headEnv('RAY_enable_autoscaler_v2', 'true', { enableInTreeAutoscaling: true })],
  ['fault tolerance by options', rayCluster(clusterSpec(redis))],
  [
    'fault tolerance by annotation',
    {
      ...headEnv('RAY_REDIS_ADDRESS', 'redis:6379'),
      metadata: { name: 'ray', annotations: { 'ray.io/ft-enabled': 'true' } },
    },
  ],
  [
    'fault tolerance by annotation, in any case',
    {
      ...headEnv('RAY_REDIS_ADDRESS', 'redis:6379'),
      metadata: { name: 'ray', annotations: { 'ray.io/ft-enabled': 'True' } },
    },
  ],
  ['a suspended group without the autoscaler', workers(group({ suspend: true }))],
  ['as many workers as the lower bound', workers(group({ replicas: 1, minReplicas: 1, maxReplicas: 2 }))],
  ['steps as large as the surge', upgrade({ stepSizePercent: 50, maxSurgePercent: 50 })],
  ['steps and a surge of all', upgrade({ stepSizePercent: 100, maxSurgePercent: 100 })],
  ['steps of all without a stated surge', upgrade({ stepSizePercent: 100 })],
  ['no surge, and no steps', upgrade({ stepSizePercent: 0, maxSurgePercent: 0 })],
  ['the shortest pause', upgrade({ intervalSeconds: 1 })],
  ['the shortest deadlines', rayJob({ activeDeadlineSeconds: 1, preRunningDeadlineSeconds: 1, backoffLimit: 0 })],
  ['a single deletion, with a time that the schema rejects', rules(after('DeleteCluster', -2))],
  ['deletions in order', rules(after('DeleteWorkers', 0), after('DeleteCluster', 30), after('DeleteSelf', 60))],
  [
    'deletions at one time, in any order of the list',
    rules(after('DeleteSelf', 60), after('DeleteWorkers', 60), after('DeleteCluster', 60)),
  ],
  [
    'deletions of one kind after two outcomes',
    rules(after('DeleteSelf', 0), { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 60 } }),
  ],
  [
    'nothing deleted, and no shutdown',
    rayJob({ deletionStrategy: { onSuccess: { policy: 'DeleteNone' }, onFailure: { policy: 'DeleteNone' } } }),
  ],
  ['a token', rayCluster(clusterSpec({ authOptions: { mode: 'token' } }))],
  ['GPUs that are stated as they are', workers(group({ rayStartParams: { 'num-gpus': '8' } }, {}, gpus(8)))],
  ["an image of one's own", workers(group({}, {}, { image: 'registry.example.com/team/ray-app:1.0' }))],
  [
    'a suspended job that shuts down',
    rayJob({ suspend: true, shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 60 }),
  ],
  ...['Never', 'OnFailure'].map((policy): [string, JsonObject] => [
    `a submitter with restartPolicy ${policy}`,
    submitted({ restartPolicy: policy }),
  ]),
  ['a submitter that is not used', submitted({}, { submissionMode: 'HTTPMode' })],
  ['a sidecar', rayJob({ submissionMode: 'SidecarMode', backoffLimit: 2 })],
  ['deletion in order', rules(after('DeleteSelf', 60), after('DeleteWorkers', 0), after('DeleteCluster', 60))],
  ['an incremental upgrade', upgrade({})],
  ['an initializing timeout', rayService({}, { annotations: { 'ray.io/initializing-timeout': '1h30m' } })],
])('nothing is said of %s', (_what, object) => {
  expect(findingsOf(yaml(object), rayRules)).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  ['a RayCluster without a spec', { ...rayCluster(), spec: null }, 'object-has-spec'],
  ['a RayService without a spec', { ...rayService(), spec: null }, 'object-has-spec'],
  ['a submitter without a restartPolicy', submitted({}), 'job-submitter-restart-policy'],
  ['a submitter that restarts always', submitted({ restartPolicy: 'Always' }), 'job-submitter-restart-policy'],
  ['a long name of a cluster', rayCluster(undefined, { name: 'a'.repeat(54) }), 'name-fits'],
  ['a long name of a job', rayJob({}, { name: 'a'.repeat(48) }), 'name-fits'],
  ['a long name of a cron job', rayCronJob({}, { name: 'a'.repeat(37) }), 'name-fits'],
  ['a name that begins with a digit', rayService({}, { name: '9' }), 'name-fits'],
  ['two groups of one name', workers(group(), group()), 'worker-group-names-unique'],
  ['bounds out of order', workers(group({ minReplicas: 3, maxReplicas: 2 })), 'worker-group-range-ordered'],
  ['a negative bound', workers(group({ minReplicas: -1 })), 'worker-group-range-ordered'],
  ['replicas out of bounds', workers(group({ replicas: 5, maxReplicas: 2 })), 'worker-group-replicas-in-range'],
  [
    'resources stated twice',
    workers(group({ resources: { CPU: '1' }, rayStartParams: { 'num-cpus': '1' } })),
    'resources-stated-once',
  ],
  ['labels among start parameters', workers(group({ rayStartParams: { labels: 'a=b' } })), 'labels-valid'],
  ['a label that is none', workers(group({ labels: { 'a b': 'c' } })), 'labels-valid'],
  [
    'a suspended group with the autoscaler',
    rayCluster(clusterSpec({ enableInTreeAutoscaling: true }, {}, [group({ suspend: true })])),
    'worker-group-suspended-without-autoscaler',
  ],
  [
    'a token without a version',
    rayCluster(clusterSpec({ authOptions: { mode: 'token' }, rayVersion: '' })),
    'auth-needs-version',
  ],
  [
    'a token with an old version',
    rayCluster(
      clusterSpec({ authOptions: { mode: 'token' }, rayVersion: '2.40.0' }, group({}, {}, { image: 'x' }), []),
    ),
    'auth-needs-version',
  ],
  [
    'a Kubernetes token without the mode',
    rayCluster(clusterSpec({ authOptions: { enableK8sTokenAuth: true } })),
    'auth-needs-version',
  ],
  ['a gated option', rayCluster(clusterSpec({ tlsOptions: { enabled: true } })), 'gated-options-enabled'],
  ['another version of the image', rayCluster(clusterSpec({ rayVersion: '2.9.0' })), 'version-matches-image'],
  ['GPUs that there are not', workers(group({ rayStartParams: { 'num-gpus': '8' } }, {}, gpus(4))), 'gpus-are-devices'],
  ['a Redis password by variable', headEnv('REDIS_PASSWORD', 'x', redis), 'gcs-fault-tolerance-stated-once'],
  ['a Redis address without options', headEnv('RAY_REDIS_ADDRESS'), 'gcs-fault-tolerance-stated-once'],
  [
    'an annotation beside options',
    rayCluster(clusterSpec(redis), { annotations: { 'ray.io/ft-enabled': 'true' } }),
    'gcs-fault-tolerance-stated-once',
  ],
  [
    'Redis with rocksdb',
    rayCluster(clusterSpec({ gcsFaultToleranceOptions: { backend: 'rocksdb', redisAddress: 'a' } })),
    'gcs-storage-fits-backend',
  ],
  [
    'a claim that is described',
    rayCluster(
      clusterSpec({ gcsFaultToleranceOptions: { backend: 'rocksdb', storage: { claimName: 'a', size: '1Gi' } } }),
    ),
    'gcs-storage-fits-backend',
  ],
  [
    'pods that restart under autoscaler v2',
    rayCluster(clusterSpec(v2, {}, [group({}, { restartPolicy: 'Always' })])),
    'autoscaler-v2-restart-policy',
  ],
  ['autoscaler v2 stated twice', headEnv('RAY_enable_autoscaler_v2', '1', v2), 'autoscaler-version-stated-once'],
  ['autoscaler v2 without the autoscaler', headEnv('RAY_enable_autoscaler_v2'), 'autoscaler-version-stated-once'],
  [
    'an idle timeout under autoscaler v1',
    rayCluster(clusterSpec({ enableInTreeAutoscaling: true }, {}, [group({ idleTimeoutSeconds: 5 })])),
    'group-settings-need-autoscaler-v2',
  ],
  [
    'a priority in an old Ray',
    rayCluster(clusterSpec(v2, {}, [group({ priority: 5 })])),
    'group-settings-need-autoscaler-v2',
  ],
  ['a suspended job that keeps its cluster', rayJob({ suspend: true }), 'job-suspend-and-ttl-shut-down'],
  ['a TTL of nothing', rayJob({ ttlSecondsAfterFinished: 5 }), 'job-suspend-and-ttl-shut-down'],
  ['a job without a cluster', rayJob({ rayClusterSpec: null }), 'job-has-cluster'],
  ['a selector without a name', selectingJob({ clusterSelector: { a: 'b' } }), 'job-has-cluster'],
  ['a retry on a selected cluster', selectingJob({ backoffLimit: 1 }), 'job-has-cluster'],
  ['an unknown mode', rayJob({ submissionMode: 'HTTP' }), 'job-submission-mode-fits'],
  [
    'a sidecar with a submitter',
    rayJob({ submissionMode: 'SidecarMode', submitterConfig: {} }),
    'job-submission-mode-fits',
  ],
  ['a retry by hand', rayJob({ submissionMode: 'InteractiveMode', backoffLimit: 1 }), 'job-submission-mode-fits'],
  ['a deadline of nothing', rayJob({ activeDeadlineSeconds: 0 }), 'job-limits-positive'],
  [
    'rules beside shutdown',
    rayJob({ shutdownAfterJobFinishes: true, deletionStrategy: { deletionRules: [after('DeleteSelf', 0)] } }),
    'job-deletion-strategy-fits',
  ],
  [
    'an outcome without a policy',
    rayJob({ deletionStrategy: { onSuccess: { policy: 'DeleteNone' }, onFailure: {} } }),
    'job-deletion-strategy-fits',
  ],
  ['one rule twice', rules(after('DeleteSelf', 0), after('DeleteSelf', 5)), 'job-deletion-strategy-fits'],
  [
    'the job before its cluster',
    rules(after('DeleteCluster', 60), after('DeleteSelf', 5)),
    'job-deletion-strategy-fits',
  ],
  [
    'the cluster of others',
    selectingJob({ deletionStrategy: { deletionRules: [after('DeleteCluster', 0)] } }),
    'job-deletion-strategy-fits',
  ],
  [
    'the workers after their cluster',
    rules(after('DeleteCluster', 5), after('DeleteWorkers', 6)),
    'job-deletion-strategy-fits',
  ],
  [
    'the cluster before its workers, in the other order of the list',
    rules(after('DeleteWorkers', 6), after('DeleteCluster', 5)),
    'job-deletion-strategy-fits',
  ],
  [
    'the workers of others',
    selectingJob({ deletionStrategy: { deletionRules: [after('DeleteWorkers', 0)] } }),
    'job-deletion-strategy-fits',
  ],
  [
    'workers that the autoscaler deletes',
    rayJob({
      rayClusterSpec: clusterSpec({ enableInTreeAutoscaling: true }),
      deletionStrategy: { onSuccess: { policy: 'DeleteWorkers' }, onFailure: { policy: 'DeleteNone' } },
    }),
    'job-deletion-strategy-fits',
  ],
  [
    'nothing deleted, beside shutdown',
    rayJob({
      shutdownAfterJobFinishes: true,
      deletionStrategy: { onSuccess: { policy: 'DeleteNone' }, onFailure: { policy: 'DeleteCluster' } },
    }),
    'job-deletion-strategy-fits',
  ],
  ['a second deadline of nothing', rayJob({ preRunningDeadlineSeconds: 0 }), 'job-limits-positive'],
  ['a number of retries below nothing', rayJob({ backoffLimit: -1 }), 'job-limits-positive'],
  [
    'a named head service',
    rayService({ rayClusterConfig: clusterSpec({}, { headService: { metadata: { name: 'a' } } }) }),
    'service-head-service-unnamed',
  ],
  ['an unknown upgrade', upgrade({}, 'Rolling'), 'service-upgrade-fits'],
  ['a step above the surge', upgrade({ stepSizePercent: 60, maxSurgePercent: 50 }), 'service-upgrade-fits'],
  ['a surge above everything', upgrade({ maxSurgePercent: 101 }), 'service-upgrade-fits'],
  ['a surge below nothing', upgrade({ maxSurgePercent: -1, stepSizePercent: 0 }), 'service-upgrade-fits'],
  ['a step below nothing', upgrade({ stepSizePercent: -1 }), 'service-upgrade-fits'],
  ['a step above everything', upgrade({ stepSizePercent: 101 }), 'service-upgrade-fits'],
  ['steps without a surge', upgrade({ stepSizePercent: 1, maxSurgePercent: 0 }), 'service-upgrade-fits'],
  ['an upgrade without pause', upgrade({ intervalSeconds: 0 }), 'service-upgrade-fits'],
  [
    'a timeout that is none',
    rayService({}, { annotations: { 'ray.io/initializing-timeout': 'soon' } }),
    'service-initializing-timeout-valid',
  ],
  ['a schedule with a zone', rayCronJob({ schedule: 'TZ=UTC 0 3 * * *' }), 'cron-schedule-valid'],
  ['a zone that is none', rayCronJob({ timeZone: 'Mars/Olympus' }), 'cron-schedule-valid'],
])('%s is said', (_what, object, rule) => {
  expect(firing(object)).toEqual([rule]);
});

test.each([
  [{ replicas: 5, minReplicas: 1, maxReplicas: 2 }, 2],
  [{ replicas: 0, minReplicas: 1, maxReplicas: 2 }, 1],
])('%j runs the nearer bound', (counts, workersThatRun) => {
  const [finding, ...others] = findingsOf(yaml(workers(group(counts))), rayRules);
  expect(others).toEqual([]);
  expect(finding?.message).toMatch(new RegExp(`KubeRay creates ${workersThatRun} instead of \\d+$`));
});

test('a deletion before what has to be deleted first names both times', () => {
  const found = findingsOf(
    yaml(rules(after('DeleteWorkers', 6), after('DeleteSelf', 60), after('DeleteCluster', 5))),
    rayRules,
  );
  expect(found.map(({ path, message }) => [path, message])).toEqual([
    [
      '/spec/deletionStrategy/deletionRules/2/condition',
      'DeleteCluster after 5 s contradicts DeleteWorkers after 6 s: the policy that deletes less must come first',
    ],
  ]);
});

test('what is wrong in the cluster of a job or a service is said there', () => {
  const wrong = clusterSpec({}, {}, [group({ minReplicas: 3, maxReplicas: 2 })]);
  for (const [object, path] of [
    [rayJob({ rayClusterSpec: wrong }), '/spec/rayClusterSpec/'],
    [rayService({ rayClusterConfig: wrong }), '/spec/rayClusterConfig/'],
    [rayCronJob({ jobTemplate: { entrypoint: 'a', rayClusterSpec: wrong } }), '/spec/jobTemplate/rayClusterSpec/'],
  ] as const) {
    expect(findingsOf(yaml(object), rayRules).map((finding) => finding.path)).toEqual([
      `${path}workerGroupSpecs/0/minReplicas`,
    ]);
  }
});

test('rules survive any value in any place', () => {
  rulesSurvive(rayRules, [
    rayCluster(
      clusterSpec(
        { ...v2, ...redis, authOptions: { mode: 'token' } },
        group({}, {}, { env: [{ name: 'A', value: 'b' }] }),
        [group({ labels: { a: 'b' } }, {}, gpus(1))],
      ),
    ),
    rayJob({ deletionStrategy: { deletionRules: [after('DeleteSelf', 0), after('DeleteCluster', 0)] } }),
    upgrade({}),
    rayCronJob({ timeZone: 'UTC' }),
  ]);
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(rayRules, 'ray', /^RA\d+$/);
});

describe('texts that Ray reads later', () => {
  const autoscaled = (container: JsonObject, startParams: JsonObject = {}): JsonObject =>
    rayCluster(
      clusterSpec({ enableInTreeAutoscaling: true }, {}, [
        { ...group({}, {}, container), rayStartParams: startParams },
      ]),
    );
  const resources = (text: string): JsonObject => workers({ ...group(), rayStartParams: { resources: text } });

  test.each<[string, JsonObject, string]>([
    ['an environment that is no YAML', rayJob({ runtimeEnvYAML: 'pip: [torch' }), 'runtime-env-is-yaml'],
    ['an environment that is a text', rayJob({ runtimeEnvYAML: 'torch' }), 'runtime-env-is-yaml'],
    ['resources that the shell breaks', resources('{"tpu": 1}'), 'start-resources-are-quoted-json'],
    ['resources in double quotes only', resources('"{"tpu": 1}"'), 'start-resources-are-quoted-json'],
    [
      'an autoscaled group without CPUs',
      autoscaled({ resources: { limits: { memory: '1Gi' } } }),
      'autoscaled-group-states-cpus',
    ],
  ])('%s is found', (_, object, rule) => {
    expect(firing(object)).toContain(rule);
  });

  test.each<[string, JsonObject, string]>([
    ['an environment', rayJob({ runtimeEnvYAML: 'pip:\n  - torch\n' }), 'runtime-env-is-yaml'],
    ['escaped resources', resources('"{\\"tpu\\": 1}"'), 'start-resources-are-quoted-json'],
    ['resources in single quotes', resources('\'{"tpu": 1}\''), 'start-resources-are-quoted-json'],
    ['a limit', autoscaled({ resources: { limits: { cpu: 4 } } }), 'autoscaled-group-states-cpus'],
    ['a request', autoscaled({ resources: { requests: { cpu: '4' } } }), 'autoscaled-group-states-cpus'],
    ['num-cpus', autoscaled({ resources: {} }, { 'num-cpus': '4' }), 'autoscaled-group-states-cpus'],
    ['no autoscaler', workers(group()), 'autoscaled-group-states-cpus'],
  ])('%s is right', (_, object, rule) => {
    expect(firing(object)).not.toContain(rule);
  });
});

describe('tokens', () => {
  const saidOf = (object: JsonObject): readonly string[] =>
    findingsOf(yaml(object), rayRules)
      .filter(({ rule }) => rule === 'ray/auth-needs-version')
      .map(({ path, message }) => `${path} ${message}`);
  const spec = (rayVersion: string, authOptions: JsonObject): JsonObject =>
    clusterSpec({ rayVersion, authOptions: { mode: 'token', ...authOptions } });
  const kubernetes = { enableK8sTokenAuth: true };

  test.each<[string, JsonObject, boolean]>([
    ['2.51.9', {}, true],
    ['2.52.0', {}, false],
    ['2.52.0', { secretName: 'a' }, false],
    ['2.54.9', kubernetes, true],
    ['2.55.0', kubernetes, false],
    ['2.55.0', { ...kubernetes, secretName: '' }, false],
  ])('of Ray %s with %j', (version, options, isRefused) => {
    const refused = `/spec/rayVersion Ray ${version} does not support authOptions.mode: token`;
    expect(saidOf(rayCluster(spec(version, options)))).toEqual(isRefused ? [refused] : []);
  });

  test('of Kubernetes are for a RayCluster without a Secret', () => {
    expect(saidOf(rayCluster(spec('2.55.0', { ...kubernetes, secretName: 'a' })))).toEqual([
      '/spec/authOptions/secretName secretName must not be set when enableK8sTokenAuth is set',
    ]);
    const cluster = spec('2.55.0', kubernetes);
    expect(saidOf(rayJob({ rayClusterSpec: cluster }))).toEqual([
      '/spec/rayClusterSpec/authOptions/enableK8sTokenAuth enableK8sTokenAuth is not supported for a RayJob',
    ]);
    expect(saidOf(rayService({ rayClusterConfig: cluster }))).toEqual([
      '/spec/rayClusterConfig/authOptions/enableK8sTokenAuth enableK8sTokenAuth is not supported for a RayService',
    ]);
  });
});
