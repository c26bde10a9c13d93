import * as pulumi from '@pulumi/pulumi';
import { JsonPatch } from 'cdk8s';
import {
  Accelerator,
  charts,
  gpuOperator,
  keda,
  kubeflow,
  monitoring,
  Mount,
  nodeTuning,
  PriorityClass,
  ray,
  Team,
  trainer,
  volcano,
} from '../../../src';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { type MockedEngine, mockedEngine, unwrapped } from './mocked-engine';

const { output } = pulumi;

/** What the engine is given for the objects that a program builds. */
async function registered(build: (chart: never) => void): Promise<MockedEngine> {
  const engine = await mockedEngine();
  await new GantryStack('lab', (chart) => build(chart as never), { namespace: 'research' }).done;
  return engine;
}

describe('props that are carried', () => {
  it('of pods: image, command, environment, resources, mounts, labels, tolerations, service account', async () => {
    const engine = await registered((chart) => {
      new kubeflow.PyTorchJob(chart, 'train', {
        nodes: 2,
        image: output('registry.example.com/train:1'),
        command: ['torchrun', output('train.py')],
        args: output(['--epochs', '3']),
        env: { BUCKET: output('data'), TOKEN: pulumi.secret('s3cret') },
        workingDir: output('/work'),
        resources: { cpu: output(8), memory: output('64Gi') },
        accelerators: Accelerator.nvidia({ count: 8 }),
        mounts: [Mount.nfs(output('nfs.example.com'), output('/export'), '/data')],
        podLabels: output({ team: 'a' }),
        podAnnotations: { owner: output('o') },
        tolerations: [{ key: output('gpu'), operator: 'Exists' }],
        serviceAccount: output('trainer'),
        labels: output({ ring: 'r' }),
      });
    });
    const { metadata, spec } = engine.find('train/Resource').inputs as unknown as {
      readonly metadata: object;
      readonly spec: {
        readonly value: { readonly pytorchReplicaSpecs: { readonly Worker: { readonly template: object } } };
      };
    };
    expect(metadata).toMatchObject({ labels: { ring: 'r' } });
    // The spec as a whole is secret, since it contains the token.
    expect(spec.value.pytorchReplicaSpecs.Worker.template).toMatchObject({
      metadata: { labels: { team: 'a' }, annotations: { owner: 'o' } },
      spec: {
        serviceAccountName: 'trainer',
        tolerations: expect.arrayContaining([{ key: 'gpu', operator: 'Exists' }]) as unknown,
        volumes: [{ name: 'data', nfs: { server: 'nfs.example.com', path: '/export' } }],
        containers: [
          {
            image: 'registry.example.com/train:1',
            command: ['torchrun', 'train.py'],
            args: ['--epochs', '3'],
            workingDir: '/work',
            env: expect.arrayContaining([
              { name: 'BUCKET', value: 'data' },
              { name: 'TOKEN', value: 's3cret' },
            ]) as unknown,
            resources: { requests: { cpu: 8, memory: '64Gi' }, limits: { memory: '64Gi', 'nvidia.com/gpu': 8 } },
          },
        ],
      },
    });
  });

  it('of operators, triggers, and charts', async () => {
    const engine = await registered((chart) => {
      new gpuOperator.NvidiaDriver(chart, 'driver', {
        repository: output('mirror.example.com'),
        imagePullSecrets: [output('mirror')],
      });
      new keda.ScaledObject(chart, 'scale', {
        target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 4,
        triggers: [
          keda.Triggers.prometheus({ serverAddress: output('http://prometheus:9090'), query: 'up', threshold: 1 }),
          keda.Triggers.kafka({
            bootstrapServers: [output('a:9092'), 'b:9092'],
            consumerGroup: Promise.resolve('g'),
            topic: output('jobs'),
          }),
          keda.Triggers.redis({ address: output(['r:6379', 's:6379']), listName: output('jobs') }),
          keda.Triggers.rabbitmq({ host: output('amqp://r'), queueName: output('q'), measure: { queueLength: 5 } }),
          keda.Triggers.external({ scalerAddress: output('s:1'), parameters: { token: output('t') } }),
          keda.Triggers.natsJetstream({
            natsServerMonitoringEndpoint: output('n:8222'),
            account: { name: output('A') },
            stream: output('s'),
            consumer: output('c'),
          }),
        ],
      });
      new charts.HelmRelease(chart, 'volcano', {
        chart: 'volcano',
        values: { basic: { image_registry: output('mirror.example.com') } },
      });
    });
    expect(engine.find('driver/Resource').inputs.spec).toMatchObject({
      repository: 'mirror.example.com',
      imagePullSecrets: ['mirror'],
    });
    expect(engine.find('scale/Resource').inputs.spec).toMatchObject({
      triggers: [
        { metadata: { serverAddress: 'http://prometheus:9090' } },
        { metadata: { bootstrapServers: 'a:9092,b:9092', consumerGroup: 'g', topic: 'jobs' } },
        { metadata: { address: 'r:6379,s:6379', listName: 'jobs' } },
        { metadata: { host: 'amqp://r', queueName: 'q' } },
        { metadata: { scalerAddress: 's:1', token: 't' } },
        { metadata: { natsServerMonitoringEndpoint: 'n:8222', account: 'A', stream: 's', consumer: 'c' } },
      ],
    });
    expect(engine.find('volcano/Resource').inputs.spec).toMatchObject({
      values: { basic: { image_registry: 'mirror.example.com' } },
    });
  });

  it('of clouds: identities, addresses, tags, buckets, storage classes', async () => {
    const engine = await registered((chart) => {
      new keda.TriggerAuthentication(chart, 'auth', {
        podIdentity: { provider: 'aws', roleArn: output('arn:aws:iam::1:role/a'), externalId: output('x') },
        oauth2: { clientId: output('id'), tokenUrl: output('https://login.example.com'), scopes: [output('read')] },
      });
      new nodeTuning.Ec2NodeClass(chart, 'nodes', {
        role: output('nodes'),
        amiAlias: output('al2023@v20260101'),
        clusterName: output('ai'),
        securityGroupTags: { team: output('a') },
        userData: output('#!/bin/sh'),
      });
      new ray.RayCluster(chart, 'ray', {
        head: {
          image: 'registry.example.com/ray:1',
          schedulesTasks: true,
          startParams: { 'dashboard-port': output('8266') },
        },
        faultTolerance: { redisAddress: output('redis:6379'), storageNamespace: output('ray') },
      });
      new trainer.TrainJob(chart, 'tune', {
        runtime: trainer.ClusterTrainingRuntime.fromName('own'),
        dataset: { storageUri: output('s3://data') },
      });
      new Team(chart, 'research', { quota: { cpu: 8 }, namespaceLabels: output({ cost: 'center' }) });
      new PriorityClass(chart, 'release', { value: 1, description: output('for releases') });
      new monitoring.ScrapeConfig(chart, 'switches', {
        targets: [output('leaf:9100')],
        targetLabels: output({ a: 'b' }),
      });
      new charts.ArgoApplication(chart, 'kueue', { chart: 'kueue', server: output('https://cluster') });
    });
    const specOf = (name: string): unknown => unwrapped(engine.find(name).inputs.spec);
    expect(specOf('auth/Resource')).toMatchObject({
      podIdentity: { roleArn: 'arn:aws:iam::1:role/a', externalID: 'x' },
      oauth2: { clientId: 'id', tokenUrl: 'https://login.example.com', scopes: ['read'] },
    });
    expect(specOf('nodes/Resource')).toMatchObject({
      role: 'nodes',
      amiSelectorTerms: [{ alias: 'al2023@v20260101' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'ai' } }],
      securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
      userData: '#!/bin/sh',
    });
    expect(specOf('ray/Resource')).toMatchObject({
      gcsFaultToleranceOptions: { redisAddress: 'redis:6379', externalStorageNamespace: 'ray' },
      headGroupSpec: { rayStartParams: { 'dashboard-host': '0.0.0.0', 'dashboard-port': '8266' } },
    });
    expect(specOf('tune/Resource')).toMatchObject({ initializer: { dataset: { storageUri: 's3://data' } } });
    expect(engine.find('research/namespace/Resource').inputs).toMatchObject({
      metadata: { labels: { cost: 'center' } },
    });
    expect(engine.find('release/Resource').inputs).toMatchObject({ description: 'for releases' });
    expect(specOf('switches/Resource')).toMatchObject({
      staticConfigs: [{ targets: ['leaf:9100'], labels: { a: 'b' } }],
    });
    expect(specOf('kueue/Resource')).toMatchObject({ destination: { server: 'https://cluster' } });
  });

  it('of inputs of a component: promises, maps, and lists, as pulumi.Input allows them', async () => {
    const args: {
      readonly image: pulumi.Input<string>;
      readonly args: pulumi.Input<pulumi.Input<string>[]>;
      readonly labels: pulumi.Input<Record<string, pulumi.Input<string>>>;
      readonly cpu: pulumi.Input<number>;
    } = {
      image: Promise.resolve('registry.example.com/train:1'),
      args: Promise.resolve(['--epochs', output('3')]),
      labels: Promise.resolve({ team: output('a') }),
      cpu: 8,
    };
    const engine = await registered((chart) => {
      new kubeflow.PyTorchJob(chart, 'train', {
        nodes: 2,
        image: args.image,
        args: args.args,
        podLabels: output(args.labels),
        resources: { cpu: args.cpu, memory: Promise.resolve('64Gi') },
        env: { BUCKET: Promise.resolve('data') },
      });
    });
    expect(engine.find('train/Resource').inputs.spec).toMatchObject({
      pytorchReplicaSpecs: {
        Worker: {
          template: {
            metadata: { labels: { team: 'a' } },
            spec: {
              containers: [
                {
                  image: 'registry.example.com/train:1',
                  args: ['--epochs', '3'],
                  env: expect.arrayContaining([{ name: 'BUCKET', value: 'data' }]) as unknown,
                  resources: { requests: { cpu: 8, memory: '64Gi' } },
                },
              ],
            },
          },
        },
      },
    });
  });

  it('of JSON patches', async () => {
    const engine = await registered((chart) => {
      new volcano.Queue(chart, 'q', { weight: 1 }).resource.addJsonPatch(
        JsonPatch.add('/metadata/annotations', { owner: output('ml'), other: 'x' }),
        JsonPatch.replace('/spec/weight', Promise.resolve(4)),
      );
    });
    expect(engine.find('q/Resource').inputs).toMatchObject({
      metadata: { annotations: { owner: 'ml', other: 'x' } },
      spec: { weight: 4 },
    });
  });

  it('are rejected, with the prop and what to write, where a construct computes with them', async () => {
    await mockedEngine();
    const building =
      (build: (chart: never) => void): (() => unknown) =>
      () =>
        new GantryStack('lab', (chart) => build(chart as never));
    const three = output(3) as never;
    const size = output('1Gi') as never;
    const job = { nodes: 1, image: 'a:1' };
    for (const [prop, build] of [
      ['nodes', (chart: never) => new kubeflow.PyTorchJob(chart, 'train', { ...job, nodes: three })],
      [
        'count',
        (chart: never) =>
          new kubeflow.PyTorchJob(chart, 'train', { ...job, accelerators: Accelerator.nvidia({ count: three }) }),
      ],
      ['sharedMemory', (chart: never) => new kubeflow.PyTorchJob(chart, 'train', { ...job, sharedMemory: size })],
      [
        'resources.memory',
        (chart: never) =>
          new kubeflow.PyTorchJob(chart, 'train', { ...job, sharedMemory: '1Gi', resources: { memory: size } }),
      ],
      [
        'terminationGracePeriod',
        (chart: never) => new kubeflow.PyTorchJob(chart, 'train', { ...job, terminationGracePeriod: three }),
      ],
      [
        'nodes',
        (chart: never) => new kubeflow.PyTorchJob(chart, 'train', { ...job, nodes: Promise.resolve(3) as never }),
      ],
      ['cpu', (chart: never) => new volcano.Queue(chart, 'q', { capability: { cpu: three } })],
    ] as const) {
      expect(building(build)).toThrow(new RegExp(`${prop}.*must not be an Output.*Pass the value itself`));
    }
  });
});

/** Compiled, never run: what an Output cannot be given to is an error of the compiler. */
export function doesNotCompile(chart: never): void {
  // @ts-expect-error -- the number of nodes is computed with
  new kubeflow.PyTorchJob(chart, 'a', { image: 'a:1', nodes: output(2) });
  // @ts-expect-error -- the size decides what is left of the memory
  new kubeflow.PyTorchJob(chart, 'a', { image: 'a:1', nodes: 2, sharedMemory: output('1Gi') });
  // @ts-expect-error -- quotas are compared with each other
  new volcano.Queue(chart, 'a', { capability: { cpu: output(2) } });
  // @ts-expect-error -- references follow from the name
  new volcano.Queue(chart, 'a', { name: output('a') });
  // @ts-expect-error -- accelerators are counted
  Accelerator.nvidia({ count: output(8) });
  // @ts-expect-error -- constructs add members to a map, which a promise would lose
  new kubeflow.PyTorchJob(chart, 'a', { image: 'a:1', nodes: 2, podLabels: Promise.resolve({ a: 'b' }) });
  // @ts-expect-error -- an image is a string, whether it is carried or not
  new kubeflow.PyTorchJob(chart, 'a', { image: output(1), nodes: 2 });
}
