import { knownObjects } from '../../../src/constructs/resources/rules/known-objects';
import { tenancyRules } from '../../../src/constructs/tenancy/rules';
import { findingsOf, rulesFiring } from '../../support/findings';

const quota = (hard: string, { namespace = 'research', more = '' } = {}): string => `
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: ${namespace}}
spec:
  hard: {${hard}}
${more}`;

const limitRange = (item: string): string => `
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: research}
spec:
  limits:
  - ${item}`;

const DEFAULTS = limitRange('{type: Container, default: {cpu: 2, memory: 4Gi}, defaultRequest: {cpu: 1, memory: 2Gi}}');

const namespace = (name: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: ${name}}`;

const job = (resources: string, { pods = 1, extra = '', kind = 'batch/v1' } = {}): string =>
  kind === 'batch/v1'
    ? `
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: research}
spec:
  parallelism: ${pods}
  template:
    spec:
      restartPolicy: Never
      ${extra}
      containers: [{name: main, image: i, resources: {${resources}}}]`
    : `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: job, namespace: research}
spec:
  queue: research
  tasks:
  - name: worker
    replicas: ${pods}
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, image: i, resources: {${resources}}}]`;

const yaml = (...documents: string[]): string => documents.join('\n---\n');
const firing = (...documents: string[]): readonly string[] => rulesFiring(yaml(...documents), tenancyRules);
const only = (rule: string, ...documents: string[]): ReturnType<typeof findingsOf> =>
  findingsOf(yaml(...documents), tenancyRules).filter((finding) => finding.rule === rule);

describe('tenancy/quota-key-counted', () => {
  const rule = 'tenancy/quota-key-counted';

  test.each(['limits.nvidia.com/gpu', 'nvidia.com/gpu', 'Requests.nvidia.com/gpu', 'limits.rdma/hca'])(
    '%s is never counted',
    (key) => {
      const [finding, ...others] = only(rule, quota(`${key}: 8`));
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ severity: 'error', tier: 'advice', found: key });
      expect(finding?.expected).toMatch(/^requests\.(?:nvidia\.com\/gpu|rdma\/hca)$/);
      expect(finding?.path).toBe(`/spec/hard/${key.replace('/', '~1')}`);
    },
  );

  test.each([
    'requests.nvidia.com/gpu',
    'requests.cpu',
    'limits.cpu',
    'count/jobs.batch',
    'hugepages-2Mi',
    'gold.storageclass.storage.k8s.io/requests.storage',
    'gpu.nvidia.com.deviceclass.resource.k8s.io/devices',
  ])('%s is counted', (key) => {
    expect(only(rule, quota(`${key}: 8`))).toEqual([]);
  });

  test('where requests. is set too, the fix is to remove it', () => {
    expect(only(rule, quota('limits.nvidia.com/gpu: 8, requests.nvidia.com/gpu: 4'))[0]?.fix).toMatch(/^Remove hard\[/);
  });

  test('HAMi reads limits., so that its presence excuses them, but not a bare name', () => {
    const vgpu = job('limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}');
    expect(only(rule, quota('limits.nvidia.com/gpu: 8'), vgpu)).toEqual([]);
    expect(only(rule, quota('limits.nvidia.com/gpu: 8, limits.nvidia.com/gpumem: 3000'))).toEqual([]);
    expect(only(rule, quota('nvidia.com/gpu: 8'), vgpu)).toHaveLength(1);
  });
});

describe('amounts', () => {
  test('half a GPU in a quota is never used', () => {
    expect(firing(quota('requests.nvidia.com/gpu: 1.5'))).toEqual(['tenancy/quota-devices-whole']);
    expect(firing(quota('requests.nvidia.com/gpu: 2'))).toEqual([]);
    expect(firing(limitRange('{type: Pod, max: {nvidia.com/gpu: 500m}}'))).toEqual(['tenancy/quota-devices-whole']);
  });

  test('memory without a unit is bytes', () => {
    const [finding] = only('tenancy/memory-has-unit', quota('requests.memory: 64'), DEFAULTS);
    expect(finding).toMatchObject({
      severity: 'error',
      found: 64,
      expected: '64Gi',
      path: '/spec/hard/requests.memory',
    });
    expect(
      only('tenancy/memory-has-unit', quota('requests.memory: 64Gi, limits.memory: 0, requests.cpu: 64'), DEFAULTS),
    ).toEqual([]);
    expect(only('tenancy/memory-has-unit', limitRange('{type: Container, max: {memory: 64m}}'))).toHaveLength(1);
  });

  test('decimal memory is pointed out, decimal storage and binary memory are not', () => {
    const [finding, ...others] = only(
      'tenancy/memory-in-binary-units',
      quota('limits.memory: 500G, requests.storage: 10T'),
      DEFAULTS,
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'info', found: '500G', expected: '500Gi' });
    expect(only('tenancy/memory-in-binary-units', quota('limits.memory: 500Gi'), DEFAULTS)).toEqual([]);
  });

  test('a resource of the past names its successor', () => {
    expect(only('tenancy/quota-resource-served', quota('requests.tencent.com/vcuda-core: 100'))[0]?.expected).toBe(
      'requests.tke.cloud.tencent.com/qgpu-core',
    );
    expect(only('tenancy/quota-resource-served', quota('requests.nvidia.com/gpu: 1'))).toEqual([]);
  });
});

describe('tenancy/quota-with-defaults', () => {
  const rule = 'tenancy/quota-with-defaults';

  test('a quota on CPU or memory wants a LimitRange', () => {
    expect(only(rule, quota('limits.cpu: 10, requests.memory: 10Gi, requests.nvidia.com/gpu: 8'))[0]?.message).toBe(
      'every container in the namespace must set limits.cpu and requests.memory, because no LimitRange in these manifests sets a default',
    );
  });

  test('defaults for all of it satisfy it, and a maximum is a default', () => {
    expect(only(rule, quota('limits.cpu: 10, requests.memory: 10Gi'), DEFAULTS)).toEqual([]);
    expect(
      only(rule, quota('limits.cpu: 10, requests.cpu: 10'), limitRange('{type: Container, max: {cpu: 4}}')),
    ).toEqual([]);
  });

  test('defaults for requests alone do not', () => {
    expect(only(rule, quota('limits.cpu: 10'), limitRange('{type: Container, defaultRequest: {cpu: 1}}'))).toHaveLength(
      1,
    );
  });

  test('a quota of devices and objects needs none, nor does one with a scope', () => {
    expect(only(rule, quota('requests.nvidia.com/gpu: 8, pods: 10, persistentvolumeclaims: 5'))).toEqual([]);
    expect(only(rule, quota('limits.cpu: 10', { more: '  scopes: [NotTerminating]' }))).toEqual([]);
  });
});

describe('tenancy/quota-amounts-stated', () => {
  const rule = 'tenancy/quota-amounts-stated';

  test('a container that lacks the amount is refused: a warning, and an error where the set makes the namespace', () => {
    const documents = [quota('limits.cpu: 10'), job('limits: {nvidia.com/gpu: 1}')];
    expect(only(rule, ...documents)[0]).toMatchObject({
      severity: 'warning',
      path: '/spec/template/spec/containers/0/resources',
      expected: 'limits.cpu',
    });
    expect(only(rule, namespace('research'), ...documents)[0]?.severity).toBe('error');
  });

  test('a limit is a request too', () => {
    expect(only(rule, quota('requests.cpu: 10'), job('limits: {cpu: 1}'))).toEqual([]);
    expect(only(rule, quota('limits.cpu: 10'), job('requests: {cpu: 1}'))).toHaveLength(1);
  });

  test('defaults of the namespace, amounts of the pod as a whole, and other namespaces are fine', () => {
    expect(only(rule, quota('limits.cpu: 10'), DEFAULTS, job(''))).toEqual([]);
    expect(only(rule, quota('limits.cpu: 10'), job('', { extra: 'resources: {limits: {cpu: 1}}' }))).toEqual([]);
    expect(only(rule, quota('limits.cpu: 10', { namespace: 'other' }), job(''))).toEqual([]);
  });

  test('init containers count as well', () => {
    const found = only(
      rule,
      quota('limits.cpu: 10'),
      job('limits: {cpu: 1}', { extra: 'initContainers: [{name: fetch, image: i}]' }),
    );
    expect(found.map((finding) => finding.path)).toEqual(['/spec/template/spec/initContainers/0/resources']);
  });
});

describe('tenancy/quota-holds-pod and tenancy/quota-holds-gang', () => {
  test('a pod that alone exceeds the quota never comes', () => {
    const found = only(
      'tenancy/quota-holds-pod',
      quota('requests.nvidia.com/gpu: 4'),
      job('limits: {nvidia.com/gpu: 8}'),
    );
    expect(found[0]).toMatchObject({ severity: 'error', found: '8', expected: 'at most 4' });
    expect(firing(quota('requests.nvidia.com/gpu: 8'), job('limits: {nvidia.com/gpu: 8}'))).toEqual([]);
  });

  test('the largest init container counts when it is larger than all containers', () => {
    const init = 'initContainers: [{name: fetch, image: i, resources: {limits: {memory: 9Gi}}}]';
    expect(
      only('tenancy/quota-holds-pod', quota('limits.memory: 8Gi'), job('limits: {memory: 1Gi}', { extra: init })),
    ).toHaveLength(1);
  });

  test('a gang that exceeds the quota as a whole never becomes complete', () => {
    const gang = job('limits: {nvidia.com/gpu: 8}', { pods: 8, kind: 'volcano' });
    expect(only('tenancy/quota-holds-gang', quota('requests.nvidia.com/gpu: 60'), gang)[0]).toMatchObject({
      found: '64',
      expected: 'at most 60',
    });
    expect(only('tenancy/quota-holds-gang', quota('requests.nvidia.com/gpu: 64'), gang)).toEqual([]);
    expect(only('tenancy/quota-holds-gang', quota('pods: 7'), gang)).toHaveLength(1);
  });

  test('a Job whose pods can run one after the other is left in peace', () => {
    expect(firing(quota('requests.nvidia.com/gpu: 8'), job('limits: {nvidia.com/gpu: 8}', { pods: 8 }))).toEqual([]);
  });
});

describe('limit ranges', () => {
  test('a container above the maximum or below the minimum is refused', () => {
    const bounds = limitRange('{type: Container, max: {memory: 8Gi}, min: {cpu: 100m}}');
    const found = only('tenancy/container-within-limits', bounds, job('requests: {cpu: 10m}, limits: {memory: 16Gi}'));
    expect(found.map((finding) => finding.expected)).toEqual(['a limit of at most 8Gi', 'a request of at least 100m']);
    expect(only('tenancy/container-within-limits', bounds, job('requests: {cpu: 1}, limits: {memory: 8Gi}'))).toEqual(
      [],
    );
  });

  test('a pod is bounded by the sum of its containers', () => {
    const sidecar =
      'initContainers: [{name: log, image: i, restartPolicy: Always, resources: {limits: {memory: 5Gi}}}]';
    const bounds = limitRange('{type: Pod, max: {memory: 8Gi}}');
    expect(
      only('tenancy/container-within-limits', bounds, job('limits: {memory: 5Gi}', { extra: sidecar })),
    ).toHaveLength(1);
    expect(only('tenancy/container-within-limits', bounds, job('limits: {memory: 5Gi}'))).toEqual([]);
  });

  test('a bound of pods demands that they state the amount: a maximum of GPUs keeps out every pod without a GPU', () => {
    const bounds = limitRange('{type: Pod, max: {nvidia.com/gpu: 8}}');
    const found = only('tenancy/container-within-limits', bounds, job('limits: {memory: 5Gi}'));
    expect(found[0]).toMatchObject({ severity: 'warning', expected: 'a limit of at most 8' });
    expect(only('tenancy/container-within-limits', namespace('research'), bounds, job(''))[0]?.severity).toBe('error');
    expect(only('tenancy/container-within-limits', bounds, job('limits: {nvidia.com/gpu: 8}'))).toEqual([]);
  });

  test('a maximum of containers is its own default, so that nothing has to be stated', () => {
    expect(
      only(
        'tenancy/container-within-limits',
        limitRange('{type: Container, max: {memory: 8Gi}, min: {cpu: 1}}'),
        job(''),
      ),
    ).toEqual([]);
  });

  test('a limit stays within its ratio to the request', () => {
    const bounds = limitRange('{type: Container, maxLimitRequestRatio: {cpu: 2}}');
    expect(only('tenancy/container-within-limits', bounds, job('requests: {cpu: 1}, limits: {cpu: 4}'))[0]?.found).toBe(
      '4',
    );
    expect(only('tenancy/container-within-limits', bounds, job('requests: {cpu: 1}'))[0]?.severity).toBe('warning');
    expect(only('tenancy/container-within-limits', bounds, job('requests: {cpu: 1}, limits: {cpu: 1500m}'))).toEqual(
      [],
    );
  });

  test('a request above the default limit is refused, unless the container has a limit of its own', () => {
    const rule = 'tenancy/default-limit-covers-request';
    expect(only(rule, DEFAULTS, job('requests: {cpu: 32}'))[0]).toMatchObject({
      severity: 'error',
      path: '/spec/template/spec/containers/0/resources/requests/cpu',
    });
    expect(only(rule, DEFAULTS, job('requests: {cpu: 32}, limits: {cpu: 32}'))).toEqual([]);
    expect(only(rule, DEFAULTS, job('requests: {cpu: 2}'))).toEqual([]);
    expect(only(rule, limitRange('{type: Container, defaultRequest: {cpu: 1}}'), job('requests: {cpu: 32}'))).toEqual(
      [],
    );
  });

  test('a maximum of GPUs without a default gives every container that many', () => {
    const rule = 'tenancy/limit-range-gives-no-devices';
    expect(only(rule, limitRange('{type: Container, max: {nvidia.com/gpu: 8}}'))[0]).toMatchObject({
      severity: 'error',
      path: '/spec/limits/0/max/nvidia.com~1gpu',
    });
    expect(only(rule, limitRange('{type: Container, max: {nvidia.com/gpu: 8}, default: {nvidia.com/gpu: 0}}'))).toEqual(
      [],
    );
    expect(only(rule, limitRange('{type: Pod, max: {nvidia.com/gpu: 8}}'))).toEqual([]);
    expect(only(rule, limitRange('{type: Container, default: {nvidia.com/gpu: 1}}'))).toHaveLength(1);
  });
});

describe('priority', () => {
  const priority = (name: string, value: number, more = ''): string => `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: ${name}}
value: ${value}
${more}`;

  test('a global default above 0 moves every pod that names no class', () => {
    const rule = 'tenancy/global-default-deliberate';
    const found = only(rule, priority('high', 1000), priority('low', 100, 'globalDefault: true'));
    expect(found[0]).toMatchObject({
      severity: 'warning',
      path: '/globalDefault',
      object: 'scheduling.k8s.io/v1 PriorityClass low',
    });
    expect(found[0]?.message).toMatch(/priority 100, the lowest in these manifests, instead of 0/);
    expect(only(rule, priority('none', 0, 'globalDefault: true'))).toEqual([]);
    expect(only(rule, priority('low', 100, 'globalDefault: false'))).toEqual([]);
  });

  test('a class that is named but not defined is a warning beside others, and a hint where there is none', () => {
    const rule = 'tenancy/priority-class-defined';
    const pod = job('', { extra: 'priorityClassName: high' });
    expect(only(rule, pod)[0]?.severity).toBe('info');
    expect(only(rule, pod, priority('low', 1))[0]).toMatchObject({ severity: 'warning', found: 'high' });
    expect(only(rule, pod, priority('high', 1))).toEqual([]);
    expect(only(rule, job('', { extra: 'priorityClassName: system-node-critical' }), priority('low', 1))).toEqual([]);
  });

  test('two classes of one value are one class', () => {
    const rule = 'tenancy/priority-values-differ';
    expect(only(rule, priority('a', 5), priority('b', 5))).toHaveLength(1);
    expect(only(rule, priority('a', 5), priority('b', 5, 'preemptionPolicy: Never'))).toEqual([]);
    expect(only(rule, priority('a', 5), priority('b', 6))).toEqual([]);
  });
});

describe('tenancy/namespace-in-set', () => {
  const rule = 'tenancy/namespace-in-set';

  test('a workload in a namespace that is not in the set, beside ones that are', () => {
    expect(only(rule, namespace('serving'), job(''))[0]).toMatchObject({ severity: 'info', found: 'research' });
  });

  test('silent about a name that nearly matches one of the set, which references/object-in-set reports', () => {
    expect(only(rule, namespace('reserch'), job(''))).toEqual([]);
    expect(findingsOf(yaml(namespace('reserch'), job('')), [...tenancyRules, knownObjects])).toMatchObject([
      { severity: 'warning', found: 'research', expected: 'reserch' },
    ]);
  });

  test('silent where no namespace is made, where this one is, and for settings of a component', () => {
    const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: volcano-system}';
    expect(only(rule, job(''))).toEqual([]);
    expect(only(rule, namespace('research'), job(''))).toEqual([]);
    expect(only(rule, namespace('research'), settings)).toEqual([]);
  });
});

describe('tenancy/pod-security-level-allows', () => {
  const rule = 'tenancy/pod-security-level-allows';
  const level = (name: string): string =>
    `${namespace('research')}`.replace(
      '{name: research}',
      `{name: research, labels: {pod-security.kubernetes.io/enforce: ${name}}}`,
    );
  const rdma = job('', { extra: 'hostNetwork: true' }).replace(
    'resources: {}',
    'securityContext: {capabilities: {add: [IPC_LOCK, CHOWN]}}',
  );

  test('an RDMA pod is refused in a baseline namespace', () => {
    expect(only(rule, level('baseline'), rdma).map((finding) => [finding.path, finding.found])).toEqual([
      ['/spec/template/spec/containers/0/securityContext/capabilities/add', ['IPC_LOCK']],
      ['/spec/template/spec/hostNetwork', true],
    ]);
  });

  test('it is welcome in a privileged one, and where nothing is enforced', () => {
    expect(only(rule, level('privileged'), rdma)).toEqual([]);
    expect(only(rule, namespace('research'), rdma)).toEqual([]);
    expect(only(rule, rdma)).toEqual([]);
  });

  test('host paths, host ports and privileged containers are beyond baseline', () => {
    const pod = job('', { extra: 'volumes: [{name: h, hostPath: {path: /}}]' }).replace(
      'resources: {}',
      'securityContext: {privileged: true}, ports: [{containerPort: 1, hostPort: 1}]',
    );
    expect(only(rule, level('baseline'), pod)).toHaveLength(3);
    expect(only(rule, level('baseline'), job(''))).toEqual([]);
  });

  test('restricted demands that containers say what they give up', () => {
    const expected = only(
      rule,
      level('restricted'),
      job('', { extra: 'volumes: [{name: n, nfs: {server: s, path: /}}]' }),
    ).map((finding) => finding.message);
    expect(expected).toHaveLength(5);
    const good = job('', {
      extra: 'securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}',
    }).replace('resources: {}', 'securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}');
    expect(only(rule, level('restricted'), good)).toEqual([]);
  });
});

describe('quotas over workloads and the whole set', () => {
  const deployment = (name: string, replicas: number, resources = ''): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: research}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: main, image: i, resources: {${resources}}}]`;
  const service = (name: string): string => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: research}
spec: {type: LoadBalancer, ports: [{port: 80}, {port: 81}]}`;
  const claim = (name: string, storage: string): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}, namespace: research}
spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: ${storage}}}}`;
  const messages = (rule: string, ...documents: string[]): readonly string[] =>
    only(rule, ...documents).map(({ message }) => message);

  test('a Deployment that a quota never holds', () => {
    const documents = [quota('requests.nvidia.com/gpu: 8'), deployment('a', 3, 'limits: {nvidia.com/gpu: 4}')];
    expect(messages('tenancy/quota-holds-gang', ...documents)).toEqual([
      'the 3 pods of the workload exceed the ResourceQuota "quota" (12 > 8 requests.nvidia.com/gpu)',
    ]);
    expect(only('tenancy/quota-holds-gang', ...documents)[0]).toMatchObject({ tier: 'server', severity: 'warning' });
  });

  test('workloads that a quota does not hold together', () => {
    expect(messages('tenancy/quota-holds-set', quota('pods: 5'), deployment('a', 3), deployment('b', 3))).toEqual([
      'together, the objects in the namespace exceed the quota for pods (6 > 5): Deployment "a", Deployment "b"',
    ]);
    expect(messages('tenancy/quota-holds-set', quota('pods: 6'), deployment('a', 3), deployment('b', 3))).toEqual([]);
    // Jobs end, and take turns.
    expect(messages('tenancy/quota-holds-set', quota('pods: 4'), deployment('a', 3), job('', { pods: 3 }))).toEqual([]);
  });

  test.each([
    ['services', 1],
    ['services.loadbalancers', 1],
    ['services.nodeports', 3],
    ['count/services', 1],
    ['persistentvolumeclaims', 1],
    ['requests.storage', '15Gi'],
    ['fast.storageclass.storage.k8s.io/requests.storage', '15Gi'],
    ['count/deployments.apps', 1],
  ])('objects are counted: %s', (key, hard) => {
    const all = [
      service('a'),
      service('b'),
      claim('a', '10Gi'),
      claim('b', '10Gi'),
      deployment('a', 1),
      deployment('b', 1),
    ];
    expect(messages('tenancy/quota-holds-set', quota(`${key}: ${hard}`), ...all)).toHaveLength(1);
    expect(messages('tenancy/quota-holds-set', quota(`${key}: 1000Gi`), ...all)).toEqual([]);
  });

  const deviceClaim = (kind: string, request: string): string => `
apiVersion: resource.k8s.io/v1
kind: ${kind}
metadata: {name: devices, namespace: research}
spec: ${kind === 'ResourceClaim' ? `{devices: {requests: [${request}]}}` : `{spec: {devices: {requests: [${request}]}}}`}`;
  const gpus = (hard: number): string => quota(`gpu.nvidia.com.deviceclass.resource.k8s.io/devices: ${hard}`);

  test.each([
    ['one device without a count', '{name: a, exactly: {deviceClassName: gpu.nvidia.com}}', 1],
    ['a count', '{name: a, exactly: {deviceClassName: gpu.nvidia.com, count: 3}}', 3],
    ['all devices', '{name: a, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}', 32],
    [
      'the largest of alternatives',
      '{name: a, firstAvailable: [{name: x, deviceClassName: gpu.nvidia.com, count: 2}, {name: y, deviceClassName: gpu.nvidia.com, count: 4}]}',
      4,
    ],
    [
      'several requests',
      '{name: a, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}, {name: b, exactly: {deviceClassName: gpu.nvidia.com}}, {name: c, exactly: {deviceClassName: mig.nvidia.com}}',
      3,
    ],
  ])('a claim counts the devices of each class: %s', (_, request, count) => {
    for (const kind of ['ResourceClaim', 'ResourceClaimTemplate']) {
      expect(messages('tenancy/quota-holds-object', gpus(count), deviceClaim(kind, request))).toEqual([]);
      expect(messages('tenancy/quota-holds-object', gpus(count - 1), deviceClaim(kind, request))).toEqual([
        `the object exceeds the ResourceQuota "quota" (${count} > ${count - 1} gpu.nvidia.com.deviceclass.resource.k8s.io/devices)`,
      ]);
    }
  });

  test('one object that a quota never holds', () => {
    const rule = 'tenancy/quota-holds-object';
    expect(messages(rule, quota('requests.storage: 10Gi'), claim('a', '10Gi'))).toEqual([]);
    expect(only(rule, quota('requests.storage: 9Gi'), claim('a', '10Gi'))).toMatchObject([
      { object: 'v1 PersistentVolumeClaim research/a', path: '/spec', severity: 'warning', tier: 'server' },
    ]);
    expect(messages(rule, quota('services.nodeports: 1'), service('a'))).toHaveLength(1);
    expect(messages(rule, quota('count/resourcequotas: 0'))).toEqual([]);
  });

  test('a quota with a scope counts only the pods of its scope', () => {
    const terminating = quota('pods: 0', { more: '  scopes: [Terminating]' });
    expect(messages('tenancy/quota-holds-pod', terminating, job(''))).toEqual([]);
    expect(messages('tenancy/quota-holds-pod', terminating, job('', { extra: 'activeDeadlineSeconds: 60' }))).toEqual([
      'a single pod exceeds the ResourceQuota "quota" (1 > 0 pods)',
    ]);
    const bestEffort = quota('pods: 0', { more: '  scopes: [BestEffort]' });
    expect(messages('tenancy/quota-holds-pod', bestEffort, job(''))).toHaveLength(1);
    expect(messages('tenancy/quota-holds-pod', bestEffort, DEFAULTS, job(''))).toEqual([]);
  });

  test('the overhead of the runtime class counts', () => {
    const runtimeClass = `
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: heavy}
handler: heavy
overhead: {podFixed: {cpu: 1}}`;
    const pod = job('requests: {cpu: 1}', { extra: 'runtimeClassName: heavy' });
    expect(messages('tenancy/quota-holds-pod', quota('requests.cpu: 1'), runtimeClass, pod)).toHaveLength(1);
    expect(messages('tenancy/quota-holds-pod', quota('requests.cpu: 2'), runtimeClass, pod)).toEqual([]);
    const own = job('requests: {cpu: 1}', { extra: 'runtimeClassName: heavy\n      overhead: {cpu: 2}' });
    expect(messages('tenancy/runtime-class-agrees', runtimeClass, own)).toHaveLength(1);
    expect(messages('tenancy/runtime-class-agrees', runtimeClass, pod)).toEqual([]);
  });

  test('a claim is held to the storage of the limit range', () => {
    const limits = limitRange('{type: PersistentVolumeClaim, min: {storage: 2Gi}, max: {storage: 5Gi}}');
    expect(messages('tenancy/claim-within-limits', limits, claim('a', '10Gi'))).toEqual([
      'the claim has a request of 10Gi for storage, more than the maximum of 5Gi in the LimitRange "defaults"',
    ]);
    expect(messages('tenancy/claim-within-limits', limits, claim('a', '1Gi'))).toHaveLength(1);
    expect(messages('tenancy/claim-within-limits', limits, claim('a', '3Gi'))).toEqual([]);
  });

  test('a priority that is not that of the class', () => {
    const priorityClass = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10`;
    const pod = (more: string): string => job('', { extra: `priorityClassName: high\n      ${more}` });
    expect(messages('tenancy/priority-agrees-with-class', priorityClass, pod('priority: 5'))).toEqual([
      'priority must be unset or equal to the value of the PriorityClass "high" (5 != 10)',
    ]);
    expect(messages('tenancy/priority-agrees-with-class', priorityClass, pod('preemptionPolicy: Never'))).toHaveLength(
      1,
    );
    expect(messages('tenancy/priority-agrees-with-class', priorityClass, pod('priority: 10'))).toEqual([]);
    expect(messages('tenancy/priority-agrees-with-class', pod('priority: 5'))).toEqual([]);
  });
});

describe('tenancy/queue-agrees-with-quota', () => {
  const rule = 'tenancy/queue-agrees-with-quota';
  const queue = (spec: string): string => `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {${spec}}`;
  const gang = job('limits: {nvidia.com/gpu: 8}', { pods: 2, kind: 'volcano' });

  test('a share above the quota, or a capability below it', () => {
    expect(
      only(rule, quota('requests.nvidia.com/gpu: 32'), gang, queue('deserved: {nvidia.com/gpu: 64}'))[0]?.path,
    ).toBe('/spec/deserved/nvidia.com~1gpu');
    expect(
      only(rule, quota('requests.nvidia.com/gpu: 32'), gang, queue('capability: {nvidia.com/gpu: 16}'))[0]?.path,
    ).toBe('/spec/capability/nvidia.com~1gpu');
  });

  test('silent where they agree, and where the queue serves more than one namespace', () => {
    expect(
      only(
        rule,
        quota('requests.nvidia.com/gpu: 32'),
        gang,
        queue('deserved: {nvidia.com/gpu: 32}, capability: {nvidia.com/gpu: 32}'),
      ),
    ).toEqual([]);
    const other = gang.replace('namespace: research', 'namespace: other');
    expect(
      only(rule, quota('requests.nvidia.com/gpu: 32'), gang, other, queue('deserved: {nvidia.com/gpu: 64}')),
    ).toEqual([]);
  });

  test('a namespace may name its queue by annotation', () => {
    const annotated = `${namespace('research').replace('{name: research}', '{name: research, annotations: {scheduling.volcano.sh/queue-name: research}}')}`;
    expect(
      only(rule, annotated, quota('requests.nvidia.com/gpu: 32'), queue('deserved: {nvidia.com/gpu: 64}')),
    ).toHaveLength(1);
  });
});

test('shapes that the schema refuses are passed over', () => {
  expect(firing('apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: 5')).toEqual([]);
  expect(
    firing('apiVersion: v1\nkind: LimitRange\nmetadata: {name: q}\nspec: {limits: [5, {type: 3, max: []}]}'),
  ).toEqual([]);
  expect(firing(quota('requests.memory: {}, requests.cpu: [1], limits.memory: abc'), DEFAULTS)).toEqual([]);
  expect(firing('apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nvalue: x\nglobalDefault: "yes"')).toEqual([]);
});
