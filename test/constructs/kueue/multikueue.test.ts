import { App, Chart } from 'cdk8s';
import { Accelerator, kueue } from '../../../src';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { multikueueRules } from '../../../src/constructs/kueue/rules/multikueue';
import { type JsonObject } from '../../../src/facts/api/schema';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { asObject, asString } from '../../../src/manifests/read';
import { findingsOf } from '../../support/findings';
import { clusterQueue, flavorOf, group, job, localQueue, quota, yaml } from './objects';

const found = (...objects: readonly JsonObject[]): readonly string[] =>
  findingsOf(yaml(...objects), multikueueRules).map(({ rule, message }) => `${rule.replace('kueue/', '')}: ${message}`);

const kueueObject = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2',
  kind,
  metadata: { name },
  spec,
});
const config = (...clusters: readonly string[]): JsonObject =>
  kueueObject('MultiKueueConfig', 'workers', { clusters: [...clusters] });
const check = (spec: JsonObject = {}, name = 'workers'): JsonObject =>
  kueueObject('AdmissionCheck', name, {
    controllerName: 'kueue.x-k8s.io/multikueue',
    parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name: 'workers' },
    ...spec,
  });
const cluster = (kubeConfig: JsonObject = { locationType: 'Secret', location: 'east' }): JsonObject =>
  kueueObject('MultiKueueCluster', 'east', { clusterSource: { kubeConfig } });
const queue = (...admissionChecks: readonly JsonObject[]): JsonObject =>
  clusterQueue({ admissionChecksStrategy: { admissionChecks: [...admissionChecks] } });
const kubeconfig = (user: string, server = 'server: https://east.example.com:6443'): string =>
  `clusters: [{name: east, cluster: {${server}}}]\nusers: [{name: kueue, user: {${user}}}]\n`;
const secret = (fields: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'east', namespace: 'kueue-system' },
  ...fields,
});
const withKubeconfig = (text: string): JsonObject => secret({ stringData: { kubeconfig: text } });

test('what fits together has no finding', () => {
  const set = [
    queue({ name: 'workers' }),
    localQueue(),
    check(),
    config('east'),
    cluster(),
    withKubeconfig(kubeconfig('token: secret')),
    job(),
    job({ spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }),
  ];
  expect(found(...set)).toEqual([]);
});

test.each<[string, readonly JsonObject[], string]>([
  [
    'no parameters',
    [check({ parameters: undefined as never })],
    'multikueue-check-refers-to-config: spec.parameters must be set',
  ],
  [
    'parameters of another controller',
    [check({ parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name: 'x' } })],
    'multikueue-check-refers-to-config: spec.parameters must refer to kind MultiKueueConfig in apiGroup kueue.x-k8s.io, not to kind "ProvisioningRequestConfig" in apiGroup "kueue.x-k8s.io"',
  ],
  [
    'a group that is misspelled',
    [check({ parameters: { apiGroup: 'kueue.x-k8s', kind: 'MultiKueueConfig', name: 'x' } })],
    'multikueue-check-refers-to-config: spec.parameters must refer to kind MultiKueueConfig in apiGroup kueue.x-k8s.io, not to kind "MultiKueueConfig" in apiGroup "kueue.x-k8s"',
  ],
  [
    'two checks of MultiKueue',
    [queue({ name: 'workers' }, { name: 'others' }), check(), check({}, 'others')],
    'multikueue-queue-allows-check: the ClusterQueue must have at most one MultiKueue check, but has "workers" and "others"',
  ],
  [
    'a check for one of two flavors',
    [
      clusterQueue({
        resourceGroups: [
          group(flavorOf('h100', quota('cpu', 1)), flavorOf('a100', quota('cpu', 1)), flavorOf('any', quota('cpu', 1))),
        ],
        admissionChecksStrategy: { admissionChecks: [{ name: 'workers', onFlavors: ['h100'] }] },
      }),
      check(),
    ],
    'multikueue-queue-allows-check: the MultiKueue check "workers" does not apply to the flavors "a100" and "any"',
  ],
  [
    'a check for provisioning requests',
    [
      queue({ name: 'autoscale' }, { name: 'workers' }),
      check(),
      kueueObject('AdmissionCheck', 'autoscale', { controllerName: 'kueue.x-k8s.io/provisioning-request' }),
    ],
    'multikueue-queue-allows-check: the check "autoscale" for provisioning requests must not be used together with the MultiKueue check "workers"',
  ],
  [
    'a kind without an adapter',
    [
      queue({ name: 'workers' }),
      localQueue(),
      check(),
      {
        apiVersion: 'sparkoperator.k8s.io/v1beta2',
        kind: 'SparkApplication',
        metadata: { name: 'x', namespace: 'ml', labels: { 'kueue.x-k8s.io/queue-name': 'team' } },
        spec: {},
      },
    ],
    'multikueue-kind-supported: Kueue cannot run the kind SparkApplication in another cluster',
  ],
  [
    'a job of another controller',
    [queue({ name: 'workers' }), localQueue(), check(), job({ spec: { managedBy: 'example.com/own' } })],
    'multikueue-managed-by: managedBy must be kueue.x-k8s.io/multikueue when the ClusterQueue sends the job to another cluster, but is "example.com/own"',
  ],
  [
    'a path elsewhere',
    [cluster({ locationType: 'Path', location: '/etc/multikueue/kubeconfigs/../../passwd' })],
    'multikueue-kubeconfig-path: the kubeconfig "/etc/multikueue/kubeconfigs/../../passwd" must be below /etc/multikueue/kubeconfigs',
  ],
  [
    'a Secret with another key',
    [cluster(), secret({ data: { config: 'YQ==' } })],
    'multikueue-secret-has-kubeconfig: the Secret "east" has no key kubeconfig',
  ],
  [
    'a kubeconfig that is encoded, and runs a plugin',
    [cluster(), secret({ data: { kubeconfig: Buffer.from(kubeconfig('exec: {command: aws}')).toString('base64') } })],
    'multikueue-secret-has-kubeconfig: the Secret "east" has a kubeconfig with exec, which Kueue rejects',
  ],
  [
    'a kubeconfig that names files and skips certificates',
    [cluster(), withKubeconfig(kubeconfig('tokenFile: /token', 'server: https://a, insecure-skip-tls-verify: true'))],
    'multikueue-secret-has-kubeconfig: the Secret "east" has a kubeconfig with tokenFile and insecure-skip-tls-verify, which Kueue rejects',
  ],
  [
    'a kubeconfig without a server',
    [cluster(), withKubeconfig(kubeconfig('token: a', 'insecure-skip-tls-verify: false'))],
    'multikueue-secret-has-kubeconfig: the Secret "east" has a kubeconfig in which a cluster has no server',
  ],
  [
    'text that is no kubeconfig',
    [cluster(), withKubeconfig('[')],
    'multikueue-secret-has-kubeconfig: the Secret "east" has a kubeconfig that is not valid YAML',
  ],
])('%s is a finding', (_, objects, message) => {
  expect(found(...objects)).toEqual([message]);
});

test('names that are not there are reported once, with those of all other kinds', () => {
  const set = [
    check({ parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name: 'worker' } }),
    config('east', 'esat'),
    cluster(),
  ];
  expect(findingsOf(yaml(...set), allRules()).map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    'references/object-in-set: MultiKueueConfig "worker" not found in these manifests',
    'references/object-in-set: MultiKueueCluster "esat" not found in these manifests',
  ]);
});

test('a kubeconfig is not repeated', () => {
  const text = kubeconfig('token: do-not-print, exec: {command: aws}');
  expect(JSON.stringify(findingsOf(yaml(cluster(), withKubeconfig(text)), multikueueRules))).not.toContain(
    'do-not-print',
  );
});

test('nothing is said of queues whose check is of another controller or is not in the manifests', () => {
  const other = job({ spec: { managedBy: 'example.com/own' } });
  expect(found(queue({ name: 'workers' }), localQueue(), other)).toEqual([]);
  expect(
    found(
      queue({ name: 'workers' }),
      localQueue(),
      other,
      kueueObject('AdmissionCheck', 'workers', { controllerName: 'example.com/approval' }),
    ),
  ).toEqual([]);
});

function rendered(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart.toJson() as JsonObject[];
}

test('MultiKueue writes the config and its check before the queue that uses it', () => {
  const objects = rendered((chart) => {
    const workers = new kueue.MultiKueue(chart, 'workers', {
      clusters: [
        new kueue.MultiKueueCluster(chart, 'east', { access: { secret: 'east-kubeconfig' } }),
        new kueue.MultiKueueCluster(chart, 'west', { access: { path: '/etc/multikueue/kubeconfigs/west' } }),
        new kueue.MultiKueueCluster(chart, 'north', { access: { clusterProfile: 'north' } }),
      ],
    });
    new kueue.ClusterQueue(chart, 'training', {
      admissionChecks: [workers],
      flavors: [
        {
          flavor: new kueue.ResourceFlavor(chart, 'any'),
          nominalQuota: { cpu: 64, accelerators: Accelerator.nvidia({ count: 8 }) },
        },
      ],
    });
  });
  const specs = new Map(
    objects.map(({ kind, metadata, spec }) => [`${asString(kind)} ${asString(asObject(metadata).name)}`, spec]),
  );
  const order = [...specs.keys()];
  expect(order.indexOf('MultiKueueConfig workers')).toBeGreaterThan(order.indexOf('MultiKueueCluster north'));
  expect(order.indexOf('AdmissionCheck workers')).toBeGreaterThan(order.indexOf('MultiKueueConfig workers'));
  expect(order.indexOf('ClusterQueue training')).toBeGreaterThan(order.indexOf('AdmissionCheck workers'));
  expect(specs.get('MultiKueueConfig workers')).toEqual({ clusters: ['east', 'west', 'north'] });
  expect(specs.get('AdmissionCheck workers')).toEqual(check().spec);
  expect([
    specs.get('MultiKueueCluster east'),
    specs.get('MultiKueueCluster west'),
    specs.get('MultiKueueCluster north'),
  ]).toEqual([
    { clusterSource: { kubeConfig: { locationType: 'Secret', location: 'east-kubeconfig' } } },
    { clusterSource: { kubeConfig: { locationType: 'Path', location: '/etc/multikueue/kubeconfigs/west' } } },
    { clusterSource: { clusterProfileRef: { name: 'north' } } },
  ]);
});

test('a worker cluster grants what Kueue needs for the kinds that are listed, and no more', () => {
  const objects = rendered(
    (chart) => new kueue.MultiKueueWorkerAccess(chart, 'multikueue', { kinds: ['Job', 'Pod', 'RayJob'] }),
  );
  expect(objects.map(({ kind }) => kind).sort()).toEqual([
    'ClusterRole',
    'ClusterRoleBinding',
    'Secret',
    'ServiceAccount',
  ]);
  const role = objects.find(({ kind }) => kind === 'ClusterRole');
  const verbs = ['create', 'delete', 'get', 'list', 'watch'];
  expect(role?.rules).toEqual([
    {
      apiGroups: ['kueue.x-k8s.io'],
      resources: ['workloads'],
      verbs: ['create', 'delete', 'get', 'list', 'update', 'watch'],
    },
    { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads/status'], verbs: ['get', 'patch', 'update'] },
    { apiGroups: [''], resources: ['pods'], verbs },
    { apiGroups: ['batch'], resources: ['jobs'], verbs },
    { apiGroups: ['ray.io'], resources: ['rayjobs'], verbs: [...verbs, 'patch', 'update'] },
    { apiGroups: [''], resources: ['pods/status'], verbs: ['get'] },
    { apiGroups: ['batch'], resources: ['jobs/status'], verbs: ['get'] },
    { apiGroups: ['ray.io'], resources: ['rayjobs/status'], verbs: ['get'] },
  ]);
  const token = objects.find(({ kind }) => kind === 'Secret');
  expect(token).toMatchObject({
    type: 'kubernetes.io/service-account-token',
    metadata: {
      namespace: 'kueue-system',
      annotations: { 'kubernetes.io/service-account.name': 'multikueue' },
    },
  });
});

test.each<[string, (chart: Chart) => unknown, string]>([
  [
    'no worker',
    (chart) => new kueue.MultiKueue(chart, 'a', { clusters: [] }),
    'clusters must list 1 to 20 worker clusters, not 0',
  ],
  [
    'the same worker twice',
    (chart) => {
      const east = kueue.MultiKueueCluster.fromName('east');
      return new kueue.MultiKueue(chart, 'a', { clusters: [east, east] });
    },
    'clusters must list the worker cluster "east" only once',
  ],
  [
    'two sources of access',
    (chart) => new kueue.MultiKueueCluster(chart, 'a', { access: { secret: 'a', path: 'b' } }),
    'access must have exactly one of secret, path, and clusterProfile, not 2',
  ],
  [
    'no source of access that Kueue has',
    (chart) => new kueue.MultiKueueCluster(chart, 'a', { access: {} as never }),
    'access must have exactly one of secret, path, and clusterProfile, not 0',
  ],
])('%s is refused', (_, build, message) => {
  const chart = new Chart(new App(), 'test');
  expect(() => build(chart)).toThrow(message);
});
