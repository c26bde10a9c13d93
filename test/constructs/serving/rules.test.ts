import { servingRules } from '../../../src/constructs/serving/rules';
import { findingsOf } from '../../support/findings';
import { rulesSurvive } from '../../support/rules-survive';
import { budget, cases, deployment, gpu, knative, leaderWorkers, type Manifests } from './cases';

const yaml = (manifests: Manifests): string => manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] =>
  findingsOf(yaml(manifests), servingRules).map(({ rule }) => rule);

describe.each(cases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = cases.filter(({ fires, silent }) => [fires, silent].every((some) => Object.keys(some).length > 0));
  expect(covered.map(({ rule }) => rule).sort()).toEqual(servingRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = servingRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^serving\/[a-z0-9]+(-[a-z0-9]+)+$/);
  }
});

test('what a cluster may allow is a warning until its configuration is beside it', () => {
  const metadata = { name: 'config-features', namespace: 'knative-serving' };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} };
  const severity = (manifests: Manifests): readonly string[] =>
    findingsOf(yaml(manifests), servingRules).map((finding) => finding.severity);
  expect(severity([knative({}, { nodeSelector: { a: 'b' } })])).toEqual(['warning']);
  expect(severity([knative({}, { nodeSelector: { a: 'b' } }), config])).toEqual(['error']);
  expect(severity([knative({}, { timeoutSeconds: 3600 })])).toEqual(['warning']);
  expect(severity([knative({}, { timeoutSeconds: -1 })])).toEqual(['error']);
});

test('the fix of a field behind a feature says where an app switches it on', () => {
  const [finding] = findingsOf(yaml([knative({}, { nodeSelector: { a: 'b' } })]), servingRules);
  expect(finding.fix).toBe(
    'Set kubernetes.podspec-nodeselector: enabled in the config-features ConfigMap in the knative-serving namespace (in a Gantry app: serving.KnativeFeatureSwitches), or remove template.spec.nodeSelector.',
  );
});

test('a target of hpa without metric is in percent of CPU', () => {
  const [finding] = findingsOf(
    yaml([knative({ class: 'hpa.autoscaling.knative.dev', target: '10' })]),
    servingRules,
  ).filter(({ rule }) => rule === 'serving/knative-hpa-metric-stated');
  expect(finding).toMatchObject({
    message:
      'autoscaling.knative.dev/metric is unset, so the hpa class scales on CPU, and a target of 10 means 10% of the requested CPU',
    path: '/spec/template/metadata/annotations/autoscaling.knative.dev~1target',
  });
});

test('rules survive any JSON', () => {
  rulesSurvive(
    servingRules,
    [
      knative(
        { 'min-scale': '1', 'max-scale': '2', window: '60s' },
        { volumes: [{ name: 'v', emptyDir: {} }] },
        { ...gpu, ports: [{ containerPort: 1 }], env: [{ name: 'A' }] },
      ),
      deployment({
        ...gpu,
        livenessProbe: { periodSeconds: 1 },
        lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } },
      }),
      budget({ minAvailable: 1 }),
      leaderWorkers({ replicas: 1 }),
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace: 'ai' },
        spec: { hard: { 'requests.nvidia.com/gpu': 4 } },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'config-features', namespace: 'knative-serving' },
        data: { a: 'b' },
      },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h', namespace: 'ai' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'chat' } },
      },
    ],
    200,
  );
});
