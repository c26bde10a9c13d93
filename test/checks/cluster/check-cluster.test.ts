import { type JsonObject } from '../../../src/facts/api/schema';
import { TargetCluster } from '../../../src/checks/cluster/target-cluster';
import { check, readManifests, type Report } from '../../../src/interfaces/checks';
import { type SnapshotList } from '../../../src/manifests/snapshot/cluster-snapshot';
import { smallSnapshot } from '../../support/small-snapshot';

function list(apiVersion: string, kind: string, plural: string, ...items: readonly JsonObject[]): SnapshotList {
  return { apiVersion, kind, plural, items };
}

function named(name: string, more: JsonObject = {}, namespace?: string): JsonObject {
  return { metadata: { name, ...(namespace !== undefined && { namespace }) }, ...more };
}

const SERVED = [
  ['', 'v1', 'ConfigMap', 'configmaps'],
  ['', 'v1', 'Namespace', 'namespaces'],
  ['', 'v1', 'Pod', 'pods'],
  ['batch', 'v1', 'Job', 'jobs'],
  ['scheduling.volcano.sh', 'v1beta1', 'Queue', 'queues'],
].map(([group, version, kind, plural]) => ({
  group,
  version,
  kind,
  plural,
  namespaced: kind !== 'Namespace',
  status: true,
}));

function cluster(...lists: readonly SnapshotList[]): TargetCluster {
  return TargetCluster.of(smallSnapshot({ serverVersion: 'v1.33.4', kinds: SERVED, lists }));
}

function on(target: TargetCluster, text: string): Report {
  return check(readManifests(text), { cluster: target });
}

function messages({ findings }: Report, rule: string): readonly string[] {
  return findings.filter((finding) => finding.rule === rule).map(({ message }) => message);
}

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      priorityClassName: hihg
      restartPolicy: Never
      containers:
        - name: main
          image: example.com/train:1
          resources: {requests: {cpu: 4, memory: 1Gi}, limits: {cpu: 4, memory: 1Gi}}
`;

describe('a check against a cluster', () => {
  it('takes the Kubernetes version of the server, or the nearest that is known', () => {
    expect(cluster().kubernetes).toBe('1.33');
  });

  it('reports a reference to what does not exist, with the name that was meant', () => {
    const target = cluster(
      list('v1', 'Namespace', 'namespaces', named('research')),
      list('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', named('high', { value: 10 })),
    );
    const report = on(target, JOB);
    expect(messages(report, 'cluster/reference-found')).toEqual([
      'PriorityClass "hihg" not found in the manifests or in the cluster prod (did you mean "high"?)',
    ]);
    expect(report.findings.find(({ rule }) => rule === 'cluster/reference-found')).toMatchObject({
      severity: 'error',
      path: '/spec/template/spec/priorityClassName',
    });
  });

  it('says nothing of kinds that the snapshot does not contain, and of what the manifests contain', () => {
    const target = cluster(list('v1', 'Namespace', 'namespaces'));
    expect(messages(on(target, JOB), 'cluster/reference-found')).toEqual([
      'Namespace "research" not found in the manifests or in the cluster prod',
    ]);
    const own = `${JOB}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: research}\n`;
    expect(messages(on(target, own), 'cluster/reference-found')).toEqual([]);
  });

  it('reports a kind and a version that the cluster does not serve', () => {
    const report = on(
      cluster(),
      'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: a}\n---\napiVersion: batch/v1beta1\nkind: Job\nmetadata: {name: a}\n',
    );
    expect(report.findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'the cluster prod does not serve ResourceFlavor in apiVersion "kueue.x-k8s.io/v1beta1"',
        'the cluster prod does not serve Job in apiVersion "batch/v1beta1"',
      ]),
    );
  });

  it('checks a custom kind against the definition in the cluster, with its CEL rules', () => {
    const definition = {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: { type: 'integer' } },
                  'x-kubernetes-validations': [{ rule: 'self.size < 5', message: 'size must be less than 5' }],
                },
              },
            },
          },
        },
      ],
    };
    const target = cluster(
      list(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        'customresourcedefinitions',
        named('widgets.example.com', { spec: definition }),
      ),
    );
    const widget = (spec: string): string =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: b}\nspec: ${spec}\n`;
    expect(on(target, widget('{size: 4}')).findings).toEqual([]);
    expect(on(target, widget('{size: 7}')).findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('size must be less than 5'),
    ]);
    expect(on(target, widget('{sise: 7}')).findings[0].message).toContain('sise');
  });

  it('predicts the quotas, limit ranges, and namespaces of the cluster', () => {
    const target = cluster(
      list('v1', 'Namespace', 'namespaces', named('research')),
      list('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', named('hihg', { value: 10 })),
      list(
        'v1',
        'ResourceQuota',
        'resourcequotas',
        named(
          'team',
          { spec: { hard: { 'requests.cpu': '10' } }, status: { used: { 'requests.cpu': '4' } } },
          'research',
        ),
      ),
      list(
        'v1',
        'LimitRange',
        'limitranges',
        named('limits', { spec: { limits: [{ type: 'Container', max: { memory: '512Mi' } }] } }, 'research'),
      ),
    );
    const report = on(target, JOB);
    expect(messages(report, 'cluster/quota-left')).toEqual([
      'the new workloads of the namespace "research" exceed what the ResourceQuota "team" has left (8 requested, 4 of 10 requests.cpu used)',
    ]);
    expect(report.findings.map(({ message }) => message)).toContain(
      'the container "main" has a limit of 1Gi for memory, more than the maximum of 512Mi in the LimitRange "limits"',
    );
    // What the cluster itself contains is not reported on.
    expect(new Set(report.findings.map(({ object }) => object))).toEqual(new Set(['batch/v1 Job research/train']));
  });

  it('does not count a workload twice that runs in the cluster', () => {
    const target = cluster(
      list(
        'v1',
        'ResourceQuota',
        'resourcequotas',
        named(
          'team',
          { spec: { hard: { 'requests.cpu': '10' } }, status: { used: { 'requests.cpu': '8' } } },
          'research',
        ),
      ),
      list('v1', 'Pod', 'pods', {
        metadata: { name: 'train-x', namespace: 'research', ownerReferences: [{ kind: 'Job', name: 'train' }] },
      }),
    );
    expect(messages(on(target, JOB), 'cluster/quota-left')).toEqual([]);
  });
});

describe('admission policies of the cluster', () => {
  const policy = (spec: JsonObject): SnapshotList =>
    list(
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
      'validatingadmissionpolicies',
      named('limits', {
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: ['batch'], apiVersions: ['*'], operations: ['CREATE'], resources: ['jobs'] }],
          },
          ...spec,
        },
      }),
    );
  const binding = (actions: readonly string[], more: JsonObject = {}): SnapshotList =>
    list(
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicyBinding',
      'validatingadmissionpolicybindings',
      named('b', {
        spec: { policyName: 'limits', validationActions: [...actions], ...more },
      }),
    );
  const tooMany = {
    validations: [
      {
        expression: 'object.spec.parallelism < variables.most',
        messageExpression: "'at most ' + string(variables.most)",
      },
    ],
    variables: [{ name: 'most', expression: '1 + 1' }],
  };
  const numbers = `[${Array.from({ length: 100 }, (_, index) => index).join(', ')}]`;
  function everyNumber(expression: string, variable: string): string {
    return `${numbers}.all(${variable}, ${expression})`;
  }
  const found = (...lists: readonly SnapshotList[]): Report['findings'] =>
    on(cluster(...lists), JOB).findings.filter(({ rule }) => rule === 'cluster/admission-policy');

  it('are evaluated, with their variables and messages', () => {
    expect(found(policy(tooMany), binding(['Deny']))).toMatchObject([
      { severity: 'error', message: 'ValidatingAdmissionPolicy "limits": at most 2' },
    ]);
  });

  it('warn where the binding warns, and do nothing without a binding', () => {
    expect(found(policy(tooMany), binding(['Warn']))).toMatchObject([{ severity: 'warning' }]);
    expect(found(policy(tooMany))).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a match condition that does not hold',
      { ...tooMany, matchConditions: [{ name: 'a', expression: "object.metadata.name != 'train'" }] },
      {},
    ],
    [
      'another resource',
      {
        ...tooMany,
        matchConstraints: {
          resourceRules: [{ apiGroups: ['apps'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
        },
      },
      {},
    ],
    [
      'an update only',
      {
        ...tooMany,
        matchConstraints: {
          resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] }],
        },
      },
      {},
    ],
    [
      'a namespace that the binding does not choose',
      tooMany,
      { matchResources: { namespaceSelector: { matchLabels: { env: 'prod' } } } },
    ],
    [
      'an expression on the rights of the user',
      { validations: [{ expression: "authorizer.group('').resource('pods').check('get').allowed()" }] },
      {},
    ],
    [
      'conditions that cost more together than they may',
      {
        ...tooMany,
        matchConditions: Array.from({ length: 60 }, (_, index) => ({
          name: `a${index}`,
          expression: everyNumber(everyNumber(`a + b >= -${index}`, 'b'), 'a'),
        })),
      },
      {},
    ],
    ['an expression that cannot be evaluated', { validations: [{ expression: 'object.spec.nothing.at.all > 1' }] }, {}],
  ])('say nothing for %s', (_name, spec, bound) => {
    expect(found(policy(spec), binding(['Deny'], bound))).toEqual([]);
  });
});
