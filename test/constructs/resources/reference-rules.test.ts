import { type JsonObject } from '../../../src/facts/api/schema';
import { check } from '../../../src/checks/engine';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { referenceRules } from '../../../src/constructs/resources/rules';
import { findingsOf } from '../../support/findings';
import { describeRules, type Manifests } from '../../support/rule-cases';
import { rulesSurvive } from '../../support/rules-survive';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: JsonObject = {},
  namespace = 'ai',
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  ...more,
});
const labeled = (manifest: JsonObject, labels: JsonObject): JsonObject => ({
  ...manifest,
  metadata: { ...(manifest.metadata as JsonObject), labels },
});
const configMap = (name: string, data: JsonObject = {}, namespace = 'ai'): JsonObject =>
  object('v1', 'ConfigMap', name, { data }, namespace);
const pod = (spec: JsonObject, labels: JsonObject = {}, container: JsonObject = {}): JsonObject =>
  labeled(
    object('v1', 'Pod', 'p', { spec: { containers: [{ name: 'a', image: 'i', ...container }], ...spec } }),
    labels,
  );
const mounts = (name: string): JsonObject => pod({ volumes: [{ name: 'v', configMap: { name } }] });
const reads = (key: string, more: JsonObject = {}): JsonObject =>
  pod({}, {}, { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key, ...more } } }] });
const secret = (name: string, stringData: JsonObject): JsonObject => object('v1', 'Secret', name, { stringData });
const projected = (source: JsonObject): JsonObject => ({ name: 'v', projected: { sources: [source] } });
/** A pod that mounts a single file of the ConfigMap. */
const mounting = (subPath: string, more: JsonObject = {}): JsonObject =>
  pod(
    { volumes: [{ name: 'v', configMap: { name: 'settings', ...more } }] },
    {},
    { volumeMounts: [{ name: 'v', mountPath: '/etc/a.toml', subPath }] },
  );
/** What the API server calls. */
const called = (...ports: readonly number[]): JsonObject =>
  object('v1', 'Service', 'hook', { spec: { ports: ports.map((port) => ({ port })) } });
const clientConfig = (more: JsonObject = {}): JsonObject => ({
  service: { name: 'hook', namespace: 'ai', ...more },
});
const webhooks = (kind: string, more: JsonObject | undefined): JsonObject =>
  object(
    'admissionregistration.k8s.io/v1',
    `${kind}WebhookConfiguration`,
    'hooks',
    { webhooks: [{ name: 'a', clientConfig: more === undefined ? { url: 'https://a:9443' } : clientConfig(more) }] },
    '',
  );
const conversion = (more: JsonObject): JsonObject =>
  object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'd',
    { spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: clientConfig(more) } } } },
    '',
  );
const apiService = (more: JsonObject): JsonObject =>
  object('apiregistration.k8s.io/v1', 'APIService', 'v1.a', { spec: clientConfig(more) }, '');
const service = (selector: JsonObject, ports: readonly JsonObject[] = [{ name: 'http', port: 80 }]): JsonObject =>
  object('v1', 'Service', 'web', { spec: { selector, ports: [...ports] } });
const ingress = (port: JsonObject): JsonObject =>
  object('networking.k8s.io/v1', 'Ingress', 'web', {
    spec: {
      rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port } } }] } }],
    },
  });
const route = (port: number, more: JsonObject = {}): JsonObject =>
  object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'web', {
    spec: { rules: [{ backendRefs: [{ name: 'web', port, ...more }] }] },
  });
const monitor = (matchLabels: JsonObject): JsonObject =>
  object('monitoring.coreos.com/v1', 'ServiceMonitor', 'web', {
    spec: { selector: { matchLabels }, endpoints: [{ port: 'http' }] },
  });
const policy = (matchLabels: JsonObject): JsonObject =>
  object('networking.k8s.io/v1', 'NetworkPolicy', 'deny', { spec: { podSelector: { matchLabels } } });
const queue = (name: string, parent?: string): JsonObject =>
  object('scheduling.volcano.sh/v1beta1', 'Queue', name, { spec: parent === undefined ? {} : { parent } }, '');
const kaiQueue = (name: string, parentQueue?: string): JsonObject =>
  object('scheduling.run.ai/v2', 'Queue', name, { spec: parentQueue === undefined ? {} : { parentQueue } }, '');
const pytorch = (name: string): JsonObject =>
  object('kubeflow.org/v1', 'PyTorchJob', 'train', {
    spec: { runPolicy: { schedulingPolicy: { queue: name } }, pytorchReplicaSpecs: {} },
  });
const limited = (capability: JsonObject): JsonObject =>
  object('scheduling.volcano.sh/v1beta1', 'Queue', 'research', { spec: { capability } }, '');
const kaiLimited = (limit: number): JsonObject =>
  object('scheduling.run.ai/v2', 'Queue', 'research', { spec: { resources: { gpu: { limit } } } }, '');
/** A Deployment of pods with eight GPUs each. */
const gpus = (scheduler: 'volcano' | 'kai', replicas: number, name = 'research'): JsonObject =>
  object('apps/v1', 'Deployment', 'server', {
    spec: {
      replicas,
      template: {
        metadata:
          scheduler === 'kai'
            ? { labels: { 'kai.scheduler/queue': name } }
            : { annotations: { 'scheduling.volcano.sh/queue-name': name } },
        spec: { containers: [{ name: 'a', image: 'i', resources: { limits: { 'nvidia.com/gpu': 8 } } }] },
      },
    },
  });
const binding = (account: string): JsonObject =>
  object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'ai' }],
  });

describeRules(referenceRules, [
  {
    rule: 'references/object-in-set',
    fires: {
      'a ConfigMap beside others': [configMap('settings'), mounts('other-thing')],
      'a misspelled ConfigMap': [configMap('settings'), mounts('setings')],
      'a misspelled namespace': [object('v1', 'Namespace', 'research', {}, ''), configMap('a', {}, 'reserch')],
      'a misspelled queue of a PyTorchJob': [queue('research'), pytorch('reserch')],
      'a misspelled queue of a RayCluster': [
        queue('research'),
        labeled(object('ray.io/v1', 'RayCluster', 'r', { spec: {} }), { 'volcano.sh/queue-name': 'reserch' }),
      ],
      'a misspelled queue of a Deployment': [
        kaiQueue('research'),
        labeled(object('apps/v1', 'Deployment', 'd', { spec: {} }), { 'kai.scheduler/queue': 'reserch' }),
      ],
      'a misspelled target of an autoscaler': [
        object('apps/v1', 'Deployment', 'server', { spec: {} }),
        object('autoscaling/v2', 'HorizontalPodAutoscaler', 'h', {
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'sever' }, maxReplicas: 2 },
        }),
      ],
      'a misspelled service account in a binding': [object('v1', 'ServiceAccount', 'trainer'), binding('trianer')],
      'a misspelled Service of a webhook': [
        service({}),
        object(
          'admissionregistration.k8s.io/v1',
          'ValidatingWebhookConfiguration',
          'w',
          { webhooks: [{ name: 'a', clientConfig: { service: { name: 'webb', namespace: 'ai' } } }] },
          '',
        ),
      ],
      'a misspelled claim': [
        object('v1', 'PersistentVolumeClaim', 'data'),
        pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'dta' } }] }),
      ],
      'a misspelled backend of a route': [service({}), route(80, { name: 'wbe' })],
    },
    silent: {
      'the ConfigMap': [configMap('settings'), mounts('settings')],
      'no ConfigMap in the set': [mounts('settings')],
      'a ConfigMap of no namespace': [configMap('settings', {}, ''), mounts('settings')],
      'an optional ConfigMap': [
        configMap('settings'),
        pod({ volumes: [{ name: 'v', configMap: { name: 'x', optional: true } }] }),
      ],
      'what every cluster has': [configMap('settings'), mounts('kube-root-ca.crt')],
      'a namespace that resembles no other': [object('v1', 'Namespace', 'research', {}, ''), configMap('a', {}, 'ops')],
      'the default queue': [queue('research'), pytorch('default')],
    },
  },
  {
    rule: 'references/queue-is-leaf',
    fires: {
      'a PyTorchJob in a parent queue': [queue('research'), queue('vision', 'research'), pytorch('research')],
      'pods in a parent queue of KAI': [
        kaiQueue('research'),
        kaiQueue('vision', 'research'),
        pod({}, { 'kai.scheduler/queue': 'research' }),
      ],
    },
    silent: {
      'a leaf': [queue('research'), queue('vision', 'research'), pytorch('vision')],
      'the parent itself': [queue('research'), queue('vision', 'research')],
    },
  },
  {
    rule: 'references/pods-fit-queue',
    fires: {
      'a PyTorchJob larger than its queue': [limited({ 'nvidia.com/gpu': 31 }), gpus('volcano', 4)],
      'a Deployment larger than the parent of its queue': [
        limited({ 'nvidia.com/gpu': 31 }),
        queue('vision', 'research'),
        gpus('volcano', 4, 'vision'),
      ],
      'pods beyond the limit of a KAI queue': [kaiLimited(31), gpus('kai', 4)],
    },
    silent: {
      'as much as the queue holds': [limited({ 'nvidia.com/gpu': 32 }), gpus('volcano', 4)],
      'another resource is limited': [limited({ cpu: 1 }), gpus('volcano', 4)],
      'no limit in KAI': [kaiLimited(-1), gpus('kai', 4)],
      'as much as a KAI queue holds': [kaiLimited(32), gpus('kai', 4)],
      'a queue that is not in the set': [gpus('volcano', 4)],
    },
  },
  {
    rule: 'references/selector-matches',
    fires: {
      'a Service beside other pods': [service({ app: 'api' }), pod({}, { app: 'batch' })],
      'a Service for a Job of another name': [
        service({ 'batch.kubernetes.io/job-name': 'evaluate' }),
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'train' },
          spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
        },
      ],
      'a Service with a misspelled label': [service({ app: 'server' }), pod({}, { app: 'sever' })],
      'a monitor beside the Service that it means': [
        labeled(service({}), { app: 'server' }),
        monitor({ app: 'sever' }),
      ],
      'a policy that protects nothing': [policy({ app: 'api' }), pod({}, { app: 'batch' })],
    },
    silent: {
      'the pods': [service({ app: 'api' }), pod({}, { app: 'api', tier: 'a' })],
      'pods that their controller labels with the name of the workload': [
        service({ 'batch.kubernetes.io/job-name': 'train' }),
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'train' },
          spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
        },
      ],
      'no pods in the set': [service({ app: 'api' })],
      'a label that a controller adds': [
        service({ 'batch.kubernetes.io/job-name': 'train' }),
        pod({}, { app: 'batch' }),
      ],
      'a policy for all pods': [policy({}), pod({}, { app: 'batch' })],
      'pods of another namespace': [
        service({ app: 'api' }),
        { ...pod({}, { app: 'batch' }), metadata: { name: 'p', namespace: 'other' } },
      ],
    },
  },
  {
    rule: 'references/key-exists',
    fires: {
      'a key in env': [configMap('settings', { url: 'a' }), reads('uri')],
      'an item of a volume': [
        configMap('settings', { url: 'a' }),
        pod({ volumes: [{ name: 'v', configMap: { name: 'settings', items: [{ key: 'uri', path: 'x' }] } }] }),
      ],
      'an item of a projected volume': [
        configMap('settings', { url: 'a' }),
        pod({ volumes: [projected({ configMap: { name: 'settings', items: [{ key: 'uri', path: 'x' }] } })] }),
      ],
      'an item of a projected Secret': [
        secret('token', { token: 'a' }),
        pod({ volumes: [projected({ secret: { name: 'token', items: [{ key: 'tokn', path: 'x' }] } })] }),
      ],
      'a single file': [configMap('settings', { 'a.toml': '' }), mounting('b.toml')],
    },
    silent: {
      'an optional part of a projected volume': [
        configMap('settings', { url: 'a' }),
        pod({
          volumes: [projected({ configMap: { name: 'settings', optional: true, items: [{ key: 'uri', path: 'x' }] } })],
        }),
      ],
      'the single file': [configMap('settings', { 'a.toml': '' }), mounting('a.toml')],
      'a single file of an optional volume': [
        configMap('settings', { 'a.toml': '' }),
        mounting('b.toml', { optional: true }),
      ],
      'a single file under a path of its own': [
        configMap('settings', { 'a.toml': '' }),
        mounting('b.toml', { items: [{ key: 'a.toml', path: 'b.toml' }] }),
      ],
      'the whole volume': [configMap('settings', { 'a.toml': '' }), mounting('')],
      'the key': [configMap('settings', { url: 'a' }), reads('url')],
      'an optional key': [configMap('settings', { url: 'a' }), reads('uri', { optional: true })],
      'an object that a controller fills': [configMap('settings'), reads('url')],
      'an object that is not here': [reads('url')],
    },
  },
  {
    rule: 'references/backend-port-exists',
    fires: {
      'a number': [service({}), ingress({ number: 8080 })],
      'a name': [service({}), ingress({ name: 'web' })],
      'a route': [service({}), route(8080)],
      'a webhook': [called(443), webhooks('Mutating', { port: 9443 })],
      'a webhook at the usual port': [called(9443, 8443), webhooks('Validating', {})],
      'the conversion of a definition': [called(9443), conversion({ port: 443 })],
      'an aggregated API': [called(9443), apiService({})],
    },
    silent: {
      'a webhook at its port': [called(443, 9443), webhooks('Mutating', { port: 9443 })],
      'a webhook at the usual port, which is there': [called(443), webhooks('Validating', {})],
      'the conversion at its port': [called(9443), conversion({ port: 9443 })],
      'an aggregated API at the usual port': [called(443), apiService({})],
      'a webhook at a port that the schema rejects': [called(443), webhooks('Mutating', { port: 'https' })],
      'a webhook with an address': [called(443), webhooks('Mutating', undefined)],
      'a webhook in another namespace': [called(443), webhooks('Mutating', { namespace: 'other', port: 9443 })],
      'its number': [service({}), ingress({ number: 80 })],
      'its name': [service({}), ingress({ name: 'http' })],
      'its route': [service({}), route(80)],
      'a Service elsewhere': [ingress({ number: 8080 })],
    },
  },
  {
    rule: 'pulumi/output-has-value',
    fires: {
      'an output in a template literal': [
        configMap('settings', { url: 'http://Calling [toString] on an [Output<T>] is not supported.\n\nTo get …' }),
      ],
      'an output in JSON': [reads('k'), configMap('a', { json: '{"a":"Calling [toJSON] on an [Output<T>] is …"}' })],
    },
    silent: { 'a text about outputs': [configMap('notes', { text: 'An Output<T> has no text.' })] },
  },
]);

test('an Output is also found in an object with a number that JSON does not hold', () => {
  const url = 'Calling [toString] on an [Output<T>] is not supported.';
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { number: 0, url } };
  const text = JSON.stringify(object).replace('"number":0', '"number":1e400');
  const { manifests, problems } = parseYaml(text, 'test.json');
  expect(problems.map(({ kind }) => kind)).toEqual(['huge-number']);
  const { findings, notChecked } = check(new ManifestSet(manifests, problems), { rules: referenceRules });
  expect(notChecked.filter(({ why }) => why.startsWith('the rule '))).toEqual([]);
  expect(findings.map(({ rule, path }) => `${rule} ${path}`)).toContain('pulumi/output-has-value /spec/url');
});

describe('severity', () => {
  const severities = (manifests: Manifests): readonly string[] =>
    findingsOf(manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'), referenceRules).map(
      ({ severity }) => severity,
    );

  test('what is absent is a hint, and a warning beside a name that it nearly matches', () => {
    expect(severities([configMap('settings'), mounts('other-thing')])).toEqual(['info']);
    expect(severities([configMap('settings'), mounts('setings')])).toEqual(['warning']);
    expect(severities([configMap('shard-1'), mounts('shard-2')])).toEqual(['info']);
    expect(severities([configMap('team-a'), mounts('team-b')])).toEqual(['info']);
    expect(severities([service({ app: 'api' }), pod({}, { app: 'batch' })])).toEqual(['info']);
    expect(severities([service({ app: 'server' }), pod({}, { app: 'sever' })])).toEqual(['warning']);
  });
});

test('rules survive any JSON', () => {
  rulesSurvive(referenceRules, [
    configMap('settings', { a: 'b' }),
    reads('c'),
    service({ app: 'api' }),
    pod({ volumes: [{ name: 'v', configMap: { name: 'settings', items: [{ key: 'k', path: 'p' }] } }] }, { app: 'x' }),
    ingress({ number: 1 }),
    route(1),
    monitor({ a: 'b' }),
    queue('a', 'b'),
    pytorch('b'),
    limited({ cpu: 1 }),
    kaiLimited(1),
    gpus('kai', 2),
    gpus('volcano', 2),
  ]);
});

test('a near label is not looked for among any number of pods, and a selector that chooses nothing is reported all the same', () => {
  const many = 1100;
  const pods = Array.from({ length: many }, (_, index) =>
    labeled(object('v1', 'Pod', `p${index}`), { app: `web${index}` }),
  );
  const services = Array.from({ length: many }, (_, index) =>
    object('v1', 'Service', `s${index}`, { spec: { selector: { app: `webx${index}` } } }),
  );
  const found = findingsOf(
    [...pods, ...services].map((one) => JSON.stringify(one)).join('\n---\n'),
    referenceRules,
  ).filter(({ rule }) => rule === 'references/selector-matches');
  expect(found).toHaveLength(many);
  expect(found[0]?.severity).toBe('warning');
  expect(found.at(-1)?.severity).toBe('info');
});
