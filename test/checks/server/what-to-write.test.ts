/**
 * What a finding tells the reader to write: a value that the server accepts.
 */
import { type JsonValue } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { widgetDefinition } from '../../support/widget-definition';
import { type Json, minimalPod, yaml } from './valid';

type Said = readonly [message: string, fix: string | undefined];

function saidOf(rule: string, manifest: Json): readonly Said[] {
  return findingsOf(yaml(manifest), coreRules)
    .filter((finding) => finding.rule === rule)
    .map(({ message, fix }) => [message, fix]);
}

const podWith = (container: Json, spec: Json = {}): Json => ({
  ...minimalPod(),
  spec: { ...spec, containers: [{ name: 'main', image: 'img', ...container }] },
});

describe('a mount of an unknown volume', () => {
  const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const volume = (name: string): Json => ({ name, emptyDir: {} });

  test.each([
    [
      'a volume to add, or one of the pod',
      ['logs', 'models'],
      'Add the volume "data" to spec.volumes, or set volumeMounts[0].name to logs or models.',
    ],
    [
      'no volume with an invalid name',
      ['..', 'logs', 'Data'],
      'Add the volume "data" to spec.volumes, or set volumeMounts[0].name to logs.',
    ],
    [
      'no volume of many',
      Array.from({ length: 9 }, (_, index) => `logs-${index}`),
      'Add the volume "data" to spec.volumes, or set volumeMounts[0].name to an existing volume.',
    ],
    ['a volume to add', ['..'], 'Add the volume "data" to spec.volumes, or remove volumeMounts[0].'],
    [
      'a volume with a similar name',
      ['logs', 'dta'],
      'Set volumeMounts[0].name to dta, or add the volume "data" to spec.volumes.',
    ],
  ])('proposes %s', (_what, volumes, fix) => {
    expect(saidOf('core/volume-mount-has-volume', podWith(mounts, { volumes: volumes.map(volume) }))).toEqual([
      ['the container "main" mounts the unknown volume "data"', fix],
    ]);
  });
});

describe('a mount in a revision of Knative', () => {
  const spec = {
    containers: [{ name: 'server', image: 'org/img', volumeMounts: [{ name: 'model', mountPath: '/m' }] }],
  };

  test.each<readonly [string, Json, string]>([
    ['Service', { template: { spec } }, 'template.spec.volumes'],
    ['Configuration', { template: { spec } }, 'template.spec.volumes'],
    ['Revision', spec, 'spec.volumes'],
  ])('of a %s names the list of volumes', (kind, ofKind, list) => {
    const manifest = { apiVersion: 'serving.knative.dev/v1', kind, metadata: { name: 's' }, spec: ofKind };
    expect(saidOf('core/volume-mount-has-volume', manifest)).toEqual([
      [
        'the container "server" mounts the unknown volume "model"',
        `Add the volume "model" to ${list}, or remove volumeMounts[0].`,
      ],
    ]);
  });
});

describe('a LimitRange', () => {
  const limitRange = (limit: Json): Json => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits' },
    spec: { limits: [{ type: 'Container', ...limit }] },
  });
  const ratio = (min: string, max: string): Json =>
    limitRange({ min: { cpu: min }, max: { cpu: max }, maxLimitRequestRatio: { cpu: '10' } });

  test.each([
    ['1', '4', 'Set maxLimitRequestRatio.cpu to at most 4.'],
    ['300m', '2', 'Set maxLimitRequestRatio.cpu to at most 6.666.'],
    ['4', '2', 'Set min.cpu to at most max (2).'],
  ])('from %s to %s has a ratio within its bounds', (min, max, fix) => {
    expect(saidOf('core/limit-range-ratio-valid', ratio(min, max)).map(([, said]) => said)).toEqual([fix]);
  });

  test.each([
    // In 64 bits, 10^20 is 7766279631452241920, and the minimum is rounded to 1.
    ['10m', '16', '100E', 1],
    // 10^19 is negative.
    ['10m', '16', '10E', 0],
    ['10m', '160m', '16', 0],
    ['10m', '160m', '16001m', 1],
    ['0', '16', '100E', 0],
  ])('from %s to %s with the ratio %s is judged in 64 bits', (min, max, most, count) => {
    const limit = limitRange({ min: { cpu: min }, max: { cpu: max }, maxLimitRequestRatio: { cpu: most } });
    expect(saidOf('core/limit-range-ratio-valid', limit)).toHaveLength(count);
  });
});

describe('a CIDR', () => {
  const policy = (ipBlock: Json): Json => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'a' },
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock }] }] },
  });

  test.each<readonly [Json, string, string]>([
    [{ cidr: '10.1.2.3' }, '"10.1.2.3" is not a valid CIDR', 'Set ipBlock.cidr to a CIDR such as 10.0.0.0/8.'],
    [
      { cidr: '10.1.250.3/20' },
      '"10.1.250.3/20" must not have bits set beyond the prefix length',
      'Set ipBlock.cidr to 10.1.240.0/20.',
    ],
    [
      { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] },
      '"11.0.0.0/16" must be a strict subset of "10.0.0.0/8"',
      'Set except[0] to a smaller CIDR within 10.0.0.0/8.',
    ],
  ])('%j', (ipBlock, message, fix) => {
    const findings = findingsOf(yaml(policy(ipBlock)), coreRules, { kubernetes: '1.36' });
    expect(findings.map((finding) => [finding.message, finding.fix])).toEqual([[message, fix]]);
  });
});

describe('an undeclared variable of an admission policy', () => {
  const policy = (spec: Json): Json => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'policy' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
      ...spec,
    },
  });

  test.each<readonly [Json, string]>([
    [
      { validations: [{ expression: 'true', messageExpression: 'abc' }] },
      'Replace "abc" in validations[0].messageExpression with object, oldObject, request, or namespaceObject, or declare it in spec.variables and write variables.abc.',
    ],
    [
      { validations: [{ expression: 'true', messageExpression: 'OBJECT.a' }] },
      'Replace "OBJECT" in validations[0].messageExpression with object.',
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'abc' }] },
      'Replace "abc" in matchConditions[0].expression with object, oldObject, request, namespaceObject, authorizer, or authorizer.requestResource.',
    ],
  ])('%j', (spec, fix) => {
    expect(saidOf('core/admission-policy-valid', policy(spec)).map(([, said]) => said)).toEqual([fix]);
  });
});

test.each([
  [
    'validations',
    { expression: 'object.a AND true' },
    'Set validations[0].expression to a valid CEL expression of type bool.',
  ],
  ['variables', { name: 'a', expression: '1 +' }, 'Set variables[0].expression to a valid CEL expression.'],
])('an expression in %s that does not compile', (list, item, fix) => {
  const policy: Json = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'policy' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
      [list]: [item],
    },
  };
  expect(saidOf('core/admission-policy-valid', policy).map(([, said]) => said)).toEqual([fix]);
});

describe('the restartPolicy', () => {
  const template = { spec: { restartPolicy: 'other', containers: [{ name: 'main', image: 'img' }] } };
  const jobs = 'OnFailure or Never';
  const pods = 'Always, OnFailure, or Never';
  const known = 'Never or OnFailure';
  const lasting = 'Always, or remove it';

  /** What all rules say about the field, which is one thing. */
  const saidOfPolicy = (manifest: Json): readonly (string | undefined)[] =>
    findingsOf(yaml(manifest), coreRules)
      .filter(({ path }) => path.endsWith('/restartPolicy'))
      .map(({ fix }) => fix);

  test.each<readonly [string, string, Json, string, string]>([
    ['v1', 'Pod', template.spec, 'spec.restartPolicy', pods],
    ['apps/v1', 'Deployment', { template }, 'template.spec.restartPolicy', lasting],
    ['apps/v1', 'DaemonSet', { template }, 'template.spec.restartPolicy', lasting],
    ['v1', 'ReplicationController', { template }, 'template.spec.restartPolicy', lasting],
    [
      'leaderworkerset.x-k8s.io/v1',
      'LeaderWorkerSet',
      { leaderWorkerTemplate: { workerTemplate: template } },
      'leaderWorkerTemplate.workerTemplate.spec.restartPolicy',
      lasting,
    ],
    ['batch/v1', 'Job', { template }, 'template.spec.restartPolicy', known],
    ['batch/v1', 'CronJob', { jobTemplate: { spec: { template } } }, 'template.spec.restartPolicy', known],
    ['keda.sh/v1alpha1', 'ScaledJob', { jobTargetRef: { template } }, 'template.spec.restartPolicy', known],
    ['ray.io/v1', 'RayJob', { submitterPodTemplate: template }, 'submitterPodTemplate.spec.restartPolicy', jobs],
    [
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      { replicatedJobs: [{ name: 'a', template: { spec: { template } } }] },
      'replicatedJobs[0].template.spec.template.spec.restartPolicy',
      jobs,
    ],
  ])('%s %s', (apiVersion, kind, spec, field, values) => {
    expect(saidOfPolicy({ apiVersion, kind, metadata: { name: 'a' }, spec })).toEqual([`Set ${field} to ${values}.`]);
  });

  test('name servers make None a choice of dnsPolicy', () => {
    const pod = (spec: Json): Json => podWith({}, { dnsPolicy: 'other', ...spec });
    const choices = 'ClusterFirst, ClusterFirstWithHostNet';
    const said = (spec: Json): string | undefined => saidOf('core/pod-policy-valid', pod(spec))[0]?.[1];
    expect(said({})).toBe(`Set spec.dnsPolicy to ${choices}, or Default.`);
    expect(said({ dnsConfig: { nameservers: ['10.0.0.1'] } })).toBe(
      `Set spec.dnsPolicy to ${choices}, Default, or None.`,
    );
  });
});

describe('a port that is a fraction is left to the check of types', () => {
  test.each<readonly [string, Json]>([
    [
      'core/endpoints-valid',
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'a' },
        subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1e-7 }] }],
      },
    ],
    [
      'core/service-port-valid',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'a' },
        spec: { ports: [{ port: 1e-7, targetPort: 0.5 }] },
      },
    ],
    [
      'core/ingress-valid',
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'a' },
        spec: { defaultBackend: { service: { name: 'a', port: { number: 1e-7 } } } },
      },
    ],
    [
      'core/network-policy-valid',
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'a' },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 1e-7 }] }] },
      },
    ],
    ['core/handler-valid', podWith({ readinessProbe: { httpGet: { port: 1e-7 } } })],
  ])('%s', (rule, manifest) => {
    expect(coreRules.map(({ id }) => id)).toContain(rule);
    expect(saidOf(rule, manifest)).toEqual([]);
  });
});

test.each([
  ['request.kind == "Deployment"', 'Set messageExpression to an expression that evaluates to a string.'],
  ['string(request.kind)', 'Use a field of the object in messageExpression.'],
  [
    'string([1] == "1")',
    'Compare the items of the list in messageExpression instead of the list, for example with exists() or the operator in.',
  ],
  [
    'string(request.name == 1)',
    'Convert the operands in messageExpression to the same type, for example with string() or int().',
  ],
])('an expression with operands that do not fit: %s', (messageExpression, fix) => {
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'policy.example.com' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true', messageExpression }],
    },
  };
  expect(saidOf('core/admission-policy-valid', policy).map(([, said]) => said)).toEqual([
    fix.replaceAll('messageExpression', 'validations[0].messageExpression'),
  ]);
});

test.each([
  ['1500m', 'must be an integer', 'Set limits["nvidia.com/gpu"] to an integer.'],
  [
    '99999999999999999999',
    'must be less than or equal to 9223372036854775',
    'Set limits["nvidia.com/gpu"] to a number less than or equal to 9223372036854775.',
  ],
])('%s GPUs: %s', (amount, requirement, fix) => {
  expect(
    saidOf('core/resource-amount-valid', podWith({ resources: { limits: { 'nvidia.com/gpu': amount } } })),
  ).toEqual([[`the limit for nvidia.com/gpu ${requirement}`, fix]]);
});

test.each<readonly [Record<string, JsonValue>, string, string]>([
  [{}, 'but none is set', 'Set bool, int, string, or version in attributes.index.'],
  [
    { int: 1, string: 'a' },
    'but int and string are set',
    'Keep int or string in attributes.index, and remove the other.',
  ],
])('an attribute of a device %j', (attribute, found, fix) => {
  const slice = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'slice' },
    spec: {
      driver: 'gpu.nvidia.com',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0', attributes: { index: attribute } }],
    },
  };
  expect(saidOf('core/resource-slice-valid', slice)).toEqual([
    [`exactly one of bool, int, string, and version must be set, ${found}`, fix],
  ]);
});

test('ports of Endpoints without names', () => {
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web' },
    subsets: [
      {
        addresses: [{ ip: '10.0.0.1' }],
        ports: [
          { name: '', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    ],
  };
  expect(saidOf('core/endpoints-valid', endpoints)).toEqual([
    ['ports[0].name must be set when the subset has more than one port', 'Set ports[0].name to a unique name.'],
  ]);
});

test('parameters of a driver that are no object', () => {
  const deviceClass = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
    spec: { config: [{ opaque: { driver: 'gpu.nvidia.com', parameters: 1 } }] },
  };
  expect(saidOf('core/device-class-valid', deviceClass)).toEqual([
    [
      'the parameters must be an object',
      'Set opaque.parameters to an object in the format that the driver defines, such as one with apiVersion and kind.',
    ],
  ]);
});

test('a target without an API version', () => {
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  };
  expect(saidOf('core/autoscaler-target-valid', autoscaler)).toEqual([
    [
      'scaleTargetRef.apiVersion must be set',
      'Set scaleTargetRef.apiVersion to the apiVersion of the target, such as apps/v1.',
    ],
  ]);
});

test('a number in the place of a name', () => {
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 0 } }] } },
  };
  expect(saidOf('core/device-request-valid', claim)).toEqual([
    [
      'exactly.deviceClassName must be a string',
      'Set exactly.deviceClassName to the name of a DeviceClass, such as gpu.nvidia.com.',
    ],
  ]);
});

test('the fields of a schema that an expression can select', () => {
  const number = { type: 'integer' };
  const definition = widgetDefinition({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { size: number, 'max-size': number },
        'x-kubernetes-validations': [{ rule: 'self.sise > 1' }],
      },
    },
  });
  expect(saidOf('core/crd-schema-structural', definition)).toEqual([
    ['the rule selects the undefined field "sise"', 'Replace "sise" in x-kubernetes-validations[0].rule with size.'],
  ]);
});

describe('a field of a CronJob, a Job, or a pod', () => {
  const cronJob = (spec: Json, job: Json = {}): Json => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'a' },
    spec: {
      schedule: '@daily',
      ...spec,
      jobTemplate: {
        spec: {
          ...job,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img' }] } },
        },
      },
    },
  });
  const job = (spec: Json): Json => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a' },
    spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img' }] } } },
  });

  test.each<readonly [string, Json, Said]>([
    [
      'core/cron-job-valid',
      cronJob({ timeZone: 'Us/Pacific' }),
      ['the time zone "Us/Pacific" must be spelled "US/Pacific"', 'Set spec.timeZone to US/Pacific.'],
    ],
    [
      'core/job-selector-generated',
      cronJob({}, { manualSelector: true }),
      ['manualSelector must not be true in the template of a CronJob', 'Remove jobTemplate.spec.manualSelector.'],
    ],
    [
      'core/job-selector-generated',
      job({ selector: { matchLabels: { app: 'a' } } }),
      [
        'spec.selector must not be set unless manualSelector is true',
        'Remove spec.selector, or set manualSelector: true.',
      ],
    ],
    [
      'core/job-success-policy',
      job({ completionMode: 'Indexed', completions: 6, successPolicy: { rules: [{ succeededIndexes: '0-9' }] } }),
      [
        'the indexes must be less than completions (6)',
        'Set rules[0].succeededIndexes to ascending indexes from 0 to 5, such as 0-2,5.',
      ],
    ],
    [
      'core/job-success-policy',
      job({ completionMode: 'Indexed', completions: 0, successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      [
        'the indexes must be less than completions (0)',
        'Remove rules[0].succeededIndexes, or set completions to at least 1.',
      ],
    ],
    [
      'core/job-pod-failure-policy',
      job({
        completionMode: 'Indexed',
        completions: 2,
        podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] },
      }),
      [
        'the action FailIndex requires backoffLimitPerIndex',
        'Set backoffLimitPerIndex, or set rules[0].action to FailJob, Ignore, or Count.',
      ],
    ],
    [
      'core/job-indexed-settings',
      job({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 3 }),
      ['maxFailedIndexes must be less than or equal to completions (3 > 2)', 'Set spec.maxFailedIndexes to at most 2.'],
    ],
    [
      'core/extended-resource-request-equals-limit',
      podWith({ resources: { requests: { 'nvidia.com/gpu': 2 } } }),
      ['a limit must be set for nvidia.com/gpu', 'Set limits["nvidia.com/gpu"] to 2.'],
    ],
    [
      'core/pod-level-resources-valid',
      podWith({}, { resources: { limits: { 'nvidia.com/gpu': 2 } } }),
      [
        'nvidia.com/gpu must not be set for the whole pod, which can set only cpu, memory, and huge pages',
        'Remove limits["nvidia.com/gpu"], or set it in the resources of a container.',
      ],
    ],
  ])('%s', (rule, manifest, said) => {
    expect(saidOf(rule, manifest)).toEqual([said]);
  });
});

describe('the type of a priority level', () => {
  const LIMITED = 'Set spec.type: Limited and spec.limited with limitResponse.';
  const level = (name: string, type: string): Json => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: { type, [type.toLowerCase()]: { limitResponse: { type: 'Reject' } } },
  });

  test.each([
    ['work', 'Exempt', 'only the priority level "exempt" may have the type Exempt', LIMITED],
    ['exempt', 'Limited', 'the priority level "exempt" must have the type Exempt', 'Set spec.type to Exempt.'],
  ])('%s must not be %s', (name, type, ...said) => {
    expect(saidOf('core/priority-level-valid', level(name, type))[0]).toEqual(said);
  });
});

test('a number of GPUs under a key that ends with a blank', () => {
  expect(saidOf('core/resource-name-valid', podWith({ resources: { limits: { 'nvidia.com/gpu ': 1 } } }))).toEqual([
    [
      'the resource name "nvidia.com/gpu " must have a name after the "/" that consists of letters, digits, "-", "_", and ".", and starts and ends with a letter or digit',
      'Rename the key "nvidia.com/gpu " in resources.limits to "nvidia.com/gpu".',
    ],
  ]);
});

test.each([
  ['Requests.nvidia.com/gpu', 'Rename the key "Requests.nvidia.com/gpu" in spec.hard to "requests.nvidia.com/gpu".'],
  [
    'gpu',
    'Rename the key "gpu" in spec.hard to a standard name such as requests.cpu, or to a name such as requests.nvidia.com/gpu or count/deployments.apps.',
  ],
])('a quota for %s', (name, fix) => {
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { hard: { [name]: 1 } } };
  expect(saidOf('core/resource-quota-name-valid', quota).map(([, said]) => said)).toEqual([fix]);
});
