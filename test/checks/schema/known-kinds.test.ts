import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { ShapeChecker, shapeRuleFacts, UnreadableCrd } from '../../../src/checks/schema/check-shape';
import { manifestOf } from '../../support/manifest-of';

const check = (
  object: JsonObject,
  kubernetes: KubernetesMinor = '1.35',
  crds: readonly JsonObject[] = [],
): ReturnType<ShapeChecker['check']> => new ShapeChecker({ kubernetes, crds }).check(manifestOf(object));
const named = (apiVersion: string, kind: string, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  ...more,
});

describe('versions', () => {
  test('a version that no CRD serves is refused, and the right one offered', () => {
    expect(check(named('batch.volcano.sh/v1beta1', 'Job')).violations).toEqual([
      expect.objectContaining({
        rule: 'schema/api-version-served',
        path: '/apiVersion',
        fix: 'Set apiVersion: batch.volcano.sh/v1alpha1.',
      }),
    ]);
  });

  test('a kind that an old minor removed, and what has it now', () => {
    expect(check(named('extensions/v1beta1', 'Ingress')).violations).toEqual([
      expect.objectContaining({
        rule: 'schema/api-version-served',
        message: 'Kubernetes 1.35 does not serve Ingress in apiVersion "extensions/v1beta1", which was removed in 1.22',
        fix: 'Set apiVersion: networking.k8s.io/v1.',
      }),
    ]);
  });

  test('a kind that an old minor removed without a successor', () => {
    expect(check(named('policy/v1beta1', 'PodSecurityPolicy')).violations).toEqual([
      expect.objectContaining({
        rule: 'schema/api-version-served',
        fix: 'Remove the object, and set the label pod-security.kubernetes.io/enforce on the namespaces whose pods it restricts.',
      }),
    ]);
  });

  test('what a server says about its API is no object', () => {
    const answer = check({ apiVersion: 'v1', kind: 'APIGroupList', groups: [] });
    expect([answer.violations, answer.notChecked]).toEqual([
      [],
      'APIGroupList describes the API of a server, and is not an object',
    ]);
  });

  test('several versions are offered as a list', () => {
    expect(check(named('resource.k8s.io/v2', 'ResourceSlice')).violations).toEqual([
      expect.objectContaining({
        expected: 'apiVersion resource.k8s.io/v1, resource.k8s.io/v1beta1, or resource.k8s.io/v1beta2',
        fix: 'Set apiVersion: resource.k8s.io/v1.',
      }),
    ]);
  });

  test('a version that no release of the project serves', () => {
    expect(check(named('batch.volcano.sh/v1beta1', 'Job')).violations[0]).toMatchObject({
      message: expect.stringMatching(
        /^Volcano \d[\d.]+ does not serve Job in apiVersion "batch\.volcano\.sh\/v1beta1"$/,
      ) as string,
      fix: 'Set apiVersion: batch.volcano.sh/v1alpha1.',
    });
  });

  test('a version that two minors serve', () => {
    expect(check(named('resource.k8s.io/v1beta2', 'DeviceTaintRule'), '1.35').violations[0]).toMatchObject({
      message: expect.stringMatching(/; it is served in Kubernetes 1\.36 and 1\.37$/) as string,
      fix: expect.stringMatching(
        /, or check against Kubernetes 1\.37 with --k8s 1\.37 \(in an app, set Checks\.of\(app\)\.target\)\.$/,
      ) as string,
    });
  });

  test('a version that the target minor does not serve is refused', () => {
    const claim = named('resource.k8s.io/v1', 'ResourceClaim');
    expect(check(claim, '1.34').violations).toEqual([]);
    expect(check(claim, '1.33').violations.map(({ rule }) => rule)).toEqual(['schema/api-version-served']);
    expect(check(claim, '1.33').violations[0]).toMatchObject({
      message: expect.stringMatching(
        /^Kubernetes 1\.33 does not serve ResourceClaim in apiVersion "resource\.k8s\.io\/v1"; it is served in Kubernetes 1\.34 to 1\.\d+$/,
      ) as string,
      fix: expect.stringContaining('--k8s 1.') as string,
    });
  });

  test('a deprecated version is information', () => {
    const { violations } = check(named('kueue.x-k8s.io/v1beta1', 'ResourceFlavor'));
    expect(violations).toEqual([expect.objectContaining({ rule: 'schema/api-version-current', severity: 'info' })]);
  });

  test('a beta version of a built-in kind has to be switched on', () => {
    const { violations } = check(named('resource.k8s.io/v1beta1', 'ResourceClaim'));
    expect(violations).toEqual([
      expect.objectContaining({ rule: 'schema/api-version-on-by-default', tier: 'advice', severity: 'warning' }),
    ]);
  });
});

describe('kinds', () => {
  test('a kind that a built-in group has not is refused', () => {
    expect(check(named('apps/v1', 'Deploymnet')).violations).toEqual([
      expect.objectContaining({ rule: 'schema/known-kind', fix: 'Set kind: Deployment.' }),
    ]);
    expect(check(named('v1', 'Deployment')).violations).toEqual([
      expect.objectContaining({ rule: 'schema/known-kind', fix: 'Set apiVersion: apps/v1.' }),
    ]);
  });

  test('a kind of an unknown group is not checked, and said so', () => {
    const { violations, notChecked, needsDefinition } = check(named('example.com/v1', 'Thing'));
    expect(violations).toEqual([]);
    expect(notChecked).toContain('example.com');
    expect(needsDefinition).toBe(true);
  });

  test('the name of a project is no API group, unless somebody defines it', () => {
    expect(check(named('istio.io/v1beta1', 'PeerAuthentication'))).toMatchObject({
      violations: [
        {
          rule: 'schema/api-group-exists',
          path: '/apiVersion',
          severity: 'error',
          fix: 'Set apiVersion: security.istio.io/v1.',
        },
      ],
      notChecked: 'no schema: unknown API group',
    });
    expect(check(named('volcano.sh/v1beta1', 'Queue')).violations).toEqual([
      expect.objectContaining({ fix: 'Set apiVersion: scheduling.volcano.sh/v1beta1.' }),
    ]);
    for (const [apiVersion, kind] of [
      ['security.istio.io/v1', 'PeerAuthentication'],
      ['istio.io/v1', 'Thing'],
      ['volcano.sh/v1', 'Thing'],
      ['example.com/v1', 'Queue'],
    ] as const) {
      expect(check(named(apiVersion, kind)).violations).toEqual([]);
    }
    const crd: JsonObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'queues.volcano.sh' },
      spec: {
        group: 'volcano.sh',
        scope: 'Cluster',
        names: { kind: 'Queue', plural: 'queues' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    expect(check(named('volcano.sh/v1', 'Queue'), '1.35', [crd]).violations).toEqual([]);
  });

  test('files of programs are no API objects', () => {
    expect(check(named('kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration')).notChecked).toBe(
      'KubeletConfiguration is a configuration file of the kubelet, not an API object',
    );
    expect(check(named('v1', 'Config')).notChecked).toContain('kubeconfig');
  });

  test('what has neither apiVersion nor kind is no object; what has one of them is a broken one', () => {
    expect(check({ global: { scrape_interval: '5s' } }).notChecked).toContain('not an API object');
    expect(check({ kind: 'Pod', metadata: { name: 'a' } }).violations).toEqual([
      expect.objectContaining({ rule: 'schema/api-version-and-kind', path: '/apiVersion' }),
    ]);
  });

  test('a namespace on a cluster-scoped kind is a warning, because the server drops it', () => {
    const queue = {
      ...named('scheduling.volcano.sh/v1beta1', 'Queue', { spec: {} }),
      metadata: { name: 'a', namespace: 'b' },
    };
    expect(check(queue).violations).toEqual([
      expect.objectContaining({
        rule: 'schema/scope',
        tier: 'advice',
        severity: 'warning',
        path: '/metadata/namespace',
      }),
    ]);
  });

  test('a namespace of another type on a cluster-scoped kind is removed, not corrected', () => {
    const of = (apiVersion: string, kind: string): unknown =>
      check({ ...named(apiVersion, kind, { spec: {} }), metadata: { name: 'a', namespace: 5 } }).violations;
    const fix = 'Remove metadata.namespace.';
    const shared = { rule: 'schema/type', path: '/metadata/namespace', severity: 'error' };
    expect(of('scheduling.volcano.sh/v1beta1', 'Queue')).toEqual([
      expect.objectContaining({ ...shared, expected: 'no namespace', fix }),
    ]);
    expect(of('v1', 'Node')).toEqual([expect.objectContaining({ ...shared, expected: 'no namespace', fix })]);
    expect(of('batch.volcano.sh/v1alpha1', 'Job')).toContainEqual(
      expect.objectContaining({ ...shared, expected: 'string', fix: 'Set metadata.namespace to "5", in quotes.' }),
    );
  });

  test('replicas below the bound of the schema are reported once', () => {
    const set = named('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', {
      spec: { replicas: -1, leaderWorkerTemplate: { workerTemplate: { spec: { containers: [{ name: 'a' }] } } } },
    });
    expect(check(set).violations).toEqual([expect.objectContaining({ rule: 'schema/bound', path: '/spec/replicas' })]);
  });

  test('replicas that the scale subresource shows are a count', () => {
    const job = named('kubeflow.org/v1', 'PyTorchJob', { spec: { pytorchReplicaSpecs: { Worker: { replicas: -1 } } } });
    expect(check(job).violations).toEqual([
      expect.objectContaining({
        rule: 'schema/scale-replicas',
        tier: 'server',
        path: '/spec/pytorchReplicaSpecs/Worker/replicas',
      }),
    ]);
  });
});

describe('definitions that are given', () => {
  const crd = (schema: JsonObject, version: JsonObject = {}): JsonObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  });
  const spec = {
    type: 'object',
    description: 'prose',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  };

  test('are used for their kinds', () => {
    const run = (object: JsonObject, ...crds: JsonObject[]): readonly string[] =>
      check(object, '1.35', crds).violations.map(({ rule, path }) => `${rule} ${path}`);
    expect(run(named('example.com/v1', 'Thing', { spec: { size: 1 } }), crd(spec))).toEqual([]);
    expect(run(named('example.com/v1', 'Thing', { spec: { size: 'x' } }), crd(spec))).toEqual([
      'schema/type /spec/size',
    ]);
    expect(run(named('example.com/v2', 'Thing'), crd(spec))).toEqual(['schema/api-version-served /apiVersion']);
    expect(run(named('example.com/v1', 'Thing'), crd(spec, { served: false }))).toEqual([
      'schema/api-version-served /apiVersion',
    ]);
    expect(check(named('example.com/v1', 'Thingy'), '1.35', [crd(spec)]).notChecked).toContain('Thing');
  });

  test('keep everything where they have no schema', () => {
    const { spec: kept, ...definition } = crd({});
    const bare = {
      ...definition,
      spec: { ...(kept as JsonObject), versions: [{ name: 'v1', served: true, storage: true }] },
    };
    expect(check(named('example.com/v1', 'Thing', { spec: { any: 1 } }), '1.35', [bare]).violations).toEqual([]);
  });

  test('take the place of what Gantry knows', () => {
    const queue = {
      ...crd(spec),
      spec: {
        group: 'scheduling.volcano.sh',
        scope: 'Cluster',
        names: { kind: 'Queue' },
        versions: [{ name: 'v1beta1', served: true, schema: { openAPIV3Schema: spec } }],
      },
    };
    expect(
      check(named('scheduling.volcano.sh/v1beta1', 'Queue', { spec: { weight: 1 } }), '1.35', [queue]).violations.map(
        ({ path }) => path,
      ),
    ).toEqual(['/spec/weight']);
  });

  test('say their own message where a rule does not hold', () => {
    const ruled = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'self.size > 1', message: 'too "small"' }],
        },
      },
    };
    expect(check(named('example.com/v1', 'Thing', { spec: { size: 1 } }), '1.35', [crd(ruled)]).violations).toEqual([
      expect.objectContaining({ rule: 'cel/rule', message: 'too "small"', expected: 'self.size > 1', path: '/spec' }),
    ]);
  });

  test('may hold any nonsense without harm', () => {
    const nonsense: JsonObject[] = [
      { type: ['string'], properties: { spec: 'x' } },
      { properties: { spec: { properties: null, items: [1], allOf: 'x', anyOf: [1], required: 'a', enum: 5 } } },
      { properties: 5 },
      {
        type: 'object',
        properties: { spec: { pattern: 5, 'x-kubernetes-validations': ['x', { rule: 5 }, { rule: '(((' }] } },
      },
    ];
    for (const schema of nonsense) {
      expect(() =>
        check(named('example.com/v1', 'Thing', { spec: { a: [1, 'x'] } }), '1.35', [crd(schema)]),
      ).not.toThrow();
    }
  });

  test('among the objects count too, and one that cannot be read stops nothing', () => {
    const thing = named('example.com/v1', 'Thing', { spec: { size: 'x' } });
    const definitions = [{ metadata: { name: 'broken' } }, crd(spec)];
    const { violations } = new ShapeChecker({ kubernetes: '1.35', definitions }).check(manifestOf(thing));
    expect(violations.map(({ rule }) => rule)).toEqual(['schema/type']);
  });

  test('that cannot be read are refused with what they lack', () => {
    expect(
      () => new ShapeChecker({ kubernetes: '1.35', crds: [{ metadata: { name: 'broken' }, spec: { group: 'a' } }] }),
    ).toThrow(UnreadableCrd);
    expect(() => new ShapeChecker({ kubernetes: '1.35', crds: [{ metadata: { name: 'broken' } }] })).toThrow(
      'broken cannot be read: spec.group, spec.names.kind, spec.versions missing',
    );
  });
});

test('every rule has its facts, and ids are unique', () => {
  for (const facts of shapeRuleFacts) {
    for (const text of [facts.id, facts.summary, facts.why, facts.source, facts.fix]) {
      expect(text).not.toBe('');
    }
  }
  expect(new Set(shapeRuleFacts.map(({ id }) => id)).size).toBe(shapeRuleFacts.length);
});
