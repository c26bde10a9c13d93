/**
 * Both directions with cdk8s-plus, over the oldest line that a stack may have and the newest. That this file compiles is half of the test:
 * no workload is cast.
 */
import { App, Chart, Size } from 'cdk8s';
import * as plus28 from 'cdk8s-plus-28';
import * as plus34 from 'cdk8s-plus-34';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Accelerator, batch, keda, kubeflow, Mount, ray, serving, volcano } from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';

const POD = {
  image: 'registry.example.com/a:1',
  resources: { cpu: 2, memory: '4Gi' },
  accelerators: Accelerator.nvidia({ count: 1 }),
};
const chartOf = (): Chart => new Chart(new App(), 'test', { namespace: 'ml' });
const objects = (chart: Chart): readonly JsonObject[] => chart.toJson() as readonly JsonObject[];
const only = (chart: Chart, kind: string): JsonObject => objects(chart).find((object) => object.kind === kind) ?? {};

describe.each([
  ['cdk8s-plus-28', 28],
  ['cdk8s-plus-34', 34],
] as const)('%s', (_, line) => {
  test('a Service selects the pods of a workload', () => {
    const chart = chartOf();
    const deployment = new serving.Deployment(chart, 'web', POD);
    if (line === 28) {
      new plus28.Service(chart, 'service', { selector: deployment, ports: [{ port: 80 }] });
    } else {
      new plus34.Service(chart, 'service', { selector: deployment, ports: [{ port: 80 }] });
    }
    expect(only(chart, 'Service')).toMatchObject({ spec: { selector: { app: 'web' } } });
  });

  test('a NetworkPolicy is of the pods of a workload, and lets another one in', () => {
    const chart = chartOf();
    const job = new kubeflow.PyTorchJob(chart, 'train', { ...POD, nodes: 2 });
    const web = new serving.Deployment(chart, 'web', POD);
    if (line === 28) {
      new plus28.NetworkPolicy(chart, 'policy', { selector: job, ingress: { rules: [{ peer: web }] } });
    } else {
      new plus34.NetworkPolicy(chart, 'policy', { selector: job, ingress: { rules: [{ peer: web }] } });
    }
    expect(only(chart, 'NetworkPolicy')).toMatchObject({
      metadata: { namespace: 'ml' },
      spec: {
        podSelector: { matchLabels: { 'training.kubeflow.org/job-name': 'train' } },
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }],
      },
    });
  });

  test('a workload of cdk8s-plus connects to a workload', () => {
    const chart = chartOf();
    const ranks = new ray.RayCluster(chart, 'ranks', { rayVersion: '2.52.0', head: POD });
    const props = { containers: [{ image: 'a' }] };
    if (line === 28) {
      new plus28.Deployment(chart, 'client', props).connections.allowTo(ranks);
    } else {
      new plus34.Deployment(chart, 'client', props).connections.allowTo(ranks);
    }
    const policies = objects(chart).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toHaveLength(2);
    expect(JSON.stringify(policies)).toContain('{"ray.io/cluster":"ranks"}');
  });

  test('a HorizontalPodAutoscaler scales a Deployment and a LeaderWorkerSet, which state no replicas then', () => {
    const chart = chartOf();
    const deployment = new serving.Deployment(chart, 'web', POD);
    const group = new batch.LeaderWorkerSet(chart, 'group', { ...POD, groupSize: 2 });
    expect(only(chart, 'Deployment')).toMatchObject({ spec: { replicas: 1 } });
    for (const [id, target] of [
      ['of-web', deployment],
      ['of-group', group],
    ] as const) {
      if (line === 28) {
        new plus28.HorizontalPodAutoscaler(chart, id, { target, maxReplicas: 8 });
      } else {
        new plus34.HorizontalPodAutoscaler(chart, id, { target, maxReplicas: 8 });
      }
    }
    const targets = objects(chart).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(targets).toMatchObject([
      { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } } },
      {
        spec: {
          scaleTargetRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'group' },
        },
      },
    ]);
    expect(only(chart, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(only(chart, 'LeaderWorkerSet').spec).not.toHaveProperty('replicas');
    // It looks for requests of CPU or memory, and for replicas.
    expect(chart.node.findAll().flatMap(({ node }) => node.validate())).toEqual([]);
  });

  test('an autoscaler rejects stated replicas, and pods without requests', () => {
    const chart = chartOf();
    const fixed = new serving.Deployment(chart, 'fixed', { ...POD, replicas: 3 });
    const bare = new serving.Deployment(chart, 'bare', { image: 'a' });
    const made = [fixed, bare].map((target, index) =>
      line === 28
        ? new plus28.HorizontalPodAutoscaler(chart, `hpa-${index}`, { target, maxReplicas: 8 })
        : new plus34.HorizontalPodAutoscaler(chart, `hpa-${index}`, { target, maxReplicas: 8 }),
    );
    const [ofFixed, ofBare] = made.map(({ node }) => node.validate().join());
    expect(ofFixed).toContain('cannot have a fixed number of replicas (3)');
    expect(ofBare).toContain('must have a CPU or memory resource constraint');
  });

  test('constructs of cdk8s-plus are taken: claims, accounts, namespaces, scale targets', () => {
    const chart = chartOf();
    const plus = line === 28 ? plus28 : plus34;
    const accessModes = [plus28.PersistentVolumeAccessMode.READ_WRITE_ONCE] as never[];
    const claim = new plus.PersistentVolumeClaim(chart, 'z-claim', { accessModes, storage: Size.gibibytes(8) });
    const serviceAccount = new plus.ServiceAccount(chart, 'z-account');
    const namespace = new plus.Namespace(new Chart(chart.node.root, 'namespaces'), 'team');
    new batch.Job(chart, 'job', { ...POD, namespace, serviceAccount, mounts: [Mount.claim(claim, '/data')] });
    const target = new plus.Deployment(chart, 'target', { containers: [{ image: 'a' }] });
    const triggers = [
      keda.Triggers.cron({ timezone: 'Etc/UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 4 }),
    ];
    new keda.ScaledObject(chart, 'scaled', { target, triggers });
    const kinds = objects(chart).map(({ kind }) => kind);
    expect(chart.node.findAll().flatMap(({ node }) => node.dependencies)).toContain(namespace);
    expect(kinds.indexOf('Job')).toBeGreaterThan(kinds.indexOf('PersistentVolumeClaim'));
    expect(only(chart, 'Job')).toMatchObject({
      metadata: { namespace: namespace.name },
      spec: { template: { spec: { serviceAccountName: serviceAccount.name } } },
    });
    expect(only(chart, 'ScaledObject')).toMatchObject({ spec: { scaleTargetRef: { name: target.name } } });
    // It is marked as scaled by an autoscaler, and states no replicas.
    expect(only(chart, 'Deployment').spec).not.toHaveProperty('replicas');
  });
});

test('a ScaledObject lets a Deployment state no replicas', () => {
  const chart = chartOf();
  const triggers = [
    keda.Triggers.cron({ timezone: 'Etc/UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 4 }),
  ];
  new keda.ScaledObject(chart, 'scaled', { target: new serving.Deployment(chart, 'web', POD), triggers });
  expect(only(chart, 'Deployment').spec).not.toHaveProperty('replicas');
});

test.each<[string, (chart: Chart) => { readonly podSelectorLabels: object }, Readonly<Record<string, string>>]>([
  ['Job', (chart) => new batch.Job(chart, 'a', POD), { 'batch.kubernetes.io/job-name': 'a' }],
  [
    'JobSet',
    (chart) => new batch.JobSet(chart, 'a', { jobs: [{ ...POD, jobName: 'n' }] }),
    { 'jobset.sigs.k8s.io/jobset-name': 'a' },
  ],
  [
    'LeaderWorkerSet',
    (chart) => new batch.LeaderWorkerSet(chart, 'a', { ...POD, groupSize: 2 }),
    { 'leaderworkerset.sigs.k8s.io/name': 'a' },
  ],
  ['Volcano Job', (chart) => new volcano.Job(chart, 'a'), { 'volcano.sh/job-name': 'a' }],
  ['Knative Service', (chart) => new serving.KnativeService(chart, 'a', POD), { 'serving.knative.dev/service': 'a' }],
])('the pods of a %s are selected by the label of its controller', (_, make, labels) => {
  expect(make(chartOf()).podSelectorLabels).toEqual(labels);
});

test('pods whose owner has a name of its own in each run cannot be selected by the name', () => {
  const cron = new batch.CronJob(chartOf(), 'nightly', { ...POD, schedule: '@daily' });
  expect(() => cron.toPodSelectorConfig()).toThrow(
    'test/nightly: pods of a CronJob cannot be selected by its name. Set podLabels, and select by those.',
  );
});

test('no source file imports cdk8s-plus', () => {
  const source = resolve(__dirname, '../../../src');
  const importing = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      /(from|require\(|import\() ?['"]cdk8s-plus/.test(readFileSync(resolve(source, file), 'utf8')),
  );
  expect(importing).toEqual([]);
});
