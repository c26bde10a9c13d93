/**
 * Workload hygiene: when each rule speaks, when it is silent, and that it never shows a secret.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { hygieneRules } from '../../../src/constructs/pods/rules/hygiene';
import { tagOf } from '../../../src/constructs/pods/rules/hygiene/images';
import { check, readManifests, renderJson, renderSarif, renderText } from '../../../src/interfaces/checks';
import { findingsOf } from '../../support/findings';
import { describeRules } from '../../support/rule-cases';
import { rulesSurvive } from '../../support/rules-survive';

/** A pod with nothing to report, and with what a case adds to its spec, its container, and its volume. */
const pod = (container: JsonObject = {}, spec: JsonObject = {}, namespace = 'ai'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace },
  spec: {
    securityContext: { runAsNonRoot: true },
    containers: [{ name: 'main', image: 'a/b:1', resources: { requests: { cpu: 1, memory: '1Gi' } }, ...container }],
    ...spec,
  },
});
/** A pod of the program with this name. */
const named = (name: string, image: string): JsonObject => ({
  ...pod({ image }),
  metadata: { name: 'p', namespace: 'ai', labels: { 'app.kubernetes.io/name': name } },
});
const secured = (securityContext: JsonObject, spec: JsonObject = {}, container: JsonObject = {}): JsonObject =>
  pod({ securityContext, ...container }, { securityContext: {}, ...spec });
const mounting = (path: string, mount: JsonObject = {}): readonly [JsonObject, JsonObject] => [
  { volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] },
  { volumes: [{ name: 'v', hostPath: { path } }] },
];
const env = (name: string, value: string): JsonObject => pod({ env: [{ name, value }] });
const limitRange = (namespace: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l', namespace },
  spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1', memory: '1Gi' } }] },
});
const claimTemplate = (version: string): JsonObject => ({
  apiVersion: `resource.k8s.io/${version}`,
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'gpu', namespace: 'ai' },
  spec: { spec: {} },
});

describeRules(hygieneRules, [
  {
    rule: 'hygiene/privileged-for-a-reason',
    fires: { 'nothing works on the node': [secured({ privileged: true })] },
    silent: {
      unset: [pod()],
      'a directory of the node': [secured({ privileged: true }, mounting('/dev')[1], mounting('/dev')[0])],
      'the namespaces of the node': [secured({ privileged: true }, { hostPID: true })],
      'a program that changes the node': [
        secured({ privileged: true }, {}, { command: ['sh', '-c', 'sysctl -w vm.max_map_count=262144'] }),
      ],
    },
  },
  {
    rule: 'hygiene/capability-for-a-reason',
    fires: {
      'all capabilities': [secured({ capabilities: { add: ['ALL'] } })],
      'the one that is nearly all': [secured({ capabilities: { add: ['IPC_LOCK', 'CAP_SYS_ADMIN'] } })],
    },
    silent: {
      'one that RDMA needs': [secured({ capabilities: { add: ['IPC_LOCK'] } })],
      'one that is dropped': [secured({ capabilities: { drop: ['ALL'] } })],
      'a container that is privileged anyway': [secured({ privileged: true, capabilities: { add: ['SYS_ADMIN'] } })],
      'a directory of the node': [
        secured({ capabilities: { add: ['SYS_ADMIN'] } }, mounting('/dev')[1], mounting('/dev')[0]),
      ],
    },
  },
  {
    rule: 'hygiene/runs-as-non-root',
    fires: {
      root: [secured({ runAsUser: 0 })],
      'the user of the image': [secured({})],
      'root, although the pod says otherwise': [pod({ securityContext: { runAsUser: 0, runAsNonRoot: false } })],
    },
    silent: {
      'another user': [secured({ runAsUser: 1000 })],
      'not root, by the pod': [pod()],
      'a user namespace': [secured({}, { hostUsers: false })],
      Windows: [secured({}, { os: { name: 'windows' } })],
      'capabilities that need root': [secured({ capabilities: { add: ['IPC_LOCK'] } })],
      'a directory of the node': [secured({}, mounting('/dev')[1], mounting('/dev')[0])],
    },
  },
  {
    rule: 'hygiene/host-root-not-mounted',
    fires: {
      'the root': [pod(...mounting('/'))],
      'the root in other words': [pod(...mounting('/var/..'))],
    },
    silent: { 'a directory': [pod(...mounting('/var/lib'))], 'a volume of another kind': [pod()] },
  },
  {
    rule: 'hygiene/gantry-image-pinned',
    fires: {
      'a tag': [named('gantry-scheduler', 'node:24.11.0')],
      'no tag': [named('gantry-node-agent', 'node')],
      remediation: [named('gantry-remediation', 'registry:5000/node:24')],
    },
    silent: {
      'a digest': [named('gantry-scheduler', `node:24@sha256:${'a'.repeat(64)}`)],
      'another program': [named('web', 'node:24')],
    },
  },
  {
    rule: 'hygiene/image-tagged',
    fires: {
      'no tag': [pod({ image: 'nginx' })],
      latest: [pod({ image: 'nginx:latest' })],
      'a port and no tag': [pod({ image: 'registry:5000/nginx' })],
    },
    silent: {
      'a version': [pod({ image: 'nginx:1.27' })],
      'a digest': [pod({ image: `nginx@sha256:${'a'.repeat(64)}` })],
      'a variable that is filled in later': [pod({ image: '${IMAGE}' })],
    },
  },
  {
    rule: 'hygiene/secret-from-secret',
    fires: {
      'by its name': [env('DB_PASSWORD', 'correct horse')],
      'by the name of a token': [env('HF_TOKEN', 'abcdefghijk')],
      'by its form': [env('SETTINGS', `hf_${'a'.repeat(34)}`)],
      'a password in an address': [env('DATABASE_URL', 'postgres://user:hunter2@db/app')],
    },
    silent: {
      'a reference': [pod({ env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })],
      'a file': [env('DB_PASSWORD_FILE', '/run/secrets/db')],
      'the path of a file': [env('DB_PASSWORD', '/run/secrets/db')],
      'a variable': [env('DB_PASSWORD', '$(OTHER)')],
      'a switch': [env('USE_TOKEN', 'true')],
      'a token of a tokenizer': [env('PAD_TOKEN', '[pad]')],
      'an address without a password': [env('DATABASE_URL', 'postgres://user@db/app')],
      'the name of a key': [env('SORT_KEY', 'name')],
    },
  },
  {
    rule: 'hygiene/requests-set',
    fires: {
      none: [pod({ resources: {} })],
      'no memory': [pod({ resources: { requests: { cpu: 1 } } })],
      'none of a sidecar': [pod({}, { initContainers: [{ name: 's', image: 'a:1', restartPolicy: 'Always' }] })],
      'the defaults of another namespace': [pod({ resources: {} }), limitRange('other')],
    },
    silent: {
      both: [pod()],
      'limits, which are requests as well': [pod({ resources: { limits: { cpu: 1, memory: '1Gi' } } })],
      'of the pod': [pod({ resources: {} }, { resources: { requests: { cpu: 1, memory: '1Gi' } } })],
      'the defaults of the namespace': [pod({ resources: {} }), limitRange('ai')],
      'an init container, which ends': [pod({}, { initContainers: [{ name: 's', image: 'a:1' }] })],
    },
  },
  {
    rule: 'hygiene/api-version-lasts',
    fires: { 'a version with a successor': [claimTemplate('v1beta1')] },
    silent: {
      'the version that lasts': [claimTemplate('v1')],
      'a kind that is not built in': [{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } }],
    },
  },
]);

test.each([
  ['nginx', ''],
  ['nginx:1.27', '1.27'],
  ['localhost:5000/a/b', ''],
  ['localhost:5000/a/b:c', 'c'],
  ['a@sha256:0', undefined],
  ['a:latest@sha256:0', undefined],
  ['{{ .Values.image }}', undefined],
])('the tag of %s is %s', (image, tag) => {
  expect(tagOf(image)).toBe(tag);
});

test('a removed version is named with the release and the successor', () => {
  const [finding] = findingsOf(JSON.stringify(claimTemplate('v1beta1')), hygieneRules);
  expect(finding).toMatchObject({
    message: 'resource.k8s.io/v1beta1 ResourceClaimTemplate is removed in Kubernetes 1.38; use resource.k8s.io/v1',
    fix: 'Set apiVersion: resource.k8s.io/v1.',
  });
});

describe('the group', () => {
  const bad = JSON.stringify(env('DB_PASSWORD', 'hunter2-hunter2'));
  const set = readManifests(bad);

  test('is off by default, and counted apart', () => {
    expect(check(set).findings.filter(({ group }) => group !== undefined)).toEqual([]);
    const report = check(set, { groups: ['hygiene'] });
    expect(report.findings).toMatchObject([
      { rule: 'hygiene/secret-from-secret', tier: 'advice', severity: 'warning', group: 'hygiene' },
    ]);
    expect(renderText(report)).toContain('1 document: no errors, 1 for hygiene');
    expect(JSON.parse(renderJson(report))).toMatchObject({ counts: { error: 0, warning: 0, info: 0, hygiene: 1 } });
  });

  test('is a tag in SARIF', () => {
    const log = JSON.parse(renderSarif(check(set, { groups: ['hygiene'] }), { rules: hygieneRules })) as {
      runs: readonly { tool: { driver: { rules: readonly { id: string; properties: unknown }[] } } }[];
    };
    expect(log.runs[0].tool.driver.rules).toMatchObject([
      { id: 'hygiene/secret-from-secret', properties: { tags: ['advice', 'hygiene'] } },
    ]);
  });

  test('never shows a secret', () => {
    const report = check(set, { groups: ['hygiene'] });
    for (const text of [renderText(report), renderJson(report), renderSarif(report)]) {
      expect(text).not.toContain('hunter2');
    }
  });

  test('has warnings of the tier advice only', () => {
    for (const { tier, severity, group } of hygieneRules) {
      expect([tier, severity, group]).toEqual(['advice', 'warning', 'hygiene']);
    }
  });
});

test('rules survive any JSON', () => {
  rulesSurvive(hygieneRules, [
    pod(...mounting('/')),
    env('A_TOKEN', 'abcdefgh'),
    secured({ privileged: true, runAsUser: 0 }),
    limitRange('ai'),
    claimTemplate('v1beta1'),
  ]);
});
