/**
 * Rules of tenancy for each kind and name that they list, and at their bounds.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { tenancyRules } from '../../../src/constructs/tenancy/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { findingsOf } from '../../support/findings';

const found = (rule: string, ...objects: readonly JsonObject[]): readonly Finding[] =>
  findingsOf(objects.map((object) => JSON.stringify(object)).join('\n---\n'), tenancyRules).filter(
    (finding) => finding.rule === `tenancy/${rule}`,
  );
const messages = (rule: string, ...objects: readonly JsonObject[]): readonly string[] =>
  found(rule, ...objects).map(({ message }) => message);

function object(apiVersion: string, kind: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'team', ...more }, spec };
}
const quota = (hard: JsonObject): JsonObject => object('v1', 'ResourceQuota', { hard }, { name: 'quota' });
const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const limits = (...items: JsonObject[]): JsonObject =>
  object('v1', 'LimitRange', { limits: items }, { name: 'limits' });
const template = (spec: JsonObject = {}, container: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'a' } },
  spec: { ...spec, containers: [{ name: 'main', image: 'i', ...container }] },
});
const podOf = (spec: JsonObject, container: JsonObject = {}): JsonObject =>
  object('v1', 'Pod', template(spec, container).spec as JsonObject);
const claimSpec = (storage: string): JsonObject => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
});

describe('workloads whose pods run at the same time', () => {
  const replicated = { replicas: 3, selector: { matchLabels: { app: 'a' } }, template: template() };
  const ray = { headGroupSpec: { template: template() }, workerGroupSpecs: [{ replicas: 2, template: template() }] };
  const leader = { replicas: 1, leaderWorkerTemplate: { size: 3, workerTemplate: template() } };

  test.each([
    object('apps/v1', 'Deployment', replicated),
    object('apps/v1', 'StatefulSet', replicated),
    object('apps/v1', 'ReplicaSet', replicated),
    object('v1', 'ReplicationController', replicated),
    object('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', leader),
    object('disaggregatedset.x-k8s.io/v1alpha1', 'DisaggregatedSet', { roles: [{ name: 'a', spec: leader }] }),
    object('ray.io/v1', 'RayCluster', ray),
    object('ray.io/v1', 'RayService', { rayClusterConfig: ray }),
    object('mindcluster.huawei.com/v1', 'InferService', {
      roles: [{ name: 'a', replicas: 1, spec: { replicas: 3, template: template() } }],
    }),
    object('batch.volcano.sh/v1alpha1', 'Job', { tasks: [{ name: 'a', replicas: 3, template: template() }] }),
    object('kubeflow.org/v1', 'PyTorchJob', {
      pytorchReplicaSpecs: { Worker: { replicas: 3, template: template() } },
    }),
    object('jobset.x-k8s.io/v1alpha2', 'JobSet', {
      replicatedJobs: [{ name: 'a', replicas: 1, template: { spec: { parallelism: 3, template: template() } } }],
    }),
  ])('the three pods of $apiVersion $kind', (workload) => {
    expect(messages('quota-holds-gang', quota({ pods: 3 }), workload)).toEqual([]);
    expect(messages('quota-holds-gang', quota({ pods: 2 }), workload)).toEqual([
      'the 3 pods of the workload exceed the ResourceQuota "quota" (3 > 2 pods)',
    ]);
  });

  test('two pods are already several, one is not', () => {
    const pods = (replicas: number): readonly string[] =>
      messages(
        'quota-holds-gang',
        quota({ pods: replicas - 1 }),
        object('apps/v1', 'Deployment', { ...replicated, replicas }),
      );
    expect(pods(2)).toHaveLength(1);
    expect(pods(1)).toEqual([]);
  });

  test.each([
    object('batch/v1', 'Job', { parallelism: 3, template: template() }),
    object('apps/v1', 'Deployment', { ...replicated, replicas: 0 }),
  ])('not those of $apiVersion $kind', (workload) => {
    expect(messages('quota-holds-gang', quota({ pods: 1 }), workload)).toEqual([]);
  });

  test('one pod that is too large alone is another finding', () => {
    const large = object('apps/v1', 'Deployment', {
      ...replicated,
      template: template({}, { resources: { requests: { cpu: 4 } } }),
    });
    expect(messages('quota-holds-gang', quota({ 'requests.cpu': 3 }), large)).toEqual([]);
    expect(messages('quota-holds-pod', quota({ 'requests.cpu': 3 }), large)).toHaveLength(1);
    expect(messages('quota-holds-gang', quota({ 'requests.cpu': 4 }), large)).toHaveLength(1);
  });
});

describe('all objects of a namespace together', () => {
  const claim = (name: string, storage = '5Gi'): JsonObject =>
    object('v1', 'PersistentVolumeClaim', claimSpec(storage), { name });
  const claims = (...names: readonly string[]): readonly JsonObject[] => names.map((name) => claim(name));

  test.each([
    [2, 'PersistentVolumeClaim "a", PersistentVolumeClaim "b"'],
    [3, 'PersistentVolumeClaim "a", PersistentVolumeClaim "b", PersistentVolumeClaim "c"'],
    [4, 'PersistentVolumeClaim "a", PersistentVolumeClaim "b", PersistentVolumeClaim "c" and 1 more'],
    [5, 'PersistentVolumeClaim "a", PersistentVolumeClaim "b", PersistentVolumeClaim "c" and 2 more'],
  ])('names the first three of %d', (count, names) => {
    const all = claims(...['a', 'b', 'c', 'd', 'e'].slice(0, count));
    const hard = `${5 * count - 1}Gi`;
    expect(messages('quota-holds-set', quota({ 'requests.storage': hard }), ...all)).toEqual([
      `together, the objects in the namespace exceed the quota for requests.storage (${5 * count}Gi > ${hard}): ${names}`,
    ]);
  });

  test('the same object twice is one', () => {
    expect(messages('quota-holds-set', quota({ persistentvolumeclaims: 1 }), ...claims('a', 'a'))).toEqual([]);
    expect(messages('quota-holds-set', quota({ persistentvolumeclaims: 1 }), ...claims('a', 'b'))).toHaveLength(1);
  });

  test('what one object exceeds alone is another finding', () => {
    const large = [claim('a', '20Gi'), claim('b')];
    expect(messages('quota-holds-set', quota({ 'requests.storage': '10Gi' }), ...large)).toEqual([]);
    expect(messages('quota-holds-object', quota({ 'requests.storage': '10Gi' }), ...large)).toEqual([
      'the object exceeds the ResourceQuota "quota" (20Gi > 10Gi requests.storage)',
    ]);
  });
});

describe('namespaces that no manifest creates', () => {
  const inside = (name: string, kind = 'ServiceAccount', apiVersion = 'v1'): readonly (string | undefined)[] =>
    found('namespace-in-set', namespace('team'), { apiVersion, kind, metadata: { name: 'a', namespace: name } }).map(
      (finding) => finding.found as string,
    );

  test.each(['default', 'kube-system', 'kube-public', 'kube-node-lease', 'team'])('%s exists', (name) => {
    expect(inside(name)).toEqual([]);
  });

  test.each(['ResourceQuota', 'LimitRange', 'PersistentVolumeClaim', 'ServiceAccount'])('a %s has one', (kind) => {
    expect(inside('other', kind)).toEqual(['other']);
  });

  test('a ConfigMap of a component does not count', () => {
    expect(inside('other', 'ConfigMap')).toEqual([]);
    expect(inside('other', 'ServiceAccount', 'example.com/v1')).toEqual([]);
  });
});

describe('priority classes', () => {
  const priority = (name: string, value: number, more: JsonObject = {}): JsonObject => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    ...more,
  });
  const other = [priority('a', 1), priority('b', 9)];

  test.each([
    [5, [], 'the priority 5 instead of 0'],
    [5, [priority('a', 1)], 'the priority 5, the highest in these manifests, instead of 0'],
    [5, other, 'the priority 5 instead of 0'],
    [1, [priority('b', 9)], 'the priority 1, the lowest in these manifests, instead of 0'],
    [10, other, 'the priority 10, the highest in these manifests, instead of 0'],
  ])('a global default of %d among others', (value, beside, words) => {
    const [message] = messages('global-default-deliberate', priority('d', value, { globalDefault: true }), ...beside);
    expect(message).toContain(words);
  });

  test('the same preemption policy makes two of one value equal, stated or not', () => {
    const second = (policy: string): readonly string[] =>
      messages('priority-values-differ', priority('a', 5), priority('b', 5, { preemptionPolicy: policy }));
    expect(second('PreemptLowerPriority')).toHaveLength(1);
    expect(second('Never')).toEqual([]);
  });

  test('a class that does not exist is reported once for each object, and where the object names it', () => {
    const used = (name: string): readonly string[] =>
      found(
        'priority-class-defined',
        priority('high', 1),
        object('apps/v1', 'Deployment', { template: template({ priorityClassName: name }) }),
      ).map(({ path }) => path);
    expect(used('low')).toEqual(['/spec/template/spec/priorityClassName']);
    expect(used('high')).toEqual([]);
    expect(used('system-node-critical')).toEqual([]);
    expect(used('my-system-')).toHaveLength(1);
    const twice = object('batch.volcano.sh/v1alpha1', 'Job', {
      tasks: ['a', 'b'].map((name) => ({ name, template: template({ priorityClassName: 'low' }) })),
    });
    expect(found('priority-class-defined', priority('high', 1), twice)).toHaveLength(1);
  });

  test.each([
    ['priority', { priority: 5 }],
    ['preemptionPolicy', { preemptionPolicy: 'Never' }],
  ])('a pod that states another %s than its class', (_, stated) => {
    const workload = object('apps/v1', 'Deployment', { template: template({ priorityClassName: 'high', ...stated }) });
    expect(messages('priority-agrees-with-class', priority('high', 1), workload)).toHaveLength(1);
  });
});

describe('runtime classes', () => {
  const heavy: JsonObject = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'heavy' },
    handler: 'heavy',
    overhead: { podFixed: { cpu: '1' } },
  };
  const tiers = (pod: JsonObject): readonly (string | undefined)[] =>
    found('runtime-class-agrees', heavy, pod).map(({ tier }) => tier);

  test('the server rejects a pod that contradicts its class, and the pods of a template without one', () => {
    const overhead = { cpu: '2' };
    const workload = (spec: JsonObject): JsonObject => object('apps/v1', 'Deployment', { template: template(spec) });
    expect(tiers(podOf({ runtimeClassName: 'heavy', overhead }))).toEqual(['server']);
    expect(tiers(workload({ runtimeClassName: 'heavy', overhead }))).toEqual(['server']);
    expect(tiers(podOf({ overhead }))).toEqual(['server']);
    expect(tiers(workload({ overhead }))).toEqual(['advice']);
    expect(tiers(workload({ runtimeClassName: '', overhead }))).toEqual(['advice']);
    expect(tiers(workload({ runtimeClassName: 'heavy', overhead: { cpu: '1' } }))).toEqual([]);
  });
});

describe('limit ranges', () => {
  test('a pod without an amount is certainly rejected only where the namespace is part of the manifests', () => {
    const range = limits({ type: 'Pod', min: { cpu: '1' } });
    const severities = (container: JsonObject, ...more: readonly JsonObject[]): readonly string[] =>
      found('container-within-limits', range, podOf({}, container), ...more).map(({ severity }) => severity);
    const low = { resources: { requests: { cpu: '500m' } } };
    expect(new Set(severities(low))).toEqual(new Set(['error']));
    expect(severities({})).toEqual(['warning']);
    expect(severities({}, namespace('team'))).toEqual(['error']);
  });

  test('claims of a StatefulSet are held to the storage, at their place', () => {
    const range = limits({ type: 'PersistentVolumeClaim', max: { storage: '5Gi' } });
    const set = (storage: string): JsonObject =>
      object('apps/v1', 'StatefulSet', {
        template: template(),
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec(storage) }],
      });
    expect(found('claim-within-limits', range, set('5Gi'))).toEqual([]);
    expect(found('claim-within-limits', range, set('6Gi')).map(({ path }) => path)).toEqual([
      '/spec/volumeClaimTemplates/0/spec/resources/requests/storage',
    ]);
  });
});

describe('amounts of a quota', () => {
  test.each([
    ['64k', '64Ki'],
    ['64M', '64Mi'],
    ['64G', '64Gi'],
    ['64T', '64Ti'],
    ['64Gi', undefined],
    ['64e9', undefined],
  ])('memory of %s', (value, expected) => {
    const [finding] = found('memory-in-binary-units', quota({ 'requests.memory': value }));
    expect(finding?.expected).toBe(expected);
  });

  test.each(['max', 'min', 'default', 'defaultRequest'])('memory in %s of a limit range', (field) => {
    const range = limits({ type: 'Container', [field]: { memory: '64' } });
    expect(found('memory-has-unit', range).map(({ path }) => path)).toEqual([`/spec/limits/0/${field}/memory`]);
    expect(found('memory-has-unit', limits({ type: 'Container', [field]: { memory: '64Mi' } }))).toEqual([]);
  });

  test.each([
    ['1048575', 1],
    ['1Mi', 0],
    ['0', 0],
    ['500m', 1],
  ])('memory of %s has a unit: %d', (value, count) => {
    expect(found('memory-has-unit', quota({ memory: value }))).toHaveLength(count);
    expect(found('memory-has-unit', quota({ 'limits.memory': value }))).toHaveLength(count);
    expect(found('memory-has-unit', quota({ 'my-limits.memory': value }))).toEqual([]);
  });

  test.each(['gpumem', 'gpumem-percentage', 'gpucores'])('HAMi counts limits where %s is limited', (amount) => {
    const key = 'limits.nvidia.com/gpu';
    const ignored = (name: string): readonly string[] => messages('quota-key-counted', quota({ [key]: 1, [name]: 1 }));
    expect(ignored(`limits.nvidia.com/${amount}`)).toEqual([]);
    expect(ignored(`requests.nvidia.com/${amount}-2`)).toHaveLength(1);
    const container = { resources: { limits: { [`nvidia.com/${amount}`]: 1 } } };
    expect(messages('quota-key-counted', quota({ [key]: 1 }), podOf({}, container))).toEqual([]);
  });
});
