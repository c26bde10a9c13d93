/**
 * What `adopt` recognizes in objects that belong together, and in parts of an object that a construct states in one property.
 */
import { ApiObject, App, Chart, Yaml } from 'cdk8s';
import { Accelerator, kubeflow, Team, volcano } from '../../../../src';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { parseYaml } from '../../../../src/manifests/yaml';
import { ManifestSet } from '../../../../src/manifests/manifest-set';
import { roundTrip } from '../../../adopt/round-trip';

function setOf(yaml: string): ManifestSet {
  const { manifests, problems } = parseYaml(yaml, 'test.yaml');
  return new ManifestSet(manifests, problems);
}

/** What a chart renders, as text that was synthesized before. */
function yamlOf(build: (chart: Chart) => void): string {
  const chart = new Chart(new App(), 'c');
  build(chart);
  const objects = chart.node.findAll().filter((child) => ApiObject.isApiObject(child));
  return Yaml.stringify(...objects.map((object) => object.toJson() as JsonObject));
}

/** The source, after the round trip was found to be without a difference. */
function sourceOf(yaml: string): string {
  const { adoption, differing } = roundTrip(setOf(yaml));
  expect(differing).toEqual([]);
  return adoption.source;
}

const TEAM = yamlOf((chart) => {
  const company = new volcano.Queue(chart, 'company');
  const research = new Team(chart, 'research', {
    podSecurity: 'restricted',
    namespaceLabels: { 'example.com/cost': '7' },
    quota: { cpu: 64, memory: '1Ti', accelerators: Accelerator.nvidia({ count: 8 }), cpuLimit: 128, pods: 100 },
    queue: { parent: company, weight: 2, deserved: { cpu: 32 } },
    admins: [{ kind: 'Group', name: 'leads' }],
    members: [{ kind: 'User', name: 'ada@example.com' }],
  });
  new kubeflow.PyTorchJob(chart, 'train', {
    namespace: research.namespace,
    nodes: 2,
    image: 'registry.example.com/train:1',
  }).submitTo(research.queue);
});

test('a namespace with its quota, defaults, queue, and bindings is a team, which others refer to', () => {
  const source = sourceOf(TEAM);
  for (const text of [
    "const research = new Team(this, 'research', {",
    "podSecurity: 'restricted',",
    "namespaceLabels: { 'example.com/cost': '7' },",
    'queue: { parent: company, weight: 2, deserved: { cpu: ',
    "admins: [{ kind: 'Group', name: 'leads' }],",
    "members: [{ kind: 'User', name: 'ada@example.com' }],",
    'namespace: research.namespace,',
    '.submitTo(research.queue)',
  ]) {
    expect(source).toContain(text);
  }
  expect(source).not.toMatch(/ResourceQuota|LimitRange|RoleBinding/);
});

test.each([
  ['a quota of another name', 'name: research-quota', 'name: compute'],
  ['a quota with a scope', 'spec:\n  hard:', 'spec:\n  scopes: [NotTerminating]\n  hard:'],
  ['another role', 'name: edit', 'name: view'],
  ['a service account as a member', 'kind: User', 'kind: ServiceAccount'],
])('objects that a team does not render as they are stay apart: %s', (_, from, to) => {
  expect(TEAM).toContain(from);
  const source = sourceOf(TEAM.replace(from, to));
  expect(source).not.toContain('new Team(');
  expect(source).toContain("new Namespace(this, 'research'");
  expect(source).toContain('.submitTo(research');
});

test('a queue that does not belong to the team stays apart from it', () => {
  const source = sourceOf(TEAM.replace('gantry.dev/namespaces: research', 'gantry.dev/namespaces: other'));
  expect(source).toContain('queue: false,');
  expect(source).toContain("new volcano.Queue(this, 'research-queue'");
  expect(source).toContain('.submitTo(researchQueue)');
});

test('an annotation that names several objects keeps all of them', () => {
  const networks = 'fast,fast,slow';
  const source = sourceOf(`
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: fast, namespace: lab }
spec: { config: '{"cniVersion":"0.3.1","type":"macvlan","master":"eth1","ipam":{"type":"dhcp"}}' }
---
apiVersion: batch/v1
kind: Job
metadata: { name: train, namespace: lab }
spec:
  template:
    metadata: { annotations: { k8s.v1.cni.cncf.io/networks: "${networks}" } }
    spec:
      restartPolicy: Never
      containers: [{ name: train, image: a:1 }]
`);
  expect(source).toContain('new batch.Job(');
  expect(source).toContain(`'k8s.v1.cni.cncf.io/networks': '${networks}'`);
});

test('amounts keep their order, which a quota of Kueue prescribes', () => {
  const source = sourceOf(`
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: quota }
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu, cpu]
      flavors:
        - name: h100
          resources: [{ name: nvidia.com/gpu, nominalQuota: 8 }, { name: cpu, nominalQuota: 64 }]
`);
  expect(source).toContain('nominalQuota: { accelerators: Accelerator.nvidia({ count: 8 }), cpu: 64 }');
});

test('a runtime with initializers, and a job with what it patches', () => {
  const runtime = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: { name: tune }
spec:
  mlPolicy: { numNodes: 1, torch: {} }
  template:
    spec:
      volumeClaimPolicies:
        - templates:
            - metadata: { name: initializer }
              spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 20Gi } } }
      replicatedJobs:
        - name: model-initializer
          template:
            metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: model-initializer } }
            spec:
              template:
                spec:
                  containers:
                    - name: model-initializer
                      image: registry.example.com/fetch:1
                      volumeMounts: [{ name: initializer, mountPath: /workspace }]
        - name: node
          dependsOn: [{ name: model-initializer, status: Complete }]
          template:
            metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: trainer } }
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: registry.example.com/tune:1
                      volumeMounts: [{ name: initializer, mountPath: /workspace }]
`;
  const source = sourceOf(runtime);
  expect(source).toContain("model: { image: 'registry.example.com/fetch:1' }, storage: '20Gi'");
  expect(source).not.toContain('addJsonPatch');
});

test('every source of an authentication', () => {
  const source = sourceOf(`
apiVersion: keda.sh/v1alpha1
kind: ClusterTriggerAuthentication
metadata: { name: all }
spec:
  podIdentity: { provider: azure-workload, identityId: abc, identityTenantId: t }
  secretTargetRef: [{ parameter: password, name: broker, key: word }]
  filePath: tokens/all.json
  oauth2:
    type: clientCredentials
    clientId: a
    clientSecret: { valueFrom: { secretKeyRef: { name: client, key: secret } } }
    tokenUrl: https://login.example.com/token
    scopes: [read]
  boundServiceAccountToken: [{ parameter: token, serviceAccountName: reader }]
`);
  for (const text of [
    "podIdentity: { provider: 'azure-workload', identityId: 'abc', tenantId: 't' }",
    "secrets: { password: { name: 'broker', key: 'word' } }",
    "filePath: 'tokens/all.json'",
    "clientSecret: { name: 'client', key: 'secret' }",
    "boundServiceAccountToken: [{ parameter: 'token', serviceAccountName: 'reader' }]",
  ]) {
    expect(source).toContain(text);
  }
  expect(source).not.toContain('overrides');
});

test('a trigger is the function of its scaler where that writes the same metadata', () => {
  const source = sourceOf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: web, namespace: lab }
spec:
  scaleTargetRef: { name: web }
  triggers:
    - { type: cron, name: day, metadata: { timezone: Etc/UTC, start: 0 8 * * *, end: 0 18 * * *, desiredReplicas: "4" } }
    - { type: aws-sqs-queue, authenticationRef: { name: aws }, metadata: { queueURL: "https://q", queueLength: "5", awsRegion: eu-west-1 } }
    - { type: mysql, metadata: { queryValue: "5", query: select 1, passwordFromEnv: PASSWORD } }
    - { type: mysql, metadata: { queryValue: "05", query: select 1, passwordFromEnv: PASSWORD } }
    - { type: own-scaler, metadata: { a: b } }
`);
  for (const text of [
    "keda.Triggers.cron({ timezone: 'Etc/UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 4, name: 'day' })",
    'queueLength: 5,',
    "authentication: keda.TriggerAuthentication.fromName('aws')",
    "keda.Triggers.mysql({ queryValue: 5, query: 'select 1', password: keda.fromEnv('PASSWORD') })",
    "type: 'mysql',",
    "keda.Trigger.custom({ type: 'own-scaler', metadata: { a: 'b' } })",
  ]) {
    expect(source).toContain(text);
  }
});

test('a trigger whose function is written by hand is said as that function takes it', () => {
  const source = sourceOf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: web, namespace: lab }
spec:
  scaleTargetRef: { name: web }
  triggers:
    - { type: kafka, authenticationRef: { name: broker }, metadata: { bootstrapServers: "a:9092,b:9092", consumerGroup: g, topicFromEnv: TOPIC, partitionLimitation: "1,4-6" } }
    - { type: rabbitmq, metadata: { hostFromEnv: HOST, queueName: jobs, mode: ExpectedQueueConsumptionTime, value: "120" } }
    - { type: redis, metadata: { address: "redis:6379", listName: jobs, listLength: "5", enableTLS: "true" } }
    - { type: cpu, metricType: Utilization, metadata: { value: "60", containerName: main } }
    - { type: memory, metricType: AverageValue, metadata: { value: 2Gi } }
    - { type: kubernetes-workload, metadata: { podSelector: "app=web,tier in (a)", value: "2" } }
    - { type: external-push, metadata: { scalerAddress: "s:1", enableTLS: "true", longest: 5m, tokenFromEnv: TOKEN } }
    - { type: nats-jetstream, metadata: { natsServerMonitoringEndpoint: "n:8222", account: A, stream: s, consumer: c, lagThreshold: "5" } }
    - { type: prometheus, metadata: { serverAddress: http://p, query: up, threshold: "1", ignoreNullValues: "false", namespace: t } }
`);
  for (const text of [
    "bootstrapServers: ['a:9092', 'b:9092'],",
    "topic: keda.fromEnv('TOPIC'),",
    "partitions: [1, '4-6'],",
    "authentication: keda.TriggerAuthentication.fromName('broker'),",
    'measure: { timeToEmpty: Duration.minutes(2) }',
    "address: ['redis:6379'],",
    'enableTLS: true',
    "keda.Triggers.cpu({ utilizationPercent: 60, container: 'main' })",
    "keda.Triggers.memory({ averageValue: '2Gi' })",
    "keda.Triggers.kubernetesWorkload({ pods: 'app=web,tier in (a)', value: 2 })",
    "parameters: { longest: '5m', token: keda.fromEnv('TOKEN') },",
    "account: { name: 'A' },",
    "whenEmpty: 'failure',",
    "tenantNamespace: 't',",
  ]) {
    expect(source).toContain(text);
  }
  expect(source).not.toContain('Trigger.custom');
});

test.each([
  [
    'parameters that the function lacks',
    '{ type: redis, metadata: { host: r, port: "6379", listName: l, listLength: "5" } }',
  ],
  ['a target that the function lacks', '{ type: cpu, metricType: Value, metadata: { value: "60" } }'],
  [
    'options that the function lacks',
    '{ type: memory, metricType: Utilization, useCachedMetrics: true, metadata: { value: "60" } }',
  ],
  [
    'an authentication that the function lacks',
    '{ type: cpu, metricType: Utilization, authenticationRef: { name: a }, metadata: { value: "60" } }',
  ],
  ['a text that the function writes otherwise', '{ type: cpu, metricType: Utilization, metadata: { value: "060" } }'],
])('a trigger with %s is written as it is', (_, trigger) => {
  const source = sourceOf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: web, namespace: lab }
spec: { scaleTargetRef: { name: web }, triggers: [${trigger}] }
`);
  expect(source).toContain('keda.Trigger.custom({');
});

test('a cluster without a version of Ray, and a runtime without a policy', () => {
  const source = sourceOf(`
apiVersion: ray.io/v1
kind: RayService
metadata: { name: answers, namespace: lab }
spec:
  serveConfigV2: "applications: []"
  upgradeStrategy:
    type: NewClusterWithIncrementalUpgrade
    clusterUpgradeOptions: { gatewayClassName: istio, intervalSeconds: 1, stepSizePercent: 20 }
  rayClusterConfig:
    enableInTreeAutoscaling: true
    headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: ray-head, image: example.com/ray }] } } }
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: { name: plain }
spec:
  mlPolicy: { numNodes: 2 }
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: trainer } }
            spec: { template: { spec: { containers: [{ name: node, image: example.com/plain }] } } }
`);
  expect(source).toContain('new ray.RayService(');
  expect(source).toContain("upgrade: { gatewayClassName: 'istio', stepPercent: 20, interval: Duration.seconds(1) }");
  expect(source).toContain('new trainer.ClusterTrainingRuntime(');
  expect(source).not.toMatch(/rayVersion|policy|overrides|addJsonPatch/);
});
