import { check, readManifests } from '../../src/interfaces/checks';
import { renderText } from '../../src/checks/report/text';
import { renderJson } from '../../src/checks/report/json';
import { allRules } from '../../src/interfaces/checks/all-rules';
import { countsOf, isIncomplete } from '../../src/checks/report/report';
import { defineRule } from '../../src/checks/rules/define-rule';
import { type JsonObject } from '../../src/facts/api/schema';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { manifestOf } from '../support/manifest-of';

const crd = (field: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ws.x.io}
spec:
  group: x.io
  names: {kind: W, plural: ws, singular: w, listKind: WList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {a: ${field}}}}
---
apiVersion: x.io/v1
kind: W
metadata: {name: a}
`;

describe('patterns of given definitions run in linear time', () => {
  // Each with expressions of its own: an expression is compiled once for all that name it.
  test.each([
    ['a pattern', "{type: string, pattern: '^(a+)+$'}"],
    ['a pattern with choices', "{type: string, pattern: '^(a|a)*(a|a)*(a|a)*(a|a)*$'}"],
    ['CEL matches()', `{type: string, x-kubernetes-validations: [{rule: 'self.matches("^(a+)+[$]?$")'}]}`],
    [
      'CEL matches() with choices',
      `{type: string, x-kubernetes-validations: [{rule: 'self.matches("^(a|a)*(aa|a)*(a|a)*$")'}]}`,
    ],
    [
      'CEL matches() with optional parts',
      `{type: string, x-kubernetes-validations: [{rule: 'self.matches("^${'a?'.repeat(40)}$")'}]}`,
    ],
    [
      'CEL matches() with repetitions',
      `{type: string, x-kubernetes-validations: [{rule: 'self.matches("${'a*'.repeat(12)}b")'}]}`,
    ],
    [
      'CEL matches() with bounded repetitions',
      `{type: string, x-kubernetes-validations: [{rule: 'self.matches("^(a{1,9}){1,9}$")'}]}`,
    ],
  ])('%s', (_, field) => {
    const value = `${'a'.repeat(60)}!`;
    const { findings } = check(readManifests(`${crd(field)}spec: {a: ${value}}\n`), { tiers: ['schema', 'cel'] });
    expect(findings.map(({ path, rule: id }) => [path, id])).toEqual([
      ['/spec/a', field.includes('validations') ? 'cel/rule' : 'schema/pattern'],
    ]);
  });

  test.each(['(a+)+b', 'a*a*a*a*a*a*b'])('CEL find() with %s is not evaluated here, and no error', (pattern) => {
    const field = `{type: string, x-kubernetes-validations: [{rule: 'self.find("${pattern}") == ""'}]}`;
    const { findings } = check(readManifests(`${crd(field)}spec: {a: ${'a'.repeat(60)}!}\n`), { tiers: ['cel'] });
    expect(findings.map(({ severity }) => severity)).toEqual(['info']);
    expect(findings[0]?.message).toMatch(/not checked: the pattern of a find/);
  });

  test('a pattern that is too long is not evaluated here, and no error', () => {
    const field = `{type: string, x-kubernetes-validations: [{rule: 'self.matches("(b|${'a'.repeat(33_000)})+")'}]}`;
    const { findings } = check(readManifests(`${crd(field)}spec: {a: a}\n`), { tiers: ['cel'] });
    expect(findings.map(({ severity }) => severity)).toEqual(['info']);
    expect(findings[0]?.message).toContain('a pattern of matches() is too long');
  });
});

test('values of Secrets are not in a report, neither as they are nor decoded', () => {
  const encoded = Buffer.from('correct horse').toString('base64');
  const report = renderJson(
    check(
      readManifests(`apiVersion: v1
kind: Secret
metadata:
  name: a
  annotations: {note: hunter2-hunter2, "bad key!": hunter2-hunter2}
type: kubernetes.io/tls
data: {p: "not base64 at all!", q: 1234567, r: "${encoded}", "bad/key": "${encoded}"}
stringData: {s: hunter2-hunter2, "also/bad": swordfish}
unknown: hunter2-hunter2
`),
    ),
  );
  expect(report).toContain('(value of a Secret)');
  for (const secret of ['not base64', '1234567', encoded, 'correct horse', 'hunter2', 'swordfish']) {
    expect(report).not.toContain(secret);
  }
});

test('a Secret whose values are in the wrong place or of the wrong type does not show them', () => {
  const report = renderJson(
    check(
      readManifests(`apiVersion: v1
kind: Secret
metadata: {name: a}
stringData: hunter2-text
data: [hunter2-item]
immutable: hunter2-flag
---
apiVersion: v1
kind: Secret
metadata: {name: b}
stringData: {a: {b: hunter2-nested}, c: [hunter2-listed], d: 7654321}
dtaa: {x: hunter2-misspelled}
stringdata: {x: hunter2-lowercase}
`),
    ),
  );
  expect(JSON.parse(report)).toMatchObject({ documents: 2 });
  expect(report).not.toContain('hunter2');
  expect(report).not.toContain('7654321');
});

describe('an expression that is nested 10,000 deep', () => {
  const deep = 10_000;
  const judged = (kind: string, spec: object): readonly unknown[] => {
    const apiVersion = kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'monitoring.coreos.com/v1';
    const report = check(readManifests(JSON.stringify({ apiVersion, kind, metadata: { name: 'a' }, spec })));
    expect(report.notChecked).toEqual([]);
    return report.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  };
  const formula = (text: string): readonly unknown[] =>
    judged('ScaledObject', {
      scaleTargetRef: { name: 'a' },
      advanced: { scalingModifiers: { formula: text, target: '1' } },
      triggers: [
        {
          type: 'cron',
          name: 't',
          metadata: { timezone: 'UTC', start: '0 8 * * *', end: '0 9 * * *', desiredReplicas: '1' },
        },
      ],
    });
  const query = (expr: string): readonly unknown[] =>
    judged('PrometheusRule', { groups: [{ name: 'a', rules: [{ record: 'a', expr }] }] });

  it.each([
    ['parentheses', `${'('.repeat(deep)}t${')'.repeat(deep)}`],
    ['conditions', `${'t > 1 ? 1 : '.repeat(deep)}t`],
    ['signs', `${'-'.repeat(deep)}t`],
    ['calls', `${'max('.repeat(deep)}t${')'.repeat(deep)}`],
  ])('is not judged as a formula: %s', (_, text) => {
    expect(formula(text)).toEqual([]);
  });

  it('is judged as a formula where it is 300 deep', () => {
    expect(formula(`${'('.repeat(300)}t${')'.repeat(300)}`)).toEqual([]);
    expect(formula(`${'('.repeat(300)}t${')'.repeat(299)}`)).toHaveLength(1);
  });

  it.each([
    ['parentheses', `${'('.repeat(deep)}up${')'.repeat(deep)}`],
    ['sums', `up${' + up'.repeat(deep)}`],
    ['powers', `up${' ^ up'.repeat(deep)}`],
    ['aggregations', `${'sum('.repeat(deep)}up${')'.repeat(deep)}`],
  ])('is not judged as PromQL, which Prometheus reads: %s', (_, text) => {
    expect(query(text)).toEqual([]);
  });

  it('is rejected as PromQL where a bracket is not closed', () => {
    expect(query(`${'sum('.repeat(deep)}up`)).toHaveLength(1);
  });
});

test('a rule that throws is reported, the others run, and the check is incomplete', () => {
  const broken = defineRule({
    on: 'object',
    id: 'acme/broken',
    kinds: ['*'],
    summary: 'x.',
    fix: 'Fix it.',
    check: () => {
      throw new Error('no luck');
    },
  });
  const set = readManifests('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndaat: {}\n');
  const report = check(set, { rules: [...allRules(), broken] });
  expect(report.notChecked).toEqual([
    expect.objectContaining({ object: 'v1 ConfigMap a', why: 'the rule acme/broken failed: no luck', failed: true }),
  ]);
  expect([isIncomplete(report), report.findings.length]).toEqual([true, 1]);
});

describe.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'])('the name %s anywhere', (name) => {
  test('is a name like any other', () => {
    const report = check(
      readManifests(`apiVersion: v1
kind: ${name}
metadata: {name: ${name}, namespace: ${name}, labels: {${name}: a}, annotations: {${name}: a}}
spec: {${name}: {a: 1}}
---
apiVersion: ${name}/v1
kind: ${name}
metadata: {name: a}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  queue: ${name}
  schedulerName: ${name}
  plugins: {${name}: []}
  policies: [{event: ${name}, action: ${name}}]
  tasks:
  - name: ${name}
    replicas: 1
    template: {spec: {priorityClassName: ${name}, containers: [{name: a, image: ${name}, resources: {limits: {${name}: 1}}}]}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: a}
spec: {scaleTargetRef: {name: ${name}}, triggers: [{type: ${name}, metadata: {${name}: x}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: a}
spec: {hard: {${name}: 1}}
`),
    );
    expect(report.notChecked.filter(({ failed }) => failed === true)).toEqual([]);
    expect(report.findings.length).toBeGreaterThan(2);
  });
});

test('a finding on each of many members has its place without searching all of them each time', () => {
  const members = Array.from({ length: 100 }, (_, index) => `k${index}: 1`).join('\n');
  const objects = Array.from(
    { length: 30 },
    (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a${index}}\n${members}\n`,
  );
  const { findings } = check(readManifests(objects.join('---\n')), { tiers: ['schema'] });
  expect(findings).toHaveLength(3000);
  expect(new Set(findings.map(({ line }) => line)).size).toBe(3000);
});

test('a Secret with thousands of invalid keys hides each of its values', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`bad/${index}`, `hunter-${index}`]));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: data };
  const report = check(readManifests(JSON.stringify(secret)));
  expect(countsOf(report).error).toBe(20_000);
  expect(JSON.stringify(report)).not.toContain('hunter-');
});

test('hints of one rule on thousands of pods are one block of the report', () => {
  const hint = {
    rule: 'a/b',
    tier: 'advice',
    severity: 'info',
    object: 'v1 Pod a',
    message: 'a',
    fix: 'Fix it.',
  } as const;
  const findings = Array.from({ length: 50_000 }, (_, index) => ({ ...hint, path: `/${index}` }));
  const text = renderText({ documents: 1, findings, notChecked: [], suppressed: [], skipped: [] });
  expect(text).toContain('(advice, 50000 times)');
});

test('a List may have more items than a call may have arguments', () => {
  const items = Array.from({ length: 150_000 }, () => ({ apiVersion: 'v1', kind: 'Pod' }));
  expect(readManifests(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })).manifests).toHaveLength(150_000);
});

test('a number of replicas is not work', () => {
  const manifests = `apiVersion: v1
kind: ResourceQuota
metadata: {name: all, namespace: research}
spec: {hard: {requests.nvidia.com/gpu: "2000000000"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: research}
spec:
  replicas: 2000000000
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec: {containers: [{name: server, image: "registry.example.com/server:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
`;
  const { findings } = check(readManifests(manifests));
  expect(findings.map(({ rule }) => rule)).toContain('serving/surge-fits-quota');
});

describe('50,000 characters or entries take no time that grows faster than they do', () => {
  const many = 50_000;
  const judge = (object: JsonObject): readonly string[] => {
    const report = check(new ManifestSet([manifestOf(object)]));
    expect(report.notChecked.filter(({ failed }) => failed === true)).toEqual([]);
    return report.findings.map(({ rule }) => rule);
  };
  const metadata = { name: 'a', namespace: 'a' };

  it.each(['\n', ' ', '-', '0', '{', '[', '>', '"', 'a: ', '- a\n'])('in files of a ConfigMap: %j', (text) => {
    const content = text.repeat(many / text.length);
    const names = [
      'daemon.json',
      'a.yaml',
      'a.toml',
      'config.toml',
      'kubelet',
      'counters.csv',
      'volcano-scheduler.conf',
    ];
    const data = Object.fromEntries([...names, 'bad key!'].map((name) => [name, content]));
    expect(judge({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })).toContain('core/config-key-valid');
  });

  it.each(['>', 'tee ', 'systemctl ', 'nvidia-smi ', '$(A)', '"'])('in the command of a DaemonSet: %j', (text) => {
    const containers = [{ name: 'a', image: 'registry.example.com/a:1', command: ['sh', '-c', text.repeat(many / 4)] }];
    const spec = {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
    };
    expect(judge({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec })).not.toContain('schema/type');
  });

  it('in unknown fields', () => {
    const spec = Object.fromEntries(Array.from({ length: many }, (_, index) => [`weigth${index}`, 1]));
    expect(judge({ apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata, spec })).toContain(
      'schema/unknown-field',
    );
  });

  it('in conditions with expressions', () => {
    const webhook = {
      name: 'a.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://example.com' },
      matchConditions: Array.from({ length: many }, (_, index) => ({ name: `a${index}`, expression: `${index} > 1` })),
    };
    expect(
      judge({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'a' },
        webhooks: [webhook],
      }),
    ).toContain('core/webhook-valid');
  });

  it('in claims of a container', () => {
    const claims = Array.from({ length: many }, (_, index) => ({ name: `claim-${index}` }));
    const resourceClaims = claims.map(({ name }) => ({ name: `other-${name}`, resourceClaimName: name }));
    const containers = [{ name: 'a', image: 'registry.example.com/a:1', resources: { claims } }];
    expect(judge({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { resourceClaims, containers } })).toContain(
      'core/resource-claim-of-pod',
    );
  });
});

test('thousands of workloads that name groups and queues that are not there are looked up in an index', () => {
  const many = 3000;
  const objects = Array.from({ length: many }, (_, index): JsonObject[] => [
    {
      apiVersion: 'scheduling.x-k8s.io/v1alpha1',
      kind: 'PodGroup',
      metadata: { name: `group-of-team-${index}`, namespace: 'a' },
      spec: { minMember: 1 },
    },
    {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'LocalQueue',
      metadata: { name: `queue-of-team-${index}`, namespace: 'a' },
      spec: { clusterQueue: `cluster-${index}` },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `job-${index}`,
        namespace: 'a',
        labels: { 'kueue.x-k8s.io/queue-name': `queue-of-taem-${index}` },
      },
      spec: {
        suspend: true,
        template: {
          metadata: { labels: { 'scheduling.x-k8s.io/pod-group': `group-of-taem-${index}` } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'registry.example.com/a:1' }] },
        },
      },
    },
  ]).flat();
  const { findings } = check(new ManifestSet(objects.map(manifestOf)), { tiers: ['advice'] });
  const times = (rule: string): number => findings.filter((finding) => finding.rule === rule).length;
  expect([times('scheduling/pod-group-known'), times('kueue/local-queue-of-namespace')]).toEqual([many, many]);
});
