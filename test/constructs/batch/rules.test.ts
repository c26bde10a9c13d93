import { type JsonObject } from '../../../src/facts/api/schema';
import { batchRules } from '../../../src/constructs/batch/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { disaggregatedSet, jobSet, leaderWorkerSet, replicatedJob, template, yaml } from './sets';

const firing = (object: JsonObject): readonly string[] =>
  rulesFiring(yaml(object), batchRules).map((id) => id.replace('batch/', ''));
const jobs = (...list: readonly JsonObject[]): JsonObject => jobSet({ replicatedJobs: [...list] });
const rules = (...list: readonly JsonObject[]): JsonObject => jobSet({ failurePolicy: { rules: [...list] } });
const rollout = (configuration: JsonObject, replicas = 5): JsonObject =>
  leaderWorkerSet({ replicas, rolloutStrategy: { rollingUpdateConfiguration: configuration } });
const inPlace = { backoffLimit: 2147483647, podReplacementPolicy: 'Failed' };
const claims = (name: string, mounted: string): JsonObject =>
  jobSet({
    volumeClaimPolicies: [{ templates: [{ metadata: { name }, spec: {} }] }],
    replicatedJobs: [
      replicatedJob('a', {}, { template: template({}, { volumeMounts: [{ name: mounted, mountPath: '/d' }] }) }),
    ],
  });
const external = { scaling: { mode: 'External' } };

describe('nothing is said of', () => {
  test.each<[string, JsonObject]>([
    ['a plain JobSet', jobSet()],
    ['a JobSet that the server names', { ...jobSet(), metadata: { generateName: 'train-' } }],
    [
      'jobs that wait for earlier ones',
      jobs(replicatedJob('a'), replicatedJob('b', { dependsOn: [{ name: 'a', status: 'Ready' }] })),
    ],
    [
      'the longest name of a claim that fits',
      claims('d'.repeat(63 - '-train'.length), 'd'.repeat(63 - '-train'.length)),
    ],
    ['the longest name that fits', jobSet({}, { name: 'a'.repeat(63 - '-leader-0-1-abcde'.length) })],
    [
      'a longer name where pods are not indexed',
      jobSet({ replicatedJobs: [replicatedJob('a', {}, { completionMode: 'NonIndexed' })] }, { name: 'a'.repeat(59) }),
    ],
    [
      'policies that target jobs',
      jobSet({
        successPolicy: { operator: 'Any', targetReplicatedJobs: ['node'] },
        failurePolicy: { rules: [{ name: 'a_b', action: 'FailJobSet', targetReplicatedJobs: ['leader'] }] },
      }),
    ],
    [
      'failure rules without names',
      rules(
        { name: '', action: 'FailJobSet' },
        { name: '', action: 'RestartJobSet', onJobFailureReasons: ['PodFailurePolicy'] },
      ),
    ],
    ['a coordinator that there is', jobSet({ coordinator: { replicatedJob: 'node', podIndex: 1 } })],
    ['claims that are mounted', claims('data', 'data')],
    [
      'a podFailurePolicy with Never',
      jobs(replicatedJob('a', {}, { podFailurePolicy: { rules: [] }, template: template({ restartPolicy: 'Never' }) })),
    ],
    ['a manager', jobSet({ managedBy: 'kueue.x-k8s.io/multikueue' })],
    ['a LeaderWorkerSet', leaderWorkerSet()],
    ['a group of the leader alone', leaderWorkerSet({}, { size: 1 })],
    ['as many groups as 32 bits count', rollout({ maxSurge: 2 ** 31 - 1 })],
    ['a prefix beside a name', leaderWorkerSet({}, {}, { generateName: 'serve-' })],
    ['a rollout that adds', rollout({ maxSurge: '10%', maxUnavailable: 0 })],
    ['a rollout of no groups', rollout({ maxSurge: 0, maxUnavailable: 0 }, 0)],
    ['subgroups with the leader', leaderWorkerSet({}, { subGroupPolicy: { subGroupSize: 2 } })],
    [
      'subgroups beside the leader',
      leaderWorkerSet({}, { size: 9, subGroupPolicy: { subGroupSize: 4, subGroupPolicyType: 'LeaderExcluded' } }),
    ],
    [
      'a topology of subgroups',
      leaderWorkerSet(
        {},
        { subGroupPolicy: { subGroupSize: 2 } },
        { annotations: { 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology': 'rack' } },
      ),
    ],
    ['a DisaggregatedSet', disaggregatedSet()],
    [
      'one with a placement',
      disaggregatedSet({ placementPolicy: { type: 'ExclusiveSlice', topology: 'rack' }, slices: 2 }),
    ],
    ['one that scales externally', disaggregatedSet({}, external)],
  ])('%s', (_what, object) => {
    expect(findingsOf(yaml(object), batchRules)).toEqual([]);
  });
});

test.each<[string, JsonObject, string]>([
  ['a first job that waits', jobs(replicatedJob('a', { dependsOn: [] })), 'jobset-first-job-depends-on-nothing'],
  [
    'a job that waits for a later one',
    jobs(replicatedJob('a'), replicatedJob('b', { dependsOn: [{ name: 'c', status: 'Ready' }] }), replicatedJob('c')),
    'jobset-depends-on-earlier-job',
  ],
  [
    'a job that waits for itself',
    jobs(replicatedJob('a'), replicatedJob('b', { dependsOn: [{ name: 'b', status: 'Ready' }] })),
    'jobset-depends-on-earlier-job',
  ],
  ['a name that leaves no room for pods', jobSet({}, { name: 'a'.repeat(47) }), 'jobset-names-fit'],
  ['a name that begins with a digit', jobSet({}, { name: '8nodes' }), 'jobset-names-fit'],
  ['a long generated name', { ...jobSet(), metadata: { generateName: 'a'.repeat(60) } }, 'jobset-names-fit'],
  ['a subdomain of several labels', jobSet({ network: { subdomain: 'a.b' } }), 'jobset-subdomain-valid'],
  ['a group name in capitals', jobs(replicatedJob('a', { groupName: 'A' })), 'jobset-group-name-valid'],
  [
    'more pods than a number holds',
    jobs(replicatedJob('a', { replicas: 100_000 }, { parallelism: 50_000 })),
    'jobset-pods-countable',
  ],
  [
    'a success policy about no job',
    jobSet({ successPolicy: { operator: 'All', targetReplicatedJobs: ['x'] } }),
    'jobset-policy-targets-exist',
  ],
  [
    'a failure rule about no job',
    rules({ name: 'a', action: 'FailJobSet', targetReplicatedJobs: ['x'] }),
    'jobset-policy-targets-exist',
  ],
  ['a coordinator of no job', jobSet({ coordinator: { replicatedJob: 'x' } }), 'jobset-coordinator-exists'],
  [
    'a coordinator of no such Job',
    jobSet({ coordinator: { replicatedJob: 'node', jobIndex: 1 } }),
    'jobset-coordinator-exists',
  ],
  [
    'a coordinator of no such pod',
    jobSet({ coordinator: { replicatedJob: 'node', podIndex: 2 } }),
    'jobset-coordinator-exists',
  ],
  [
    'a coordinator in a job without indexes',
    jobSet({
      coordinator: { replicatedJob: 'a' },
      replicatedJobs: [replicatedJob('a', {}, { completionMode: 'NonIndexed' })],
    }),
    'jobset-coordinator-exists',
  ],
  [
    'a coordinator whose address is no label',
    jobSet({ coordinator: { replicatedJob: 'node' }, network: { subdomain: 'a'.repeat(60) } }),
    'jobset-coordinator-exists',
  ],
  ['a manager without a domain', jobSet({ managedBy: 'me' }), 'jobset-managed-by-valid'],
  [
    'a podFailurePolicy and no restartPolicy',
    jobs(replicatedJob('a', {}, { podFailurePolicy: { rules: [] } })),
    'jobset-restart-policy-fits-job',
  ],
  [
    'pods that restart always',
    jobs(replicatedJob('a', {}, { template: template({ restartPolicy: 'Always' }) })),
    'jobset-restart-policy-fits-job',
  ],
  ['a claim that is not mounted', claims('data', 'other'), 'jobset-claim-templates-fit'],
  ['a claim with a name too long', claims('d'.repeat(60), 'd'.repeat(60)), 'jobset-claim-templates-fit'],
  [
    'a claim whose name with that of the JobSet has one character too many',
    claims('d'.repeat(64 - '-train'.length), 'd'.repeat(64 - '-train'.length)),
    'jobset-claim-templates-fit',
  ],
  [
    'two failure rules of one name',
    rules({ name: 'a', action: 'FailJobSet' }, { name: 'a', action: 'FailJobSet' }),
    'jobset-failure-rule-names',
  ],
  ['a failure rule that begins with a digit', rules({ name: '1', action: 'FailJobSet' }), 'jobset-failure-rule-names'],
  [
    'a reason that no Job has',
    rules({ name: 'a', action: 'FailJobSet', onJobFailureReasons: ['OOM'] }),
    'jobset-failure-reasons-known',
  ],
  ['a restart of one Job', rules({ name: 'a', action: 'RestartJob' }), 'jobset-restart-job-enabled'],
  [
    'a restart in place without its settings',
    jobSet({ failurePolicy: { restartStrategy: 'InPlaceRestart' } }),
    'jobset-in-place-restart-fits',
  ],
  ['no pods in a group', leaderWorkerSet({}, { size: 0 }), 'lws-size-countable'],
  [
    'more workers than a number holds',
    leaderWorkerSet({ replicas: 1_000_000 }, { size: 10_000 }),
    'lws-size-countable',
  ],
  ['a rollout that cannot begin', rollout({ maxSurge: 0, maxUnavailable: '10%' }), 'lws-rollout-makes-progress'],
  ['a share above all', rollout({ maxUnavailable: '150%' }), 'lws-rollout-makes-progress'],
  ['more groups than 32 bits count', rollout({ maxSurge: 2 ** 31 }), 'lws-rollout-makes-progress'],
  ['a share that is no number', rollout({ maxSurge: 'some' }), 'lws-rollout-makes-progress'],
  ['a negative partition', rollout({ partition: -1 }), 'lws-rollout-makes-progress'],
  ['subgroups without a size', leaderWorkerSet({}, { subGroupPolicy: {} }), 'lws-subgroup-size-divides'],
  [
    'subgroups that do not fill the group',
    leaderWorkerSet({}, { size: 6, subGroupPolicy: { subGroupSize: 4 } }),
    'lws-subgroup-size-divides',
  ],
  [
    'subgroups larger than the group',
    leaderWorkerSet({}, { subGroupPolicy: { subGroupSize: 5 } }),
    'lws-subgroup-size-divides',
  ],
  [
    'subgroups without the leader that need it',
    leaderWorkerSet({}, { subGroupPolicy: { subGroupSize: 2, subGroupPolicyType: 'LeaderExcluded' } }),
    'lws-subgroup-size-divides',
  ],
  [
    'a topology of subgroups that there are not',
    leaderWorkerSet({}, {}, { annotations: { 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology': 'rack' } }),
    'lws-subgroup-topology-has-subgroups',
  ],
  [
    'pods that end',
    leaderWorkerSet({}, { workerTemplate: template({ restartPolicy: 'Never' }) }),
    'lws-pods-restart-always',
  ],
  [
    'a leader that ends',
    leaderWorkerSet({}, { leaderTemplate: template({ restartPolicy: 'OnFailure' }) }),
    'lws-pods-restart-always',
  ],
  [
    'a prefix of several labels beside a name',
    leaderWorkerSet({}, {}, { generateName: 'a.b-' }),
    'lws-name-is-dns-1035',
  ],
  ['a name of several labels', leaderWorkerSet({}, {}, { name: 'a.b' }), 'lws-name-is-dns-1035'],
  [
    'a role that does not fill its group',
    disaggregatedSet({}, {}, { leaderWorkerTemplate: { size: 0, workerTemplate: template() } }),
    'lws-size-countable',
  ],
  [
    'a scaler with a name too long',
    { ...disaggregatedSet({}, external), metadata: { name: 'a'.repeat(250) } },
    'disaggregatedset-scaler-names-fit',
  ],
  [
    'slices with External scaling',
    disaggregatedSet({ slices: 2 }, external),
    'disaggregatedset-slices-scale-statically',
  ],
  [
    'a placement without a level',
    disaggregatedSet({ placementPolicy: { type: 'ExclusiveTopology' } }),
    'disaggregatedset-placement-has-topology',
  ],
  [
    'a placement stated twice',
    disaggregatedSet(
      { placementPolicy: { type: 'ExclusiveTopology', topology: 'rack' } },
      { metadata: { annotations: { 'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack' } } },
    ),
    'disaggregatedset-placement-stated-once',
  ],
  [
    'a partition of a role',
    disaggregatedSet({}, {}, { rolloutStrategy: { rollingUpdateConfiguration: { partition: 1 } } }),
    'disaggregatedset-no-partition',
  ],
])('%s is said', (_what, object, rule) => {
  expect(firing(object)).toEqual([rule]);
});

test('what a feature gate decides is a warning; what no gate helps is an error', () => {
  const severities = (object: JsonObject): readonly string[] =>
    findingsOf(yaml(object), batchRules).map(({ severity }) => severity);
  expect(severities(rules({ name: 'a', action: 'RestartJob' }))).toEqual(['warning']);
  expect(
    severities(
      jobSet({
        failurePolicy: { restartStrategy: 'InPlaceRestart' },
        replicatedJobs: [replicatedJob('a', {}, inPlace)],
      }),
    ),
  ).toEqual(['warning']);
  expect(
    severities(
      jobSet({
        failurePolicy: { rules: [{ name: 'a', action: 'RestartJob' }] },
        replicatedJobs: [replicatedJob('a', { replicas: 2000 })],
      }),
    ),
  ).toContain('error');
});

describe('names that become labels have at most 63 characters', () => {
  const coordinated = (length: number): JsonObject => {
    const before = 'train-node-0-0.'.length;
    return jobSet({ coordinator: { replicatedJob: 'node' }, network: { subdomain: 'a'.repeat(length - before) } });
  };
  const managed = (length: number): JsonObject => jobSet({ managedBy: `a.b/${'c'.repeat(length - 'a.b/'.length)}` });

  test('the address of a coordinator', () => {
    expect(firing(coordinated(63))).toEqual([]);
    const [finding, ...others] = findingsOf(yaml(coordinated(64)), batchRules);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: 'batch/jobset-coordinator-exists', path: '/spec/coordinator' });
    expect(finding.fix).toContain('Shorten');
  });

  test('a manager', () => {
    expect(firing(managed(63))).toEqual([]);
    expect(firing(managed(64))).toEqual(['jobset-managed-by-valid']);
  });
});
