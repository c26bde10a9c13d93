import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import { RayCluster, type RayClusterParts, RayJob, RayService } from '../../../src/constructs/ray';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const IMAGE = 'rayproject/ray:2.52.0-gpu';
const POD = { image: IMAGE, resources: { cpu: 4, memory: '32Gi' } };

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart.toJson() as JsonObject[];
}

const parts = (changes: Partial<RayClusterParts> = {}): RayClusterParts => ({
  rayVersion: '2.52.0',
  head: POD,
  workers: [{ groupName: 'gpu', replicas: 2, ...POD, accelerators: Accelerator.nvidia({ count: 1 }) }],
  ...changes,
});

test('a cluster has a head that schedules nothing, and groups in their bounds', () => {
  const [cluster] = made((chart) => new RayCluster(chart, 'ray', parts()));
  expect(valueAt(cluster ?? null, '/spec/headGroupSpec/rayStartParams')).toEqual({
    'dashboard-host': '0.0.0.0',
    'num-cpus': '0',
  });
  expect(valueAt(cluster ?? null, '/spec/workerGroupSpecs/0')).toMatchObject({
    groupName: 'gpu',
    replicas: 2,
    minReplicas: 2,
    maxReplicas: 2,
  });
  expect(valueAt(cluster ?? null, '/spec/workerGroupSpecs/0/template/spec/containers/0/name')).toBe('ray-worker');
});

test('an autoscaler is v2 and begins with none', () => {
  const [cluster] = made(
    (chart) =>
      new RayCluster(
        chart,
        'ray',
        parts({
          autoscaler: { idleTimeout: Duration.minutes(2) },
          workers: [{ groupName: 'gpu', max: 8, idleTimeout: Duration.seconds(30), ...POD }],
          tokenAuthentication: true,
          faultTolerance: { redisAddress: 'redis:6379', password: { secret: 'redis', key: 'password' } },
        }),
      ),
  );
  expect(cluster).toMatchObject({
    spec: {
      enableInTreeAutoscaling: true,
      autoscalerOptions: { version: 'v2', idleTimeoutSeconds: 120 },
      authOptions: { mode: 'token' },
      gcsFaultToleranceOptions: {
        redisAddress: 'redis:6379',
        redisPassword: { valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } },
      },
      workerGroupSpecs: [{ replicas: 0, minReplicas: 0, maxReplicas: 8, idleTimeoutSeconds: 30 }],
    },
  });
});

test('queue and priority are where the batch scheduler reads them', () => {
  const [cluster] = made((chart) =>
    new RayCluster(chart, 'ray', parts())
      .submitTo({ engine: 'volcano', name: 'q' })
      .withPriority({ kind: 'PriorityClass', name: 'high' }),
  );
  expect(valueAt(cluster ?? null, '/metadata/labels')).toEqual({
    'volcano.sh/queue-name': 'q',
    'ray.io/priority-class-name': 'high',
  });
  expect(valueAt(cluster ?? null, '/spec/headGroupSpec/template/spec')).toMatchObject({
    schedulerName: 'volcano',
    priorityClassName: 'high',
  });
});

test('a job quotes its words, shuts its cluster down, and can be suspended by Kueue', () => {
  const [job] = made((chart) =>
    new RayJob(chart, 'tune', {
      entrypoint: ['python', 'tune.py', "--name=it's me"],
      cluster: parts(),
      runtimeEnv: { pip: ['torch'], env_vars: { A: '1' } },
      ttlAfterFinished: Duration.minutes(1),
    }).submitTo({ engine: 'kueue', name: 'team' }),
  );
  expect(job).toMatchObject({
    metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'team' } },
    spec: {
      entrypoint: "python tune.py '--name=it'\\''s me'",
      shutdownAfterJobFinishes: true,
      runtimeEnvYAML: 'pip:\n  - torch\nenv_vars:\n  A: "1"\n',
    },
  });
});

test('a job on a cluster that there is selects it and comes after it', () => {
  const objects = made((chart) => {
    const cluster = new RayCluster(chart, 'z-cluster', parts());
    new RayJob(chart, 'a-job', { entrypoint: 'python a.py', cluster });
  });
  expect(objects.map(({ kind }) => kind)).toEqual(['RayCluster', 'RayJob']);
  expect(valueAt(objects[1] ?? null, '/spec')).toEqual({
    entrypoint: 'python a.py',
    clusterSelector: { 'ray.io/cluster': 'z-cluster' },
  });
});

test('a service upgrades in steps with the autoscaler', () => {
  const upgrade = { gatewayClassName: 'istio', stepPercent: 10, interval: Duration.seconds(30) };
  const [service] = made(
    (chart) =>
      new RayService(chart, 'chat', {
        serveConfig: { applications: [{ name: 'a' }] },
        cluster: parts({ autoscaler: {} }),
        upgrade,
      }),
  );
  expect(service).toMatchObject({
    spec: {
      serveConfigV2: 'applications:\n  - name: a\n',
      upgradeStrategy: {
        type: 'NewClusterWithIncrementalUpgrade',
        clusterUpgradeOptions: { stepSizePercent: 10, maxSurgePercent: 100 },
      },
    },
  });
});

test('what cannot be is refused where it is written', () => {
  const chart = new Chart(new App(), 'c');
  const cluster = RayCluster.fromName('theirs');
  expect(() => new RayJob(chart, 'a', { entrypoint: 'x', cluster, backoffLimit: 2, suspend: true })).toThrow(
    'c/a: suspend and backoffLimit must not be set for a job on an existing cluster',
  );
  expect(() => new RayJob(chart, 'b', { entrypoint: 'x', cluster: parts(), shutdown: false, suspend: true })).toThrow(
    'shutdown: false must not be set with suspend',
  );
  expect(
    () => new RayCluster(chart, 'd', parts({ workers: [{ groupName: 'g', replicas: 3, max: 2, ...POD }] })),
  ).toThrow('replicas 3 of group g: must be from min 3 to max 2.');
  expect(
    () =>
      new RayCluster(
        chart,
        'e',
        parts({
          workers: [
            { groupName: 'g', ...POD },
            { groupName: 'g', ...POD },
          ],
        }),
      ),
  ).toThrow('Duplicate worker group "g"');
  expect(
    () =>
      new RayService(chart, 'f', {
        serveConfig: '',
        cluster: parts(),
        upgrade: { gatewayClassName: 'g', stepPercent: 5, interval: Duration.seconds(5) },
      }),
  ).toThrow('requires cluster.autoscaler');
});

test('whatever the numbers, no rule of any domain objects', () => {
  const statement = fc.record({
    replicas: fc.integer({ min: 0, max: 50 }),
    above: fc.nat(50),
    gpus: fc.integer({ min: 1, max: 8 }),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.gantry({ engine: 'gantry', name: 'q' }),
    ),
    autoscaler: fc.constantFrom(undefined, {}, { version: 'v1' as const, upscaling: 'Aggressive' as const }),
    shutdown: fc.boolean(),
  });
  fc.assert(
    fc.property(statement, ({ replicas, above, gpus, scheduling, autoscaler, shutdown }) => {
      const cluster = parts({
        autoscaler,
        workers: [
          {
            groupName: 'gpu',
            replicas,
            max: replicas + above,
            ...POD,
            sharedMemory: '8Gi',
            accelerators: Accelerator.nvidia({ count: gpus }),
          },
        ],
      });
      made((chart) => new RayCluster(chart, 'a', { ...cluster, scheduling }));
      made((chart) => new RayJob(chart, 'b', { entrypoint: 'x', cluster, shutdown, scheduling }));
      made(
        (chart) =>
          new RayService(chart, 'd', { serveConfig: 'applications: []', cluster, scheduling, upgrade: 'new-cluster' }),
      );
    }),
    { seed: 20261120, numRuns: samples(30) },
  );
});
